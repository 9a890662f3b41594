//! What is known of a column's values, in the words that help to write a query: all of few, some
//! of many, the range of numbers and dates. What tells nothing is left out: samples of keys,
//! identifiers, hashes, addresses, coordinates and free text.

use super::is_placeholder;
use crate::catalog::{Catalog, Column, ColumnId, ColumnStatistics, TypeClass, format};
use crate::dialect::Dialect;
use crate::prompt::shortened;
use crate::text::identifier_words;

/// How much is told.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Values of a column that has no more.
    pub all: usize,
    /// Values of a column with more.
    pub some: usize,
    /// Characters of a value.
    pub value: usize,
    /// The numbers of distinct values, too.
    pub counts: bool,
    /// Least share of NULLs that is told.
    pub nulls: f32,
}

/// Words of names whose values tell nothing to a reader.
const FILLER_NAMES: &[&str] = &[
    "addr",
    "address",
    "email",
    "fax",
    "guid",
    "hash",
    "lat",
    "latitude",
    "lng",
    "lon",
    "longitude",
    "md5",
    "phone",
    "postcode",
    "sha1",
    "sha256",
    "street",
    "tel",
    "telephone",
    "token",
    "url",
    "uuid",
    "website",
    "zip",
    "zipcode",
];
/// Words of names that say when a row was written and not when something happened.
const BOOKKEEPING: &[&str] = &[
    "etl",
    "imported",
    "ingested",
    "inserted",
    "loaded",
    "modified",
    "refreshed",
    "synced",
    "updated",
];
/// From this share of a column's rows on, 0 may stand for none.
const ZEROS: f32 = 0.02;
/// Values by whose form a column is judged.
const JUDGED: usize = 20;
/// A text that is longer than this on average is prose.
const PROSE: usize = 60;
/// A word of so many letters and digits without a blank is a code for machines.
const MACHINE: usize = 20;

/// The facts, each in a few words; none where nothing helps.
pub fn facts(
    catalog: &Catalog,
    dialect: Dialect,
    column: ColumnId,
    known: &ColumnStatistics,
    room: Room,
) -> Vec<String> {
    let c = catalog.column(column);
    let quoted = |v: &String| match c.class {
        TypeClass::Integer | TypeClass::Number if v.parse::<f64>().is_ok_and(f64::is_finite) => {
            v.clone()
        }
        _ => dialect.string(&shortened(&one_line(v), room.value)),
    };
    let list = |values: &mut dyn Iterator<Item = &String>| {
        values.map(quoted).collect::<Vec<_>>().join(", ")
    };
    let sound = |v: &&String| !is_corrupt(v);
    let common = || known.common.iter().map(|(v, _)| v).filter(sound);
    let ends = || known.min.iter().chain(&known.max).filter(sound);
    let key = is_key(catalog, column);
    let filler = c.class.is_textual() && tells_nothing(catalog, column, known);
    let few = known.complete && (1..=room.all).contains(&known.common.len());
    let numbered = || common().all(|v| v.contains(|c: char| c.is_ascii_digit()));
    let listed = few && !filler && !(key && (c.class.is_numeric() || numbered()));
    let mut facts: Vec<String> = Vec::new();
    if !c.labels.is_empty() {
        facts.push(format!("one of {}", list(&mut c.labels.iter().take(room.all))));
    } else if listed {
        facts.push(format!("all values: {}", list(&mut common())));
    } else if c.class.is_textual() && !key && !filler {
        // where no value is common, the first and the last show the form
        let shown: Vec<&String> = match common().next() {
            Some(_) => common().take(room.some).collect(),
            None => ends().take(room.some).collect(),
        };
        if !shown.is_empty() {
            facts.push(format!("e.g. {}", list(&mut shown.iter().copied())));
        }
        let none = |v: &&String| is_placeholder(v) && !shown.contains(v);
        facts.extend(common().find(none).map(|v| format!("also {}", quoted(v))));
    }
    if let (Some(min), Some(max)) = (&known.min, &known.max)
        && !(c.class.is_textual() || key || named_as_filler(&c.name) || is_bookkeeping(c))
        && (room.counts || !listed)
    {
        let cut = |v: &str| shortened(v, room.value);
        facts.push(match epoch(catalog, column, min, max) {
            Some((from, to)) => format!("epoch {from} to {to}"),
            None => format!("from {} to {}", cut(min), cut(max)),
        });
    }
    if c.class == TypeClass::Text && c.labels.is_empty() {
        let values = common().chain(ends()).map(String::as_str);
        facts.extend(format::of_texts(values).map(str::to_owned));
    }
    if room.counts {
        facts.extend(known.distinct.map(|d| format!("{d:.0} distinct")));
    }
    if c.class.is_numeric() && !key && !listed {
        let zeros = known
            .common
            .iter()
            .find(|(v, share)| *share >= ZEROS && v.parse::<f64>().is_ok_and(|n| n == 0.0));
        facts.extend(zeros.map(|(_, share)| format!("{:.0}% 0", share * 100.0)));
    }
    facts.extend(nulls(known, room, key && c.nullable));
    facts
}

/// The share of NULLs. Of what refers to other rows it is always told: rows without the other are
/// what an inner join loses.
fn nulls(known: &ColumnStatistics, room: Room, refers: bool) -> Option<String> {
    match known.null_share? {
        0.0 => refers.then(|| "no NULL".to_owned()),
        share if share >= room.nulls => Some(format!("{:.0}% NULL", share * 100.0)),
        _ => refers.then(|| "few NULL".to_owned()),
    }
}

/// Whether a text was not read as it was written.
fn is_corrupt(value: &str) -> bool {
    value.contains(|c: char| {
        c == char::REPLACEMENT_CHARACTER || c.is_control() && !c.is_whitespace()
    })
}

fn is_bookkeeping(column: &Column) -> bool {
    let words = identifier_words(&column.name);
    !column.class.is_numeric() && words.iter().any(|word| BOOKKEEPING.contains(&word.as_str()))
}

/// On one line; other blanks inside stay, since they matter in comparisons.
fn one_line(value: &str) -> String {
    value.replace(|c: char| c.is_control(), " ")
}

/// Whether it tells rows apart or refers to other rows.
pub fn is_key(catalog: &Catalog, column: ColumnId) -> bool {
    let refers = |&k: &usize| catalog.keys[k].from_columns.contains(&column.column);
    let table = catalog.table(column.table);
    table.primary_key.contains(&column.column)
        || table.identity() == Some(column.column)
        || catalog.joins().keys_from(column.table).iter().any(refers)
}

/// Whether samples of a column of texts help nobody.
fn tells_nothing(catalog: &Catalog, column: ColumnId, known: &ColumnStatistics) -> bool {
    if named_as_filler(&catalog.column(column).name) {
        return true;
    }
    let values: Vec<&str> = known
        .common
        .iter()
        .map(|(v, _)| v.as_str())
        .chain(known.min.as_deref())
        .chain(known.max.as_deref())
        .map(str::trim)
        .filter(|v| !v.is_empty())
        .take(JUDGED)
        .collect();
    let all = |is: fn(&str) -> bool| !values.is_empty() && values.iter().all(|v| is(v));
    let letters: usize = values.iter().map(|v| v.chars().count()).sum();
    let dated = format::of_texts(values.iter().copied()).is_some();
    letters > PROSE * values.len().max(1)
        || !dated && (all(is_for_machines) || all(is_address) || all(is_telephone) || all(is_place))
}

fn named_as_filler(name: &str) -> bool {
    identifier_words(name).iter().any(|word| FILLER_NAMES.contains(&word.as_str()))
}

/// A UUID, a hash, a key.
fn is_for_machines(value: &str) -> bool {
    value.len() >= MACHINE
        && value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_+/=".contains(&b))
}

fn is_address(value: &str) -> bool {
    let web = ["http://", "https://", "www."].iter().any(|start| value.starts_with(start));
    web || value.contains('@') && !value.contains(' ')
}

fn is_telephone(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    digits >= 7
        && value.bytes().any(|b| b"()+- .".contains(&b))
        && value.bytes().all(|b| b.is_ascii_digit() || b"()+-/. x".contains(&b))
}

/// Coordinates.
fn is_place(value: &str) -> bool {
    let inside = value.trim_matches(['(', ')']);
    let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
    parts.len() == 2 && parts.iter().all(|p| p.contains('.') && p.parse::<f64>().is_ok())
}

/// Words of names that say when, beside whole numbers.
const TIME_NAMES: &[&str] =
    &["at", "created", "date", "epoch", "time", "timestamp", "ts", "updated", "when"];
/// Seconds of a day.
const DAY: i64 = 86_400;
/// Epoch seconds of 1980-01-01 and of 2100-01-01: what is called a time and lies between is one.
const EPOCH: std::ops::Range<i64> = 315_532_800..4_102_444_800;

/// The unit and the days of a range of whole numbers that are seconds or milliseconds since 1970.
fn epoch(catalog: &Catalog, column: ColumnId, min: &str, max: &str) -> Option<(String, String)> {
    let c = catalog.column(column);
    let words = identifier_words(&c.name);
    let timed = words.iter().any(|w| TIME_NAMES.contains(&w.as_str()));
    if c.class != TypeClass::Integer || !timed {
        return None;
    }
    let (min, max) = (min.parse::<i64>().ok()?, max.parse::<i64>().ok()?);
    [(1, "seconds"), (1_000, "milliseconds")].into_iter().find_map(|(unit, name)| {
        let (from, to) = (min / unit, max / unit);
        (EPOCH.contains(&from) && EPOCH.contains(&to))
            .then(|| (format!("{name}, {}", day(from)), day(to)))
    })
}

/// The day of epoch seconds (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn day(seconds: i64) -> String {
    let z = seconds.div_euclid(DAY) + 719_468;
    let (era, of_era) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * shifted + 2) / 5 + 1, (shifted + 2) % 12 + 1);
    format!("{:04}-{month:02}-{day:02}", era * 400 + year + i64::from(month <= 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epoch_seconds_are_days() {
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(1_582_934_400), "2020-02-29");
        assert_eq!(day(4_102_444_799), "2099-12-31");
    }

    #[test]
    fn values_for_machines_are_recognised() {
        let check = |is: fn(&str) -> bool, yes: &[&str], no: &[&str]| {
            yes.iter().for_each(|v| assert!(is(v), "{v}"));
            no.iter().for_each(|v| assert!(!is(v), "{v}"));
        };
        check(
            is_for_machines,
            &["3f2504e0-4f89-11d3-9a0c-0305e82c3301", "d41d8cd98f00b204e9800998ecf8427e"],
            &["Massachusetts Institute", "A-100", "Counterrevolutionaries"],
        );
        check(is_telephone, &["+44 20 7946 0958", "(555) 123-4567"], &["42", "2020", "5551234"]);
        check(is_place, &["51.5,-0.12", "(51.50, 0.1)"], &["1,2", "Oslo, Norway"]);
        check(is_address, &["https://x.org", "a@b.c"], &["@ home", "Ann"]);
    }
}
