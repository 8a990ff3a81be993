//! How a table is laid out in Cassandra: which columns, which key, which storage settings.

use bakeoff_workload::{DesignId, Table};

use crate::cassandra::names::{quoted, quoted_list, table_name};
use crate::settings::Settings;
use crate::{EngineError, Layout};

/// Holds the number of the time bucket in bucketed partition keys.
pub const BUCKET_COLUMN: &str = "bakeoff_bucket";
/// Holds all columns outside the key, encoded as [`row_blob`](crate::cassandra::write::row_blob) does.
pub const BLOB_COLUMN: &str = "bakeoff_row";

/// Settings of how a table is stored, which every layout of rows has.
pub const STORAGE_SETTINGS: &str = "compressor=LZ4|Zstd|Deflate|Snappy|none, chunk=16KiB";
/// Settings of layouts that keep rows of a partition key together.
const WIDE_SETTINGS: &str = "bucket=1d (or a number), order=asc|desc, \
                             compressor=LZ4|Zstd|Deflate|Snappy|none, chunk=16KiB";

/// One row per partition, as `bakeoff list` shows it.
pub const NARROW: Layout = Layout {
    name: "cassandra/narrow",
    what: "one row per partition",
    settings: STORAGE_SETTINGS,
};
/// Rows of a partition key together, as `bakeoff list` shows it.
pub const WIDE: Layout = Layout {
    name: "cassandra/wide",
    what: "rows of a partition key together, in order; a time bucket if asked",
    settings: WIDE_SETTINGS,
};
/// Rows with a blob each, as `bakeoff list` shows it.
pub const BLOB: Layout = Layout {
    name: "cassandra/blob",
    what: "as wide, everything outside the key in one encoded blob per row",
    settings: WIDE_SETTINGS,
};
/// Rows with a blob each in COMPACT STORAGE, as `bakeoff list` shows it.
pub const COMPACT: Layout = Layout {
    name: "cassandra/compact",
    what: "as blob, WITH COMPACT STORAGE",
    settings: WIDE_SETTINGS,
};

/// A layout of rows in one CQL table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One row per partition: the whole key is the partition key.
    Narrow,
    /// Rows of a partition key together, ordered by the order key.
    Wide,
    /// As wide, with everything outside the key in one encoded blob.
    Blob,
    /// As blob, in Cassandra's COMPACT STORAGE.
    Compact,
}

impl Shape {
    /// Reads the shape that a design id names as its layout, if that is one of rows.
    pub fn of(id: &DesignId) -> Option<Self> {
        match id.layout.as_deref()? {
            "narrow" => Some(Shape::Narrow),
            "wide" => Some(Shape::Wide),
            "blob" => Some(Shape::Blob),
            "compact" => Some(Shape::Compact),
            _ => None,
        }
    }

    /// The text of its settings, as `bakeoff list` shows it.
    fn settings(self) -> &'static str {
        match self {
            Shape::Narrow => NARROW.settings,
            Shape::Wide => WIDE.settings,
            Shape::Blob => BLOB.settings,
            Shape::Compact => COMPACT.settings,
        }
    }
}

/// A time (or number) bucket in the partition key: floor(order key / width).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// First column of the order key.
    pub column: String,
    /// In units of the column: milliseconds for timestamps.
    pub width: i64,
}

#[derive(Debug, Clone)]
pub struct TableLayout {
    pub shape: Shape,
    pub bucket: Option<Bucket>,
    /// Whether the newest row of a partition comes first.
    pub descending: bool,
    /// CQL class name without package; `None` is no compression.
    pub compressor: Option<&'static str>,
    pub chunk_kib: u32,
    /// A key may be written again: a null then has to overwrite what was there.
    pub keys_repeat: bool,
    pub table: Table,
    /// Name of the CQL table, without keyspace.
    pub name: String,
}

/// Cassandra 5.0's own default.
const DEFAULT_CHUNK_KIB: u32 = 16;

impl TableLayout {
    /// Reads the settings of a layout of rows.
    ///
    /// # Errors
    /// For a setting that does not exist or makes no sense, and for a table that does not fit.
    pub fn new(
        id: &DesignId,
        shape: Shape,
        table: &Table,
        keys_repeat: bool,
    ) -> Result<Self, EngineError> {
        Self::with_settings(id, shape, shape.settings(), table, keys_repeat)
    }

    /// Reads those settings that a description names, for a table that is part of another layout.
    ///
    /// # Errors
    /// As for [`TableLayout::new`].
    pub fn with_settings(
        id: &DesignId,
        shape: Shape,
        description: &'static str,
        table: &Table,
        keys_repeat: bool,
    ) -> Result<Self, EngineError> {
        check_meaning(id, shape)?;
        let mut settings = Settings::new(id, description)?;
        let compressor =
            settings.word("compressor", &["LZ4", "Zstd", "Deflate", "Snappy", "none"])?;
        let chunk = settings.kib("chunk")?;
        let bucket = match settings.parsed::<String>("bucket", "a bucket width")? {
            Some(width) => Some(bucket(&settings, table, &width)?),
            None => None,
        };
        let order = settings.word("order", &["asc", "desc"])?;
        if compressor == Some("none") && chunk.is_some() {
            return Err(settings.error("chunk= means nothing with compressor=none".to_owned()));
        }
        settings.end()?;
        if table.columns.len() == table.key().count() && shape == Shape::Compact {
            return Err(EngineError(format!(
                "design {id}: COMPACT STORAGE needs a column outside the key"
            )));
        }
        Ok(TableLayout {
            shape,
            bucket,
            descending: order == Some("desc"),
            compressor: match compressor {
                Some("none") => None,
                Some(word) => Some(word),
                None => Some("LZ4"),
            },
            chunk_kib: chunk.unwrap_or(DEFAULT_CHUNK_KIB),
            keys_repeat,
            table: table.clone(),
            name: table_name(id),
        })
    }

    /// Whether columns outside the key are in one blob.
    pub fn has_blob(&self) -> bool {
        match self.shape {
            Shape::Narrow | Shape::Wide => false,
            Shape::Blob | Shape::Compact => true,
        }
    }

    /// Partition key as CQL has it, without the bucket.
    pub fn partition_key(&self) -> Vec<&str> {
        match self.shape {
            Shape::Narrow => self.table.key().collect(),
            Shape::Wide | Shape::Blob | Shape::Compact => self
                .table
                .partition_key
                .iter()
                .map(String::as_str)
                .collect(),
        }
    }

    /// Clustering columns as CQL has them.
    pub fn clustering_key(&self) -> Vec<&str> {
        match self.shape {
            Shape::Narrow => Vec::new(),
            Shape::Wide | Shape::Blob | Shape::Compact => {
                self.table.order_key.iter().map(String::as_str).collect()
            }
        }
    }

    /// Partition key with the bucket: what `token()` is computed of.
    pub fn token_columns(&self) -> Vec<&str> {
        let bucket = self.bucket.as_ref().map(|_| BUCKET_COLUMN);
        self.partition_key().into_iter().chain(bucket).collect()
    }

    /// Columns as CQL has them, in the order in which they are inserted.
    pub fn cql_columns(&self) -> Vec<(&str, &'static str)> {
        let bucket = self.bucket.as_ref().map(|_| (BUCKET_COLUMN, "bigint"));
        let blob = self.has_blob().then_some((BLOB_COLUMN, "blob"));
        let stored = |name: &str| !self.has_blob() || self.table.is_key(name);
        let plain = self.table.columns.iter().filter(|c| stored(&c.name));
        plain
            .map(|c| (c.name.as_str(), c.kind.name()))
            .chain(bucket)
            .chain(blob)
            .collect()
    }

    /// Removes what an earlier attempt of the same run left behind.
    pub fn drop_statement(&self, keyspace: &str) -> String {
        format!("DROP TABLE IF EXISTS {keyspace}.{}", self.name)
    }

    pub fn create_statement(&self, keyspace: &str) -> String {
        let columns: Vec<String> = self
            .cql_columns()
            .iter()
            .map(|(name, kind)| format!("{} {kind}", quoted(name)))
            .collect();
        let partition = quoted_list(&self.token_columns());
        let clustering = self.clustering_key();
        let key = if clustering.is_empty() {
            format!("({partition})")
        } else {
            format!("({partition}), {}", quoted_list(&clustering))
        };
        let compact = match self.shape {
            Shape::Compact => "COMPACT STORAGE AND ",
            Shape::Narrow | Shape::Wide | Shape::Blob => "",
        };
        let order = match self.clustering_order().as_str() {
            "" => String::new(),
            columns => format!("CLUSTERING ORDER BY ({columns}) AND "),
        };
        // Nulls that overwrite are tombstones; compaction shall leave none of them.
        let grace = if self.keys_repeat {
            " AND gc_grace_seconds = 0"
        } else {
            ""
        };
        format!(
            "CREATE TABLE {keyspace}.{} ({}, PRIMARY KEY ({key})) WITH {compact}{order}compression = \
             {}{grace}",
            self.name,
            columns.join(", "),
            self.compression()
        )
    }

    /// The clustering columns with their order, where it is not CQL's default.
    fn clustering_order(&self) -> String {
        let columns = self.clustering_key();
        let columns = columns.iter().filter(|_| self.descending);
        let descending: Vec<String> = columns.map(|c| format!("{} DESC", quoted(c))).collect();
        descending.join(", ")
    }

    pub fn insert_statement(&self, keyspace: &str) -> String {
        let columns: Vec<&str> = self.cql_columns().iter().map(|(name, _)| *name).collect();
        let marks = vec!["?"; columns.len()].join(", ");
        format!(
            "INSERT INTO {keyspace}.{} ({}) VALUES ({marks})",
            self.name,
            quoted_list(&columns)
        )
    }

    /// Settings in force, for the report.
    pub fn settings(&self) -> Vec<(String, String)> {
        let key = format!(
            "(({}){})",
            self.token_columns().join(", "),
            self.clustering_key()
                .iter()
                .map(|c| format!(", {c}"))
                .collect::<String>()
        );
        let mut settings = vec![("primary key".to_owned(), key)];
        settings.push(("compression".to_owned(), self.compression()));
        if self.descending {
            settings.push(("clustering order".to_owned(), self.clustering_order()));
        }
        if let Some(bucket) = &self.bucket {
            settings.push((
                "bucket".to_owned(),
                format!("floor({} / {})", bucket.column, bucket.width),
            ));
        }
        settings
    }

    fn compression(&self) -> String {
        match self.compressor {
            None => "{'enabled': 'false'}".to_owned(),
            Some(word) => format!(
                "{{'class': '{word}Compressor', 'chunk_length_in_kb': {}}}",
                self.chunk_kib
            ),
        }
    }
}

/// Fails for a setting that other layouts have and this one cannot have.
fn check_meaning(id: &DesignId, shape: Shape) -> Result<(), EngineError> {
    let of_partitions = ["bucket", "order"];
    let asked = |name: &&&str| id.settings.contains_key(**name);
    match of_partitions.iter().find(asked) {
        Some(name) if shape == Shape::Narrow => Err(EngineError(format!(
            "design {id}: {name}= means nothing with one row per partition"
        ))),
        _ => Ok(()),
    }
}

fn bucket(settings: &Settings<'_>, table: &Table, width: &str) -> Result<Bucket, EngineError> {
    let (column, width) = settings.width(table, "bucket", width)?;
    Ok(Bucket {
        column: column.name.clone(),
        width,
    })
}

#[cfg(test)]
mod tests;
