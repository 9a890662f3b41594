//! What stands left of a value or a number: its column, how it is compared, a negation.

use crate::strategy::builtin::form::query::{Comparison, Pattern};
use crate::strategy::builtin::words::{Key, UnitKind};

use super::Reader;

/// What stands left of a value or number.
#[derive(Debug, Clone, Copy, Default)]
pub struct Left {
    /// The unit that names a column or table, and where it stands.
    pub name: Option<usize>,
    /// "is", "equals", "named" stand between: the name is the value's column.
    pub strong: bool,
    /// "named" stands between.
    pub named: bool,
    pub negated: bool,
    pub comparison: Option<Comparison>,
    pub adjective: Option<usize>,
    pub pattern: Option<Pattern>,
    /// after, since, before, until.
    pub time: Option<Comparison>,
    /// The first unit that belongs to the condition.
    pub start: usize,
}

impl Reader<'_> {
    /// Look left of a value for its column and operator.
    pub fn left(&self, at: usize) -> Left {
        let mut left = Left { start: at, ..Left::default() };
        for i in self.before(at).rev().take(8) {
            let unit = &self.units[i];
            match unit.key() {
                Some(Key::Is) => left.strong = true,
                Some(Key::Named) => (left.strong, left.named) = (true, true),
                Some(Key::Not) => left.negated = true,
                Some(Key::Compare(c)) => left.comparison = Some(c),
                Some(Key::Compared(a)) => left.adjective = Some(a),
                Some(Key::Like(p)) => left.pattern = Some(p),
                Some(Key::Time(bound)) => left.time = Some(bound),
                Some(
                    Key::Preposition | Key::Either | Key::Both | Key::Any | Key::Clause | Key::Only,
                ) => {}
                Some(_) => break,
                None if unit.kind == UnitKind::Filler => {}
                None if unit.kind == UnitKind::Name => {
                    left.name = Some(i);
                    break;
                }
                // "did not pay with cash"
                None if i > 0 && self.is(i - 1, Key::Not) => {
                    (left.negated, left.start) = (true, i - 1);
                    break;
                }
                None => break,
            }
            left.start = i;
        }
        let Some(name) = left.name else { return left };
        let Some(before) = self.last_solid(name) else { return left };
        match self.key(before) {
            // "are not in the country 'Iceland'", not the red ones of "unresolved red alerts"
            Some(Key::Not) if self.table_rather(name).is_none() && self.state(name).is_none() => {
                Left { negated: true, start: before, ..left }
            }
            // "before the year of 2010"
            Some(Key::Time(bound)) => {
                Left { time: left.time.or(Some(bound)), start: before, ..left }
            }
            _ => left,
        }
    }
}

impl Left {
    /// How it compares, where the value may be followed by a bound: "or more".
    pub fn operator(&self, beyond: Option<Comparison>) -> Comparison {
        self.deny(beyond.or(self.comparison).or(self.time).unwrap_or(Comparison::Equal))
    }

    /// A comparison, or its opposite where a negation stands left.
    pub fn deny(&self, operator: Comparison) -> Comparison {
        if self.negated { operator.negated() } else { operator }
    }
}
