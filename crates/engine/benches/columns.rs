//! What a search for columns costs, by size of the catalog. A program, not a test:
//!
//! ```sh
//! cargo bench -p text2sql-engine --bench columns
//! ```
//!
//! Beside the warm search: the first one of a new catalog (which indexes it), and a comparison
//! of the phrase with the name of every column by trigrams, as a scan with pg_trgm would do.

mod support;

use std::hint::black_box;
use std::time::Instant;

use support::catalog;
use text2sql_engine::catalog::Catalog;
use text2sql_engine::link::Ranker;
use text2sql_engine::text::{dice, trigrams};

/// Words that the names of the catalog have, and words that they have not.
const PHRASES: &[(&str, &str)] = &[
    ("named", "invoice amount of each customer"),
    ("mistyped", "custommer paymnet"),
    ("by meaning", "what the client paid for a refund last summer"),
];

/// Median microseconds of `work`.
fn median(runs: usize, mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let started = Instant::now();
            work();
            started.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn scan(catalog: &Catalog, phrase: &str) -> f32 {
    let phrase = trigrams(phrase);
    let columns = catalog.tables.iter().flat_map(|t| &t.columns);
    columns.map(|c| dice(&phrase, &trigrams(&c.name))).fold(0.0, f32::max)
}

fn main() {
    println!("columns  phrase        µs letters  µs and vectors     µs scan   first ms");
    for (tables, columns) in [(10, 10), (1_000, 10), (10_000, 10)] {
        for (kind, phrase) in PHRASES {
            let catalog = catalog(tables, columns);
            let search = |ranker| {
                black_box(catalog.lexical().columns_by(ranker, phrase, 10));
            };
            let first = median(1, || search(Ranker::LexicalAndVectors)) / 1e3;
            let letters = median(25, || search(Ranker::Lexical));
            let vectors = median(25, || search(Ranker::LexicalAndVectors));
            let scan = median(3, || {
                black_box(scan(&catalog, phrase));
            });
            println!(
                "{:>7}  {kind:<12}  {letters:>10.0}  {vectors:>14.0}  {scan:>10.0}  {first:>9.1}",
                tables * columns
            );
        }
    }
}
