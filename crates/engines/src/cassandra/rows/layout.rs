//! The layouts of rows in one CQL table: columns, keys and statements.

mod altered;
mod batch;
mod copies;
mod meaning;
mod statements;
mod summaries;

use bakeoff_servers::cassandra::Release;
use bakeoff_stats::DesignInfo;
use bakeoff_workload::{DesignId, Table};

use super::copies::Copies;
use super::entries::{BLOB, BLOB_4, COMPACT, COMPACT_4, NARROW, NARROW_4, WIDE, WIDE_4};
use super::indexes::Indexes;
use super::key::OtherKey;
use super::storage::{TableOptions, alter};
use super::summary::Summary;
use crate::EngineError;
use crate::cassandra::cluster::settle::Settling;
use crate::cassandra::column_names::ColumnNames;
use crate::cassandra::names::table_name;
use crate::cassandra::read::reading::Reading;
use crate::cassandra::release::release_of;
use crate::key_values::KeyValues;
use crate::settings::Settings;
#[cfg(test)]
pub use batch::BATCH_BYTES;
pub use batch::{of as batch_bytes_of, refused_over_any};
use meaning::{check_meaning, column_names};

/// Name of the column with the bucket number in bucketed partition keys.
pub const BUCKET_COLUMN: &str = "bakeoff_bucket";
/// Name of the column with all columns outside the key, as
/// [`row_blob`](crate::row_blob) encodes them.
pub const BLOB_COLUMN: &str = "bakeoff_row";

/// A layout of rows in one CQL table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Keeps one row per partition: the whole key is the partition key.
    Narrow,
    /// Keeps rows of a partition key together, ordered by the order key.
    Wide,
    /// Keeps rows like `Wide`, with everything outside the key in one encoded blob.
    Blob,
    /// Keeps rows like `Blob`, in Cassandra's COMPACT STORAGE.
    Compact,
}

impl Shape {
    /// Reads the shape that a design id names; `None` if its layout is not one of rows.
    pub fn from_id(id: &DesignId) -> Option<Self> {
        match id.layout.as_deref()? {
            "narrow" => Some(Shape::Narrow),
            "wide" => Some(Shape::Wide),
            "blob" => Some(Shape::Blob),
            "compact" => Some(Shape::Compact),
            _ => None,
        }
    }

    /// Returns the description of the settings in `bakeoff list`, for a release.
    fn settings(self, release: Release) -> &'static str {
        let entry = match (self, release) {
            (Shape::Narrow, Release::Four) => NARROW_4,
            (Shape::Narrow, Release::Five) => NARROW,
            (Shape::Wide, Release::Four) => WIDE_4,
            (Shape::Wide, Release::Five) => WIDE,
            (Shape::Blob, Release::Four) => BLOB_4,
            (Shape::Blob, Release::Five) => BLOB,
            (Shape::Compact, Release::Four) => COMPACT_4,
            (Shape::Compact, Release::Five) => COMPACT,
        };
        entry.settings
    }
}

/// A time (or number) bucket in the partition key: floor(order key / width).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Name of the first column of the order key.
    pub column: String,
    /// Width in units of the column, which are milliseconds for timestamps.
    pub width: i64,
}

/// A CQL table that holds the rows of a workload's table.
#[derive(Debug, Clone)]
pub struct TableLayout {
    pub shape: Shape,
    pub bucket: Option<Bucket>,
    /// Order of rows in a partition, with the newest one first if set.
    pub descending: bool,
    pub options: TableOptions,
    /// Options that the loaded table gets in place of these; `None` if it keeps them.
    pub altered: Option<TableOptions>,
    /// How the table is brought to rest after loading.
    pub settling: Settling,
    /// Copies of each row in every datacenter; `None` for those of the run.
    pub replication: Option<u32>,
    /// Maximum bytes of a batch in which rows are written.
    pub batch_bytes: usize,
    /// Flag of data with repeated keys, where a null has to overwrite the earlier value.
    pub keys_repeat: bool,
    pub reading: Reading,
    pub indexes: Option<Indexes>,
    pub copies: Option<Copies>,
    /// Column that is the partition key of this copy of another table; `None` for a table that is no copy.
    pub copied_by: Option<String>,
    /// What the summary table has, if the design has one.
    pub summary: Option<Summary>,
    /// Names of the columns in CQL.
    pub names: ColumnNames,
    /// Columns of which each row needs a value, since the table has another key than the workload.
    pub key_values: Option<KeyValues>,
    pub table: Table,
    /// Name of the CQL table, without keyspace.
    pub name: String,
}

impl TableLayout {
    /// Reads the settings of a layout of rows.
    ///
    /// # Errors
    /// Fails for a setting that does not exist or makes no sense, and for a table that the layout
    /// cannot hold.
    pub fn new(
        id: &DesignId,
        shape: Shape,
        table: &Table,
        keys_repeat: bool,
    ) -> Result<Self, EngineError> {
        let description = shape.settings(release_of(id));
        Self::with_settings(id, shape, description, table, keys_repeat)
    }

    /// Reads the settings that a description names, for a table that is part of another layout.
    ///
    /// # Errors
    /// Fails under the conditions of [`TableLayout::new`].
    pub fn with_settings(
        id: &DesignId,
        shape: Shape,
        description: &'static str,
        table: &Table,
        keys_repeat: bool,
    ) -> Result<Self, EngineError> {
        check_meaning(id, shape)?;
        let mut settings = Settings::new(id, description)?;
        let other_key = OtherKey::take(&mut settings, table, keys_repeat)?;
        let table = other_key.as_ref().map_or(table, |other| &other.table);
        let options = TableOptions::take(&mut settings)?;
        let altered = alter::take(&mut settings, id, &options)?;
        let bucket = match settings.parsed::<String>("bucket", "a bucket width")? {
            Some(width) => Some(bucket(&settings, table, &width)?),
            None => None,
        };
        let order = settings.word("order", &["asc", "desc"])?;
        let settling = Settling::take(&mut settings)?;
        let replication = take_replication(&mut settings)?;
        let batch_bytes = batch::take(&mut settings)?;
        let reading = Reading::take(&mut settings)?;
        let indexes = Indexes::take(&mut settings, table, release_of(id))?;
        let copies = Copies::take(&mut settings, table, keys_repeat)?;
        if indexes.is_some() && copies.is_some() {
            return Err(settings.error(
                "index=, table_by=, view= and index_table= are ways to the same rows: choose one"
                    .to_owned(),
            ));
        }
        if copies.as_ref().is_some_and(Copies::are_views) && reading.consistency.is_some() {
            return Err(settings.error(
                "a view gets its rows after their write was acknowledged, so that no level of reads has them all: \
                 leave out one of the two, view= or consistency="
                    .to_owned(),
            ));
        }
        if copies.as_ref().is_some_and(Copies::are_views) && options.drops_tombstones_at_once() {
            return Err(settings.error(
                "a view needs the tombstones of its table for a while: write gc_grace= with more than 0s, or leave \
                 it out"
                    .to_owned(),
            ));
        }
        let summary = Summary::take(&mut settings, table, keys_repeat, &options, reading)?;
        if altered.is_some() && (copies.is_some() || summary.is_some()) {
            let why =
                "alter= is for a table without copies and summaries: leave out one of the two";
            return Err(settings.error(why.to_owned()));
        }
        let names = column_names(&mut settings, id, table)?;
        settings.end()?;
        if table.columns.len() == table.key().count() && shape == Shape::Compact {
            return Err(EngineError(format!(
                "design {id}: COMPACT STORAGE needs a column outside the key: choose another layout"
            )));
        }
        Ok(TableLayout {
            shape,
            bucket,
            descending: order == Some("desc"),
            options,
            altered,
            settling,
            replication,
            batch_bytes,
            keys_repeat,
            reading,
            indexes,
            copies,
            copied_by: None,
            summary,
            names,
            key_values: other_key.as_ref().map(|other| other.values.clone()),
            table: table.clone(),
            name: table_name(id),
        })
    }

    /// Returns whether columns outside the key are in one blob.
    pub fn has_blob(&self) -> bool {
        match self.shape {
            Shape::Narrow | Shape::Wide => false,
            Shape::Blob | Shape::Compact => true,
        }
    }

    /// Returns the columns of the CQL table's partition key, without the bucket.
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

    /// Returns the clustering columns of the CQL table.
    pub fn clustering_key(&self) -> Vec<&str> {
        match self.shape {
            Shape::Narrow => Vec::new(),
            Shape::Wide | Shape::Blob | Shape::Compact => {
                self.table.order_key.iter().map(String::as_str).collect()
            }
        }
    }

    /// Returns the arguments of `token()`: the partition key with the bucket.
    pub fn token_columns(&self) -> Vec<&str> {
        let bucket = self.bucket.as_ref().map(|_| BUCKET_COLUMN);
        self.partition_key().into_iter().chain(bucket).collect()
    }

    /// Returns names and types of the CQL table's columns, in the order of an insert.
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

    /// Returns the effective settings for reports.
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
        settings.extend(self.options.settings());
        let copies = self.replication.map(|copies| copies.to_string());
        settings.extend(copies.map(|copies| (DesignInfo::COPIES.to_owned(), copies)));
        settings.extend(self.altered_setting());
        if self.descending {
            settings.push(("clustering order".to_owned(), self.clustering_order()));
        }
        if let Some(bucket) = &self.bucket {
            settings.push((
                "bucket".to_owned(),
                format!("floor({} / {})", bucket.column, bucket.width),
            ));
        }
        if self.names.are_short() {
            let short = "short: a, b, c and so on, in the order of the table".to_owned();
            settings.push(("names of columns".to_owned(), short));
        }
        settings.extend(self.indexes.as_ref().map(Indexes::setting));
        settings.extend(self.copies.as_ref().map(Copies::setting));
        settings.extend(self.summary.as_ref().map(Summary::setting));
        settings
    }
}

/// Takes the number of copies of each row, if the design sets it.
fn take_replication(settings: &mut Settings<'_>) -> Result<Option<u32>, EngineError> {
    let copies = settings.parsed::<u32>("replication", "a number of copies")?;
    match copies {
        Some(0) => Err(settings.error("replication=0: at least one copy is kept".to_owned())),
        copies => Ok(copies),
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
