//! Catalogs as they are: series of like tables, codes, wide tables, subtypes, values that mean
//! something. Prompts must show what a question needs of them.

use std::cell::Cell;

use super::support::{Case, Scripted, database, sql};

/// The first prompt of `adaptive`.
fn prompt(schema: &str, question: &str, settings: &[(&str, &str)]) -> String {
    let database = database(schema);
    let case = Case { database: &database, strategy: "adaptive", question, hint: None, settings };
    let request = case.preview().remove(0);
    request.messages.iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n")
}

fn shows(schema: &str, question: &str, parts: &[&str]) {
    let prompt = prompt(schema, question, &[]);
    for part in parts {
        assert!(prompt.contains(part), "{question}: {part} in {prompt}");
    }
}

/// Readings of water gauges, a table a day, with the gauges and much else.
fn gauges() -> String {
    let mut schema = String::from(
        "CREATE TABLE gauge (gauge_no INTEGER PRIMARY KEY, river TEXT, kilometre REAL);",
    );
    for month in 1..=3 {
        for day in 1..=28 {
            schema += &format!(
                "CREATE TABLE reading_2024{month:02}{day:02} (gauge_no INTEGER, level_cm INTEGER,
                     flow REAL, taken_at TEXT);"
            );
        }
    }
    schema
}

#[test]
fn a_series_of_tables_is_one_entry_that_names_its_members() {
    let line = "  one of 84 tables alike: reading_20240101 to reading_20240328; over several of \
                them: UNION ALL";
    let question = "Which river had the highest level?";
    shows(&gauges(), question, &["Table gauge", "Table reading_20240328", "level_cm", line]);
    let prompt = prompt(&gauges(), question, &[]);
    assert_eq!(prompt.matches("Table reading_").count(), 1, "{prompt}");
}

#[test]
fn the_member_that_the_question_says_is_shown() {
    for question in ["Highest level on 5 February 2024?", "Highest level on 2024-02-05?"] {
        shows(&gauges(), question, &["Table reading_20240205"]);
    }
}

/// A carrier's tables beside many that nobody asks for.
fn carrier() -> String {
    let mut schema = String::from(
        "CREATE TABLE vessel (hull TEXT PRIMARY KEY, launched TEXT, tonnage REAL);
         CREATE TABLE tanker (hull TEXT PRIMARY KEY REFERENCES vessel(hull), tanks INTEGER);
         CREATE TABLE parcel (parcel_no INTEGER PRIMARY KEY, hull TEXT REFERENCES vessel(hull),
             standing TEXT, booked_on TEXT, consignee TEXT, price REAL);
         INSERT INTO vessel VALUES ('H1', '1999-01-01', 10), ('H2', '2004-05-01', 20);
         INSERT INTO parcel VALUES (1, 'H1', 'Q', '2021-01-01', 'Ann', 3),
             (2, 'H1', 'Z', '2022-01-01', 'Bob', 4), (3, 'H2', 'Z', '2023-01-01', 'Cy', 5);",
    );
    for i in 0..60 {
        let more: String = (0..12).map(|c| format!(", ballast_{i}_{c}_note TEXT")).collect();
        schema += &format!("CREATE TABLE ballast_{i}_sheet_of_{} (id INTEGER{more});", i % 7);
    }
    schema
}

#[test]
fn a_column_of_few_values_shows_them_although_the_question_does_not_name_it() {
    shows(&carrier(), "How many parcels are there?", &["standing TEXT all values: 'Z', 'Q'"]);
}

#[test]
fn a_table_whose_key_is_the_key_of_another_is_its_subtype() {
    shows(&carrier(), "How many tankers are there?", &["Table tanker", "each is one of vessel"]);
}

#[test]
fn what_most_questions_of_a_wide_table_need_is_never_left_out() {
    let filler: String = (0..300).map(|i| format!(", probe_{i}_setting TEXT")).collect();
    let schema = format!(
        "CREATE TABLE catch (lot TEXT, zone TEXT, landed_on DATE{filler}, auction_price REAL,
             skipper_name TEXT);
         INSERT INTO catch (lot, zone, landed_on) VALUES ('L1', 'N', '2024-01-02');"
    );
    shows(
        &schema,
        "Which probe setting is used most?",
        &["lot", "zone", "landed_on", "auction_price", "skipper_name"],
    );
}

#[test]
fn a_small_database_costs_what_it_did_whatever_the_setting_allows() {
    let schema: String = (0..12)
        .map(|i| format!("CREATE TABLE item{i}_kind (id INTEGER PRIMARY KEY, label{i} TEXT);"))
        .collect();
    let question = "How many kinds of label 3 are there?";
    let sizes = ["1000", "8000", "100000"]
        .map(|most| prompt(&schema, question, &[("max_schema_tokens", most)]).len());
    assert_eq!(sizes[0], sizes[1]);
    assert_eq!(sizes[0], sizes[2]);
}

#[test]
fn a_model_may_ask_for_tables_by_name() {
    let wanted = "SHOW: ballast_3_sheet_of_3, ballast_4_sheet_of_4";
    let database = database(&carrier());
    let next = Cell::new(0);
    let model = Scripted::new(|_| {
        next.set(next.get() + 1);
        match next.get() {
            1 => wanted.to_owned(),
            _ => format!("{}\nSURE: 90", sql("SELECT id FROM ballast_3_sheet_of_3")),
        }
    });
    let question = "How many parcels are there?";
    let settings = &[("max_schema_tokens", "300")];
    let case = Case { database: &database, strategy: "adaptive", question, hint: None, settings };
    let run = case.run(&model);
    let later = run.prompt("adaptive.wider", 0);
    for table in ["Table ballast_3_sheet_of_3", "Table ballast_4_sheet_of_4"] {
        assert!(later.contains(table), "{table} in {later}");
    }
    assert_eq!(run.sql(), "SELECT id FROM ballast_3_sheet_of_3");
}

const FIRMS: &str = "CREATE TABLE firm (id INTEGER PRIMARY KEY, firm_name TEXT, founded INTEGER);
    INSERT INTO firm VALUES (1, '2019', 1990), (2, 'Route 3', 1991), (3, 'Velmora Ltd.', 1992),
        (4, 'Tessin', 1993), (5, 'Tessin Sud', 1994);";

#[test]
fn values_that_the_question_cannot_mean_are_no_evidence() {
    let evidence = |question: &str| {
        let prompt = prompt(FIRMS, question, &[]);
        let (_, after) = prompt.split_once("<matched_values>").unwrap_or(("", ""));
        after.split("</matched_values>").next().unwrap_or_default().to_owned()
    };
    assert!(!evidence("Which orders came in 2019?").contains("'2019'"));
    assert!(!evidence("How many firms in the last 3 years?").contains("Route 3"));
    assert!(evidence("How old is velmora?").contains("'Velmora Ltd.'"));
    let exact = evidence("How old is Tessin?");
    assert!(exact.contains("'Tessin'") && !exact.contains("Sud"), "{exact}");
}
