//! The first rows of each group as SQL: a window function ranks the rows of each group.

use sqlparser::ast::{BinaryOperator, Expr, Query as Sql, Select, SetExpr, TableWithJoins};

use super::query::{Direction, Expression, Query, Within};
use super::sql::{Level, Written, alias};
use super::tree::{self, binary, number};

impl Level<'_> {
    /// `SELECT … FROM (SELECT …, row_number() OVER (…)) WHERE place <= n`; `from` is the inner
    /// query's.
    pub fn first_within(&self, within: &Within, from: TableWithJoins) -> Written<Sql> {
        let query = self.query;
        let names = self.output_names();
        let place = unused("place", &names);
        let ident = |name: &String| self.writer.ident(name);
        let named = |name: &String| Expr::Identifier(ident(name));
        // a window knows no places of the select list
        let mut bare = Query { select: Vec::new(), ..query.clone() };
        if bare.group.is_empty() && self.fans_out {
            let shown = query.shown().map(|e| e.target.clone());
            bare.group = within.of.iter().cloned().chain(shown).collect();
            bare.group.dedup();
        }
        let level = Level { query: &bare, ..*self };
        let parts = within.of.iter().map(|target| level.group_item(target)).collect();
        let ranked = tree::place_within(parts, level.order());
        let items = query.select.iter().zip(&names).map(|(e, name)| {
            let own = e.target.column().map(|c| &*self.writer.catalog.column(c).name);
            tree::item(self.expression(e), (own != Some(name)).then(|| ident(name)))
        });
        let inner = Select {
            projection: items.chain([tree::item(ranked, Some(ident(&place)))]).collect(),
            from: vec![from],
            ..level.conditions_and_groups()?
        };
        let (first, last) = (query.offset + 1, query.offset + query.limit.unwrap_or(1));
        let wanted = match (first, last) {
            _ if first == last => binary(named(&place), BinaryOperator::Eq, number(first)),
            (1, last) => binary(named(&place), BinaryOperator::LtEq, number(last)),
            (first, last) => tree::between(named(&place), number(first), number(last)),
        };
        let several = Some(&place).filter(|_| first != last);
        let sorted = names.iter().take(within.shown).chain(several);
        let sorted = sorted.map(|name| tree::ordered(named(name), Direction::Ascending, false));
        let outer = Select {
            projection: names.iter().map(|name| tree::item(named(name), None)).collect(),
            from: vec![tree::from(tree::derived(tree::alone(inner), "ranked"))],
            selection: Some(wanted),
            ..tree::select()
        };
        Ok(tree::query(SetExpr::Select(Box::new(outer)), sorted.collect(), None, 0))
    }

    /// A name for each select item, none twice: with its table's where columns are called the same.
    fn output_names(&self) -> Vec<String> {
        let catalog = self.writer.catalog;
        let own = |e: &Expression| match e.target.column() {
            Some(c) => catalog.column(c).name.to_string(),
            None => alias(e).unwrap_or("count").to_owned(),
        };
        let all: Vec<String> = self.query.select.iter().map(own).collect();
        let mut names: Vec<String> = Vec::new();
        for (expression, name) in self.query.select.iter().zip(&all) {
            let shared = all.iter().filter(|n| *n == name).count() > 1;
            let table = &catalog.table(expression.target.table()).name;
            let name = if shared { format!("{table}_{name}") } else { name.clone() };
            names.push(unused(&name, &names));
        }
        names
    }
}

/// `name`, with a number after it where it is taken.
fn unused(name: &str, taken: &[String]) -> String {
    let free = |n: &String| !taken.contains(n);
    let numbered = (2..).map(|i| format!("{name}_{i}"));
    std::iter::once(name.to_owned()).chain(numbered).find(free).unwrap_or_default()
}
