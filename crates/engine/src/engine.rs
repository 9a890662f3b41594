//! What a session brings to a question, and the question itself.

use crate::ports::{Cancel, Database, Model, Patient, SessionStore};
use crate::settings::Settings;

/// The ports and settings of a session.
#[derive(Clone, Copy)]
pub struct Engine<'a> {
    /// The database that questions are about.
    pub database: &'a dyn Database,
    /// Everything that outlives a question.
    pub store: &'a dyn SessionStore,
    /// The model, if one is configured.
    pub model: Option<&'a dyn Model>,
    /// Whether the caller still waits.
    pub cancel: &'a dyn Cancel,
    /// The current settings.
    pub settings: &'a Settings,
}

impl<'a> Engine<'a> {
    /// An engine without a model, for a caller who never cancels.
    pub fn new(
        database: &'a dyn Database,
        store: &'a dyn SessionStore,
        settings: &'a Settings,
    ) -> Self {
        Self { database, store, model: None, cancel: &Patient, settings }
    }
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
