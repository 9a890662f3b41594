//! The commands that change what is wrong, for errors and reports.

use text2sql_engine::dialect::Dialect;

/// Writes the commands that set options of a server and settings.
pub struct Mend {
    dialect: Dialect,
    option: Box<Command>,
}

type Command = dyn Fn(&str, &str) -> String;

impl Mend {
    /// With the host's way of setting options, from name and value.
    pub fn new(dialect: Dialect, option: impl Fn(&str, &str) -> String + 'static) -> Self {
        Self { dialect, option: Box::new(option) }
    }

    /// The command that sets an option.
    pub fn set(&self, option: &str, value: &str) -> String {
        (self.option)(option, value)
    }

    /// The command that sets a setting.
    pub(crate) fn setting(&self, name: &str, value: &str) -> String {
        self.dialect.set_command(name, value)
    }

    /// The command that shows what would be sent.
    pub(crate) fn preview(&self) -> &'static str {
        match self.dialect {
            Dialect::Postgres => "SELECT * FROM text2sql.preview('…');",
            Dialect::Sqlite => "SELECT * FROM text2sql_preview('…');",
        }
    }
}
