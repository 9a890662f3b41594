//! Whatever a model replies can be read, by the readers of every strategy: no panic, no stack
//! that runs out, no reading that takes seconds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use text2sql_engine::excerpt;
use text2sql_engine::prompt::{action, gsr, mag, reply};

fuzz_target!(|text: &str| {
    let _ = (reply::sql(text), reply::statement(text), reply::json(text));
    let _ = (reply::prose(text), reply::numbered(text), excerpt::squeezed(text));
    let _ = (gsr::read_pre_sql(text), mag::read_decomposition(text));
    let _ = (action::parse(text), action::from_json("ExecuteSQL", text));
    if let Some(found) = action::find(text) {
        assert!(text.is_char_boundary(found.end));
    }
    // a statement in a code block comes back as it was
    if !text.contains('`')
        && text.trim() == text
        && text.starts_with("SELECT ")
        && let Ok(statement) = reply::statement(&format!("```sql\n{text}\n```"))
    {
        assert!(text.contains(statement.as_str()) || statement.len() < text.len());
    }
});
