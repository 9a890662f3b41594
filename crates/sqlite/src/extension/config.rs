//! Settings of a connection: what `text2sql_config` set, else the environment, else the default.

use std::collections::BTreeMap;

use text2sql_engine::error::Error;
use text2sql_engine::settings::{SETTINGS, Setting, Settings, Who};

/// Settings that only mean something to PostgreSQL.
const NOT_HERE: &[&str] = &["server", "allow_superuser"];

/// The values that `text2sql_config` set on a connection.
#[derive(Debug, Clone, Default)]
pub struct Config(BTreeMap<&'static str, String>);

/// One row of the list of settings.
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Its value now.
    pub value: Option<String>,
    /// Where the value comes from: `set`, `environment` or `default`.
    pub source: &'static str,
    /// One sentence.
    pub doc: &'static str,
}

/// The settings that SQLite has.
fn settings() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(|s| !NOT_HERE.contains(&s.name))
}

/// `TEXT2SQL_MAX_ROWS` for `max_rows`.
fn environment(name: &str) -> Option<String> {
    std::env::var(format!("TEXT2SQL_{}", name.to_ascii_uppercase())).ok().filter(|v| !v.is_empty())
}

fn setting(name: &str) -> Result<&'static Setting, Error> {
    settings().find(|s| s.name == name).ok_or_else(|| Error::UnknownName {
        what: "setting",
        given: name.to_owned(),
        known: settings().map(|s| s.name.to_owned()).collect(),
    })
}

impl Config {
    /// The value in force.
    pub fn get(&self, name: &str) -> Result<Option<String>, Error> {
        let setting = setting(name)?;
        Ok(Some(self.lookup(name).unwrap_or_else(|| setting.default_text())))
    }

    /// Set a value for the connection; None takes it back.
    pub fn set(&mut self, name: &str, value: Option<String>) -> Result<(), Error> {
        let setting = setting(name)?;
        if setting.who == Who::Superuser {
            return Err(Error::InvalidArgument {
                message: format!("setting {name} cannot be changed by SQL"),
                hint: format!("export TEXT2SQL_{}=…", name.to_ascii_uppercase()),
            });
        }
        match value {
            Some(value) => {
                setting.validate(&value)?;
                self.0.insert(setting.name, value);
            }
            None => {
                self.0.remove(name);
            }
        }
        Ok(())
    }

    /// The value that was set or that the environment gives.
    fn lookup(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned().or_else(|| environment(name))
    }

    /// A snapshot.
    pub fn settings(&self) -> Result<Settings, Error> {
        Settings::read(|name| self.lookup(name))
    }

    /// Every setting with its value.
    pub fn rows(&self) -> Vec<Row> {
        settings()
            .map(|s| {
                let source = match (self.0.contains_key(s.name), environment(s.name)) {
                    (true, _) => "set",
                    (false, Some(_)) => "environment",
                    (false, None) => "default",
                };
                let value = Some(self.lookup(s.name).unwrap_or_else(|| s.default_text()));
                Row { name: s.name, value, source, doc: s.doc }
            })
            .collect()
    }
}
