//! Prints the options of a model server as the Markdown table of docs/models.md.

fn main() {
    print!("{}", text2sql_models::options::markdown());
}
