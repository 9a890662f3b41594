//! Answers: the SQL with its report, and rows.

use serde::Serialize;

use crate::catalog::TypeClass;
use crate::guard::Checked;
use crate::trace::Report;

/// The result of turning a question into SQL.
#[derive(Debug)]
pub struct Answer {
    /// The query, judged by the guard.
    pub query: Checked,
    /// How it came about.
    pub report: Report,
}

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ResultColumn {
    /// Its name in the result.
    pub name: String,
    /// The database's name for its type.
    pub data_type: String,
    /// What kind of type that is.
    #[serde(skip)]
    pub class: TypeClass,
}

/// Rows of a result. Values are in the database's own text form; None is NULL.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rows {
    /// The columns, in order.
    pub columns: Vec<ResultColumn>,
    /// The rows, in order, each as wide as `columns`.
    pub rows: Vec<Vec<Option<String>>>,
    /// More rows than the limit were there.
    pub truncated: bool,
    /// Time of the execution in milliseconds.
    pub ms: f64,
}

impl Rows {
    /// No rows at all.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The indexes of columns that hold nothing but NULL although there are rows.
    pub fn all_null_columns(&self) -> Vec<usize> {
        (0..self.columns.len())
            .filter(|&c| !self.rows.is_empty() && self.rows.iter().all(|r| r[c].is_none()))
            .collect()
    }
}
