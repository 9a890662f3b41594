//! Strategy `zero_shot`: one plain prompt with the whole schema, the baseline of every
//! published comparison. Nothing is tried and nothing is repaired.

use super::endings;
use crate::chat::Request;
use crate::context::{Context, Strategy};
use crate::error::Error;
use crate::guard::Checked;
use crate::prompt::schema::{self, View};
use crate::prompt::{data, fill, reply};
use crate::report::Step;

/// The strategy.
pub struct ZeroShot;

impl Strategy for ZeroShot {
    fn name(&self) -> &'static str {
        "zero_shot"
    }

    fn first(&self, context: &Context<'_>) -> Result<Vec<Request>, Error> {
        Ok(vec![first(context)?])
    }

    fn answer(&self, context: &Context<'_>) -> Result<Checked, Error> {
        answer(context)
    }
}

/// The only request.
fn first(context: &Context<'_>) -> Result<Request, Error> {
    request(context, "zero_shot.sql", include_str!("../prompt/zero_shot_form.md"))
}

/// The plain prompt, as a step of this name that wants its reply in this form.
pub fn request(context: &Context<'_>, step: &str, form: &str) -> Result<Request, Error> {
    let view = View { values: true, ..View::default() };
    let schema = data("schema", &schema::text(context, &view)?);
    let more = if schema::leaves_out(&schema) { "tables" } else { "" };
    let form = fill(form, &[("more", more)]);
    let prompt = fill(
        include_str!("../prompt/zero_shot.md"),
        &[
            ("schema", &schema),
            ("values", &context.values_block()?),
            ("hint", &context.hint_block()),
            ("examples", context.examples_block()?),
            ("question", &context.question_block()),
            ("dialect", context.database().dialect().name()),
            ("form", &form),
        ],
    );
    context.request(step, prompt)
}

/// Ask once, check what comes back.
fn answer(context: &Context<'_>) -> Result<Checked, Error> {
    let reply = context.ask("writing SQL", &first(context)?, reply::sql)?;
    let sql = endings::or_abstain(context, reply)?;
    let checked = context.check(&sql)?;
    let note = "checked, not run".to_owned();
    context.step(Step { name: "zero_shot.check".into(), note, sql: Some(sql), ..Step::default() });
    Ok(checked)
}
