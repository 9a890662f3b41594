//! What a follow-up changes: two query forms compared, and forms changed where no words of one
//! question could say it.

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

/// Where the rows stand that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The first in the order that there is.
    First,
    /// The highest.
    Top,
    /// The lowest.
    Bottom,
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
    let all = |query: &Query| query.conditions().cloned().collect::<Vec<_>>();
    let (before_all, after_all) = (all(before), all(after));
    let (lost, new) = (missing(&before_all, &after_all), missing(&after_all, &before_all));
    match (lost.as_slice(), new.as_slice()) {
        // "the five most expensive", "only red": of the five, or the five most expensive of those?
        ([], [_, ..]) if before.limit.is_none() => Some(Change::Added),
        // within a query it would be of other rows
        ([one], [other]) if one.subqueries().is_empty() && one.columns() == other.columns() => {
            Some(Change::Replaced)
        }
        _ => None,
    }
}

/// The conditions of the first list that the second lacks.
fn missing(of: &[Condition], from: &[Condition]) -> Vec<Condition> {
    let mut left = from.to_vec();
    let mut missing = Vec::new();
    for condition in of {
        match left.iter().position(|other| other == condition) {
            Some(at) => drop(left.remove(at)),
            None => missing.push(condition.clone()),
        }
    }
    missing
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

/// The number of things that a query lists; None where it lists no rows of one table, or counts
/// already.
pub fn counted(query: &Query) -> Option<Query> {
    let lists = !query.aggregates()
        && query.group.is_empty()
        && query.having.is_empty()
        && query.limit.is_none()
        && query.within.is_none()
        && query.combine.is_none();
    let shown = query.select.first().filter(|_| lists)?;
    let table = shown.target.table();
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

/// Some rows of a query, from where its order or its figures say; None where nothing does.
pub fn some_of(query: &Query, most: u32, place: Place) -> Option<Query> {
    let fewer = query.limit.is_none_or(|limit| most <= limit);
    if !fewer || query.within.is_some() || query.combine.is_some() {
        return None;
    }
    let ranks = |by: &Expression| query.group.is_empty() || by.is_aggregate();
    let order = match (place, query.order.as_slice()) {
        (Place::First, [_, ..]) => query.order.clone(),
        (Place::Top, [(by, Direction::Descending)])
        | (Place::Bottom, [(by, Direction::Ascending)])
            if ranks(by) =>
        {
            query.order.clone()
        }
        // of groups in the order of what they are called, the figure is meant
        (Place::Top | Place::Bottom, order) if !order.iter().any(|(by, _)| ranks(by)) => {
            vec![(figure(query)?, Direction::most_first(place == Place::Top))]
        }
        _ => return None,
    };
    Some(Query { order, limit: Some(most), ..query.clone() })
}

/// The one figure that is shown for each group.
fn figure(query: &Query) -> Option<Expression> {
    let mut figures = query.select.iter().filter(|e| e.is_aggregate());
    let figure = figures.next().filter(|_| !query.group.is_empty())?;
    figures.next().is_none().then(|| figure.clone())
}

/// A query of rows, ranked as another of the same rows is; None where it is ranked already.
pub fn ranked(query: &Query, extreme: &Query) -> Option<Query> {
    let free = query.order.is_empty() && query.limit.is_none() && query.group.is_empty();
    let lists = free && !query.aggregates() && query.combine.is_none() && query.within.is_none();
    let about = |q: &Query| q.select.first().map(|e| e.target.table());
    let plain = Query {
        select: Vec::new(),
        order: Vec::new(),
        limit: None,
        tables: extreme.tables.clone(),
        ..extreme.clone()
    };
    let only_ranks = plain == Query { tables: extreme.tables.clone(), ..Query::default() };
    let fits = lists && only_ranks && about(query) == about(extreme) && extreme.limit.is_some();
    let same = || extreme.needed_tables().is_subset(&query.needed_tables());
    (fits && same()).then(|| Query {
        order: extreme.order.clone(),
        limit: extreme.limit,
        ..query.clone()
    })
}
