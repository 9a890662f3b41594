//! Prints tables with their keys and the columns that name rows.
#[path = "../tests/harness/mod.rs"]
mod harness;
use harness::Asked;
fn main() {
    let asked = Asked::of(&std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap());
    for k in asked.catalog.key_ids() {
        let k = asked.catalog.key(k);
        println!(
            "{} {:?} -> {} {:?} {:?} {}",
            asked.catalog.table_name(k.from),
            k.from_columns,
            asked.catalog.table_name(k.to),
            k.to_columns,
            k.kind,
            k.confidence
        );
    }
    for t in asked.catalog.table_ids() {
        println!(
            "{} {:?} pk {:?} likely {:?}",
            asked.catalog.table_name(t),
            asked.vocabulary.table(t).spoken(),
            asked.catalog.table(t).primary_key,
            asked.catalog.table(t).likely_key
        );
    }
}
