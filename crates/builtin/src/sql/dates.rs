//! The dates of rows: their own, or those of rows that they refer to.

use text2sql_engine::catalog::{ColumnId, TableId};

use crate::form::{Condition, Path, Set, Step};
use crate::world::World;

/// The date that a condition on a set reads, with the path to it.
pub(super) fn dated(world: &World<'_>, set: &Set) -> Option<(Path, ColumnId)> {
    set.conditions.iter().find_map(|condition| match condition {
        Condition::Within(column, ..) | Condition::Recurring(column, ..) => {
            Some((Vec::new(), *column))
        }
        Condition::Null(column, false) if world.is_date(*column) => Some((Vec::new(), *column)),
        Condition::Related(path, inner) if path.iter().all(|&s| world.is_to_one(s)) => {
            let (rest, column) = dated(world, inner)?;
            Some(([&**path, &rest].concat(), column))
        }
        _ => None,
    })
}

/// Columns that say when rows of a table happened: its own, else those of rows that it refers to.
pub fn date_columns(world: &World<'_>, table: TableId) -> Vec<(Path, ColumnId, i32)> {
    let own = world.dates(table);
    let mut found: Vec<(Path, ColumnId, i32)> =
        own.into_iter().map(|(c, cost)| (Vec::new(), c, cost)).collect();
    if found.iter().all(|(_, _, cost)| *cost > 60) {
        for &id in world.catalog.joins().keys_from(table) {
            let key = world.catalog.key(id);
            let step = Step { key: id, forward: true };
            let event = !world.is_people(key.to) && key.to != table;
            for (column, cost) in world.dates(key.to) {
                let named = match world.is_calendar(key.to) {
                    true => -10,
                    false if world.names(key.to).is_empty() => 0,
                    false => 30,
                };
                if event {
                    found.push((vec![step], column, cost + 10 + named));
                }
            }
        }
    }
    found.sort_by_key(|(.., cost)| *cost);
    found
}
