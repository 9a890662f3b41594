//! Undeclared keys, guessed from names and types.
//!
//! A quarter of the equality joins in BIRD's questions are over undeclared keys, and in SQLite
//! few schemas declare any. This module only proposes: an adapter keeps what its data confirms
//! (values of the referencing column are contained in the referenced one).

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use petgraph::unionfind::UnionFind;

use super::{Column, ForeignKey, KeyKind, Table, TableId, TableKind, TypeClass};
use crate::text::{identifier_words, stem};

/// Names that say nothing of the table they are in: alone they reference nothing.
const GENERIC: &[&str] = &[
    "id", "key", "code", "name", "no", "num", "number", "nr", "pk", "index", "rowid", "type",
    "title", "date", "year", "status", "uid", "uuid", "ref", "seq", "value", "label",
];

/// How names fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Fit {
    /// The column ends in the key's name after a role: `home_team_api_id`, `team_api_id`.
    Role,
    /// The column is called like the other table: `orders.customer`, `customer.id`.
    TableName,
    /// The column is called like the key: `orders.customer_id`, `customer.customer_id`.
    KeyName,
    /// The column is called like the table and its key: `orders.customer_id`, `customer.id`.
    TableAndKey,
}

/// Keys that names and types suggest, for columns of `tables` from which no key of `declared`
/// goes out. Of several tables that a column may mean only those whose names fit best are
/// proposed. Each has one column and [`KeyKind::Inferred`].
pub fn candidates(tables: &[impl Borrow<Table>], declared: &[ForeignKey]) -> Vec<ForeignKey> {
    let tables: Vec<&Table> = tables.iter().map(Borrow::borrow).collect();
    proposed(&tables, declared, |_, _| true)
}

/// Those of [`candidates`] that join tables which `keys` leave unconnected.
pub fn missing(tables: &[impl Borrow<Table>], keys: &[ForeignKey]) -> Vec<ForeignKey> {
    let tables: Vec<&Table> = tables.iter().map(Borrow::borrow).collect();
    let mut parts = UnionFind::<u32>::new(tables.len());
    for key in keys {
        parts.union(key.from.0, key.to.0);
    }
    let parts = parts.into_labeling();
    if parts.windows(2).all(|pair| pair[0] == pair[1]) {
        return Vec::new();
    }
    proposed(&tables, keys, |a, b| parts[a.0 as usize] != parts[b.0 as usize])
}

/// The candidates that the data confirms. Of two that say the same in both directions, or what
/// `known` says already, one is enough.
pub fn confirmed(
    candidates: Vec<ForeignKey>,
    known: &[ForeignKey],
    mut confirms: impl FnMut(&ForeignKey) -> bool,
) -> Vec<ForeignKey> {
    let mut said: HashSet<_> = known.iter().map(ForeignKey::equalities).collect();
    let mut kept: Vec<ForeignKey> = Vec::new();
    for key in candidates {
        let equalities = key.equalities();
        if !said.contains(&equalities) && confirms(&key) {
            said.insert(equalities);
            kept.push(key);
        }
    }
    kept
}

fn proposed(
    tables: &[&Table],
    declared: &[ForeignKey],
    wanted: impl Fn(TableId, TableId) -> bool,
) -> Vec<ForeignKey> {
    let taken: BTreeSet<(TableId, u16)> = declared
        .iter()
        .flat_map(|key| key.from_columns.iter().map(|&column| (key.from, column)))
        .collect();
    let mut stems = Stems::default();
    let targets = Targets::new(tables, &mut stems);
    let mut found = Vec::new();
    for (t, table) in tables.iter().enumerate() {
        let from = TableId(t as u32);
        for (c, column) in table.columns.iter().enumerate() {
            if taken.contains(&(from, c as u16)) {
                continue;
            }
            let elsewhere = |target: &Target| {
                let other = tables[target.table.0 as usize];
                target.table != from
                    && other.schema == table.schema
                    && compatible(column, &other.columns[target.column as usize])
                    && wanted(from, target.table)
            };
            let best = targets.best(&stems.of(&column.name), elsewhere);
            found.extend(best.into_iter().map(|target| ForeignKey {
                name: String::new(),
                from,
                from_columns: vec![c as u16],
                to: target.table,
                to_columns: vec![target.column],
                kind: KeyKind::Inferred,
            }));
        }
    }
    found
}

/// A column that alone identifies the rows of its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Target {
    table: TableId,
    column: u16,
}

/// The stem of a word, as a number.
type Stem = u32;

/// Stems of names. The same names come again in table after table.
#[derive(Default)]
struct Stems {
    names: HashMap<String, Rc<[Stem]>>,
    stems: HashMap<String, Stem>,
}

impl Stems {
    fn of(&mut self, name: &str) -> Rc<[Stem]> {
        if let Some(known) = self.names.get(name) {
            return Rc::clone(known);
        }
        let words: Rc<[Stem]> = identifier_words(name)
            .iter()
            .map(|word| {
                let next = self.stems.len() as Stem;
                *self.stems.entry(stem(word)).or_insert(next)
            })
            .collect();
        self.names.insert(name.to_owned(), Rc::clone(&words));
        words
    }
}

/// The targets by the names under which columns may mean them.
#[derive(Default)]
struct Targets(HashMap<(Fit, Vec<Stem>), Vec<Target>>);

impl Targets {
    fn new(tables: &[&Table], stems: &mut Stems) -> Self {
        let mut targets = Self::default();
        for (t, table) in tables.iter().enumerate() {
            if matches!(table.kind, TableKind::View | TableKind::MaterializedView) {
                continue;
            }
            let keys = [&table.primary_key].into_iter().chain(&table.unique_keys);
            let single: BTreeSet<u16> =
                keys.filter(|key| key.len() == 1).map(|key| key[0]).collect();
            let table_words = stems.of(&table.name);
            for column in single {
                let target = Target { table: TableId(t as u32), column };
                let name = &table.columns[column as usize].name;
                let words = stems.of(name);
                let whole = [&table_words[..], &words[..]].concat();
                if words.len() > 1 {
                    targets.add(Fit::Role, &words, target);
                }
                targets.add(Fit::Role, &whole, target);
                targets.add(Fit::TableAndKey, &whole, target);
                let generic = |word: &String| GENERIC.contains(&&*stem(word));
                if !matches!(&identifier_words(name)[..], [one] if generic(one)) {
                    targets.add(Fit::KeyName, &words, target);
                }
                if table.primary_key == [column] {
                    targets.add(Fit::TableName, &table_words, target);
                }
            }
        }
        targets
    }

    fn add(&mut self, fit: Fit, words: &[Stem], target: Target) {
        self.0.entry((fit, words.to_vec())).or_default().push(target);
    }

    /// The targets that `words` fit best, of those that are `possible`.
    fn best(&self, words: &[Stem], possible: impl Fn(&Target) -> bool) -> Vec<Target> {
        let called = |fit: Fit, words: &[Stem]| -> Vec<Target> {
            let all = self.0.get(&(fit, words.to_vec())).map_or(&[][..], Vec::as_slice);
            all.iter().copied().filter(|t| possible(t)).collect()
        };
        for fit in [Fit::TableAndKey, Fit::KeyName, Fit::TableName] {
            let found = called(fit, words);
            if !found.is_empty() {
                return found;
            }
        }
        // the longest name that is left when a role is taken off in front
        let found = (1..words.len()).map(|role| called(Fit::Role, &words[role..]));
        found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }
}

fn compatible(a: &Column, b: &Column) -> bool {
    let unknown = |c: &Column| c.class == TypeClass::Other;
    a.class == b.class
        || a.class.is_numeric() && b.class.is_numeric()
        || a.class.is_textual() && b.class.is_textual()
        || unknown(a)
        || unknown(b)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// `table(column*, …)`, `*` for the primary key, `text:` before textual columns.
    fn table(name: &str, columns: &[&str]) -> Table {
        let column = |spec: &&str| Column {
            name: spec.trim_start_matches("text:").trim_end_matches('*').into(),
            data_type: "".into(),
            class: if spec.starts_with("text:") { TypeClass::Text } else { TypeClass::Integer },
            nullable: true,
            labels: Box::default(),
            comment: None,
            values: Default::default(),
        };
        let keys = columns.iter().enumerate().filter(|(_, c)| c.ends_with('*'));
        Table {
            native_id: 0,
            schema: "main".to_owned(),
            name: name.to_owned(),
            visible: true,
            kind: TableKind::Table,
            comment: None,
            rows: None,
            primary_key: keys.map(|(i, _)| i as u16).collect(),
            unique_keys: Vec::new(),
            columns: columns.iter().map(column).map(Arc::new).collect(),
        }
    }

    fn check(tables: &[Table], declared: &[ForeignKey], expect: &[&str]) {
        let name = |t: TableId, c: u16| {
            let table = &tables[t.0 as usize];
            format!("{}.{}", table.name, table.columns[c as usize].name)
        };
        let found: Vec<String> = candidates(tables, declared)
            .iter()
            .map(|k| {
                format!("{} -> {}", name(k.from, k.from_columns[0]), name(k.to, k.to_columns[0]))
            })
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn keys_are_recognised_by_the_ways_people_name_them() {
        let customers = || table("customers", &["id*", "text:name"]);
        let orders = |column: &str| table("orders", &["order_no*", column]);
        check(&[customers(), orders("customer_id")], &[], &["orders.customer_id -> customers.id"]);
        check(&[customers(), orders("CustomerID")], &[], &["orders.CustomerID -> customers.id"]);
        check(&[customers(), orders("customer")], &[], &["orders.customer -> customers.id"]);
        check(
            &[customers(), orders("billing_customer_id")],
            &[],
            &["orders.billing_customer_id -> customers.id"],
        );
        check(
            &[
                table("Country", &["text:CountryCode*"]),
                table("City", &["ID*", "text:CountryCode"]),
            ],
            &[],
            &["City.CountryCode -> Country.CountryCode"],
        );
        check(
            &[table("team", &["team_api_id*"]), table("game", &["id*", "home_team_api_id"])],
            &[],
            &["game.home_team_api_id -> team.team_api_id"],
        );
    }

    #[test]
    fn names_that_say_nothing_and_other_types_propose_nothing() {
        check(&[table("a", &["id*"]), table("b", &["id*", "text:name"])], &[], &[]);
        check(&[table("a", &["text:name*"]), table("b", &["text:name"])], &[], &[]);
        check(&[table("customer", &["id*"]), table("orders", &["text:customer_id"])], &[], &[]);
        check(&[table("pair", &["a_id*", "b_id*"]), table("x", &["a_id"])], &[], &[]);
    }

    #[test]
    fn a_declared_key_leaves_nothing_to_guess() {
        let tables = [table("customer", &["id*"]), table("orders", &["id*", "customer_id"])];
        let declared = ForeignKey {
            name: String::new(),
            from: TableId(1),
            from_columns: vec![1],
            to: TableId(0),
            to_columns: vec![0],
            kind: KeyKind::Declared,
        };
        check(&tables, &[declared], &[]);
    }

    #[test]
    fn only_what_is_unconnected_is_missing() {
        let tables = [
            table("city", &["id*"]),
            table("person", &["id*", "city_id"]),
            table("pet", &["id*", "person_id", "city_id"]),
        ];
        let key = |from: u32, column: u16, to: u32| ForeignKey {
            name: String::new(),
            from: TableId(from),
            from_columns: vec![column],
            to: TableId(to),
            to_columns: vec![0],
            kind: KeyKind::Declared,
        };
        assert_eq!(missing(&tables, &[]).len(), 3);
        // pets and persons are joined, cities are not
        let found = missing(&tables, &[key(2, 1, 1)]);
        assert_eq!(found.iter().map(|k| (k.from.0, k.to.0)).collect::<Vec<_>>(), [(1, 0), (2, 0)]);
        assert!(missing(&tables, &[key(2, 1, 1), key(1, 1, 0)]).is_empty());
    }

    #[test]
    fn of_two_directions_one_is_kept() {
        let tables = [table("a", &["a_no*"]), table("b", &["a_no*"])];
        let both = candidates(&tables, &[]);
        assert_eq!(both.len(), 2);
        assert_eq!(confirmed(both.clone(), &[], |_| true).len(), 1);
        // the first direction is refuted
        let kept = confirmed(both, &[], |key| key.from == TableId(1));
        assert_eq!(kept.iter().map(|k| k.from).collect::<Vec<_>>(), [TableId(1)]);
    }

    #[test]
    fn the_table_that_the_column_names_wins() {
        let tables = [
            table("student", &["student_id*"]),
            table("student_address", &["student_id*"]),
            table("visit", &["id*", "student_student_id"]),
        ];
        let found = candidates(&tables, &[]);
        let visit: Vec<_> = found.iter().filter(|k| k.from == TableId(2)).collect();
        assert_eq!(visit.len(), 1);
        assert_eq!(visit[0].to, TableId(0));
    }
}
