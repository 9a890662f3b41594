//! The columns of a CREATE TABLE, and what its generated ones compute.

use std::collections::HashMap;

use super::scope::Scope;
use super::tokens::{Token, tokens};

/// Deepest chain of generated columns that compute from one another.
const MAX_CHAIN: usize = 100;

/// A column.
pub struct Definition {
    /// Its name in lower case.
    pub name: String,
    /// Expression that is computed when the column is read; None for a stored column.
    pub computed: Option<Scope>,
    /// The names in it.
    names: Vec<String>,
}

/// The columns of a CREATE TABLE, if one of them is computed when it is read; else none. None if an
/// expression is nested too deeply.
pub fn generated(create_table: &str) -> Option<Vec<Definition>> {
    let has = |word: &str| {
        let bytes = create_table.as_bytes();
        bytes.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    };
    // most tables have none
    if !has("as") {
        return Some(Vec::new());
    }
    let mut tokens = tokens(create_table);
    let mut at = tokens.iter().position(|token| *token == Token::Sign('('))? + 1;
    let (mut columns, mut depth) = (Vec::new(), 1);
    let mut open: Option<Definition> = None;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth -= 1,
            Token::Sign(',') if depth == 1 => columns.extend(open.take()),
            Token::Word(word) if depth == 1 && open.is_some() => match &**word {
                "stored" => open.iter_mut().for_each(|column| column.computed = None),
                "as" if tokens.get(at) == Some(&Token::Sign('(')) => {
                    let (scope, back, end) = Scope::inside(tokens, at + 1);
                    tokens = back;
                    if let Some(column) = &mut open {
                        column.names = names(tokens.get(at..end)?);
                        column.computed = Some(scope?);
                    }
                    at = end;
                }
                _ => {}
            },
            Token::Word(name) | Token::Quoted(name) | Token::Text(name)
                if depth == 1 && open.is_none() =>
            {
                let (name, names) = (name.clone(), Vec::new());
                open = Some(Definition { name, computed: None, names });
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    columns.extend(open);
    let any = columns.iter().any(|column| column.computed.is_some());
    Some(if any { columns } else { Vec::new() })
}

fn names(tokens: &[Token]) -> Vec<String> {
    let name = |token: &Token| match token {
        Token::Word(name) | Token::Quoted(name) | Token::Text(name) => Some(name.clone()),
        _ => None,
    };
    tokens.iter().filter_map(name).collect()
}

/// The columns, each after those that it names; None stands for one whose chain is too long.
pub fn in_order(columns: &[Definition]) -> Vec<Option<&Definition>> {
    let places = columns.iter().enumerate().map(|(at, column)| (&*column.name, at)).collect();
    let (depths, found) = (vec![None; columns.len()], Vec::new());
    let mut order = Order { columns, places, depths, found };
    for at in 0..columns.len() {
        order.visit(at, 0);
    }
    order.found
}

struct Order<'a> {
    columns: &'a [Definition],
    places: HashMap<&'a str, usize>,
    /// How long the chain is that ends in a column, where that is known.
    depths: Vec<Option<usize>>,
    found: Vec<Option<&'a Definition>>,
}

impl Order<'_> {
    /// The length of the chain that ends in a column, seen from one that is `above` it.
    fn visit(&mut self, at: usize, above: usize) -> usize {
        if let Some(depth) = self.depths[at] {
            return depth;
        }
        // one that depends on itself SQLite refuses
        self.depths[at] = Some(0);
        let column = &self.columns[at];
        let mut depth = 0;
        for name in &column.names {
            if let Some(&other) = self.places.get(&**name)
                && above < MAX_CHAIN
            {
                depth = depth.max(1 + self.visit(other, above + 1));
            }
        }
        self.depths[at] = Some(depth);
        let is_short = depth < MAX_CHAIN && above < MAX_CHAIN;
        self.found.push(is_short.then_some(column));
        depth
    }
}
