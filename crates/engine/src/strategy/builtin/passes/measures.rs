//! Units of measure: "3 hours" are 180 in a column of minutes. The name or comment of a column gives
//! its unit; without one, a number with a unit is not compared with it. Where a value is told, so is
//! its unit ([`told_unit`]).

use crate::catalog::ColumnId;
use crate::strategy::builtin::facts::related;
use crate::strategy::builtin::words::{Dimension, LEXICON, Measure, Words};
use crate::text::{folded_words, identifier_words, stem};

use super::{Reader, Span};

impl Reader<'_> {
    /// The number said at `at` in the unit that the column is in, with the unit that was said; None
    /// where it has no such unit, which is refused.
    pub fn in_unit(&mut self, at: usize, column: ColumnId, digits: &str) -> Option<(String, Span)> {
        let behind = at + 1 + usize::from(self.beyond(at + 1).is_some());
        // a time for which something is paid
        let time = self.word(behind + 1);
        let unit = || LEXICON.units.get(time).is_some_and(|unit| unit.dimension == Dimension::Time);
        let is_time = LEXICON.parts.contains_key(time) || unit();
        if matches!(self.word(behind), "a" | "an") && is_time {
            return self.in_rate(behind + 1, column, digits);
        }
        let label = self.label(column);
        let Some(said) = self.units.get(behind).and_then(|u| LEXICON.units.get(&*u.folded)) else {
            let cents = |m: &Measure| m.dimension == Dimension::Money && m.factor < 1.0;
            let mut words = self.units.iter().flat_map(|u| u.folded.split(' '));
            let said = words.any(|word| matches!(word, "cent" | "cents"));
            if self.unit_of(column).is_some_and(cents) && !said && digits.parse() != Ok(0.0) {
                self.refuse_at(at, format!("It is unclear whether {digits} of {label} are meant."));
                return None;
            }
            return Some((digits.to_owned(), Span::default()));
        };
        // amounts of money are in the currency of the database
        let plain = self.column(behind) == Some(column)
            || matches!(said.dimension, Dimension::Money | Dimension::Share);
        let factor = match self.unit_of(column) {
            Some(stored) if stored.dimension == said.dimension => Ok(said.factor / stored.factor),
            Some(_) => Err(format!("{label} is measured in another unit.")),
            None if plain => Ok(1.0),
            None => Err(format!("The unit of {label} is not known.")),
        };
        let factor = factor.map_err(|reason| self.refuse_at(behind, reason)).ok()?;
        let digits = match digits.parse::<f64>() {
            Ok(number) if factor != 1.0 => ((number * factor * 1e6).round() / 1e6).to_string(),
            _ => digits.to_owned(),
        };
        Some((digits, Span::default().phrase([behind])))
    }

    /// "20 a month", of a `monthly_fee`: the number as it is, where the column is called by the time
    /// said at `at`; any other is refused.
    fn in_rate(&mut self, at: usize, column: ColumnId, digits: &str) -> Option<(String, Span)> {
        if !self.facts.stems(column).iter().any(|own| related(own, &stem(self.word(at)))) {
            self.refuse_at(at, format!("It is not known for what time {} is.", self.label(column)));
            return None;
        }
        Some((digits.to_owned(), Span::default().phrase([at])))
    }

    /// "the length in minutes", which is stored in seconds.
    pub fn says_other_unit(&self, at: usize, column: ColumnId) -> bool {
        let pair = LEXICON.units.get(self.word(at)).zip(self.unit_of(column));
        pair.is_some_and(|(a, b)| a.dimension == b.dimension && a.factor != b.factor)
    }

    /// The unit that a column is in.
    fn unit_of(&self, column: ColumnId) -> Option<&'static Measure> {
        if self.facts.is_birth_date(column) || self.facts.says(column, Words::Ages) {
            return LEXICON.units.get("years");
        }
        let known = self.catalog.column(column);
        let said = self.facts.words(column).iter().find_map(|word| LEXICON.units.get(&**word));
        let told = |text: &str| folded_words(text).find_map(|word| LEXICON.units.get(&*word));
        let comment = || known.comment.as_deref().and_then(told);
        said.filter(|m| m.dimension != Dimension::Share).or_else(comment)
    }
}

/// The unit that a column's name or comment says its values are in, as it is written there: "kg" of
/// `weight_kg`, "cents" of "amount in cents". Words that may say something else ("year of birth",
/// "one row a day") are not told.
pub fn told_unit(name: &str, comment: Option<&str>) -> Option<String> {
    let is_unit = |word: &str| {
        let word = word.to_lowercase();
        LEXICON.units.contains_key(&*word) && !Words::Calendar.has(&word)
    };
    let name = identifier_words(name);
    let named = name.last().filter(|word| name.len() > 1 && is_unit(word)).cloned();
    let comment = comment.unwrap_or_default();
    let said = || {
        let words = comment.split([',', '(', '[', ':']).flat_map(|part| {
            let words = part.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            // the first one, and what follows "in"
            let mut before = "in";
            words.filter(move |&w| std::mem::replace(&mut before, w).eq_ignore_ascii_case("in"))
        });
        words.into_iter().find(|word| is_unit(word)).map(str::to_owned)
    };
    let unit = named.or_else(said)?;
    Some(if unit.chars().all(char::is_uppercase) { unit } else { unit.to_lowercase() })
}

/// Whether words say the unit of a value that they stand around: None where they say none, false
/// where they say another. `before` and `after` are the words on both sides.
pub fn says_unit(before: &str, after: &str, unit: &str) -> Option<bool> {
    let next = after.trim_start_matches([' ', '\u{a0}']);
    let word = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let signs = [next.chars().next(), before.trim_end().chars().next_back()];
    let mut signs = signs.into_iter().flatten().filter(|c| !c.is_alphanumeric());
    let known = |word: &str| LEXICON.units.get(&*word.to_lowercase());
    let said = signs.find_map(|s| LEXICON.units.get(&*s.to_string())).or_else(|| known(word))?;
    Some(known(unit) == Some(said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_told_where_the_name_or_the_comment_says_it() {
        let check = |name: &str, comment: &str, expect: Option<&str>| {
            let comment = Some(comment).filter(|comment| !comment.is_empty());
            assert_eq!(told_unit(name, comment).as_deref(), expect, "{name}: {comment:?}");
        };
        check("weight_kg", "", Some("kg"));
        check("lead_time_days", "from our order on", Some("days"));
        check("amount", "amount in cents", Some("cents"));
        check("weight", "weight, kg", Some("kg"));
        check("salary", "Euros a year", Some("euros"));
        check("price", "List price (EUR), without tax", Some("EUR"));
        check("kg", "", None);
        check("born", "year of birth", None);
        check("built", "in which year", None);
        check("name", "what people call it", None);
        check("note", "People in grams of doubt, m", Some("grams"));
    }

    #[test]
    fn words_around_a_value_say_its_unit_or_another() {
        let check = |before: &str, after: &str, unit: &str, expect: Option<bool>| {
            assert_eq!(says_unit(before, after, unit), expect, "{before}3{after}, in {unit}");
        };
        check("It has ", ".", "cents", None);
        check("It has ", " orders.", "cents", None);
        check("It has ", " Cents.", "cents", Some(true));
        check("It weighs ", " kilograms.", "kg", Some(true));
        check("It costs €", "", "euros", Some(true));
        check("It costs ", " dollars", "euros", Some(false));
        check("It costs ", " euros", "cents", Some(false));
        check("It weighs ", " grams", "kg", Some(false));
        check("It is ", " %", "percent", Some(true));
    }
}
