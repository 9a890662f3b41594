//! What a session brings to a question, and the question itself.

use crate::ports::{Cancel, Database, Model};
use crate::settings::Settings;

/// The ports and settings of a session.
#[derive(Clone, Copy)]
pub struct Engine<'a> {
    /// The database asked.
    pub database: &'a dyn Database,
    /// The model, if one is configured.
    pub model: Option<&'a dyn Model>,
    /// Whether the caller still waits.
    pub cancel: &'a dyn Cancel,
    /// The current settings.
    pub settings: &'a Settings,
}

/// A question and its options, as the user gave them.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The question.
    pub text: String,
    /// What the caller knows in addition (the papers' evidence or external knowledge).
    pub hint: Option<String>,
    /// Strategy; None for the setting.
    pub strategy: Option<String>,
    /// Tables it may use; None for all in scope.
    pub tables: Option<Vec<String>>,
}
