//! Values and results as the official scorers see them: the objects that a Python driver
//! returns, with Python's equality (`1 == 1.0`, text never equals a number).

use std::hash::{Hash, Hasher};

/// One value of a result.
#[derive(Debug, Clone)]
pub enum Value {
    /// NULL.
    Null,
    /// A truth value; equal to 0 and 1, as in Python.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A binary floating point number.
    Real(f64),
    /// An exact number with a fraction, its text without trailing zeros.
    Decimal(String),
    /// Text, and everything that is compared as its text (dates, arrays, json).
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Value {
    /// A PostgreSQL `numeric` from its text; whole ones are [`Value::Int`].
    pub fn decimal(text: &str) -> Value {
        let trimmed = match text.split_once('.') {
            Some(_) => text.trim_end_matches('0').trim_end_matches('.'),
            None => text,
        };
        match trimmed.parse::<i64>() {
            Ok(whole) => Value::Int(whole),
            Err(_) => Value::Decimal(trimmed.to_owned()),
        }
    }

    /// The number it is, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Bool(b) => Some(f64::from(u8::from(*b))),
            Value::Int(i) => Some(*i as f64),
            Value::Real(r) => Some(*r),
            Value::Decimal(d) => d.parse().ok(),
            _ => None,
        }
    }

    /// Whether it is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// Python's `str(x) + str(type(x))`, the key by which Spider's scorer sorts within a row.
    pub fn python_sort_key(&self) -> String {
        match self {
            Value::Null => "None<class 'NoneType'>".to_owned(),
            Value::Bool(b) => format!("{}<class 'bool'>", if *b { "True" } else { "False" }),
            Value::Int(i) => format!("{i}<class 'int'>"),
            Value::Real(r) => format!("{}<class 'float'>", python_float(*r)),
            Value::Decimal(d) => format!("{d}<class 'decimal.Decimal'>"),
            Value::Text(t) => format!("{t}<class 'str'>"),
            Value::Blob(b) => format!("{b:?}<class 'bytes'>"),
        }
    }

    /// The value without differences between two databases' types: numbers, even if written as
    /// text, to nine significant digits, booleans as 0 and 1, empty text as NULL.
    pub fn loosened(&self) -> Value {
        let number = match self {
            Value::Text(text) if text.trim().is_empty() => return Value::Null,
            Value::Text(text) => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => number,
                _ => return self.clone(),
            },
            other => match other.number() {
                Some(number) => number,
                None => return self.clone(),
            },
        };
        let rounded: f64 = format!("{number:.8e}").parse().unwrap_or(number);
        match self {
            // identifiers may have more digits than are compared in measurements
            Value::Int(_) => self.clone(),
            Value::Text(text) if text.parse::<i64>().is_ok() => {
                text.parse().map_or_else(|_| self.clone(), Value::Int)
            }
            _ if rounded.fract() == 0.0 && rounded.abs() < 9e15 => Value::Int(rounded as i64),
            _ => Value::Real(rounded),
        }
    }

    /// Text for people; NULL is empty.
    pub fn display(&self) -> String {
        match self {
            Value::Null => String::new(),
            Value::Bool(b) => b.to_string(),
            Value::Int(i) => i.to_string(),
            Value::Real(r) => python_float(*r),
            Value::Decimal(t) | Value::Text(t) => t.clone(),
            Value::Blob(b) => b.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}

/// Python's `repr` of a float: shortest digits, an exponent from 1e16 and below 1e-4.
pub fn python_float(number: f64) -> String {
    if !number.is_finite() {
        return if number.is_nan() {
            "nan"
        } else if number > 0.0 {
            "inf"
        } else {
            "-inf"
        }
        .into();
    }
    let magnitude = number.abs();
    if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
        let scientific = format!("{number:e}");
        let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    let plain = format!("{number}");
    if plain.contains('.') { plain } else { format!("{plain}.0") }
}

/// The decimal expansion of a float in full, without trailing zeros.
fn exact_expansion(number: f64) -> String {
    let full = format!("{number:.1074}");
    full.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        use Value::{Blob, Bool, Decimal, Int, Null, Real, Text};
        match (self, other) {
            (Null, Null) => true,
            (Bool(a), Bool(b)) => a == b,
            (Bool(b), other) | (other, Bool(b)) => *other == Int(i64::from(*b)),
            (Int(a), Int(b)) => a == b,
            (Real(a), Real(b)) => a == b,
            (Int(i), Real(r)) | (Real(r), Int(i)) => r.fract() == 0.0 && *r as i128 == *i as i128,
            (Decimal(a), Decimal(b)) | (Text(a), Text(b)) => a == b,
            (Decimal(d), Real(r)) | (Real(r), Decimal(d)) => exact_expansion(*r) == *d,
            (Blob(a), Blob(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Value::Null => 0u8.hash(state),
            Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Decimal(_) => {
                // equal numbers of different types must meet; -0.0 is 0
                (self.number().unwrap_or(f64::NAN) + 0.0).to_bits().hash(state);
            }
            Value::Text(t) => t.hash(state),
            Value::Blob(b) => b.hash(state),
        }
    }
}

/// A row of a result.
pub type Row = Vec<Value>;

/// The result of one query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Column names, in order.
    pub columns: Vec<String>,
    /// Rows, in order, each as wide as `columns`.
    pub rows: Vec<Row>,
}

impl Table {
    /// FNV-1a 64 over names, values and order, as 16 hex digits: tells two results apart
    /// without keeping them.
    pub fn digest(&self) -> String {
        let mut hash = Fnv::default();
        for name in &self.columns {
            hash.write(name.as_bytes());
            hash.write(&[0]);
        }
        for value in self.rows.iter().flatten() {
            hash.write(value.python_sort_key().as_bytes());
            hash.write(&[0]);
        }
        format!("{:016x}", hash.finish())
    }

    /// Every value loosened for a comparison across databases, see [`Value::loosened`].
    pub fn loosened(&self) -> Table {
        let rows = self.rows.iter().map(|r| r.iter().map(Value::loosened).collect()).collect();
        Table { columns: self.columns.clone(), rows }
    }
}

/// FNV-1a 64: stable across versions and machines, unlike the standard library's hasher.
#[derive(Debug, Clone, Copy)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// FNV-1a 64 of a text.
pub fn fnv(text: &str) -> u64 {
    let mut hash = Fnv::default();
    hash.write(text.as_bytes());
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_is_pythons() {
        let check = |a: Value, b: Value, expect: bool| {
            assert_eq!(a == b, expect, "{a:?} {b:?}");
            assert_eq!(b == a, expect, "{b:?} {a:?}");
        };
        check(Value::Int(1), Value::Real(1.0), true);
        check(Value::Int(1), Value::Text("1".into()), false);
        check(Value::Bool(true), Value::Real(1.0), true);
        check(Value::Null, Value::Null, true);
        check(Value::Null, Value::Text(String::new()), false);
        check(Value::decimal("1.50"), Value::Real(1.5), true);
        // Decimal('0.1') == 0.1 is False in Python
        check(Value::decimal("0.1"), Value::Real(0.1), false);
        check(Value::decimal("2.000"), Value::Int(2), true);
        check(Value::Int(i64::MAX), Value::Real(i64::MAX as f64), false);
    }

    #[test]
    fn floats_are_written_as_python_writes_them() {
        let check = |number: f64, expect: &str| assert_eq!(python_float(number), expect);
        check(1.0, "1.0");
        check(-0.5, "-0.5");
        check(1e16, "1e+16");
        check(123456789012345680.0, "1.2345678901234568e+17");
        check(0.0001, "0.0001");
        check(0.00001234, "1.234e-05");
    }

    #[test]
    fn loosened_numbers_meet_across_databases() {
        let third = Value::Real(1.0 / 3.0).loosened();
        assert_eq!(third, Value::decimal("0.33333333333333333333").loosened());
        assert_eq!(Value::Real(12.0).loosened(), Value::Int(12));
        assert_ne!(Value::Real(0.1).loosened(), Value::Real(0.2).loosened());
        assert_eq!(Value::Text("7".into()).loosened(), Value::Int(7));
        assert_eq!(Value::Text(" ".into()).loosened(), Value::Null);
        assert_eq!(Value::Bool(true).loosened(), Value::Int(1));
        let (long, next) = (Value::Int(1_234_567_890_123), Value::Int(1_234_567_890_124));
        assert_ne!(long.loosened(), next.loosened());
    }
}
