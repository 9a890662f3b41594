//! What a follow-up changes: two query forms compared, and forms changed where no words of one
//! question could say it.

use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::form::query::{
    Aggregate, Condition, Direction, Expression, Query, Target,
};

/// How the query of two questions read together differs from that of the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It has more conditions.
    Added,
    /// It has another condition on what one condition was on.
    Replaced,
    /// It groups by more.
    Grouped,
    /// It is ordered otherwise.
    Ordered,
}

/// The one way in which a form differs from the form before it; None where they are the same or
/// differ in more.
pub fn change(before: &Query, after: &Query) -> Option<Change> {
    // one of several queries would change
    if before.combine.is_some() || before.within.is_some() {
        return None;
    }
    let kept = Query {
        tables: after.tables.clone(),
        keys: after.keys.clone(),
        filters: after.filters.clone(),
        having: after.having.clone(),
        ..before.clone()
    };
    let conditions = before.filters == after.filters && before.having == after.having;
    if kept == *after && !conditions {
        return conditions_changed(before, after);
    }
    let ordered = Query { order: after.order.clone(), ..before.clone() };
    if ordered == *after && before.order != after.order {
        // of some rows it would be others that come first
        let same = before.needed_tables() == after.needed_tables() && before.limit.is_none();
        return same.then_some(Change::Ordered);
    }
    (conditions && groups_more(before, after)).then_some(Change::Grouped)
}

fn conditions_changed(before: &Query, after: &Query) -> Option<Change> {
    let missing = |of: &Query, from: &Query| -> Vec<Condition> {
        of.conditions().filter(|c| !from.conditions().any(|other| other == *c)).cloned().collect()
    };
    match (&missing(before, after)[..], &missing(after, before)[..]) {
        // "the five most expensive", "only red": of the five, or the five most expensive of those?
        ([], [_, ..]) if before.limit.is_none() => Some(Change::Added),
        // within a query it would be of other rows
        ([one], [other]) if one.subqueries().is_empty() && one.columns() == other.columns() => {
            Some(Change::Replaced)
        }
        _ => None,
    }
}

/// Whether all that is shown is shown for one more thing, beside what stands for it.
fn groups_more(before: &Query, after: &Query) -> bool {
    let date = |target: &Target| match target {
        Target::Part(column, _) => Some(*column),
        _ => None,
    };
    let more: Vec<&Target> = after.group.iter().filter(|g| !before.group.contains(g)).collect();
    let dates: Vec<_> = after.group.iter().filter_map(date).collect();
    let once = |column| dates.iter().filter(|other| *other == column).count() == 1;
    let shows_all = before.select.iter().all(|e| after.select.contains(e));
    let plain = |e: &Expression| before.select.contains(e) || !e.is_aggregate();
    let kept = Query {
        select: after.select.clone(),
        tables: after.tables.clone(),
        keys: after.keys.clone(),
        group: after.group.clone(),
        order: after.order.clone(),
        ..before.clone()
    };
    before.aggregates()
        && more.len() == 1
        && before.group.iter().all(|g| after.group.contains(g))
        && dates.iter().all(once)
        && shows_all
        && after.select.iter().all(plain)
        && kept == *after
        && before.limit.is_none()
        && before.order.is_empty()
        && after.order.iter().all(|(e, _)| !e.is_aggregate())
}

/// Whether all figures of a query are counts.
pub fn only_counts(query: &Query) -> bool {
    let mut figures = query.select.iter().filter(|e| e.is_aggregate()).peekable();
    figures.peek().is_some() && figures.all(|e| e.aggregate == Some(Aggregate::Count))
}

/// The number of things that a query lists; None where these are not rows of one table.
pub fn counted(query: &Query) -> Option<Query> {
    let table = query.select.first().filter(|_| query.shows_all_rows())?.target.table();
    if query.select.iter().any(|e| e.tables() != [table]) {
        return None;
    }
    let count = match (query.distinct, query.select.as_slice()) {
        (false, _) => Expression::count(table),
        (true, [one]) => Expression::count_distinct(one.target.clone()),
        (true, _) => return None,
    };
    let (distinct, order) = (false, Vec::new());
    Some(Query { select: vec![count], distinct, order, ..query.clone() })
}

/// The first rows of a query in the order that it has, or in a direction of its order or its figures;
/// None where nothing says which these are.
pub fn some_of(query: &Query, most: u32, direction: Option<Direction>) -> Option<Query> {
    let fewer = query.limit.is_none_or(|limit| most <= limit);
    if !fewer || query.within.is_some() || query.combine.is_some() {
        return None;
    }
    let ranks = |by: &Expression| query.group.is_empty() || by.is_aggregate();
    let order = match (direction, query.order.as_slice()) {
        (None, [_, ..]) => query.order.clone(),
        (Some(wanted), [(by, had)]) if wanted == *had && ranks(by) => query.order.clone(),
        // of groups in the order of what they are called, the figure is meant
        (Some(wanted), order) if !order.iter().any(|(by, _)| ranks(by)) => {
            let figure = only(query.select.iter().filter(|e| e.is_aggregate()));
            let figure = figure.filter(|_| !query.group.is_empty())?.clone();
            vec![(figure, wanted)]
        }
        _ => return None,
    };
    Some(Query { order, limit: Some(most), ..query.clone() })
}

/// A query of rows, ranked as another of the same rows is; None where it is ranked already.
pub fn ranked(query: &Query, extreme: &Query) -> Option<Query> {
    let Query { select, order, limit, tables, .. } = extreme.clone();
    let ranking = Query { order: order.clone(), limit, ..query.clone() };
    let only_ranks = Query { select, order, limit, tables, ..Query::default() } == *extreme;
    let about = |q: &Query| q.select.first().map(|e| e.target.table());
    let fits = query.shows_all_rows() && query.order.is_empty() && about(query) == about(extreme);
    let same = || extreme.needed_tables().is_subset(&query.needed_tables());
    (fits && only_ranks && limit.is_some() && same()).then_some(ranking)
}
