//! Which PostgreSQL type a SQLite column gets: the declared one if every value fits it.

use crate::value::Value;

/// A PostgreSQL type that a column may get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// `boolean`
    Boolean,
    /// `bigint`
    BigInt,
    /// `numeric`
    Numeric,
    /// `double precision`
    Double,
    /// `date`
    Date,
    /// `timestamp`
    Timestamp,
    /// `bytea`
    Bytea,
    /// `text`
    Text,
}

impl Target {
    /// Its name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Target::Boolean => "boolean",
            Target::BigInt => "bigint",
            Target::Numeric => "numeric",
            Target::Double => "double precision",
            Target::Date => "date",
            Target::Timestamp => "timestamp",
            Target::Bytea => "bytea",
            Target::Text => "text",
        }
    }

    /// Whether `value` can be stored without loss. Empty text in a column of numbers or dates
    /// stands for NULL, as dumps from other systems write it.
    fn fits(self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::Null) => true,
            (Target::Text, Value::Blob(_)) | (Target::Bytea, _) => {
                matches!((self, value), (Target::Bytea, Value::Blob(_)))
            }
            (Target::Text, _) => true,
            (_, Value::Text(text)) if is_blank(text) => true,
            (Target::Boolean, Value::Int(i)) => matches!(i, 0 | 1),
            (Target::BigInt | Target::Numeric | Target::Double, Value::Int(_)) => true,
            (Target::Numeric | Target::Double, Value::Real(r)) => r.is_finite(),
            (Target::Date, Value::Text(text)) => is_date(text),
            (Target::Timestamp, Value::Text(text)) => is_timestamp(text),
            _ => false,
        }
    }

    /// The text that COPY takes for a value that fits; None for NULL.
    pub fn copy_text(self, value: &Value) -> Option<String> {
        match (self, value) {
            (_, Value::Null) => None,
            (Target::Text, Value::Text(text)) => Some(text.replace('\0', "")),
            (_, Value::Text(text)) if is_blank(text) => None,
            (_, Value::Blob(bytes)) => Some(format!("\\x{}", Value::Blob(bytes.clone()).display())),
            (_, other) => Some(other.display()),
        }
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty() || text.eq_ignore_ascii_case("null")
}

/// The first candidate for `declared` that fits every value.
pub fn choose<'a>(declared: &str, values: impl Iterator<Item = &'a Value> + Clone) -> Target {
    let fits = |target: &Target| values.clone().all(|value| target.fits(value));
    candidates(declared).iter().copied().find(fits).unwrap_or(Target::Text)
}

/// Types to try, the declared one first; SQLite enforces none of them.
fn candidates(declared: &str) -> &'static [Target] {
    use Target::{BigInt, Boolean, Bytea, Date, Double, Numeric, Text, Timestamp};
    let declared = declared.to_ascii_lowercase();
    let has = |part: &str| declared.contains(part);
    if has("bool") || declared == "bit" {
        &[Boolean, BigInt, Double, Text]
    } else if has("timestamp") || has("datetime") {
        &[Timestamp, Date, BigInt, Text]
    } else if has("date") {
        &[Date, Timestamp, BigInt, Text]
    } else if has("int") || has("year") || has("serial") {
        &[BigInt, Double, Text]
    } else if has("real") || has("floa") || has("doub") {
        &[Double, Text]
    } else if has("numeric") || has("decimal") || has("number") || has("money") {
        &[Numeric, Text]
    } else if has("blob") || declared.is_empty() {
        &[BigInt, Double, Bytea, Text]
    } else {
        &[Text, Bytea]
    }
}

/// `YYYY-MM-DD`, a valid date.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    if (year.len(), month.len(), day.len()) != (4, 2, 2) {
        return false;
    }
    let (Ok(year), Ok(month), Ok(day)) =
        (year.parse::<u32>(), month.parse::<u32>(), day.parse::<u32>())
    else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    year > 0 && (1..=days).contains(&day)
}

/// `YYYY-MM-DD HH:MM:SS`, as PostgreSQL prints it: without a fraction that ends in zero.
fn is_timestamp(text: &str) -> bool {
    let Some((date, time)) = text.split_once(' ') else { return false };
    let (whole, fraction) = time.split_once('.').unwrap_or((time, "1"));
    let parts: Vec<Option<u32>> = whole.split(':').map(|p| p.parse().ok()).collect();
    let digits = fraction.len() <= 6 && fraction.bytes().all(|b| b.is_ascii_digit());
    is_date(date)
        && whole.len() == 8
        && matches!(parts.as_slice(), [Some(0..=23), Some(0..=59), Some(0..=59)])
        && digits
        && !fraction.ends_with('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_gets_its_declared_type_where_all_values_fit() {
        let text = |t: &str| Value::Text(t.to_owned());
        let check = |declared: &str, values: &[Value], expect: Target| {
            assert_eq!(choose(declared, values.iter()), expect, "{declared} {values:?}");
        };
        check("INTEGER", &[Value::Int(1), Value::Null], Target::BigInt);
        check("int(11)", &[Value::Int(1), text("")], Target::BigInt);
        check("INTEGER", &[Value::Int(1), text("n/a")], Target::Text);
        check("INTEGER", &[Value::Real(1.5)], Target::Double);
        check("bool", &[Value::Int(0), Value::Int(1)], Target::Boolean);
        check("bool", &[text("T")], Target::Text);
        check("DECIMAL(10,2)", &[Value::Real(1.25)], Target::Numeric);
        check("date", &[text("2020-02-29")], Target::Date);
        check("date", &[text("2021-02-29")], Target::Text);
        check("DATETIME", &[text("2020-01-02 03:04:05")], Target::Timestamp);
        check("varchar(20)", &[text("x")], Target::Text);
        check("", &[Value::Int(1)], Target::BigInt);
        check("blob", &[Value::Blob(vec![1])], Target::Bytea);
    }
}
