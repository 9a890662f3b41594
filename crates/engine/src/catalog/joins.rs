//! The join graph: tables are nodes, keys are edges; two keys between the same tables are two
//! edges. Paths are shortest paths; sets of tables are connected by a Steiner tree.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::visit::EdgeRef;

use super::{Catalog, ColumnId, ForeignKey, KeyKind, TableId};

/// Position of a key in [`Catalog::keys`].
pub type KeyIndex = usize;

/// The join graph of a catalog.
#[derive(Debug, Default)]
pub struct JoinGraph {
    graph: UnGraph<TableId, KeyIndex>,
    /// What it costs to pass through a table, by table.
    through: Vec<f32>,
    kinds: Vec<KeyKind>,
    outgoing: Vec<Vec<KeyIndex>>,
}

/// Tables connected by keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JoinTree {
    /// Every table of the tree, terminals and those between.
    pub tables: BTreeSet<TableId>,
    /// The keys that connect them, in an order in which each touches a table before it.
    pub keys: Vec<KeyIndex>,
    /// Total weight.
    pub weight: f32,
}

impl KeyKind {
    /// How far apart the ends of such an edge are: guesses are longer than declarations.
    pub fn weight(self) -> f32 {
        match self {
            KeyKind::Declared => 1.0,
            KeyKind::View => 1.1,
            KeyKind::Inferred => 1.5,
        }
    }
}

impl JoinGraph {
    /// The graph over a catalog's keys.
    pub fn new(catalog: &Catalog) -> Self {
        let mut graph = UnGraph::with_capacity(catalog.tables.len(), catalog.keys.len());
        let mut outgoing = vec![Vec::new(); catalog.tables.len()];
        for table in catalog.table_ids() {
            graph.add_node(table);
        }
        for (index, key) in catalog.keys.iter().enumerate() {
            graph.add_edge(node(key.from), node(key.to), index);
            outgoing[key.from.0 as usize].push(index);
        }
        Self {
            graph,
            through: passing_costs(catalog),
            kinds: catalog.keys.iter().map(|k| k.kind).collect(),
            outgoing,
        }
    }

    /// Distances and the edges by which each table is reached best, from `start`.
    fn reach(&self, start: &BTreeSet<TableId>) -> Reach {
        let mut distance: HashMap<TableId, f32> = start.iter().map(|&t| (t, 0.0)).collect();
        let mut through: HashMap<TableId, Vec<(TableId, KeyIndex)>> = HashMap::new();
        let mut queue: BTreeSet<(u32, TableId)> = start.iter().map(|&t| (0, t)).collect();
        while let Some((at, table)) = queue.pop_first() {
            for edge in self.graph.edges(node(table)) {
                let next = self.graph[edge.target()];
                if next == table {
                    continue; // a self join connects nothing new
                }
                let passed =
                    if start.contains(&table) { 0.0 } else { self.through[table.0 as usize] };
                let far = f32::from_bits(at) + passed + self.kinds[*edge.weight()].weight();
                let known = distance.get(&next).copied().unwrap_or(f32::INFINITY);
                if far < known {
                    queue.remove(&(known.to_bits(), next));
                    queue.insert((far.to_bits(), next));
                    distance.insert(next, far);
                    through.insert(next, vec![(table, *edge.weight())]);
                } else if far == known && known > 0.0 {
                    through.entry(next).or_default().push((table, *edge.weight()));
                }
            }
        }
        Reach { distance, through }
    }

    /// The distance of every table that can be joined to one of `start`.
    pub fn distances(&self, start: &BTreeSet<TableId>) -> BTreeMap<TableId, f32> {
        self.reach(start).distance.into_iter().collect()
    }

    /// All shortest paths between two tables, as keys from `start` to `end`; at most `limit`.
    /// Several are ties that the caller should report. Empty when they are not connected.
    pub fn shortest_paths(&self, start: TableId, end: TableId, limit: usize) -> Vec<Vec<KeyIndex>> {
        let reach = self.reach(&BTreeSet::from([start]));
        if !reach.distance.contains_key(&end) {
            return Vec::new();
        }
        let mut done = Vec::new();
        let mut open = vec![(end, Vec::new())];
        while let Some((table, keys)) = open.pop() {
            if table == start {
                done.push(keys.into_iter().rev().collect());
                if done.len() == limit {
                    break;
                }
                continue;
            }
            for &(previous, key) in reach.through.get(&table).into_iter().flatten() {
                let mut longer: Vec<KeyIndex> = keys.clone();
                longer.push(key);
                open.push((previous, longer));
            }
        }
        done.sort();
        done
    }

    /// A minimum tree over `terminals`: grown from the first by the nearest next terminal
    /// (the shortest-path heuristic for Steiner trees, Takahashi & Matsuyama 1980), tried from
    /// every terminal, the lightest kept. None when they are not all connected.
    pub fn steiner_tree(&self, terminals: &BTreeSet<TableId>) -> Option<JoinTree> {
        let mut best: Option<JoinTree> = None;
        for &start in terminals {
            let tree = self.grow(start, terminals)?;
            if best.as_ref().is_none_or(|b| tree.weight < b.weight) {
                best = Some(tree);
            }
        }
        best
    }

    fn grow(&self, start: TableId, terminals: &BTreeSet<TableId>) -> Option<JoinTree> {
        let mut tree = JoinTree { tables: BTreeSet::from([start]), ..JoinTree::default() };
        while !terminals.is_subset(&tree.tables) {
            let reach = self.reach(&tree.tables);
            let nearest = terminals
                .difference(&tree.tables)
                .filter_map(|t| reach.distance.get(t).map(|d| (d.to_bits(), *t)))
                .min()?;
            let mut table = nearest.1;
            let mut path = Vec::new();
            while !tree.tables.contains(&table) {
                // ties go to the key declared first
                let &(previous, key) = reach.through[&table].iter().min_by_key(|(_, key)| *key)?;
                path.push(key);
                tree.tables.insert(table);
                table = previous;
            }
            tree.weight += f32::from_bits(nearest.0);
            tree.keys.extend(path.into_iter().rev());
        }
        Some(tree)
    }

    /// The tables between `from` and its nearest one of `to`, by number of keys; empty when they
    /// touch. Looks at no more than `visits` tables and only at those that `allowed` lets in.
    /// None when nothing connects them within that.
    pub fn bridge(
        &self,
        from: TableId,
        to: &BTreeSet<TableId>,
        visits: usize,
        allowed: impl Fn(TableId) -> bool,
    ) -> Option<Vec<TableId>> {
        let mut came: HashMap<TableId, TableId> = HashMap::from([(from, from)]);
        let mut queue = VecDeque::from([from]);
        while let Some(table) = queue.pop_front() {
            if to.contains(&table) {
                let back =
                    std::iter::successors(came.get(&table).copied(), |t| came.get(t).copied());
                return Some(back.take_while(|&t| t != from).filter(|&t| t != table).collect());
            }
            for next in self.graph.neighbors(node(table)).map(|n| self.graph[n]) {
                if came.len() < visits && allowed(next) && !came.contains_key(&next) {
                    came.insert(next, table);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// Keys by which the table references others (or itself), in the catalog's order.
    pub fn keys_from(&self, table: TableId) -> &[KeyIndex] {
        &self.outgoing[table.0 as usize]
    }

    /// Keys that connect exactly these two tables.
    pub fn keys_between(&self, a: TableId, b: TableId) -> Vec<KeyIndex> {
        let mut keys: Vec<KeyIndex> =
            self.graph.edges_connecting(node(a), node(b)).map(|e| *e.weight()).collect();
        keys.sort_unstable();
        keys
    }
}

/// A table that many others refer to says little about how two of them belong together: an
/// instructor and a course of one department are not a course and its instructor. Passing
/// through it costs by the number of referring tables; a table that links others is free.
fn passing_costs(catalog: &Catalog) -> Vec<f32> {
    let mut referring: Vec<BTreeSet<TableId>> = vec![BTreeSet::new(); catalog.tables.len()];
    for key in catalog.keys.iter().filter(|k| k.from != k.to) {
        referring[key.to.0 as usize].insert(key.from);
    }
    let cost = |users: &BTreeSet<TableId>| (0.6 * users.len().saturating_sub(1) as f32).min(2.0);
    referring.iter().map(cost).collect()
}

struct Reach {
    distance: HashMap<TableId, f32>,
    through: HashMap<TableId, Vec<(TableId, KeyIndex)>>,
}

fn node(table: TableId) -> NodeIndex {
    NodeIndex::new(table.0 as usize)
}

impl ForeignKey {
    /// Its columns on both sides.
    pub fn columns(&self) -> impl Iterator<Item = ColumnId> + '_ {
        self.column_pairs().flat_map(|(from, to)| [from, to])
    }

    /// The pairs of equal columns, referencing side first.
    pub fn column_pairs(&self) -> impl Iterator<Item = (ColumnId, ColumnId)> + '_ {
        self.from_columns.iter().zip(&self.to_columns).map(|(&f, &t)| {
            (ColumnId { table: self.from, column: f }, ColumnId { table: self.to, column: t })
        })
    }

    /// Where it is known from, and what that is called, for people.
    pub fn label(&self) -> String {
        let kind = match self.kind {
            KeyKind::Declared => "declared",
            KeyKind::View => "view",
            KeyKind::Inferred => "inferred",
        };
        if self.name.is_empty() { kind.to_owned() } else { format!("{kind} {}", self.name) }
    }

    /// What it equates, in one form for both directions: keys of equal pairs join the same.
    pub fn equalities(&self) -> Vec<(ColumnId, ColumnId)> {
        let mut pairs: Vec<_> = self.column_pairs().map(|(a, b)| (a.min(b), a.max(b))).collect();
        pairs.sort_unstable();
        pairs
    }
}
