//! Units of measure: "3 hours" are 180 in a column of minutes. The name or comment of a column gives
//! its unit; without one, a number with a unit is not compared with it.

use crate::catalog::ColumnId;
use crate::strategy::builtin::words::lexicon::{self, Dimension, Measure};
use crate::text::{folded_words, identifier_words};

use super::read::Reader;

impl Reader<'_> {
    /// The number said at `at` in the unit that the column is in; None where it has no such unit,
    /// which is refused.
    pub fn in_units_of(&mut self, at: usize, column: ColumnId, digits: &str) -> Option<String> {
        let behind = at + 1 + usize::from(self.beyond(at + 1).is_some());
        let Some(said) = self.units.get(behind).and_then(|u| lexicon::unit(&u.folded)) else {
            return Some(digits.to_owned());
        };
        let label = self.catalog.column_label(column);
        let named = self.column(behind) == Some(column);
        let factor = match self.unit_of(column) {
            Some(stored) if stored.dimension == said.dimension => said.factor / stored.factor,
            Some(_) => {
                self.lose(behind, format!("{label} is in another unit."));
                return None;
            }
            None if named || !said.dimension.has_scale() => 1.0,
            None => {
                self.lose(behind, format!("In which unit {label} is, nothing says."));
                return None;
            }
        };
        self.take_phrase(behind);
        match digits.parse::<f64>() {
            Ok(number) if factor != 1.0 => {
                Some(((number * factor * 1e6).round() / 1e6).to_string())
            }
            _ => Some(digits.to_owned()),
        }
    }

    /// The unit that a column is in.
    fn unit_of(&self, column: ColumnId) -> Option<Measure> {
        if self.facts.is_birth_date(column) || self.facts.column_says(column, &["age"]) {
            return lexicon::unit("years");
        }
        let known = self.catalog.column(column);
        let name = identifier_words(&known.name);
        let said = name.iter().find_map(|word| lexicon::unit(word));
        let comment = || {
            let text = known.comment.as_deref()?;
            let mut units = folded_words(text).filter_map(|word| lexicon::unit(&word));
            units.next()
        };
        said.filter(|m| m.dimension != Dimension::Share).or_else(comment)
    }
}
