//! The glossary, in the table `text2sql_glossary` of the main database: what words mean, and how
//! measures are computed if the table has the columns for it.

use rusqlite::{Connection, Result};

use crate::text::text_at;

/// A term and what it stands for.
#[derive(Debug)]
pub struct Entry {
    /// The term.
    pub term: String,
    /// Its meaning in words or SQL; empty if it is a measure alone.
    meaning: String,
    measure: Option<Measure>,
}

/// A computation over the rows of a table.
#[derive(Debug)]
struct Measure {
    expression: String,
    grain: String,
    filter: Option<String>,
}

impl Entry {
    /// The query that computes a measure, which must be one that may run.
    pub fn query(&self) -> Option<String> {
        let Measure { expression, grain, filter } = self.measure.as_ref()?;
        let filter = filter.as_deref().unwrap_or("1");
        Some(format!("SELECT ({expression}\n) FROM {grain} WHERE ({filter}\n)"))
    }

    /// The term with its definition.
    pub fn definition(self) -> (String, String) {
        let Some(Measure { expression, grain, filter }) = self.measure else {
            return (self.term, self.meaning);
        };
        let before = if self.meaning.is_empty() { "" } else { "; " };
        let filter = filter.map(|filter| format!(", where {filter}")).unwrap_or_default();
        (self.term, format!("{}{before}{expression} (over {grain}{filter})", self.meaning))
    }
}

/// The entries of the table.
pub fn entries(connection: &Connection) -> Result<Vec<Entry>> {
    let sql = "SELECT count(*) = 3 FROM pragma_table_info('text2sql_glossary', 'main')
               WHERE name IN ('expression', 'grain', 'filter')";
    let sql = match connection.query_row(sql, [], |row| row.get(0))? {
        true => include_str!("sql/measures.sql"),
        false => include_str!("sql/glossary.sql"),
    };
    let mut rows = connection.prepare(sql)?;
    let entry = |row: &rusqlite::Row<'_>| {
        let text = |at| text_at(row, at);
        let filter = Some(text(4)?).filter(|filter| !filter.is_empty());
        let measure = Measure { expression: text(2)?, grain: text(3)?, filter };
        let measure = (!measure.expression.is_empty()).then_some(measure);
        Ok(Entry { term: text(0)?, meaning: text(1)?, measure })
    };
    rows.query_map([], entry)?.collect()
}
