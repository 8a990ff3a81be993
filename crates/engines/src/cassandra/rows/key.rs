//! The partition key that a design has in place of the workload's (`key=`).

use bakeoff_workload::{Table, nearest};

use crate::EngineError;
use crate::key_values::KeyValues;
use crate::settings::Settings;

/// The name of the setting.
pub const KEY: &str = "key";

/// A table with another partition key than the workload's.
#[derive(Debug)]
pub struct OtherKey {
    /// The workload's table with that key. What was in the partition key comes last in the order of rows, so that each
    /// row still has a key of its own.
    pub table: Table,
    /// Columns of which each row needs a value now.
    pub values: KeyValues,
}

impl OtherKey {
    /// Takes the setting `key` of a design: `key=COLUMN`, or several columns with `+` between them.
    ///
    /// # Errors
    /// Fails for columns that do not exist or are no use as a key, for the key that the table has already, and for rows
    /// whose keys repeat, since the row of an earlier value would stay.
    pub fn take(
        settings: &mut Settings<'_>,
        table: &Table,
        keys_repeat: bool,
    ) -> Result<Option<Self>, EngineError> {
        let Some(written) = settings.parsed::<String>(KEY, "a column")? else {
            return Ok(None);
        };
        let failed = |why: String| settings.error(format!("{KEY}={written}: {why}"));
        if keys_repeat {
            return Err(failed(
                "several rows may have the same key of the workload, and with another one all of them would stay: \
                 use view= or index=, or leave this design out with --designs"
                    .to_owned(),
            ));
        }
        let mut partition_key: Vec<String> = Vec::new();
        for name in written.split('+') {
            let name = key_column(table, name).map_err(failed)?;
            if partition_key.contains(&name) {
                return Err(failed(format!("`{name}` is there twice: name it once")));
            }
            partition_key.push(name);
        }
        if partition_key == table.partition_key {
            return Err(failed(
                "this is the workload's own partition key: leave it out".to_owned(),
            ));
        }
        let rest = table.order_key.iter().chain(&table.partition_key);
        let order_key = rest.filter(|name| !partition_key.contains(name)).cloned();
        let new = partition_key.iter().filter(|name| !table.is_key(name));
        let values = KeyValues {
            columns: new.cloned().collect(),
            without_empty: partition_key.len() == 1,
        };
        Ok(Some(OtherKey {
            table: Table {
                order_key: order_key.collect(),
                partition_key,
                ..table.clone()
            },
            values,
        }))
    }
}

/// Returns the name of a column that can be in a partition key.
///
/// # Errors
/// Returns why it cannot.
fn key_column(table: &Table, written: &str) -> Result<String, String> {
    // Workload files ignore the case of names, too.
    let name = written.to_lowercase();
    let Some(column) = table.column(&name) else {
        let names = table.columns.iter().map(|column| column.name.as_str());
        let meant =
            nearest(&name, names).map_or(String::new(), |n| format!("; did you mean `{n}`?"));
        return Err(format!("`{}` has no column `{name}`{meant}", table.name));
    };
    if !column.kind.can_be_key() {
        return Err(format!(
            "`{name}` is a {}, and rows are found by values of other types",
            column.kind.name()
        ));
    }
    Ok(name)
}
