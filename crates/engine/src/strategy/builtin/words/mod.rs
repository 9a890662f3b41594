//! Words: what each span of the question may mean, before any of it is read.

pub(super) mod calendar;
pub(super) mod cut;
pub(super) mod definitions;
mod evidence;
pub(super) mod lexicon;
mod naming;
mod speech;
mod stored;
pub(super) mod tokens;

pub(super) use calendar::{Day, Period, year};
pub(super) use cut::SYNONYM;
pub(super) use definitions::{Meaning, Term};
pub(super) use evidence::{StoredValue, Unit, UnitKind};
pub(super) use lexicon::{Dimension, Key, Kind, LEXICON, Measure, Words, is_participle, is_state};
pub(super) use naming::is_agent;
pub(super) use stored::{plural, singular};
pub(super) use tokens::{Token, TokenKind};
