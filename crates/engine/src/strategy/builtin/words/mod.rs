//! Words: what each span of the question may mean, before any of it is read.

pub(super) mod calendar;
pub(super) mod cut;
pub(super) mod definitions;
pub(super) mod evidence;
pub(super) mod lexicon;
pub(super) mod naming;
pub(super) mod speech;
pub(super) mod stored;
pub(super) mod tokens;
