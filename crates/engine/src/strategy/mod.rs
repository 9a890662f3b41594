//! Strategies: ways from a question to checked SQL. They compose the stages of the engine and
//! own none of them.

pub mod builtin;

use crate::context::Context;
use crate::error::Error;
use crate::guard::Checked;

/// The strategies by name.
pub const STRATEGIES: &[&str] = &["builtin", "gsr", "mag", "interactive", "zero_shot"];

/// Answer with the strategy that the question or the settings name.
pub fn answer(context: &Context<'_>) -> Result<Checked, Error> {
    let name = chosen(context)?;
    context.set_strategy(name);
    match name {
        "builtin" => builtin::answer(context),
        other => Err(Error::UnknownName {
            what: "strategy",
            given: other.to_owned(),
            known: STRATEGIES.iter().map(|s| (*s).to_owned()).collect(),
        }),
    }
}

/// The strategy's name; `auto` is gsr where a model is there, else builtin.
fn chosen(context: &Context<'_>) -> Result<&'static str, Error> {
    let asked = context.question.strategy.as_deref().unwrap_or(&context.settings().strategy);
    if asked == "auto" {
        return Ok(if context.engine.model.is_some() { "gsr" } else { "builtin" });
    }
    STRATEGIES.iter().copied().find(|s| *s == asked).ok_or_else(|| Error::UnknownName {
        what: "strategy",
        given: asked.to_owned(),
        known: STRATEGIES.iter().map(|s| (*s).to_owned()).collect(),
    })
}
