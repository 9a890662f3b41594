//! The program on a folder made up here: what a run promises whatever the strategy answers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;

/// A Spider folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("text2sql-eval-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        let folder = Self(path);
        let mut questions = Vec::new();
        for db in ["kennel", "fleet", "school"] {
            let home = folder.0.join("database").join(db);
            fs::create_dir_all(&home).expect("folder");
            let file = Connection::open(home.join(format!("{db}.sqlite"))).expect("file");
            file.execute_batch(
                "CREATE TABLE dog (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
                 INSERT INTO dog VALUES (1, 'Rex', 3), (2, 'Ivy', 5), (3, 'Ziz', NULL);",
            )
            .expect("tables");
            let asked = [
                ("How many dogs are there?", "SELECT count(*) FROM dog"),
                ("What are the names of all dogs?", "SELECT name FROM dog"),
                ("Which dog laughs in its sleep?", "SELECT name FROM dog WHERE age > 99"),
                ("How old is the dog named Rex?", "SELECT age FROM dog WHERE name = \"Rex\""),
                ("Is this gold query broken?", "SELECT nothing FROM nowhere"),
            ];
            for (question, gold) in asked {
                questions
                    .push(serde_json::json!({ "db_id": db, "question": question, "query": gold }));
            }
        }
        let text = serde_json::to_string(&questions).expect("json");
        fs::write(folder.0.join("dev.json"), text).expect("questions");
        folder
    }

    /// Run into `out` with further arguments; the figures it printed.
    fn run(&self, out: &Path, more: &[&str]) -> String {
        let mut program = Command::new(env!("CARGO_BIN_EXE_text2sql-eval"));
        program.args(["run", "--dataset", "spider", "--folder"]).arg(&self.0);
        program.arg("--out").arg(out).args(more);
        let output = program.output().expect("the program");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn one_worker_and_several_write_the_same_file() {
    let folder = Folder::new("workers");
    let (one, four) = (folder.0.join("one.jsonl"), folder.0.join("four.jsonl"));
    folder.run(&one, &["--workers", "1"]);
    folder.run(&four, &["--workers", "4"]);
    assert_eq!(fs::read(one).expect("one"), fs::read(four).expect("four"));
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_file() {
    let folder = Folder::new("resume");
    let (whole, cut) = (folder.0.join("whole.jsonl"), folder.0.join("cut.jsonl"));
    folder.run(&whole, &[]);
    let expected = fs::read(&whole).expect("a run");
    // what a killed process may leave: nothing, part of the first line, part of a later one
    for length in [0, 20, expected.len() / 2, expected.len() - 1] {
        fs::write(&cut, &expected[..length]).expect("a beginning");
        folder.run(&cut, &[]);
        assert_eq!(fs::read(&cut).expect("resumed"), expected, "cut at {length}");
    }
}

#[test]
fn a_file_of_another_run_is_never_mixed_in() {
    let folder = Folder::new("mixed");
    let out = folder.0.join("run.jsonl");
    folder.run(&out, &[]);
    let before = fs::read(&out).expect("a run");
    let mut program = Command::new(env!("CARGO_BIN_EXE_text2sql-eval"));
    program.args(["run", "--dataset", "spider", "--limit", "2", "--folder"]).arg(&folder.0);
    let output = program.arg("--out").arg(&out).output().expect("the program");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("of another run"));
    assert_eq!(fs::read(&out).expect("untouched"), before);
}

#[test]
fn broken_and_empty_gold_queries_are_counted_apart_and_the_page_shows_failures() {
    let folder = Folder::new("report");
    let (out, page) = (folder.0.join("run.jsonl"), folder.0.join("page.html"));
    let figures = folder.run(&out, &[]);
    assert!(figures.contains("| gold query does not run (not counted) | 3 |"), "{figures}");
    assert!(figures.contains("| asked | 12 |"), "{figures}");
    assert!(figures.contains("| empty gold results, of these right | 3, "), "{figures}");
    let mut program = Command::new(env!("CARGO_BIN_EXE_text2sql-eval"));
    let output = program.arg("report").arg(&out).arg("--html").arg(&page).output();
    assert!(output.expect("the program").status.success());
    let page = fs::read_to_string(page).expect("a page");
    for part in ["<svg", "Is this gold query broken?", "SELECT nothing FROM nowhere", "</html>"] {
        assert!(page.contains(part), "no {part}");
    }
    assert!(!page.contains("<script") && !page.contains("http://") && !page.contains("https://"));
}

#[test]
fn a_model_that_knows_the_gold_sql_shows_what_a_strategy_loses_and_mends() {
    let folder = Folder::new("oracle");
    let right = |strategy: &str, oracle: &[&str]| {
        let out = folder.0.join(format!("{strategy}-{}.jsonl", oracle.join("-")));
        let figures = folder.run(&out, &[&["--strategy", strategy, "--oracle"], oracle].concat());
        let line = figures.lines().find(|l| l.starts_with("| right among all (execution"));
        line.unwrap_or_else(|| panic!("{figures}")).to_owned()
    };
    for strategy in ["zero_shot", "gsr", "mag", "interactive"] {
        for oracle in [&["perfect"][..], &["perfect", "--protocol", "text"], &["reading"]] {
            let line = right(strategy, oracle);
            assert!(line.contains("| 100.0 %"), "{strategy} {oracle:?}: {line}");
        }
        // what is wrong at first is mended wherever the strategy tries it out
        let line = right(strategy, &["erring"]);
        assert_eq!(line.contains("| 100.0 %"), strategy != "zero_shot", "{strategy}: {line}");
    }
}

/// The dataset that examples/README.md makes, by the same files.
#[test]
fn the_example_of_a_dataset_is_run_and_mostly_right() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/dataset");
    let folder = Folder::new("example");
    let home = folder.0.join("database/shop");
    fs::create_dir_all(&home).expect("folder");
    let sql = fs::read_to_string(example.join("shop.sql")).expect("the example's tables");
    let file = Connection::open(home.join("shop.sqlite")).expect("file");
    file.execute_batch(&sql).expect("tables");
    fs::copy(example.join("dev.json"), folder.0.join("dev.json")).expect("its questions");
    let figures = folder.run(&folder.0.join("run.jsonl"), &[]);
    assert!(figures.contains("| asked | 5 |"), "{figures}");
    assert!(figures.contains("| right among answered (precision) | 100.0 %"), "{figures}");
}

/// Questions whose gold query uses no column, or cannot be read, do not count.
#[test]
fn recall_counts_the_columns_of_gold_queries() {
    let folder = Folder::new("recall");
    let mut program = Command::new(env!("CARGO_BIN_EXE_text2sql-eval"));
    program.args(["recall", "--dataset", "spider", "--folder"]).arg(&folder.0);
    let output = program.output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = String::from_utf8(output.stdout).expect("text");
    assert!(table.starts_with("9 questions, 3 databases, 3 columns a database\n"), "{table}");
    assert!(table.contains("| letters | 1.000 | 1.000 | 1.000 |"), "{table}");
}
