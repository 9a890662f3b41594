//! Maps by the ids of one catalog, which are small numbers that nobody outside chooses: a fast hash is
//! enough. What texts of a question or of stored values are the keys of has std's.

/// A map by ids.
pub type IdMap<K, V> = rustc_hash::FxHashMap<K, V>;
/// A set of ids.
pub type IdSet<K> = rustc_hash::FxHashSet<K>;
