//! Limits on the probes of the data for keys. They are counted in rows, so that a busy machine infers what a quiet one
//! does.

use std::cell::Cell;

use crate::catalog::Table;

/// Rows that a probe reads of one table.
pub const PROBED_ROWS: u32 = 2_000;
/// Values that the first column of a polymorphic pair has at most.
pub const MAX_KINDS: usize = 20;
/// Cost of the most expensive probe.
const MAX_COST: f64 = 250_000.0;
/// Rows of a table of which no number is known.
const UNKNOWN_ROWS: f64 = 10_000.0;

/// Returns how many rows a table has, as far as the costs of probes are concerned.
pub fn assumed_rows(table: &Table) -> f64 {
    table.rows.filter(|rows| *rows >= 0.0).unwrap_or(UNKNOWN_ROWS)
}

/// The cost that further probes may have, in rows.
pub struct ProbeBudget {
    /// Cost of a probe that reads nothing.
    base: f64,
    left: Cell<f64>,
}

impl ProbeBudget {
    /// Returns a budget of `total` rows, where each probe costs `base` rows more than it reads.
    pub fn new(base: f64, total: f64) -> Self {
        Self { base, left: Cell::new(total) }
    }

    /// Spends the cost of a probe of so many rows; `false`, and nothing is spent, if it costs too much.
    pub fn spend(&self, rows: f64) -> bool {
        let cost = self.base + rows;
        let may = cost <= self.left.get().min(MAX_COST);
        if may {
            self.left.set(self.left.get() - cost);
        }
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_are_paid_until_nothing_is_left() {
        let budget = ProbeBudget::new(10.0, 100.0);
        assert!(budget.spend(30.0));
        assert!(!budget.spend(60.0), "60 are left, 70 are needed");
        assert!(budget.spend(50.0), "what was refused has cost nothing");
        assert!(!budget.spend(0.0));
    }

    #[test]
    fn one_probe_has_a_limit_of_its_own() {
        let budget = ProbeBudget::new(0.0, 1e9);
        assert!(!budget.spend(MAX_COST + 1.0));
        assert!(budget.spend(MAX_COST));
    }

    #[test]
    fn an_unknown_number_of_rows_is_assumed() {
        let table = |rows| Table { rows, ..Table::new("main", "parcel") };
        assert_eq!(assumed_rows(&table(Some(5.0))), 5.0);
        assert_eq!(assumed_rows(&table(None)), UNKNOWN_ROWS);
        assert_eq!(assumed_rows(&table(Some(-1.0))), UNKNOWN_ROWS);
    }
}
