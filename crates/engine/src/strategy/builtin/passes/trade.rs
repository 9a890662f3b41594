//! Trade: what "revenue" means without a definition, what sells, and who pays. Orders and sales are
//! recognised by their names; their amount is their total, or quantity times price per line.

use crate::catalog::{Catalog, ColumnId, TableId};
use crate::context::Context;
use crate::scope::Scope;
use crate::strategy::builtin::facts::{Facts, only};
use crate::strategy::builtin::form::query::{
    Aggregate, Comparison, Condition, Direction, Expression, Operand,
};
use crate::strategy::builtin::words::{Key, Term, Words};
use crate::text::{Word, stem};

use super::{Found, Left, Reader, Span};

/// Terms that the question says, that no table or column is called by and nobody `defined`, with
/// the computation they stand for: ("revenue", "sum(orders.total_amount)").
pub fn definitions(context: &Context<'_>, asked: &str, defined: &[Term]) -> Vec<Term> {
    let question = asked.to_lowercase();
    let unnamed = |term: &&&str| {
        let word = term.rsplit(' ').next().unwrap_or(term);
        let word = Word { text: word.to_owned(), stem: stem(word) };
        // whoever defined "revenue" knows what "total revenue" is
        let known = defined.iter().any(|(known, _)| term.contains(&known.to_lowercase()));
        question.contains(**term) && !known && context.catalog.lexical().matches(&word).is_empty()
    };
    let terms: Vec<&&str> = Words::Revenue.all().iter().filter(unnamed).collect();
    let meaning = terms.first().and_then(|_| revenue(&context.catalog, &context.scope));
    terms.into_iter().filter_map(|term| Some(((*term).to_owned(), meaning.clone()?))).collect()
}

/// The sum of what the sales of a database come to, as SQL; None where it is not clear.
fn revenue(catalog: &Catalog, scope: &Scope) -> Option<String> {
    let tables = scope.tables(catalog);
    let of_kind = |kind: &&str| {
        let named = |t: &&TableId| Facts::of(catalog).table_stems(**t).contains(&stem(kind));
        let tables = || tables.iter().filter(named);
        let totals: Vec<String> = tables().filter_map(|&t| total(catalog, t)).collect();
        let lines = || tables().filter_map(|&t| lines(catalog, t)).collect();
        if totals.is_empty() { lines() } else { totals }
    };
    only(Words::Sales.all().iter().map(of_kind).find(|sums| !sums.is_empty())?)
}

/// The sum of a table's total, where one column is it.
fn total(catalog: &Catalog, table: TableId) -> Option<String> {
    let amounts = || catalog.column_ids(table).filter(|&c| is_total(catalog, c));
    let says = |c: &ColumnId| Facts::of(catalog).column_says(*c, &["total"]);
    let column = only(amounts().filter(says)).or_else(|| only(amounts()))?;
    Some(format!("sum({})", written(catalog, column)))
}

/// A column as a definition says it: in quotes where a name is more than one word.
fn written(catalog: &Catalog, column: ColumnId) -> String {
    let quoted = |name: &str| {
        if name.contains(char::is_whitespace) { format!("\"{name}\"") } else { name.to_owned() }
    };
    let table = quoted(&catalog.table(column.table).name);
    format!("{table}.{}", quoted(&catalog.column(column).name))
}

/// Whether a column holds what the row as a whole comes to.
fn is_total(catalog: &Catalog, column: ColumnId) -> bool {
    let facts = Facts::of(catalog);
    let says = |words| facts.says(column, words);
    facts.has_numbers(column) && says(Words::Totals) && !says(Words::OtherAmounts)
}

/// The sum of quantity times price over the lines of sales.
fn lines(catalog: &Catalog, table: TableId) -> Option<String> {
    let called = |names: Words| {
        let mut numbers = catalog.column_ids(table).filter(|&c| Facts::of(catalog).has_numbers(c));
        let column = numbers.find(|&c| names.has(&catalog.column_name(c).to_lowercase()))?;
        Some(written(catalog, column))
    };
    let quantity = called(Words::Lots)?;
    let price = called(Words::UnitPrices)?;
    Some(format!("sum({quantity} * {price})"))
}

impl Reader<'_> {
    /// "products out of stock", "what is in stock": none is left, or some.
    pub fn read_stock(&mut self, at: usize) {
        let held = self.column(at).filter(|&c| self.facts.numeric(c) && self.is_free(at));
        let Some(column) = held.filter(|_| at > 1 && self.word(at) == "stock") else { return };
        let operator = match [self.word(at - 2), self.word(at - 1)] {
            ["out", "of"] => Comparison::Equal,
            [_, "in"] => Comparison::Greater,
            _ => return,
        };
        let out = Some(at - 2).filter(|_| operator == Comparison::Equal);
        let (left, none) = (Expression::column(column), Operand::Number("0".to_owned()));
        self.add_filter(at, out, Condition::Compare(left, operator, none));
    }

    /// "fewer than 5 items in stock", with the items at `name`: the column of what is in stock.
    pub fn stocked(&self, name: usize) -> Option<Found> {
        let stock = name + 2;
        let inside = self.word(stock) == "stock" && self.word(name + 1) == "in";
        let column = self.column(stock).filter(|&c| inside && self.facts.numeric(c))?;
        Some((column, Span::from([stock]).phrase([name])))
    }

    /// "orders over 500": what a row that is compared with a number comes to.
    pub fn comes_to(&self, at: usize, left: &Left) -> Option<ColumnId> {
        let thing =
            left.name.filter(|&name| name + 1 == left.start && left.comparison.is_some())?;
        let ends = self.ends_at(at + 1) || self.is(at + 1, Key::Each);
        let table = self.table_rather(thing).filter(|_| ends)?;
        let total = only(self.catalog.column_ids(table).filter(|&c| is_total(self.catalog, c)));
        total.or_else(|| self.facts.sole_measure(table).filter(|&c| self.facts.has_numbers(c)))
    }

    /// "best selling products", "best selling products by quantity": `at` says it of a thing, which may be
    /// `said` after it.
    pub fn rank_sold(&mut self, at: usize, said: Option<usize>, of: TableId, direction: Direction) {
        let Some(sold) = self.sold(of) else { return };
        let by = self.places().skip(at).find(|&i| self.word(i) == "by");
        let name = by.map(|by| self.next_solid(by + 1)).filter(|i| self.places().contains(i));
        let other = |i: &usize| sold.target.column().is_none_or(|c| self.column(*i) != Some(c));
        if let Some(name) = name.filter(other) {
            let said = &self.units[name].text;
            return self.refuse_at(name, format!("\"{said}\" is not what sales are counted by."));
        }
        self.push_order(at, Span::from(said).and(name), (sold, direction));
    }

    /// By what a thing sells: the pieces, or the rows, of the only table of sales that points to it.
    fn sold(&self, thing: TableId) -> Option<Expression> {
        let sells = |table: &TableId| {
            let words = self.facts.table_stems(*table);
            Words::Sales.all().iter().any(|kind| words.contains(&stem(kind)))
        };
        let table = only(self.users_of(thing).into_iter().filter(sells))?;
        let pieces = |c: &ColumnId| self.facts.numeric(*c) && self.facts.says(*c, Words::Pieces);
        let pieces = self.catalog.column_ids(table).find(pieces);
        let sum = pieces.map(|column| Expression::aggregate(Aggregate::Sum, column));
        Some(sum.unwrap_or_else(|| Expression::count(table)))
    }

    /// What those who pay have paid: the amounts, by one of these nouns, of the only table that
    /// has such and points to them.
    pub fn paid(&self, payer: TableId, nouns: &[String]) -> Option<Expression> {
        let nouns = [nouns, &Words::Totals.stems()].concat();
        let own = |table| self.own_measure(table, &nouns);
        let amount = only(self.users_of(payer).into_iter().filter_map(own))?;
        Some(Expression::aggregate(Aggregate::Sum, amount))
    }
}
