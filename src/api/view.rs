//! `text2sql.create_view`: an answer that somebody has checked, kept as a view. The view holds the
//! query, not the question: reading it asks no model and always gives the same columns.

use pgrx::prelude::*;
use text2sql_engine::ask;
use text2sql_engine::printable::printable;

use super::call;
use super::call::Call;
use super::record::quoted;
use super::version::SameVersion;
use crate::exec::execute;
use crate::exec::execute::unique_names;
use crate::pg::cancel::deferred;
use crate::pg::encoding::{Text, literal};
use crate::pg::json_text::JsonText;
use crate::pg::relation::Relation;
use crate::pg::{error, search_path, spi};

/// Make a view of the query that answers a question, with the question as its comment. A view that
/// already exists is left alone, and what would change is reported, unless `replace` is true.
/// Returns the statement that makes the view.
#[pg_extern(parallel_unsafe, schema = "text2sql")]
#[expect(clippy::too_many_arguments, reason = "the parameters of the SQL function")]
fn create_view(
    _objects: SameVersion,
    name: Option<Text>,
    question: Option<Text>,
    hint: default!(Option<Text>, "NULL"),
    strategy: default!(Option<Text>, "NULL"),
    tables: default!(Option<Vec<Option<Relation>>>, "NULL"),
    server: default!(Option<Text>, "NULL"),
    replace: default!(bool, "false"),
    options: default!(Option<JsonText>, "NULL"),
) -> Option<Text> {
    let name = name?;
    let question = call::question(question, hint, strategy, tables)?;
    let (sql, shape) =
        Call::new("create_view", server, options).asking(&question).engine(|engine, database| {
            spi::must_write("text2sql.create_view()")?;
            let query = database.noted(ask::text2sql(engine, &question))?;
            let shape = execute::shape(&query, engine.settings)?;
            Ok((query.sql().to_owned(), shape))
        });
    let columns: Vec<_> = unique_names(&shape).iter().map(|name| quoted(name)).collect();
    // names mean what they meant when the query was judged
    let path = search_path::pinned_to_create();
    Some(Text(spi::with_settings(&[(c"search_path", &path)], || {
        let name = quoted_path(&name);
        let statement = |verb| format!("{verb} VIEW {name} ({}) AS\n{sql}", columns.join(", "));
        match definition(&name) {
            Some(now) if !replace => {
                say_what_would_change(&name, &now, &sql, &question.text);
                statement("CREATE OR REPLACE")
            }
            there => {
                let statement =
                    statement(if there.is_some() { "CREATE OR REPLACE" } else { "CREATE" });
                run(&statement);
                run(&format!("COMMENT ON VIEW {name} IS {}", literal(&question.text)));
                statement
            }
        }
    })))
}

fn say_what_would_change(name: &str, now: &str, sql: &str, question: &str) {
    let call = format!(
        "SELECT text2sql.create_view({}, {}, replace => true);",
        literal(name),
        literal(question)
    );
    let code = PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION;
    let message = format!("view {} is there already, and stays as it is", printable(name));
    let report = pg_sys::panic::ErrorReport::new(code, message, pgrx::function_name!())
        .set_detail(printable(&format!("It is:\n{}\nIt would be:\n{sql}", now.trim())))
        .set_hint(printable(&call));
    deferred(|| report.report(PgLogLevel::NOTICE));
}

fn run(statement: &str) {
    spi::run(statement).unwrap_or_else(|error| error::raise(&error));
}

/// A text that a query gives that looks names up as the statements do; None for NULL or no row.
fn ask_catalog(sql: &str, argument: &str) -> Option<String> {
    Spi::connect(|client| {
        let rows = client.select(sql, Some(1), &[Text::from(argument).into()])?;
        rows.first().get_one::<Text>()
    })
    .ok()
    .flatten()
    .map(|text| text.0)
}

/// A name as users write it, with or without a schema, each part quoted where it must be.
fn quoted_path(name: &str) -> String {
    let sql = "SELECT pg_catalog.string_agg(pg_catalog.quote_ident(part), '.' ORDER BY n)
               FROM pg_catalog.unnest(pg_catalog.parse_ident($1)) WITH ORDINALITY AS p(part, n)";
    ask_catalog(sql, name).unwrap_or_default()
}

/// The query of a view; None where there is no such view.
fn definition(name: &str) -> Option<String> {
    // (between oid and regclass somebody may have put an operator of theirs)
    let sql = "SELECT pg_catalog.pg_get_viewdef(oid) FROM pg_catalog.pg_class
               WHERE oid = pg_catalog.to_regclass($1)::oid AND relkind = 'v'";
    ask_catalog(sql, name)
}
