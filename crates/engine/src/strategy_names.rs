//! The names of strategies, as users write them.

/// Calls a macro with the engine's own strategies, in the order in which users see them. A strategy's
/// name is that of its module in [`crate::strategy`].
macro_rules! strategies {
    ($with:ident) => {
        $with! {
            adaptive::Adaptive,
            builtin::Builtin,
            gsr::Gsr,
            mag::Mag,
            interactive::Interactive,
            zero_shot::ZeroShot,
        }
    };
}
pub(crate) use strategies;

macro_rules! choices {
    ($($name:ident::$type:ident,)*) => {
        /// The values of the setting: [`AUTO`], then the strategies.
        pub const CHOICES: &[&str] = &[AUTO, $(stringify!($name)),*];
    };
}
strategies!(choices);

/// The choice that depends on whether a model is configured: [`ADAPTIVE`] or [`BUILTIN`].
pub const AUTO: &str = "auto";
/// One prompt, then only what is needed.
pub const ADAPTIVE: &str = "adaptive";
/// Without a model.
pub const BUILTIN: &str = "builtin";
