//! Copies of a table of rows that are keyed by another column: tables that Bakeoff writes itself (`table_by=`), and
//! materialized views that Cassandra keeps (`view=`).

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
}

/// The copies of a table, all of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copies {
    pub kind: CopyKind,
    /// Columns that are the partition key of a copy each, in the order of the setting.
    pub columns: Vec<String>,
}

impl Copies {
    /// Takes the settings `table_by` and `view` of a design, of which there may be one.
    ///
    /// # Errors
    /// Fails for a column that does not exist or is of no use as a key, and for a second table of rows whose keys
    /// repeat: it would keep the row of an earlier value.
    pub fn take(
        settings: &mut Settings<'_>,
        table: &Table,
        keys_repeat: bool,
    ) -> Result<Option<Self>, EngineError> {
        let by = settings.parsed::<String>("table_by", "a column")?;
        let view = settings.parsed::<String>("view", "a column")?;
        let (kind, name, written) = match (by, view) {
            (None, None) => return Ok(None),
            (Some(written), None) => (CopyKind::Table, "table_by", written),
            (None, Some(written)) => (CopyKind::View, "view", written),
            (Some(_), Some(_)) => {
                return Err(settings.error(
                    "table_by= and view= are two ways to the same rows: choose one".to_owned(),
                ));
            }
        };
        let failed = |why: String| settings.error(format!("{name}={written}: {why}"));
        if kind == CopyKind::Table && keys_repeat {
            return Err(failed(
                "several rows may have the same key, and the second table would keep all of their values: use \
                 view= or index=, or leave this design out with --designs"
                    .to_owned(),
            ));
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
         them again, or use table_by= or index="
    ))
}
