//! The index of keys with their tags and days.

use std::collections::{BTreeMap, BTreeSet};

use arrow::array::{Array, AsArray, StringArray};
use arrow::datatypes::TimestampMillisecondType;
use arrow::record_batch::RecordBatch;
use bakeoff_driver::DesignError;
use futures::TryStreamExt;
use scylla::client::session::Session;
use scylla::value::{CqlValue, Row};

use super::definition::SeriesLayout;

const DAY_MS: i64 = 86_400_000;
pub const NANOSECONDS_PER_MILLISECOND: i64 = 1_000_000;

/// Returns the day, counted from 1970-01-01, of a time in milliseconds.
pub fn day_of(milliseconds: i64) -> i64 {
    milliseconds.div_euclid(DAY_MS)
}

/// The entry of a key in the index.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// Tags in the order of [`SeriesLayout::tags`].
    pub tags: Vec<Option<String>>,
    /// Days on which the key has rows, counted from 1970-01-01.
    pub days: BTreeSet<i64>,
}

/// An index of keys.
#[derive(Debug, Default)]
pub struct Index {
    pub entries: BTreeMap<String, Entry>,
}

impl Index {
    /// Reads the table of the keys.
    pub async fn read(
        session: &Session,
        layout: &SeriesLayout,
        keyspace: &str,
    ) -> Result<Self, DesignError> {
        let cql = layout.select_index(keyspace);
        let failed = |e: &dyn std::fmt::Display| DesignError(format!("`{cql}` failed: {e}"));
        let rows = session.query_iter(cql.as_str(), &[]).await;
        let rows = rows.map_err(|e| failed(&e))?.rows_stream::<Row>();
        let mut rows = rows.map_err(|e| failed(&e))?;
        let mut index = Index::default();
        while let Some(row) = rows.try_next().await.map_err(|e| failed(&e))? {
            let mut cells = row.columns.into_iter();
            let key = cells.next().flatten().and_then(text).unwrap_or_default();
            let days = cells.next().flatten().map(days).unwrap_or_default();
            let tags = cells.map(|cell| cell.and_then(text)).collect();
            index.entries.insert(key, Entry { tags, days });
        }
        Ok(index)
    }

    /// Indexes the keys of rows.
    ///
    /// # Errors
    /// Fails if a tag is not the same in all rows of a key.
    pub fn from_rows(layout: &SeriesLayout, rows: &RecordBatch) -> Result<Self, DesignError> {
        let columns = Columns::new(layout, rows)?;
        let mut index = Index::default();
        for row in 0..rows.num_rows() {
            let key = columns.key.value(row);
            let day = day_of(columns.times[row]);
            match index.entries.get_mut(key) {
                Some(entry) => {
                    let tags = columns.tags.iter().map(|tag| cell(tag, row));
                    check_tags(layout, key, &entry.tags, tags)?;
                    entry.days.insert(day);
                }
                None => {
                    let tags = columns
                        .tags
                        .iter()
                        .map(|tag| cell(tag, row).map(str::to_owned));
                    let entry = Entry {
                        tags: tags.collect(),
                        days: [day].into(),
                    };
                    index.entries.insert(key.to_owned(), entry);
                }
            }
        }
        Ok(index)
    }

    /// Adds the entries of another index.
    ///
    /// # Errors
    /// Fails if the tags of a key differ.
    pub fn add(&mut self, layout: &SeriesLayout, other: &Index) -> Result<(), DesignError> {
        for (key, entry) in &other.entries {
            match self.entries.get_mut(key) {
                Some(known) => {
                    let tags = entry.tags.iter().map(Option::as_deref);
                    check_tags(layout, key, &known.tags, tags)?;
                    known.days.extend(&entry.days);
                }
                None => {
                    self.entries.insert(key.clone(), entry.clone());
                }
            }
        }
        Ok(())
    }

    /// Returns the entries of another index whose tags or days are not all known here.
    pub fn new_entries(&self, other: Index) -> Index {
        let mut entries = other.entries;
        entries.retain(|key, entry| {
            let known = self.entries.get(key);
            !known.is_some_and(|k| k.tags == entry.tags && k.days.is_superset(&entry.days))
        });
        Index { entries }
    }
}

/// The columns of rows that an index is made from.
struct Columns<'a> {
    key: &'a StringArray,
    times: &'a [i64],
    tags: Vec<&'a StringArray>,
}

impl<'a> Columns<'a> {
    fn new(layout: &SeriesLayout, rows: &'a RecordBatch) -> Result<Self, DesignError> {
        let column = |name: &str| {
            rows.column_by_name(name)
                .ok_or_else(|| DesignError(format!("the rows have no column `{name}`")))
        };
        let tags = layout.tags.iter().map(|tag| Ok(column(tag)?.as_string()));
        let times = column(&layout.time)?.as_primitive::<TimestampMillisecondType>();
        Ok(Columns {
            key: column(&layout.key)?.as_string(),
            times: times.values(),
            tags: tags.collect::<Result<_, DesignError>>()?,
        })
    }
}

fn cell(column: &StringArray, row: usize) -> Option<&str> {
    column.is_valid(row).then(|| column.value(row))
}

fn check_tags<'a>(
    layout: &SeriesLayout,
    key: &str,
    known: &[Option<String>],
    found: impl Iterator<Item = Option<&'a str>>,
) -> Result<(), DesignError> {
    let changed = known
        .iter()
        .map(Option::as_deref)
        .zip(found)
        .zip(&layout.tags)
        .find(|((known, found), _)| known != found);
    let Some(((before, after), tag)) = changed else {
        return Ok(());
    };
    let shown = |value: Option<&str>| value.map_or("null".to_owned(), |v| format!("`{v}`"));
    Err(DesignError(format!(
        "column `{tag}` is {} and {} for {} `{key}`, but series keep it once for all rows of a \
         key: use another layout for this table",
        shown(before),
        shown(after),
        layout.key
    )))
}

fn text(value: CqlValue) -> Option<String> {
    match value {
        CqlValue::Text(text) => Some(text),
        _ => None,
    }
}

fn days(value: CqlValue) -> BTreeSet<i64> {
    match value {
        CqlValue::Set(days) => days.iter().filter_map(CqlValue::as_bigint).collect(),
        _ => BTreeSet::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, TimestampMillisecondArray};
    use bakeoff_workload::{Column, ColumnType, Table};

    use super::*;

    fn layout() -> SeriesLayout {
        let column = |(name, kind): (&str, ColumnType)| Column {
            name: name.to_owned(),
            kind,
        };
        let columns = [
            ("time", ColumnType::Timestamp),
            ("host", ColumnType::Text),
            ("rack", ColumnType::Text),
            ("busy", ColumnType::Double),
        ];
        let table = Table {
            name: "t".to_owned(),
            columns: columns.map(column).into(),
            partition_key: vec!["host".to_owned()],
            order_key: vec!["time".to_owned()],
        };
        SeriesLayout::new(&"cassandra/series".parse().unwrap(), &table, false).unwrap()
    }

    fn index(rows: &[(&str, i64, Option<&str>)]) -> Result<Index, String> {
        let times = rows.iter().map(|row| Some(row.1));
        let hosts = rows.iter().map(|row| Some(row.0));
        let racks = rows.iter().map(|row| row.2);
        let columns: [(&str, ArrayRef); 3] = [
            (
                "time",
                Arc::new(times.collect::<TimestampMillisecondArray>()),
            ),
            ("host", Arc::new(hosts.collect::<StringArray>())),
            ("rack", Arc::new(racks.collect::<StringArray>())),
        ];
        let rows = RecordBatch::try_from_iter(columns).unwrap();
        Index::from_rows(&layout(), &rows).map_err(|e| e.0)
    }

    #[test]
    fn days_are_collected_by_key_also_before_1970() {
        let index = index(&[
            ("a", -1, Some("r")),
            ("b", 0, None),
            ("a", DAY_MS, Some("r")),
            ("a", DAY_MS + 1, Some("r")),
        ]);
        let entries = index.unwrap().entries;
        assert_eq!(entries["a"].days, [-1, 1].into());
        assert_eq!(entries["a"].tags, [Some("r".to_owned())]);
        assert_eq!(entries["b"].tags, [None]);
    }

    #[test]
    fn a_tag_that_changes_is_refused_within_a_slice_and_after_it() {
        let error = index(&[("a", 0, Some("r")), ("a", 1, None)]).unwrap_err();
        assert!(
            error.contains("`rack` is `r` and null for host `a`"),
            "{error}"
        );
        let mut known = index(&[("a", 0, Some("r"))]).unwrap();
        known
            .add(&layout(), &index(&[("a", DAY_MS, Some("r"))]).unwrap())
            .unwrap();
        assert_eq!(known.entries["a"].days, [0, 1].into());
        let other = index(&[("a", 0, Some("s"))]).unwrap();
        assert!(known.add(&layout(), &other).is_err());
    }
}
