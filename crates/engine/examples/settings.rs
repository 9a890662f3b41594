//! Prints the settings as the Markdown table of README.md.

fn main() {
    print!("{}", text2sql_engine::settings::markdown());
}
