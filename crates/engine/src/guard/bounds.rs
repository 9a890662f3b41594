//! How large a statement may be before it is planned. A planner copies whatever is referenced
//! twice, does not check for interrupts meanwhile, and obeys no limit on time or memory. So an
//! adapter weighs the tree first, with views, functions and common table expressions expanded as
//! the planner would, and this module says whether that is too much.
//!
//! Pure arithmetic; sums and products saturate at `u64`.

/// The contents of a query, or of a part of one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Weight {
    /// Nodes of expressions.
    pub nodes: u64,
    /// Tables to read.
    pub tables: u64,
    /// Common table expressions.
    pub ctes: u64,
    /// UNION, INTERSECT, EXCEPT.
    pub set_operations: u64,
    /// Tables joined in one FROM, at most.
    pub joined: u64,
    /// Elements of one list, at most.
    pub listed: u64,
    /// Queries inside queries.
    pub depth: u64,
}

/// Things that are counted, how many are allowed, and their name in errors.
type Bound = (fn(&Weight) -> u64, u64, &'static str);

/// Each is far above what people write (models of dbt have some dozen steps) and below what takes
/// a planner many seconds: 1,000 tables in one UNION took 4.6 s, a chain of 100 steps 0.5 s, 300 steps 8 s.
const BOUNDS: [Bound; 7] = [
    (|w| w.depth, MAX_DEPTH, "levels of queries inside queries"),
    (|w| w.tables, 1_000, "tables to read"),
    (|w| w.joined, 200, "tables in one join"),
    (|w| w.ctes, 300, "common table expressions"),
    (|w| w.set_operations, 1_000, "set operations"),
    (|w| w.listed, 20_000, "elements in one list"),
    (|w| w.nodes, 250_000, "parts of expressions"),
];

/// Queries inside queries, steps of a chain included: a walk need not go deeper.
pub const MAX_DEPTH: u64 = 100;

/// A bound that is exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excess {
    /// The things that there are too many of.
    pub what: &'static str,
    /// How many there are.
    pub found: u64,
    /// How many may be there.
    pub limit: u64,
}

impl Weight {
    /// Together with another part of the same query.
    pub fn and(self, other: Self) -> Self {
        Self {
            nodes: self.nodes.saturating_add(other.nodes),
            tables: self.tables.saturating_add(other.tables),
            ctes: self.ctes.saturating_add(other.ctes),
            set_operations: self.set_operations.saturating_add(other.set_operations),
            joined: self.joined.max(other.joined),
            listed: self.listed.max(other.listed),
            depth: self.depth.max(other.depth),
        }
    }

    /// As a query inside another.
    pub fn inside(self) -> Self {
        Self { depth: self.depth.saturating_add(1), ..self }
    }

    /// The first bound that is exceeded.
    pub fn excess(&self) -> Option<Excess> {
        BOUNDS.iter().find_map(|&(count, limit, what)| {
            let found = count(self);
            (found > limit).then_some(Excess { what, found, limit })
        })
    }
}

impl Excess {
    /// SQLSTATE `statement_too_complex`.
    pub const SQLSTATE: &str = "54001";
    /// In one line.
    pub const MESSAGE: &str = "the statement is too complex to plan";
    /// The remedy.
    pub const HINT: &str = "Ask for less at once, or write WITH name AS MATERIALIZED (…) for \
                            what is used more than once.";

    /// The walk stopped at the allowed depth.
    pub fn of_depth() -> Self {
        Self { what: BOUNDS[0].2, found: MAX_DEPTH + 1, limit: MAX_DEPTH }
    }

    /// Which bound, and the figure.
    pub fn detail(&self) -> String {
        let Self { what, found, limit } = self;
        let found = match *found {
            0..=1_000_000_000 => found.to_string(),
            _ => "more than 1000000000".to_owned(),
        };
        format!(
            "It has {found} {what}, with views, functions and common table expressions \
             written out; at most {limit} are planned."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bound_is_reached_and_passed() {
        let at = |n: u64| Weight {
            nodes: n,
            tables: n,
            ctes: n,
            set_operations: n,
            joined: n,
            listed: n,
            depth: n,
        };
        for (place, &(count, limit, what)) in BOUNDS.iter().enumerate() {
            assert!(!BOUNDS[..place].iter().any(|b| b.2 == what));
            assert_eq!(count(&at(limit)), limit);
            let excess = at(limit + 1).excess().expect("passed");
            assert!(excess.found > excess.limit, "{what}");
        }
        assert_eq!(Weight::default().excess(), None);
    }

    #[test]
    fn doubling_ends_at_the_largest_number() {
        let mut weight = Weight { nodes: 1, tables: 1, ..Weight::default() };
        for level in 1..=200 {
            weight = weight.and(weight).inside();
            assert_eq!(weight.tables, 2_u64.checked_pow(level).unwrap_or(u64::MAX));
        }
        assert_eq!((weight.nodes, weight.depth), (u64::MAX, 200));
        let excess = weight.excess().expect("too much");
        assert_eq!(excess, Excess { found: 200, ..Excess::of_depth() });
        let tables = Weight { depth: 1, ..weight }.excess().expect("too much");
        assert!(tables.detail().contains("more than 1000000000 tables"), "{}", tables.detail());
    }
}
