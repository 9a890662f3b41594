//! Parts of dates and the days between them, in each dialect. Texts have the form `YYYY-MM-DD`.

use sqlparser::ast::{BinaryOperator, DateTimeField, Expr, ExtractSyntax, Ident};

use crate::dialect::{DatePart, Dialect};
use crate::type_class::TypeClass;

use super::tree::{binary, call, cast, literal, nested, number};

/// A part of a date or time column of some class.
pub fn part(dialect: Dialect, part: DatePart, column: Expr, class: TypeClass) -> Expr {
    match dialect {
        Dialect::Postgres => {
            let field = |name: &str| extract(name, typed(column.clone(), class));
            match part {
                DatePart::Weekday => field("dow"),
                DatePart::Quarter | DatePart::Month | DatePart::Week => {
                    let unit = literal(dialect.string(part.name()));
                    cast(call("date_trunc", [unit, typed(column, class)]), "date")
                }
                DatePart::Day if class == TypeClass::Date => column,
                DatePart::Day => cast(column, "date"),
                _ => field(part.name()),
            }
        }
        Dialect::Sqlite => {
            let text = |text: &str| literal(dialect.string(text));
            let format = |code: &str| call("strftime", [text(code), column.clone()]);
            let field = |code: &str| cast(format(code), "INTEGER");
            let quarter = || {
                let later = binary(field("%m"), BinaryOperator::Plus, number(2));
                binary(nested(later), BinaryOperator::Divide, number(3))
            };
            match part {
                DatePart::Year => field("%Y"),
                DatePart::Quarter => {
                    let year = binary(format("%Y"), BinaryOperator::StringConcat, text("-Q"));
                    binary(year, BinaryOperator::StringConcat, nested(quarter()))
                }
                DatePart::Month => format("%Y-%m"),
                DatePart::Week => {
                    call("date", [column.clone(), text("weekday 0"), text("-6 days")])
                }
                DatePart::Day => call("date", [column.clone()]),
                DatePart::QuarterOfYear => quarter(),
                DatePart::MonthOfYear => field("%m"),
                DatePart::Weekday => field("%w"),
                DatePart::Hour => field("%H"),
            }
        }
    }
}

/// The days from one date or time column to a later one, each with its class.
pub fn days_between(dialect: Dialect, from: (Expr, TypeClass), to: (Expr, TypeClass)) -> Expr {
    let less = |from, to| binary(to, BinaryOperator::Minus, from);
    match dialect {
        Dialect::Postgres if (from.1, to.1) == (TypeClass::Date, TypeClass::Date) => {
            less(from.0, to.0)
        }
        Dialect::Postgres => {
            let seconds = extract("epoch", less(typed(from.0, from.1), typed(to.0, to.1)));
            binary(seconds, BinaryOperator::Divide, number(86_400))
        }
        Dialect::Sqlite => less(call("julianday", [from.0]), call("julianday", [to.0])),
    }
}

fn extract(field: &str, expr: Expr) -> Expr {
    let field = DateTimeField::Custom(Ident::new(field));
    Expr::Extract { field, syntax: ExtractSyntax::From, expr: Box::new(expr) }
}

/// In PostgreSQL, texts must be cast to a time.
fn typed(column: Expr, class: TypeClass) -> Expr {
    match class {
        TypeClass::Date | TypeClass::Timestamp => column,
        _ => cast(column, "timestamp"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_dates_say_the_same_in_both_dialects() {
        let check = |wanted, class, postgres: &str, sqlite: &str| {
            for (dialect, expect) in [(Dialect::Postgres, postgres), (Dialect::Sqlite, sqlite)] {
                let column = Expr::Identifier(Ident::new("d"));
                assert_eq!(part(dialect, wanted, column, class).to_string(), expect);
            }
        };
        let (date, text) = (TypeClass::Date, TypeClass::Text);
        let year = "CAST(strftime('%Y', d) AS INTEGER)";
        check(DatePart::Year, date, "EXTRACT(year FROM d)", year);
        check(DatePart::Year, text, "EXTRACT(year FROM CAST(d AS timestamp))", year);
        let month = "CAST(date_trunc('month', d) AS date)";
        check(DatePart::Month, date, month, "strftime('%Y-%m', d)");
        check(DatePart::Day, date, "d", "date(d)");
        let weekday = "CAST(strftime('%w', d) AS INTEGER)";
        check(DatePart::Weekday, date, "EXTRACT(dow FROM d)", weekday);
    }
}
