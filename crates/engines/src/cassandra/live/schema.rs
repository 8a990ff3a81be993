//! What `system_schema` has of a table, and the settings of a design that is like it.

use std::collections::HashMap;

use bakeoff_workload::ColumnType;
use scylla::client::session::Session;

use crate::cassandra::diagnose::ask::rows;
use crate::cassandra::read::readable::ReadTable;
use crate::cassandra::rows::indexes::IndexKind;
use crate::cassandra::rows::storage::stored::{AsSettings, StoredOptions};
use crate::cassandra::stored_options::{self, Kind, OptionMap};
use crate::live::MIXED_ORDER;

/// A table as `system_schema` has it.
#[derive(Debug, Default)]
pub struct Schema {
    /// The types of its columns as CQL writes them, by the names of these.
    pub types: HashMap<String, String>,
    pub options: StoredOptions,
    pub indexes: Vec<StoredIndex>,
}

/// An index of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredIndex {
    pub name: String,
    /// Its kind and its column; `None` for an index of a kind that designs have not.
    pub of: Option<(IndexKind, String)>,
}

impl Schema {
    /// Reads a table or a materialized view.
    ///
    /// # Errors
    /// Says why it cannot be read.
    pub async fn read(session: &Session, keyspace: &str, name: &str) -> Result<Schema, String> {
        let cql = "SELECT column_name, type FROM system_schema.columns \
                   WHERE keyspace_name = ? AND table_name = ?";
        let reply = rows(session, None, cql, (keyspace, name)).await?;
        let columns = reply.rows::<(String, String)>();
        let types: Result<HashMap<String, String>, _> =
            columns.map_err(|e| e.to_string())?.collect();
        let options = match options(session, Kind::Table, keyspace, name).await? {
            Some(options) => options,
            None => options_of_view(session, keyspace, name).await?,
        };
        Ok(Schema {
            types: types.map_err(|e| e.to_string())?,
            options,
            indexes: indexes(session, keyspace, name).await?,
        })
    }

    /// Returns the settings of a design that is like a table. `held` returns the name and the type of a column there;
    /// `None` for one that its rows lack.
    pub fn as_settings(
        &self,
        table: &ReadTable,
        held: impl Fn(&str) -> Option<(String, ColumnType)>,
    ) -> AsSettings {
        let mut all = self.options.as_settings();
        match table.descending {
            Some(true) if !table.clustering_key.is_empty() => all.set("order", "desc".to_owned()),
            None if table.clustering_key.len() > 1 => {
                all.left_out.push(MIXED_ORDER.to_owned());
            }
            _ => {}
        }
        let usable = self.indexes.iter().map(|index| {
            let (kind, column) = index.of.as_ref()?;
            let (name, held_as) = held(column).filter(|_| !table.is_key(column))?;
            finds(*kind, held_as).then_some((*kind, name))
        });
        self.add_indexes(&usable.collect::<Vec<_>>(), &mut all);
        all
    }

    /// Adds the indexes of one kind, the storage-attached ones if there are any. `usable` has the kind and the column
    /// of each index that a design can have.
    fn add_indexes(&self, usable: &[Option<(IndexKind, String)>], all: &mut AsSettings) {
        let is_attached = |index: &(IndexKind, String)| index.0 == IndexKind::StorageAttached;
        let (kind, suffix) = if usable.iter().flatten().any(is_attached) {
            (IndexKind::StorageAttached, "")
        } else {
            (IndexKind::HiddenTable, ":2i")
        };
        let mut columns: Vec<&str> = Vec::new();
        for (index, usable) in self.indexes.iter().zip(usable) {
            match usable {
                Some((of_kind, column))
                    if *of_kind == kind && !columns.contains(&column.as_str()) =>
                {
                    columns.push(column);
                }
                _ => all.left_out.push(format!("index {}", index.name)),
            }
        }
        if !columns.is_empty() {
            all.set("index", format!("{}{suffix}", columns.join("+")));
        }
    }
}

/// Returns whether an index of a design finds values of this type.
fn finds(kind: IndexKind, held_as: ColumnType) -> bool {
    match held_as {
        ColumnType::Float | ColumnType::Double => false,
        ColumnType::Blob => kind == IndexKind::HiddenTable,
        _ => true,
    }
}

async fn indexes(
    session: &Session,
    keyspace: &str,
    name: &str,
) -> Result<Vec<StoredIndex>, String> {
    let cql = "SELECT index_name, kind, options FROM system_schema.indexes \
               WHERE keyspace_name = ? AND table_name = ?";
    let reply = rows(session, None, cql, (keyspace, name)).await?;
    let rows = reply.rows::<(String, Option<String>, OptionMap)>();
    let mut indexes = Vec::new();
    for row in rows.map_err(|e| e.to_string())? {
        let (name, kind, options) = row.map_err(|e| e.to_string())?;
        let of = kind_and_column(&kind.unwrap_or_default(), &options.unwrap_or_default());
        indexes.push(StoredIndex { name, of });
    }
    Ok(indexes)
}

/// Returns the kind and the column of an index; `None` for a kind that designs have not.
fn kind_and_column(kind: &str, options: &HashMap<String, String>) -> Option<(IndexKind, String)> {
    let column = options.get("target")?.trim_matches('"').to_owned();
    let class = options.get("class_name").map(|class| class.to_lowercase());
    let class = class.unwrap_or_default();
    if class == "sai" || class.ends_with("storageattachedindex") {
        Some((IndexKind::StorageAttached, column))
    } else {
        (kind == "COMPOSITES").then_some((IndexKind::HiddenTable, column))
    }
}

async fn options_of_view(
    session: &Session,
    keyspace: &str,
    name: &str,
) -> Result<StoredOptions, String> {
    let options = options(session, Kind::View, keyspace, name).await?;
    options.ok_or_else(|| "it was dropped meanwhile".to_owned())
}

/// Compaction, compression, caching, time to live and grace period for tombstones of a table, the last two in seconds.
type OptionsRow = (OptionMap, OptionMap, OptionMap, Option<i32>, Option<i32>);

/// Reads the options of a table or view; `None` if there is none of this name.
async fn options(
    session: &Session,
    kind: Kind,
    keyspace: &str,
    name: &str,
) -> Result<Option<StoredOptions>, String> {
    let options = [
        "compaction",
        "compression",
        "caching",
        "default_time_to_live",
        "gc_grace_seconds",
    ];
    let row: Option<OptionsRow> =
        stored_options::read(session, kind, keyspace, name, &options).await?;
    let seconds = |seconds: Option<i32>| u64::try_from(seconds.unwrap_or_default()).unwrap_or(0);
    Ok(row.map(
        |(compaction, compression, caching, ttl, grace)| StoredOptions {
            compaction: compaction.unwrap_or_default(),
            compression: compression.unwrap_or_default(),
            caching: caching.unwrap_or_default(),
            default_time_to_live: seconds(ttl),
            gc_grace_seconds: seconds(grace),
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(pairs: &[(&str, &str)]) -> HashMap<String, String> {
        let owned = pairs.iter();
        owned
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn index(name: &str, kind: IndexKind, column: &str) -> StoredIndex {
        StoredIndex {
            name: name.to_owned(),
            of: Some((kind, column.to_owned())),
        }
    }

    fn table(clustering: &[&str], descending: Option<bool>) -> ReadTable {
        ReadTable {
            partition_key: vec!["p".to_owned()],
            clustering_key: clustering.iter().map(|name| (*name).to_owned()).collect(),
            descending,
            ..ReadTable::default()
        }
    }

    fn held(column: &str) -> Option<(String, ColumnType)> {
        let kind = match column {
            "Bytes" => ColumnType::Blob,
            "d" => ColumnType::Double,
            "f" => ColumnType::Float,
            "lacking" => return None,
            _ => ColumnType::Text,
        };
        Some((column.to_lowercase(), kind))
    }

    #[test]
    fn kinds_of_indexes_are_told_apart() {
        let hidden = kind_and_column("COMPOSITES", &options(&[("target", "v")]));
        assert_eq!(hidden, Some((IndexKind::HiddenTable, "v".to_owned())));
        let class = "org.apache.cassandra.index.sai.StorageAttachedIndex";
        let attached = options(&[("target", "\"V\""), ("class_name", class)]);
        let expected = (IndexKind::StorageAttached, "V".to_owned());
        assert_eq!(kind_and_column("CUSTOM", &attached), Some(expected));
        let other = options(&[("target", "v"), ("class_name", "SASIIndex")]);
        assert_eq!(kind_and_column("CUSTOM", &other), None);
    }

    #[test]
    fn indexes_of_one_kind_are_settings_and_the_others_are_named() {
        let settings = |indexes: Vec<StoredIndex>| {
            let schema = Schema {
                indexes,
                ..Schema::default()
            };
            let all = schema.as_settings(&table(&["c"], Some(false)), held);
            (all.settings.get("index").cloned(), all.left_out)
        };
        use IndexKind::{HiddenTable, StorageAttached};
        let hidden = vec![
            index("i1", HiddenTable, "v"),
            index("i2", HiddenTable, "Bytes"),
        ];
        assert_eq!(
            settings(hidden),
            (Some("v+bytes:2i".to_owned()), Vec::new())
        );
        let several = vec![
            index("i1", HiddenTable, "v"),
            index("i2", StorageAttached, "w"),
            index("i3", StorageAttached, "Bytes"),
            index("i4", StorageAttached, "d"),
            index("i5", StorageAttached, "lacking"),
            index("i6", StorageAttached, "c"),
            StoredIndex {
                name: "i7".to_owned(),
                of: None,
            },
            index("i8", StorageAttached, "w"),
            index("i9", StorageAttached, "f"),
        ];
        let others = ["i1", "i3", "i4", "i5", "i6", "i7", "i8", "i9"];
        let others = others.map(|name| format!("index {name}"));
        assert_eq!(settings(several), (Some("w".to_owned()), others.to_vec()));
    }

    #[test]
    fn the_order_of_rows_is_a_setting_if_it_is_one_order() {
        let schema = Schema::default();
        let of = |clustering: &[&str], descending| {
            let all = schema.as_settings(&table(clustering, descending), held);
            (all.settings.contains_key("order"), all.left_out.len())
        };
        assert_eq!(of(&["c"], Some(true)), (true, 0));
        assert_eq!(of(&["c"], Some(false)), (false, 0));
        assert_eq!(of(&["c", "d"], None), (false, 1));
        assert_eq!(of(&[], None), (false, 0));
    }
}
