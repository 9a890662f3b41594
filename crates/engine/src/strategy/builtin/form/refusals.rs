//! Queries that must not be answers, however well they fit the words: sums over rows that joins
//! repeat, numbers stored as text, results that the question itself states.

use std::collections::BTreeSet;

use crate::catalog::joins::JoinTree;
use crate::catalog::{ColumnId, KeyId, TableId};
use crate::strategy::builtin::passes::read::{Group, Reader};
use crate::strategy::builtin::words::evidence::Unit;
use crate::strategy::builtin::words::lexicon::Key;
use crate::strategy::builtin::words::participles::is_participle;

use super::query::{Aggregate, Comparison, Condition, Expression, Operand, Query, Target};

impl Reader<'_> {
    /// "top 5 products by quantity sold" by the quantities of single lines: things are not ranked
    /// by what they have many of.
    pub fn refuse_ranked_lines(&mut self, query: &Query) {
        let plain = query.group.is_empty() && query.within.is_none() && !query.aggregates();
        let ranked = query.order.first().filter(|_| plain && query.limit != Some(1));
        let ranked = ranked.and_then(|(e, _)| e.target.column());
        let shown = query.select.first().map(|e| e.target.table());
        let apart = |c: &ColumnId| {
            let said = query.limit.is_none() && self.meanings.named.contains(&c.table);
            !said && query.select.iter().all(|e| e.target.table() != c.table)
        };
        let Some((column, thing)) = ranked.zip(shown).filter(|(c, _)| apart(c)) else {
            return;
        };
        let tree = self.tree(query);
        if tree.is_some_and(|tree| self.repeats(thing, &tree)) {
            let label = self.label(column);
            self.refuse(format!(
                "Should {label} be added up, or is its highest single value meant?"
            ));
        }
    }

    /// "the route with the most deliveries" by the routes themselves: where each group is one row,
    /// there is nothing to count.
    pub fn refuse_single_counts(&mut self, query: &Query) {
        for inner in query.subqueries() {
            self.refuse_single_counts(inner);
        }
        let ranked = query.order.iter().map(|(e, _)| e);
        let compared = query.having.iter().filter_map(|c| match c {
            Condition::Compare(left, ..) => Some(left),
            _ => None,
        });
        let all = query.select.iter().chain(ranked).chain(compared);
        let counts = |e: &&Expression| e.aggregate == Some(Aggregate::Count);
        let counted: Vec<&Target> = all.filter(counts).map(|e| &e.target).collect();
        let rows = self.places().any(|i| self.names_rows(i) || self.says_times(i));
        // what has a name may have it twice, but nobody counts names
        let single = |c: &ColumnId| {
            let own = || !rows && counted.contains(&&Target::Rows(c.table));
            self.catalog.table(c.table).is_unique_over(&[c.column])
                || self.facts.identifies(*c) && own()
        };
        let mut columns = query.group.iter().filter_map(Target::column);
        let Some(tree) = self.tree(query) else { return };
        let alone = |c: &ColumnId| single(c) && !self.repeats(c.table, &tree);
        if let Some(single) = columns.find(alone).filter(|_| !counted.is_empty()) {
            let table = self.catalog.table_label(single.table);
            self.refuse(format!("Each group is one row of {table}, so there is nothing to count."));
        }
    }

    /// "What was planted on the field?" by whole rows of `planting`, "the color of the shirt" by rows
    /// of `attributes`: nothing says what of them is asked for.
    pub fn refuse_deeds(&mut self, query: &Query) {
        let [Expression { aggregate: None, target: Target::Rows(table), .. }] = query.select[..]
        else {
            return;
        };
        let names = |i: &usize| self.table_rather(*i) == Some(table);
        let deed = |i: usize| is_participle(self.word(i));
        if !self.everything && self.places().filter(names).all(deed) {
            let label = self.catalog.table_label(table);
            self.refuse(format!("It is unclear what is asked about {label}."));
        }
    }

    /// "for each tag" of a column of tags: each row has several, and the array as a whole is nothing
    /// that a question compares, ranks or groups by.
    pub fn refuse_arrays(&mut self, query: &Query) {
        query.subqueries().into_iter().for_each(|inner| self.refuse_arrays(inner));
        let array = |c: &ColumnId| self.catalog.column(*c).data_type.ends_with("[]");
        let alike = |e: &&Expression| query.distinct || e.aggregate.is_some();
        let shown = query.select.iter().filter(alike).chain(query.order.iter().map(|(e, _)| e));
        let compared = query.filters.iter().chain(&query.having).flat_map(Condition::columns);
        let columns = shown.filter_map(|e| e.target.column());
        let mut columns =
            columns.chain(query.group.iter().filter_map(Target::column)).chain(compared);
        if let Some(column) = columns.find(array) {
            let label = self.label(column);
            self.refuse(format!("{label} holds several values in each row."));
        }
    }

    /// Numbers kept as text: '9.50' comes after '100.00' there, and adds up to nothing.
    pub fn refuse_text(&mut self, query: &Query) {
        let text =
            |c: &ColumnId| self.catalog.column(*c).class.is_textual() && !self.facts.temporal(*c);
        let ordered = query.filters.iter().chain(&query.having).find_map(|f| match f {
            Condition::Compare(e, comparison, Operand::Text(digits)) => {
                let number = comparison.side().is_some() && digits.parse::<f64>().is_ok();
                e.target.column().filter(|_| number)
            }
            Condition::Between(c, Operand::Number(_), _) => Some(*c),
            _ => None,
        });
        let orders = query.order.iter().map(|(e, _)| e);
        let added = query.select.iter().chain(orders).find_map(|e| match e.aggregate {
            Some(Aggregate::Sum | Aggregate::Avg) => e.target.column().filter(text),
            _ => None,
        });
        // the greatest text is the last of the alphabet
        let spelled = self.units.iter().any(|u| u.key() == Some(Key::Alphabetic));
        let ranked = query.order.first().filter(|_| query.limit.is_some() && !spelled);
        let ranked = ranked.filter(|(e, _)| e.aggregate.is_none()).map(|(e, _)| e);
        let ranked = ranked.and_then(|e| e.target.column()).filter(|c| !self.facts.identifies(*c));
        if let Some(column) = added.or(ordered.filter(text)).or(ranked.filter(text)) {
            self.refuse(format!("{} is stored as text, not as a number.", self.label(column)));
        }
    }

    /// "What did Anna Schmidt order?" by her own name: what is shown was said in the question.
    pub fn refuse_stated(&mut self, query: &Query) {
        let stated = |c: ColumnId| {
            query.filters.iter().any(|f| match f {
                Condition::Compare(e, Comparison::Equal, Operand::Text(_)) => {
                    e.target.column() == Some(c)
                }
                _ => false,
            })
        };
        let said = |e: &Expression| e.aggregate.is_none() && e.target.column().is_some_and(stated);
        if query.group.is_empty() && !query.select.is_empty() && query.select.iter().all(said) {
            self.refuse("The likely query only returns what the question already says.");
        }
    }

    /// "the total time logged" where only the day is known, "the total commission" where only its
    /// rate is: these add up to nothing.
    pub fn refuse_sums(&mut self, query: &Query) {
        let orders = query.order.iter().map(|(e, _)| e);
        let added = query.select.iter().chain(orders);
        let held = added.filter_map(|e| Some((e.aggregate?, e.target.column()?))).find_map(
            |(aggregate, column)| match aggregate {
                Aggregate::Sum | Aggregate::Avg if self.facts.is_calendar(column) => {
                    Some((column, "dates"))
                }
                Aggregate::Sum
                    if self.facts.column_says(column, &["rate", "percent", "percentage"]) =>
                {
                    Some((column, "rates"))
                }
                _ => None,
            },
        );
        if let Some((column, what)) = held {
            self.refuse(format!("{} holds {what}, which cannot be added up.", self.label(column)));
        }
    }

    /// "who has not reported a ticket" by tickets that nobody reported: what a join needs is not
    /// missing.
    pub fn refuse_missing_keys(&mut self, query: &Query) {
        let Some(tree) = self.tree(query) else { return };
        let joined = |c: &ColumnId| {
            tree.keys.iter().chain(&query.keys).map(|&k| self.catalog.key(k)).any(|k| {
                tree.tables.len() > 1 && k.from == c.table && k.from_columns.contains(&c.column)
            })
        };
        // "parties without a delegate": without a row of theirs, not with one that names none
        let shown = query.select.first().map(|e| e.target.table());
        let among = |c: &ColumnId| shown.is_some_and(|shown| self.has_many(shown, c.table));
        let missing = query.filters.iter().find_map(|f| match f {
            Condition::IsNull { column, negated: false } => {
                Some(*column).filter(|c| joined(c) || among(c))
            }
            _ => None,
        });
        if let Some(column) = missing {
            let label = self.label(column);
            self.refuse(format!(
                "It is unclear whether {label} must be empty or the whole row missing."
            ));
        }
    }

    /// "the revenue per month", where a month has many: one number each is asked for, and which
    /// one is not said.
    pub fn refuse_rows_per_group(&mut self, query: &Query) {
        let per = |u: &Unit| u.key() == Some(Key::Each) && u.folded == "per";
        let grouped = query.aggregates() || !query.group.is_empty() || query.within.is_some();
        if grouped || !self.units.iter().any(per) {
            return;
        }
        let one_each = |group: &Group, shown: ColumnId| match group {
            Group::Rows(table) => shown.table == *table,
            Group::Column(c) => {
                shown.table == c.table && self.catalog.table(c.table).is_unique_over(&[c.column])
            }
            Group::Part(..) => false,
        };
        let shown = query.select.iter().filter_map(|e| e.target.column());
        let mut numbers = shown.filter(|&c| self.facts.numeric(c) && !self.facts.temporal(c));
        let many = numbers.any(|c| self.each.iter().any(|group| !one_each(group, c)));
        if many {
            self.refuse("Which value is wanted for each: the total, the average or the highest?");
        }
    }

    /// "the average rating of each category" by the rating of suppliers, once for each product of
    /// theirs: an average or sum over rows that nobody named and that joins repeat is not meant.
    pub fn refuse_repeated(&mut self, query: &Query) {
        let adds = |e: &&Expression| matches!(e.aggregate, Some(Aggregate::Sum | Aggregate::Avg));
        let orders = query.order.iter().map(|(e, _)| e);
        let columns = query.select.iter().chain(orders).filter(adds);
        let added: Vec<ColumnId> = columns.filter_map(|e| e.target.column()).collect();
        let unnamed: Vec<ColumnId> =
            added.iter().copied().filter(|c| !self.meanings.named.contains(&c.table)).collect();
        let Some(tree) = self.tree(query) else { return };
        let repeated = |table: TableId| {
            tree.keys.iter().map(|&k| self.catalog.key(k)).any(|k| {
                k.to == table && !self.catalog.table(k.from).is_unique_over(&k.from_columns)
            })
        };
        // "who played the most sports" by sports and games together: what has no single key is counted
        // once for each row that joins make of it
        let all = query.having.iter().filter_map(|c| match c {
            Condition::Compare(left, ..) => Some(left),
            _ => None,
        });
        let all = all.chain(query.select.iter().chain(query.order.iter().map(|(e, _)| e)));
        let mut counted = all.filter_map(|e| match (&e.target, e.aggregate) {
            (Target::Rows(table), Some(Aggregate::Count)) => Some(*table),
            _ => None,
        });
        let keyed = |t: TableId| self.catalog.table(t).primary_key.len() == 1;
        let branches = |one: &TableId| {
            let keys = tree.keys.iter().map(|&k| self.catalog.key(k)).filter(|k| k.to == *one);
            keys.filter(|k| !self.catalog.table(k.from).is_unique_over(&k.from_columns)).count() > 1
        };
        let chasm = tree.tables.iter().any(branches);
        if let Some(table) = counted.find(|&t| chasm && !keyed(t) && self.repeats(t, &tree)) {
            let label = self.catalog.table_label(table);
            self.refuse(format!(
                "The join repeats rows of {label}, so some would be counted several times."
            ));
            return;
        }
        if let Some(column) = unnamed.into_iter().find(|c| repeated(c.table)) {
            let (label, table) = (self.label(column), self.catalog.table_label(column.table));
            self.refuse(format!(
                "{label} belongs to {table}, which the question does not mention."
            ));
            return;
        }
        // what several tables answer is not added up over the rows of one alone
        let fans = |c: &&ColumnId| query.answer_tables().len() > 1 && self.repeats(c.table, &tree);
        if let Some(column) = added.iter().find(fans) {
            let label = self.label(*column);
            self.refuse(format!(
                "The join repeats rows, so {label} would be counted several times."
            ));
        }
    }

    /// Whether a join tree may have several rows for one of a table.
    fn repeats(&self, table: TableId, tree: &JoinTree) -> bool {
        let (mut reached, mut open) = (BTreeSet::from([table]), tree.keys.clone());
        let key = |k: &KeyId| self.catalog.key(*k);
        while let Some(at) =
            open.iter().position(|k| reached.contains(&key(k).from) != reached.contains(&key(k).to))
        {
            let step = key(&open.remove(at));
            let to_many = reached.contains(&step.to);
            if to_many && !self.catalog.table(step.from).is_unique_over(&step.from_columns) {
                return true;
            }
            reached.extend([step.from, step.to]);
        }
        false
    }
}
