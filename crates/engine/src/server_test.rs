//! The test of a model's server: what it finds out about each step of a call, and the command that
//! mends what is wrong. It sends nothing of the database.

use crate::answer::Outcome;
use crate::chat::{TestStep, Tested, bytes_of_tokens};
use crate::engine::Engine;
use crate::error::Error;
use crate::ledger::{Disclosure, LedgerEntry};
use crate::ports::Model;
use crate::report::{Report, Step};

/// The step in ledger and report.
const STEP: &str = "test_server";
/// Tokens of a prompt besides those of the schema: instructions, question, stored values.
const OTHER_TOKENS: usize = 1_500;
/// The text of which a vector is made.
const EMBEDDED: &str = "name of the customer";

/// Test the server step by step. The report has the costs, also of a test that an error ends.
///
/// Errors: [`Error::NoModel`] without a server; [`Error::NotAllowed`]; a reached quota;
/// [`Error::Cancelled`]. Whatever else is wrong is a step of the result.
pub fn test_server(engine: &Engine<'_>) -> Outcome<Vec<TestStep>> {
    let Some(model) = engine.model else {
        return Outcome::failed(Error::NoModel {
            message: "there is no server to test".to_owned(),
            hint: engine.database.dialect().configure_model_command(),
        });
    };
    let mut tested = Tested::default();
    let result = test(engine, model, &mut tested);
    let report = Report {
        model: Some(model.name().to_owned()),
        calls: tested.calls,
        usage: tested.usage,
        cost: model.cost(tested.usage),
        steps: tested.steps.iter().map(in_report).collect(),
        ..Report::default()
    };
    Outcome { report, result: result.map(|()| tested.steps) }
}

/// The steps, added to `tested` as they are made.
fn test(engine: &Engine<'_>, model: &dyn Model, tested: &mut Tested) -> Result<(), Error> {
    let prompt_tokens = engine.settings.max_schema_tokens + OTHER_TOKENS;
    let catalog = engine.database.catalog()?;
    let record = |requests, bytes| {
        let entry = Disclosure::default().entry(&catalog, STEP, model.name());
        engine.store.record(LedgerEntry { requests, bytes, ..entry })
    };
    let usable = model.fingerprint().is_some();
    if usable {
        record(3, bytes_of_tokens(prompt_tokens))?;
    }
    *tested = model.test(prompt_tokens).or_else(|error| match error {
        error @ (Error::NoModel { .. } | Error::InvalidArgument { .. }) => {
            let steps = vec![TestStep::failed("options", &error)];
            Ok(Tested { steps, ..Tested::default() })
        }
        error => Err(error),
    })?;
    if usable {
        engine.store.left(tested.calls);
    }
    engine.cancel.check()?;
    if !tested.complete {
        return Ok(());
    }
    tested.steps.push(match model.embedding_model() {
        Ok(name) => {
            record(1, EMBEDDED.len())?;
            let made = model.embed(&[EMBEDDED.to_owned()]);
            engine.store.left(made.requests);
            tested.calls += made.requests;
            tested.usage += made.usage;
            engine.cancel.check()?;
            match made.result {
                Ok(vectors) => {
                    let width = vectors.first().map_or(0, Vec::len);
                    TestStep::passed("one embedding", format!("{name} has {width} dimensions"))
                }
                Err(error) => TestStep::failed("one embedding", &error),
            }
        }
        Err(Error::NoModel { .. }) => {
            TestStep::noted("one embedding", "no embedding model is set; none is needed")
        }
        Err(error) => TestStep::failed("one embedding", &error),
    });
    Ok(())
}

fn in_report(step: &TestStep) -> Step {
    Step { name: format!("{STEP}: {}", step.step), note: step.found.clone(), ..Step::default() }
}
