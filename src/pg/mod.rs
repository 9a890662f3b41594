//! PostgreSQL's own interfaces in safe form: statements, heap scans, text, errors, settings, interrupts.

pub mod bounds;
pub mod cancel;
pub mod discard;
pub mod encoding;
pub mod error;
pub mod heap_scan;
pub mod invalidation;
pub mod json_text;
pub mod log;
pub mod relation;
pub mod row_versions;
pub mod search_path;
pub mod session_state;
pub mod settings;
pub mod snapshot_id;
pub mod spi;
pub mod syscache;
pub mod types;
pub mod walk;
