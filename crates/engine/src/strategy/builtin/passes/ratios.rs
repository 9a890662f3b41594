//! Ratios and arithmetic: "what percentage of the orders were cancelled", "the ratio of A to B", "average
//! number of orders per customer", "the difference between price and cost", "days between … and …".

use std::ops::Range;

use crate::catalog::{ColumnId, TableId};
use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::form::query::{
    Aggregate, BinaryOperator, Condition, Direction, Expression, Formula, Target,
};
use crate::strategy::builtin::form::sets::combine;
use crate::strategy::builtin::words::{Key, Words, lexicon};

use super::{Filter, Reader, Span};

impl Reader<'_> {
    /// Read a ratio, share, average per thing, or difference.
    pub fn read_formula(&mut self, at: usize) {
        match self.key(at).filter(|_| !self.is_claimed(at)) {
            Some(Key::Percentage | Key::Proportion) => self.read_share(at),
            Some(Key::Ratio) => self.read_ratio(at),
            Some(Key::Difference) => self.read_difference(at, false),
            Some(Key::Days) => self.read_difference(at, true),
            Some(Key::Aggregate(Aggregate::Avg)) => self.read_average_count(at),
            _ => {}
        }
    }

    /// "what percentage of the orders in 2024 were cancelled": what is said after the verb is
    /// the part, what is said of the noun before it holds for both.
    fn read_share(&mut self, at: usize) {
        let end = self.sentence_end(at);
        let Some((noun, base)) = self.first_measured(at + 1..end) else { return };
        // "the share of the generation that is offshore": of what is not measured
        let plain = base.plain_column();
        if plain.is_some_and(|c| self.flags.pairs.contains_key(&c))
            || (at + 1..noun).any(|i| self.is_name(i) && self.is_free(i))
        {
            return;
        }
        let verb = (noun + 1..end).find(|&i| {
            matches!(self.key(i), Some(Key::Is | Key::Clause | Key::Who)) || self.is_unknown(i)
        });
        let behind = |start: usize| self.filters.iter().any(|f| is_between(f, start, end));
        let start = verb.into_iter().chain([noun]).find(|&start| behind(start)).unwrap_or(at);
        let part = self.filters.extract_if(.., |f| is_between(f, start, end)).collect();
        let table = base.target.table();
        let conditions = combine(part).0;
        if conditions.is_empty() {
            return self.doubt(format!("It is unclear what \"{}\" is of.", self.units[at].text));
        }
        let Some(conditions) = self.of_rows(table, conditions) else { return };
        let part = Formula::Term(base.clone(), conditions);
        let hundred = || Formula::Number("100.0".into());
        let (part, name) = if self.is(at, Key::Percentage) {
            (Formula::binary(hundred(), BinaryOperator::Multiply, part), "percentage")
        } else {
            (part, "share")
        };
        let formula = Formula::binary(part, BinaryOperator::Divide, Formula::of(base));
        self.ask_for_formula([at, noun].into_iter().chain(verb), formula, name);
    }

    /// "the ratio of A to B", "of A to all B in C".
    fn read_ratio(&mut self, at: usize) {
        let end = self.sentence_end(at);
        let end = (at + 1..end).find(|&i| self.is(i, Key::Each)).unwrap_or(end);
        let divides = |i: &usize| {
            matches!(self.word(*i), "to" | "out of" | "over" | "versus")
                && (*i + 1..end).any(|j| self.measured(j).is_some())
        };
        let Some(split) = (at + 1..end).find(divides) else { return };
        let (above, part) = self.side(at, split);
        let (below, mut whole) = self.side(split, end);
        // "of male to female students", "of cancelled to all orders"
        let sides = above.or_else(|| below.clone()).zip(below);
        let Some(((noun, above), (other, below))) = sides else { return };
        let rows = |e: &Expression| matches!(e.target, Target::Rows(_));
        if rows(&above) && rows(&below) && above != below {
            return; // a join would count the one as often as the other has it
        }
        // "… with a rating below 4 in Oslo": what is said of a place or time holds for both
        let shared = |f: &mut Filter| {
            let before = f.at.checked_sub(1).map_or("", |i| self.word(i));
            let columns = f.condition.columns();
            matches!(before, "in" | "at" | "from" | "during" | "for")
                && part.iter().all(|other| other.condition.columns() != columns)
        };
        let shared: Vec<Filter> = whole.extract_if(.., shared).collect();
        if part.is_empty() && whole.is_empty() && above == below {
            return self.doubt(format!("It is unclear what \"{}\" is of.", self.units[at].text));
        }
        let term = |base: Expression, own: Vec<Filter>| {
            let conditions = self.of_rows(base.target.table(), combine(own).0)?;
            Some(Formula::Term(base, conditions))
        };
        let Some((above, below)) = term(above, part).zip(term(below, whole)) else { return };
        self.filters.extend(shared);
        let formula = Formula::binary(above, BinaryOperator::Divide, below);
        self.ask_for_formula([at, split, noun, other], formula, "ratio");
    }

    /// What stands between two units: what is measured, and the conditions, which are taken out.
    fn side(&mut self, from: usize, to: usize) -> (Option<(usize, Expression)>, Vec<Filter>) {
        let own = self.filters.extract_if(.., |f| is_between(f, from, to)).collect();
        (self.first_measured(from + 1..to), own)
    }

    /// The first noun in a range that something can be measured by, and what it measures.
    fn first_measured(&self, mut range: Range<usize>) -> Option<(usize, Expression)> {
        range.find_map(|i| Some((i, self.measured(i).filter(|_| self.is_free(i))?)))
    }

    /// What a noun measures: the rows of a table, or a column of numbers added up.
    fn measured(&self, at: usize) -> Option<Expression> {
        if !self.is_name(at) {
            return None;
        }
        if let Some(table) = self.table_rather(at) {
            return Some(Expression::count(table));
        }
        let column = self.column(at)?;
        let summed = (0..at).rev().take(3).any(|i| match self.key(i) {
            Some(Key::Count | Key::Percentage | Key::Proportion) => true,
            key => key == Some(Key::Aggregate(Aggregate::Sum)),
        });
        let aggregate = summed.then_some(Aggregate::Sum);
        let measured = Expression { aggregate, ..Expression::column(column) };
        Some(measured).filter(|_| self.facts.numeric(column))
    }

    fn ask_for_formula(&mut self, span: impl Into<Span>, formula: Formula, name: &str) {
        self.entity = self.entity.or(formula.reads().first().map(|read| read.table));
        let target = Target::Formula(Box::new(formula), name.to_owned());
        self.ask_for(span, [Expression::plain(target)]);
    }

    /// Conditions as conditions on the rows of `table` alone, so that no join drops or repeats
    /// any. None where they have nothing to do with it.
    fn of_rows(&self, table: TableId, conditions: Vec<Condition>) -> Option<Vec<Condition>> {
        let own = |condition: Condition| {
            let other = condition.tables().into_iter().find(|other| *other != table);
            let Some(other) = other else { return Some(condition) };
            self.related(table, &[other], vec![condition], false)
        };
        conditions.into_iter().map(own).collect()
    }

    /// "average number of orders per customer": rows of the one by distinct rows of the other.
    fn read_average_count(&mut self, at: usize) {
        let count = self.next_solid(at + 1);
        let counted = self.next_solid(count + 1);
        let each = self.next_solid(counted + 1);
        let owner = self.next_solid(each + 1);
        if !self.is(count, Key::Count) || !self.is(each, Key::Each) {
            return;
        }
        let (Some(table), Some(other)) = (self.table_rather(counted), self.table_rather(owner))
        else {
            return;
        };
        let key = self.catalog.keys_that(|k| k.from == table && k.to == other).next();
        let Some([column]) = key.map(|k| k.from_columns.as_slice()) else { return };
        let owners = Target::Column(ColumnId { table, column: *column });
        let rows = Formula::of(Expression::count(table));
        let owners = Formula::of(Expression::count_distinct(owners));
        let formula = Formula::binary(rows, BinaryOperator::Divide, owners);
        self.ask_for_formula([at, count, counted, each, owner], formula, "average");
        let (one, many) = (self.catalog.table_label(other), self.catalog.table_label(table));
        self.note(format!("{one} without {many} are not counted"));
    }

    /// The column that a unit names, and the unit after it: "due", "due date", "payment date".
    fn operand(&self, at: usize) -> Option<(ColumnId, usize)> {
        if !self.is_name(at) {
            return None;
        }
        let date = self.says(at + 1, Words::Moments);
        let next = at + 1 + usize::from(date);
        match (self.table_rather(at), self.column(at)) {
            (None, Some(column)) => Some((column, next)),
            (Some(table), _) if date => Some((only(self.facts.event_dates(table))?, next)),
            _ => None,
        }
    }

    /// "the difference between price and cost", "the average number of days between …".
    fn read_difference(&mut self, at: usize, days: bool) {
        let first = self.next_solid(at + 1);
        let Some((one, next)) = self.operand(first) else { return };
        let to = |i| self.word(i) == "to";
        let join = (next..self.units.len()).find(|&i| !self.is_thin(i) || to(i));
        let Some(join) = join.filter(|&i| self.is(i, Key::And) || to(i)) else { return };
        let Some((other, end)) = self.operand(self.next_solid(join + 1)) else { return };
        // "the difference between the minimum and the maximum": nobody wants it negative
        let extreme = |column, direction| {
            let says = |word: &String| {
                lexicon::phrases(&[word]).any(|(key, _)| key == Key::Superlative(direction))
            };
            self.facts.words(column).iter().any(says)
        };
        let turned = extreme(one, Direction::Ascending) && extreme(other, Direction::Descending);
        let (one, other) = if turned { (other, one) } else { (one, other) };
        let (formula, name) = if self.facts.is_calendar(one) && self.facts.is_calendar(other) {
            (Formula::Days(one, other), "days")
        } else if self.facts.numeric(one) && self.facts.numeric(other) && !days {
            let term = |c| Formula::of(Expression::column(c));
            (Formula::binary(term(one), BinaryOperator::Minus, term(other)), "difference")
        } else {
            return;
        };
        let lead = (0..at).rfind(|&i| !self.is_thin(i) && !self.is(i, Key::Count));
        let expression = Expression::plain(Target::Formula(Box::new(formula), name.to_owned()));
        let aggregate = match lead.and_then(|i| Some((i, self.key(i)?))) {
            Some((i, Key::Superlative(direction))) if !self.at_head(i) => {
                return self.push_order(i, at..end, (expression, direction));
            }
            Some((i, Key::Superlative(direction))) => Some((i, direction.first())),
            Some((i, Key::Aggregate(aggregate))) => Some((i, aggregate)),
            _ => None,
        };
        let (said, aggregate) = aggregate.unzip();
        self.ask_for((at..end).chain(said), [Expression { aggregate, ..expression }]);
        self.entity.get_or_insert(one.table);
    }
}

/// Whether a condition is read between two units; one on a time holds for whatever is said.
fn is_between(filter: &Filter, from: usize, to: usize) -> bool {
    (from + 1..to).contains(&filter.at) && !matches!(filter.condition, Condition::Within(..))
}
