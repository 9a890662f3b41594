//! Sets of a catalog's tables as bits: a search looks into five hundred tables, of which hardly anything else is asked.

use text2sql_engine::catalog::TableId;

/// Some of the tables.
#[derive(Debug, Default)]
pub struct TableSet(Vec<u64>);

impl TableSet {
    /// Add a table. Whether it was not there.
    pub fn insert(&mut self, table: TableId) -> bool {
        let (word, bit) = place(table);
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    /// Whether a table is there.
    pub fn contains(&self, table: TableId) -> bool {
        let (word, bit) = place(table);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Whether each of them is in one of two others.
    pub fn is_within(&self, one: &Self, other: &Self) -> bool {
        let word = |of: &Self, at: usize| of.0.get(at).copied().unwrap_or(0);
        self.0.iter().enumerate().all(|(at, &own)| own & !(word(one, at) | word(other, at)) == 0)
    }

    /// Take a table out.
    pub fn remove(&mut self, table: TableId) {
        let (word, bit) = place(table);
        self.0.get_mut(word).into_iter().for_each(|word| *word &= !bit);
    }

    /// Take all out.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl FromIterator<TableId> for TableSet {
    fn from_iter<I: IntoIterator<Item = TableId>>(tables: I) -> Self {
        let mut set = Self::default();
        tables.into_iter().for_each(|table| {
            set.insert(table);
        });
        set
    }
}

/// The word that has a table's bit, and the bit in it.
fn place(table: TableId) -> (usize, u64) {
    (table.0 as usize / 64, 1 << (table.0 % 64))
}
