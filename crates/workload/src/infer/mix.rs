//! Operations that are performed on a table, for the workload that is written for it.

/// The operations that are performed on a table, with their shares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskedMix {
    /// What is said above it, line by line.
    pub about: Vec<String>,
    pub operations: Vec<AskedOperation>,
    /// The most rows that are loaded, so that operations can draw theirs; `None` if there is no such limit.
    pub most_rows: Option<u64>,
}

/// An operation of a mix.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskedOperation {
    /// What is said above it, line by line.
    pub about: Vec<String>,
    /// Its name, of letters, digits, `_` and `-`.
    pub name: String,
    /// Its settings but the name as the workload writes them, such as `action = "insert"`.
    pub settings: Vec<String>,
}

impl AskedMix {
    /// The setting of an operation that inserts rows that are not there yet.
    pub const NEW_ROWS: &str = "keys = \"new\"";
    /// The setting of an operation for any row that is there.
    pub const SAME_ROWS: &str = "keys = \"uniform\"";

    /// Lets operations that insert new rows write over those that are there.
    pub fn over_rows(mut self) -> AskedMix {
        let settings = self.operations.iter_mut().flat_map(|of| &mut of.settings);
        for setting in settings {
            if let Some(rest) = setting.strip_prefix(AskedMix::NEW_ROWS) {
                *setting = format!("{}{rest}", AskedMix::SAME_ROWS);
            }
        }
        self
    }
}
