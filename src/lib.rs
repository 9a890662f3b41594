//! text2sql for PostgreSQL: the adapter. It gives the engine a database, and SQL its functions.
//! Start reading at `functions`.

use pgrx::prelude::*;

mod answers;
mod bounds;
mod call_slots;
mod cancel;
mod catalog;
mod create_view;
mod database;
mod discard;
mod encoding;
mod error;
mod examples;
mod execute;
mod functions;
mod guard;
mod held_rows;
mod history;
mod json_text;
mod log;
mod memory;
mod messages;
mod moment;
mod phase;
mod quota;
mod redact;
mod row_counts;
mod row_versions;
mod sandbox;
mod search_path;
mod security_labels;
mod servers;
mod session;
mod settings;
mod spi;
mod statistics;
mod stored_rows;
mod summaries;
mod system_caches;
mod table_set;
mod timer;
mod tuple;
mod typed_answers;
mod typed_rows;
mod types;
mod value_index;
mod values;
mod vectors;
mod version;
mod waiting;

pgrx::pg_module_magic!();

extension_sql_file!("../sql/servers.sql", requires = [servers::validate_server_options]);
extension_sql_file!("../sql/summary.sql", requires = [functions::keeping::summarize_tables]);
extension_sql_file!(
    "../sql/hint.sql",
    name = "hint",
    requires = [functions::keeping::summarize_tables]
);
extension_sql_file!(
    "../sql/example.sql",
    name = "example",
    requires = [functions::keeping::remember]
);
extension_sql_file!(
    "../sql/history.sql",
    name = "history",
    requires = [functions::keeping::feedback]
);
extension_sql_file!(
    "../sql/suggestion.sql",
    requires = ["history", "label", "example", "hint", functions::keeping::remember]
);
extension_sql_file!(
    "../sql/comments.sql",
    name = "comments",
    requires = [catalog::described::tell_of_change]
);
extension_sql_file!("../sql/dropped.sql", requires = [catalog::shared::dropped::watch_drop]);
extension_sql_file!("../sql/label.sql", name = "label", requires = [security_labels::label_column]);
extension_sql_file!(
    "../sql/value_index.sql",
    requires = [
        "label",
        "comments",
        value_index::build::index_values,
        value_index::build::unindex_values,
        value_index::parts::columns_to_index,
        value_index::parts::index_part_of_column
    ]
);
extension_sql_file!(
    "../sql/description_vector.sql",
    requires = ["label", functions::keeping::embed_columns, functions::keeping::embedded_text]
);
extension_sql_file!("../sql/conversation.sql", requires = [functions::keeping::turns]);
extension_sql_file!("../sql/quota.sql", requires = [functions::keeping::summarize_tables]);
extension_sql_file!("../sql/grants.sql", requires = [functions::keeping::summarize_tables]);
extension_sql_file!("../sql/finalize.sql", name = "finalize", finalize);

/// Called when PostgreSQL loads the library.
#[pg_guard]
pub extern "C-unwind" fn _PG_init() {
    log::without_backtraces();
    log::watch_panics();
    settings::register();
    history::register();
    catalog::register();
    security_labels::register();
    guard::gate::register();
    guard::relations::register();
    guard::hooks::register();
    guard::utility::register();
    typed_answers::register();
    value_index::register();
}
