//! text2sql for PostgreSQL: the adapter. It gives the engine a database, and SQL its functions.
//! Start reading at `functions`.

use pgrx::prelude::*;

mod api;
mod catalog;
mod exec;
mod guard;
mod pg;
mod ports;
mod stats;
mod store;
mod values;

pgrx::pg_module_magic!();

extension_sql_file!("../sql/servers.sql", requires = [ports::servers::validate_server_options]);
extension_sql_file!("../sql/summary.sql", requires = [api::admin::summarize_tables]);
extension_sql_file!(
    "../sql/glossary.sql",
    name = "glossary",
    requires = [api::admin::summarize_tables]
);
extension_sql_file!(
    "../sql/verified_question.sql",
    name = "verified_question",
    requires = [api::admin::remember]
);
extension_sql!(
    "CREATE TYPE text2sql.role_name;",
    name = "role_name_shell",
    requires = [api::admin::must_write]
);
extension_sql_file!(
    "../sql/role_name.sql",
    name = "role_name",
    requires = [api::role_name::role_name_in, api::role_name::role_name_out]
);
extension_sql_file!(
    "../sql/history.sql",
    name = "history",
    requires = ["role_name", api::admin::feedback]
);
extension_sql_file!(
    "../sql/suggestion.sql",
    requires = ["history", "label", "verified_question", "glossary", api::admin::remember]
);
extension_sql_file!(
    "../sql/comments.sql",
    name = "comments",
    requires = [catalog::comment_versions::tell_of_change]
);
extension_sql_file!("../sql/dropped.sql", requires = [catalog::shared::dropped::watch_drop]);
extension_sql_file!("../sql/label.sql", name = "label", requires = [api::labels::label_column]);
extension_sql_file!(
    "../sql/value_index.sql",
    requires = [
        "label",
        "comments",
        api::index_values::index_values,
        api::index_values::unindex_values,
        api::index_values::columns_to_index,
        api::index_values::index_part_of_column
    ]
);
extension_sql_file!(
    "../sql/description_vector.sql",
    requires = ["label", api::admin::embed_columns, api::admin::embedded_text]
);
extension_sql_file!("../sql/conversation.sql", requires = [api::admin::turns]);
extension_sql_file!("../sql/quota.sql", requires = ["role_name", api::admin::summarize_tables]);
extension_sql_file!("../sql/grants.sql", requires = [api::admin::summarize_tables]);
extension_sql_file!("../sql/finalize.sql", name = "finalize", finalize);

/// Called when PostgreSQL loads the library.
#[pg_guard]
pub extern "C-unwind" fn _PG_init() {
    pg::log::without_backtraces();
    pg::log::watch_panics();
    pg::settings::register();
    store::history::register();
    catalog::register();
    catalog::security_labels::register();
    exec::gate::register();
    exec::relations::register();
    guard::hooks::register();
    exec::utility::register();
    api::analyzed_rows::register();
    api::typed_ask::register();
    values::index::register();
}
