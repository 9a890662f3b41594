//! Table elimination: a table that a key leads to is not joined where nothing of it is shown or compared.
//! What the key refers to is there, so the referencing column says as much.

use crate::catalog::joins::JoinTree;
use crate::catalog::{Catalog, ColumnId, ForeignKey, KeyKind};

use crate::strategy::builtin::facts::only;

use super::query::{Aggregate, Condition, Expression, Query, Target};

/// The query without such a table, if it has one; `tree` joins its tables.
///
/// Requires: the tree of [`Query::needed_tables`].
pub fn without_leaf(catalog: &Catalog, query: &Query, tree: &JoinTree) -> Option<Query> {
    if query.combine.is_some() || query.within.is_some() {
        return None;
    }
    tree.tables.iter().find_map(|&leaf| {
        let keys = tree.keys.iter().map(|&k| catalog.key(k));
        let key = only(keys.filter(|k| k.from == leaf || k.to == leaf))?;
        let (referencing, referenced) = plain(catalog, key).filter(|(_, to)| to.table == leaf)?;
        without(catalog, query, tree, referencing, referenced)
    })
}

/// The columns of a declared key over one column, which refers to a table's whole primary key.
fn plain(catalog: &Catalog, key: &ForeignKey) -> Option<(ColumnId, ColumnId)> {
    let pair = only(key.column_pairs()).filter(|_| key.when.is_none())?;
    let whole = catalog.table(key.to).primary_key == [pair.1.column];
    (key.kind == KeyKind::Declared && whole && key.from != key.to).then_some(pair)
}

/// The query over `referencing` alone, where `referenced` stands for all that it says of its table.
fn without(
    catalog: &Catalog,
    query: &Query,
    tree: &JoinTree,
    referencing: ColumnId,
    referenced: ColumnId,
) -> Option<Query> {
    let leaf = referenced.table;
    let named = query.keys.iter().any(|&k| catalog.key(k).to == leaf);
    if named
        || query.all_of == Some(leaf)
        || query.filters.iter().any(|c| c.tables().contains(&leaf))
    {
        return None;
    }
    let counted = counted(catalog, query, tree, referencing);
    let put = |e: &Expression| -> Option<Expression> {
        match (&e.target, e.aggregate) {
            _ if !e.tables().contains(&leaf) => Some(e.clone()),
            (Target::Rows(_), Some(Aggregate::Count)) => Some(counted.clone()),
            (Target::Column(c), _) if *c == referenced => {
                Some(Expression { target: Target::Column(referencing), ..e.clone() })
            }
            _ => None,
        }
    };
    let select = query.select.iter().map(put).collect::<Option<Vec<_>>>()?;
    let order = query.order.iter().map(|(e, down)| Some((put(e)?, *down)));
    let order = order.collect::<Option<Vec<_>>>()?;
    let group = query.group.iter().map(|t| Some(put(&Expression::plain(t.clone()))?.target));
    let group = group.collect::<Option<Vec<_>>>()?;
    let having = query.having.iter().map(|c| match c {
        Condition::Compare(left, operator, right) => {
            Some(Condition::Compare(put(left)?, *operator, right.clone()))
        }
        other => Some(other.clone()).filter(|c| !c.tables().contains(&leaf)),
    });
    let having = having.collect::<Option<Vec<_>>>()?;
    let mut without = Query { select, order, group, having, ..query.clone() };
    without.tables.remove(&leaf);
    without.tables.insert(referencing.table);
    let skips = |e: &Expression| e.aggregate.is_some() && e.target.column() == Some(referencing);
    let only_counts = without.group.is_empty() && without.select.iter().all(skips);
    let compared = without.filters.iter().any(|f| f.columns().contains(&referencing));
    if catalog.column(referencing).nullable && !only_counts && !compared {
        without.filters.push(Condition::IsNull { column: referencing, negated: true });
    }
    Some(without)
}

/// How many rows of the referenced table there are: rows of the referencing one, where no group has
/// two that refer to the same.
fn counted(catalog: &Catalog, query: &Query, tree: &JoinTree, referencing: ColumnId) -> Expression {
    let table = referencing.table;
    let from = tree.keys.iter().map(|&k| catalog.key(k)).filter(|k| k.from == table);
    let apart = |key: &&ForeignKey| {
        let mut ends = key.column_pairs();
        ends.all(|(_, to)| query.group.contains(&Target::Column(to)))
    };
    let grouped = from.filter(apart).flat_map(|k| k.from_columns.iter().copied());
    let own = query.group.iter().filter_map(Target::column).filter(|c| c.table == table);
    let mut fixed: Vec<u16> = grouped.chain(own.map(|c| c.column)).collect();
    fixed.push(referencing.column);
    let alone = tree.tables.len() <= 3 && catalog.table(table).is_unique_over(&fixed);
    match alone && !catalog.column(referencing).nullable {
        true => Expression::count(table),
        false => Expression::count_distinct(referencing),
    }
}
