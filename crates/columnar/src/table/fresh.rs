//! Fresh rows as Arrow arrays, and back.

use std::collections::BTreeMap;

use arrow::array::{ArrayRef, BooleanArray, Int64Array, RecordBatch};
use bytes::Bytes;

use super::conform::conform;
use super::merge::{Versions, WriteTimes};
use crate::definition::{Definition, Place};
use crate::store::FreshRow;
use crate::{Error, Result, key, row};

/// Their versions. The rows are in order of their keys.
pub fn versions(definition: &Definition, fresh: &[FreshRow]) -> Result<Versions> {
    let times: Int64Array = fresh.iter().map(|row| row.write_time).collect();
    let deleted: BooleanArray = fresh.iter().map(|row| Some(row.row.is_none())).collect();
    Ok(Versions {
        keys: key::encode_columns(definition, &key_columns(definition, fresh)?)?,
        write_times: WriteTimes::Each(times),
        deleted: (deleted.true_count() > 0).then_some(deleted),
    })
}

/// All columns of the table. Deleted rows have nulls outside the key.
pub fn rows(definition: &Definition, fresh: &[FreshRow]) -> Result<RecordBatch> {
    let keys = key_columns(definition, fresh)?;
    let encoded: Vec<Option<&[u8]>> = fresh.iter().map(|row| row.row.as_deref()).collect();
    let values = row::decode(definition, &encoded)?;
    let mut columns: Vec<Option<ArrayRef>> = vec![None; definition.columns.len()];
    for (number, array) in definition.key_indexes().into_iter().zip(keys) {
        columns[number] = Some(array);
    }
    for (number, array) in definition.value_indexes().into_iter().zip(values) {
        columns[number] = Some(array);
    }
    let columns = columns.into_iter().flatten().collect();
    RecordBatch::try_new(definition.schema(), columns).map_err(|source| Error::Arrow {
        doing: "reading fresh rows",
        source,
    })
}

fn key_columns(definition: &Definition, fresh: &[FreshRow]) -> Result<Vec<ArrayRef>> {
    key::decode(definition, fresh.iter().map(|row| &row.key[..]))
}

/// Rows with the table's columns as fresh rows of their places; of several with one key the last
/// one is kept.
pub fn by_place(
    definition: &Definition,
    rows: &RecordBatch,
    write_time: i64,
    deleted: bool,
) -> Result<Vec<(Place, Vec<FreshRow>)>> {
    let keys = key::encode(definition, rows)?;
    let places = key::place(definition, &keys)?;
    let values = match deleted {
        true => Vec::new(),
        false => row::encode(definition, rows)?,
    };
    let mut found: BTreeMap<Place, BTreeMap<Bytes, FreshRow>> = BTreeMap::new();
    for (i, place) in places.into_iter().enumerate() {
        let key = keys.key(i);
        let row = values.get(i).cloned();
        let fresh = FreshRow {
            key: key.clone(),
            write_time,
            row,
        };
        found.entry(place).or_default().insert(key, fresh);
    }
    let in_order = |rows: BTreeMap<Bytes, FreshRow>| rows.into_values().collect();
    Ok(found
        .into_iter()
        .map(|(place, rows)| (place, in_order(rows)))
        .collect())
}

/// Keys alone as rows of the table, with nulls outside the key.
pub fn keys_as_rows(definition: &Definition, keys: &RecordBatch) -> Result<RecordBatch> {
    let of_key = definition.key_indexes();
    for field in keys.schema().fields() {
        if definition
            .index_of(field.name())
            .is_some_and(|n| !of_key.contains(&n))
        {
            let name = field.name();
            return Err(Error::Invalid(format!(
                "a deletion takes the key alone, and `{name}` is not of the key"
            )));
        }
    }
    conform(definition, keys)
}
