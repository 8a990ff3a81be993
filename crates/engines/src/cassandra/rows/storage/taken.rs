//! Options that a table takes over from one that exists.

use bakeoff_workload::DesignId;

use crate::cassandra::settings_of::TableSettings;

/// Options of CQL, each with the settings by which a design states it itself.
const STATED_BY: [(&str, &[&str]); 4] = [
    ("compression", &["compressor", "level", "chunk"]),
    ("compaction", &["compaction"]),
    ("caching", &["caching"]),
    ("gc_grace_seconds", &["gc_grace"]),
];

/// Options that a table takes over from one that exists: those that its design does not state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken(TableSettings);

impl Taken {
    /// Takes the options of a table that the design does not state itself.
    pub fn by(id: &DesignId, settings: &TableSettings) -> Taken {
        let is_stated = |option: &str| {
            let by = STATED_BY.iter().find(|(name, _)| *name == option);
            by.is_some_and(|(_, names)| names.iter().any(|name| id.settings.contains_key(*name)))
        };
        let options = settings.options.iter();
        let open = options.filter(|(name, _)| !is_stated(name));
        Taken(TableSettings {
            table: settings.table.clone(),
            options: open.cloned().collect(),
        })
    }

    /// Returns the value of an option, as CQL has it.
    pub fn get(&self, option: &str) -> Option<&str> {
        let mut options = self.0.options.iter();
        let found = options.find(|(name, _)| name == option);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the options as CQL has them after `WITH`.
    pub fn cql(&self) -> impl Iterator<Item = String> {
        let options = self.0.options.iter();
        options.map(|(name, value)| format!("{name} = {value}"))
    }

    /// Returns the options as settings for reports, and whose they are.
    pub fn settings(&self) -> impl Iterator<Item = (String, String)> {
        let whose = ("settings of".to_owned(), self.0.table.clone());
        std::iter::once(whose).chain(self.0.options.iter().cloned())
    }
}
