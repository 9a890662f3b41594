//! The tools, as data: each is one function of text2sql, with its parameters in both databases.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Description, ToolAnnotations};
use serde_json::{Value, json};

/// A tool: a function that an agent may call.
pub struct Tool {
    /// Its name in the protocol.
    pub name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Its parameters, in the order of the function's.
    pub parameters: &'static [Parameter],
    /// The call on PostgreSQL.
    pub postgres: Call,
    /// The call on SQLite.
    pub sqlite: Call,
}

/// A parameter of a tool.
pub struct Parameter {
    /// Its name in the protocol, and of the function's parameter.
    pub name: &'static str,
    /// The form of its value.
    pub kind: Kind,
    /// Whether a call without it is an error.
    pub required: bool,
    description: &'static str,
}

/// The form of an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// A list of names.
    Names,
    /// A number without fraction.
    Integer,
}

/// The form of a function's result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// A table function: `SELECT * FROM name(…)`.
    Rows(&'static str),
    /// A table function of one column with a JSON object a row.
    Objects(&'static str),
    /// A scalar function.
    Scalar(&'static str),
    /// `text2sql.answer()`, and its equivalent on SQLite: the SQL, and with `execute` the rows.
    Answer {
        /// Whether the answer is run.
        execute: bool,
    },
}

const fn text(name: &'static str, required: bool, description: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Text, required, description }
}

const QUESTION: Parameter = text("question", true, "The question, in plain language.");
const HINT: Parameter =
    text("hint", false, "Extra context for this question, such as definitions or conditions.");
const STRATEGY: Parameter = text(
    "strategy",
    false,
    "The strategy that answers. Leave it out unless the user names one: 'builtin' asks no model.",
);
const TABLES: Parameter = Parameter {
    name: "tables",
    kind: Kind::Names,
    required: false,
    description: "The only tables that the answer may use.",
};
const SQL: Parameter = text("sql", true, "One SELECT statement in the database's dialect.");
const PHRASE: Parameter = text("phrase", true, "Words of the question, such as 'order date'.");
const VALUE: Parameter = text("value", true, "The text to look for, such as 'Iron Maiden'.");
const LIMIT: Parameter = Parameter {
    name: "k",
    kind: Kind::Integer,
    required: false,
    description: "Maximum number of results (5).",
};
const FROM: Parameter = Parameter {
    name: "from_columns",
    kind: Kind::Names,
    required: true,
    description: "Columns to start from, such as ['customers.name'].",
};
const TO: Parameter = Parameter {
    name: "to_columns",
    kind: Kind::Names,
    required: true,
    description: "Columns to reach, such as ['orders.ordered_at'].",
};

/// All tools.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "ask",
        title: "Ask the database",
        description: "Answer a question with rows. Returns the rows, the SQL that gave them, and notices about \
                      what the answer assumed. Read-only, with the rights and limits of the database user.",
        parameters: &[QUESTION, HINT, STRATEGY, TABLES],
        postgres: Call::Answer { execute: true },
        sqlite: Call::Answer { execute: true },
    },
    Tool {
        name: "text2sql",
        title: "Write SQL",
        description: "Turn a question into one SELECT statement, without returning rows.",
        parameters: &[QUESTION, HINT, STRATEGY, TABLES],
        postgres: Call::Answer { execute: false },
        sqlite: Call::Answer { execute: false },
    },
    Tool {
        name: "explain",
        title: "Explain an answer",
        description: "Report how a question is answered: the words that were linked to columns and values, \
                      the steps, the cost, and the SQL or the reason why there is none.",
        parameters: &[QUESTION, HINT, STRATEGY, TABLES],
        postgres: Call::Scalar("text2sql.explain"),
        sqlite: Call::Scalar("text2sql_explain"),
    },
    Tool {
        name: "search_columns",
        title: "Search columns",
        description: "Find the columns that a phrase may mean, best first, with types, comments and statistics.",
        parameters: &[PHRASE, LIMIT],
        postgres: Call::Rows("text2sql.search_columns"),
        sqlite: Call::Rows("text2sql_search_columns"),
    },
    Tool {
        name: "search_values",
        title: "Search stored values",
        description: "Find stored values that resemble a text, misspelt or partial, and the columns that hold them.",
        parameters: &[VALUE, TABLES, LIMIT],
        postgres: Call::Rows("text2sql.search_values"),
        sqlite: Call::Rows("text2sql_search_values"),
    },
    Tool {
        name: "join_path",
        title: "Find a join path",
        description: "Find how the tables of some columns are joined, along declared and inferred keys.",
        parameters: &[FROM, TO],
        postgres: Call::Rows("text2sql.join_path"),
        sqlite: Call::Rows("text2sql_join_path"),
    },
    Tool {
        name: "check",
        title: "Check a query",
        description: "Say whether a SELECT statement may run, and which tables and columns it reads. Nothing is run.",
        parameters: &[SQL],
        postgres: Call::Rows("text2sql.check"),
        sqlite: Call::Rows("text2sql_check"),
    },
    Tool {
        name: "run",
        title: "Run a query",
        description: "Run one SELECT statement read-only, under the guard and the limits. Returns its rows.",
        parameters: &[SQL],
        postgres: Call::Objects("text2sql.run"),
        sqlite: Call::Objects("text2sql_run"),
    },
    Tool {
        name: "describe",
        title: "Describe a query",
        description: "Say in words what a query returns. Needs a model; nothing is run.",
        parameters: &[SQL],
        postgres: Call::Scalar("text2sql.describe"),
        sqlite: Call::Scalar("text2sql_describe_query"),
    },
];

impl Tool {
    /// The tool of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// Its description in the protocol.
    pub fn describe(&self) -> Description {
        let properties: JsonObject =
            self.parameters.iter().map(|p| (p.name.to_owned(), p.schema())).collect();
        let required: Vec<&str> =
            self.parameters.iter().filter(|p| p.required).map(|p| p.name).collect();
        let schema = json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        });
        let schema = schema.as_object().cloned().unwrap_or_default();
        let hints = ToolAnnotations::with_title(self.title).read_only(true).destructive(false);
        Description::new(self.name, self.description, Arc::new(schema)).with_annotations(hints)
    }

    /// The arguments in the order of the parameters; `None` for one that is left out.
    ///
    /// Errors: one is missing, unknown, or of another form; the text says which.
    pub fn arguments(&self, given: &JsonObject) -> Result<Vec<Option<Argument>>, String> {
        if let Some(other) =
            given.keys().find(|name| self.parameters.iter().all(|p| p.name != **name))
        {
            return Err(format!("{} has no parameter {other:?}", self.name));
        }
        self.parameters.iter().map(|parameter| parameter.read(given.get(parameter.name))).collect()
    }
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// Text.
    Text(String),
    /// A list of names.
    Names(Vec<String>),
    /// A number.
    Integer(i32),
}

impl Parameter {
    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({"type": "string"}),
            Kind::Names => json!({"type": "array", "items": {"type": "string"}}),
            Kind::Integer => json!({"type": "integer", "minimum": 1, "maximum": 100}),
        };
        schema["description"] = self.description.into();
        schema
    }

    fn read(&self, value: Option<&Value>) -> Result<Option<Argument>, String> {
        let wrong = |form: &str| Err(format!("{} must be {form}", self.name));
        let value = match value {
            None | Some(Value::Null) if self.required => return wrong("given"),
            None | Some(Value::Null) => return Ok(None),
            Some(value) => value,
        };
        let argument = match (self.kind, value) {
            (Kind::Text, Value::String(text)) => Argument::Text(text.clone()),
            (Kind::Names, Value::Array(items)) => {
                let names = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
                match names {
                    Some(names) => Argument::Names(names),
                    None => return wrong("a list of strings"),
                }
            }
            (Kind::Integer, Value::Number(number)) => {
                match number.as_i64().and_then(|n| i32::try_from(n).ok()) {
                    Some(number) => Argument::Integer(number),
                    None => return wrong("an integer"),
                }
            }
            (Kind::Text, _) => return wrong("a string"),
            (Kind::Names, _) => return wrong("a list of strings"),
            (Kind::Integer, _) => return wrong("an integer"),
        };
        Ok(Some(argument))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(tool: &str, given: Value) -> Result<Vec<Option<Argument>>, String> {
        Tool::named(tool).unwrap().arguments(given.as_object().unwrap())
    }

    #[test]
    fn arguments_come_in_the_order_of_the_function() {
        let found = arguments("search_values", json!({"k": 3, "value": "Oslo"})).unwrap();
        let text = Some(Argument::Text("Oslo".to_owned()));
        assert_eq!(found, [text, None, Some(Argument::Integer(3))]);
    }

    #[test]
    fn a_wrong_argument_is_named() {
        assert_eq!(arguments("ask", json!({})), Err("question must be given".to_owned()));
        assert_eq!(
            arguments("ask", json!({"question": 1})),
            Err("question must be a string".to_owned())
        );
        let tables = json!({"question": "q", "tables": "t"});
        assert_eq!(arguments("ask", tables), Err("tables must be a list of strings".to_owned()));
        let other = json!({"question": "q", "quesion": "q"});
        assert_eq!(arguments("ask", other), Err("ask has no parameter \"quesion\"".to_owned()));
        assert!(arguments("search_columns", json!({"phrase": "p", "k": 1e12})).is_err());
    }
}
