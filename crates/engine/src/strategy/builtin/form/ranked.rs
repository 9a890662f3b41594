//! The first rows of each group as SQL: a window function ranks the rows of each group.

use sqlparser::ast::{BinaryOperator, Expr, Query as Sql, Select, SetExpr, TableWithJoins};

use super::query::{Direction, Expression, Query, Within};
use super::sql::{Level, Unconnected, Writer, alias};
use super::tree::{self, binary, number};

impl Writer<'_> {
    /// `SELECT … FROM (SELECT …, row_number() OVER (…)) WHERE place <= n`; `from` is the inner
    /// query's.
    pub fn first_within(
        &self,
        query: &Query,
        within: &Within,
        level: &Level,
        from: TableWithJoins,
    ) -> Result<Sql, Unconnected> {
        let names = self.output_names(query);
        let place = unused("place", &names);
        let named = |name: &String| Expr::Identifier(self.ident(name));
        // a window knows no places of the select list
        let bare = Query { select: Vec::new(), ..query.clone() };
        let parts = within.of.iter().map(|t| self.group_item(t, &bare, level)).collect();
        let ranked = tree::place_within(parts, self.order(&bare, level));
        let shown = query.select.iter().zip(&names);
        let items = shown.map(|(e, name)| {
            let own = e.target.column().map(|c| self.catalog.column(c).name.to_string());
            let alias = (own.as_deref() != Some(name)).then(|| self.ident(name));
            tree::item(self.expression(e, level), alias)
        });
        let mut inner = Query { order: Vec::new(), limit: None, offset: 0, ..bare };
        if inner.group.is_empty() && level.fans_out {
            inner.group =
                within.of.iter().cloned().chain(query.shown().map(|e| e.target.clone())).collect();
            inner.group.dedup();
        }
        let inner = Select {
            projection: items.chain([tree::item(ranked, Some(self.ident(&place)))]).collect(),
            from: vec![from],
            ..self.conditions_and_groups(&inner, level)?
        };
        let (first, last) = (query.offset + 1, query.offset + query.limit.unwrap_or(1));
        let wanted = match (first, last) {
            _ if first == last => binary(named(&place), BinaryOperator::Eq, number(first)),
            (1, last) => binary(named(&place), BinaryOperator::LtEq, number(last)),
            (first, last) => Expr::Between {
                expr: Box::new(named(&place)),
                negated: false,
                low: Box::new(number(first)),
                high: Box::new(number(last)),
            },
        };
        let several = Some(&place).filter(|_| first != last);
        let sorted = names.iter().take(within.shown).chain(several);
        let sorted = sorted.map(|name| tree::ordered(named(name), Direction::Ascending, false));
        let inner = tree::query(SetExpr::Select(Box::new(inner)), Vec::new(), None, 0);
        let outer = Select {
            projection: names.iter().map(|name| tree::item(named(name), None)).collect(),
            from: vec![tree::from(tree::derived(inner, "ranked"))],
            selection: Some(wanted),
            ..tree::select()
        };
        Ok(tree::query(SetExpr::Select(Box::new(outer)), sorted.collect(), None, 0))
    }

    /// A name for each select item, none twice: with its table's where columns are called the same.
    fn output_names(&self, query: &Query) -> Vec<String> {
        let own = |e: &Expression| match e.target.column() {
            Some(c) => self.catalog.column(c).name.to_string(),
            None => alias(e).unwrap_or("count").to_owned(),
        };
        let all: Vec<String> = query.select.iter().map(own).collect();
        let mut names: Vec<String> = Vec::new();
        for (expression, name) in query.select.iter().zip(&all) {
            let shared = all.iter().filter(|n| *n == name).count() > 1;
            let table = &self.catalog.table(expression.target.table()).name;
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
