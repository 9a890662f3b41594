//! The strategies by name; each has its own module.

/// A way from a question to checked SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// One prompt, then only what is needed.
    Adaptive,
    /// No model at all.
    Builtin,
    /// Gradual SQL Refinement.
    Gsr,
    /// MAG-SQL.
    Mag,
    /// Interactive-T2S.
    Interactive,
    /// One plain prompt.
    ZeroShot,
}

/// What the setting takes: [`AUTO`], then the strategies.
pub const CHOICES: &[&str] =
    &[AUTO, "adaptive", "builtin", "gsr", "mag", "interactive", "zero_shot"];

/// The choice that depends on whether a model is configured.
pub const AUTO: &str = "auto";

impl Strategy {
    /// Every strategy, in the order of [`CHOICES`].
    const ALL: [Self; 6] =
        [Self::Adaptive, Self::Builtin, Self::Gsr, Self::Mag, Self::Interactive, Self::ZeroShot];

    /// The name that users write.
    pub fn name(self) -> &'static str {
        CHOICES[self as usize + 1]
    }

    /// The strategies' names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        CHOICES.iter().copied().filter(|&name| name != AUTO)
    }

    /// The strategy of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|strategy| strategy.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_one_strategy() {
        assert_eq!(Strategy::names().count(), Strategy::ALL.len());
        assert!(Strategy::names().all(|n| Strategy::named(n).is_some_and(|s| s.name() == n)));
        assert_eq!(Strategy::named("zero_shot"), Some(Strategy::ZeroShot));
        assert_eq!(Strategy::named(AUTO), None);
    }
}
