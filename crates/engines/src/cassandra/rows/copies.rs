//! Copies of a table of rows that are keyed by another column: tables that Bakeoff writes itself, with whole rows
//! (`table_by=`) or with their keys alone (`index_table=`), and materialized views that Cassandra keeps (`view=`).

use bakeoff_workload::{Column, Table};

use super::indexes::columns_outside_key;
use crate::EngineError;
use crate::settings::Settings;

/// Setting of `cassandra.yaml` without which there are no views.
pub const VIEWS_ENABLED: &str = "materialized_views_enabled";

/// What a copy of a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyKind {
    /// Is a second table, into which every row is written, too.
    Table,
    /// Is a materialized view.
    View,
    /// Is an index table, into which the key of every row is written with the value of the column.
    Keys,
}

impl CopyKind {
    /// Returns the setting that asks for copies of this kind.
    fn setting(self) -> &'static str {
        match self {
            CopyKind::Table => "table_by",
            CopyKind::View => "view",
            CopyKind::Keys => "index_table",
        }
    }
}

/// The copies of a table, all of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copies {
    pub kind: CopyKind,
    /// Columns that are the partition key of a copy each, in the order of the setting.
    pub columns: Vec<String>,
}

impl Copies {
    /// Takes the settings `table_by`, `view` and `index_table` of a design, of which there may be one.
    ///
    /// # Errors
    /// Fails for a column that does not exist or is of no use as a key, for a table that Bakeoff writes of rows whose
    /// keys repeat, since it would keep the row of an earlier value, and for an index table of keys that are not bound.
    pub fn take(
        settings: &mut Settings<'_>,
        table: &Table,
        keys_repeat: bool,
    ) -> Result<Option<Self>, EngineError> {
        let mut asked = Vec::new();
        for kind in [CopyKind::Table, CopyKind::View, CopyKind::Keys] {
            let written = settings.parsed::<String>(kind.setting(), "a column")?;
            asked.extend(written.map(|written| (kind, written)));
        }
        let (kind, written) = match asked.as_slice() {
            [] => return Ok(None),
            [only] => only.clone(),
            [(one, _), (other, _), ..] => {
                return Err(settings.error(format!(
                    "{}= and {}= are two ways to the same rows: choose one",
                    one.setting(),
                    other.setting()
                )));
            }
        };
        let failed = |why: String| settings.error(format!("{}={written}: {why}", kind.setting()));
        if kind != CopyKind::View && keys_repeat {
            return Err(failed(
                "several rows may have the same key, and the second table would keep all of their values: use \
                 view= or index=, or leave this design out with --designs"
                    .to_owned(),
            ));
        }
        let mut key = table.key().filter_map(|name| table.column(name));
        let double = key.find(|column| column.kind.is_floating());
        if let Some(double) = double.filter(|_| kind == CopyKind::Keys) {
            return Err(failed(format!(
                "`{}` is a {} in the key, and Cassandra is never asked for one that equals a value: use \
                 table_by=, view= or index=",
                double.name,
                double.kind.name()
            )));
        }
        let columns = columns_outside_key(table, &written).map_err(failed)?;
        let columns = columns
            .into_iter()
            .map(|column: &Column| column.name.clone());
        Ok(Some(Copies {
            kind,
            columns: columns.collect(),
        }))
    }

    /// Returns whether Cassandra keeps the copies as materialized views.
    pub fn are_views(&self) -> bool {
        self.kind == CopyKind::View
    }

    /// Returns whether the copies hold keys of rows, and not whole rows.
    pub fn hold_keys(&self) -> bool {
        self.kind == CopyKind::Keys
    }

    /// Returns the effective setting for reports.
    pub fn setting(&self) -> (String, String) {
        let columns = self.columns.join(", ");
        match self.kind {
            CopyKind::Table => (
                "second table".to_owned(),
                format!("keyed by {columns}, written with the first one"),
            ),
            CopyKind::View => (
                "materialized view".to_owned(),
                format!("keyed by {columns}"),
            ),
            CopyKind::Keys => (
                "index table".to_owned(),
                format!("of keys by {columns}, written with the first one"),
            ),
        }
    }
}

/// Says what a server needs that refuses a materialized view.
pub fn explained(statement: &str, error: EngineError) -> EngineError {
    if !statement.starts_with("CREATE MATERIALIZED VIEW") {
        return error;
    }
    EngineError(format!(
        "{error}; view= needs `{VIEWS_ENABLED}: true` in the cassandra.yaml of every node: set it and start \
         them again, or use table_by=, index_table= or index="
    ))
}
