//! The SQL function that tests a model's server.

use pgrx::prelude::*;
use text2sql_engine::server_test;

use super::call::with_engine;
use super::version::SameVersion;
use crate::pg::encoding::Text;

/// Test a server step by step: what each step found, and the command that mends what is wrong. It makes
/// up to four calls, which count.
#[pg_extern(schema = "text2sql", parallel_unsafe)]
fn test_server(
    _objects: SameVersion,
    server: default!(Option<Text>, "NULL"),
) -> TableIterator<
    'static,
    (
        name!(step, Text),
        name!(ok, Option<bool>),
        name!(found, Text),
        name!(statement, Option<Text>),
    ),
> {
    let steps = with_engine("test_server", server, |engine, database| {
        database.noted(server_test::test_server(engine))
    });
    TableIterator::new(
        steps
            .into_iter()
            .map(|step| (step.step.into(), step.ok, step.found.into(), step.statement.map(Text))),
    )
}
