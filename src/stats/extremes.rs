//! The least and the greatest value of a column, among those of its statistics.

use text2sql_engine::catalog::{ColumnStatistics, TypeClass};

/// Widens the bounds by the common values, which the histogram leaves out.
pub fn extremes(statistics: &mut ColumnStatistics, class: TypeClass) {
    let values = statistics.common.iter().map(|(value, _)| value);
    let bounds = statistics.min.iter().chain(&statistics.max);
    let (mut min, mut max): (Option<&String>, Option<&String>) = (None, None);
    for value in values.chain(bounds).filter(|value| is_bound(value, class)) {
        if min.is_none_or(|m| less(value, m, class)) {
            min = Some(value);
        }
        if max.is_none_or(|m| less(m, value, class)) {
            max = Some(value);
        }
    }
    let (min, max) = (min.cloned(), max.cloned());
    (statistics.min, statistics.max) = (min, max);
}

/// Whether a value may be the least or the greatest.
pub fn is_bound(value: &str, class: TypeClass) -> bool {
    !(class.is_numeric() && value == "NaN")
}

/// Order of two values in text form; ISO dates and times order as text.
pub fn less(a: &str, b: &str, class: TypeClass) -> bool {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) if class.is_numeric() => a < b,
        _ => a < b,
    }
}
