//! Converting fresh rows to Arrow arrays, and back.

use std::collections::{BTreeMap, HashMap};

use arrow::array::{ArrayRef, BooleanArray, Int64Array, RecordBatch};
use bytes::Bytes;

use super::conform::conform;
use super::merge::{Versions, WriteTimes};
use crate::definition::Definition;
use crate::id::Place;
use crate::store::FreshRow;
use crate::{Error, Result, key, row};

/// Returns the versions that fresh rows are. The rows are in order of their keys.
pub fn versions(fresh: &[FreshRow]) -> Versions {
    let times: Int64Array = fresh.iter().map(|row| row.write_time).collect();
    let deleted: BooleanArray = fresh.iter().map(|row| Some(row.row.is_none())).collect();
    Versions {
        keys: fresh.iter().map(|row| &row.key[..]).collect(),
        write_times: WriteTimes::Each(times),
        deleted: (deleted.true_count() > 0).then_some(deleted),
    }
}

/// Decodes columns of the table, given by their numbers, in the order of `wanted`. Deleted rows have
/// nulls outside of the key.
pub fn columns(
    definition: &Definition,
    fresh: &[FreshRow],
    wanted: &[usize],
) -> Result<Vec<ArrayRef>> {
    let of_key = definition.key_indexes();
    let of_values: Vec<usize> = definition.value_indexes();
    let mut found: HashMap<usize, ArrayRef> = HashMap::new();
    if wanted.iter().any(|number| of_key.contains(number)) {
        let keys = key::decode(definition, fresh.iter().map(|row| &row.key[..]))?;
        found.extend(of_key.into_iter().zip(keys));
    }
    let wanted_values: Vec<usize> = of_values
        .into_iter()
        .filter(|number| wanted.contains(number))
        .collect();
    if !wanted_values.is_empty() {
        let encoded: Vec<Option<&[u8]>> = fresh.iter().map(|row| row.row.as_deref()).collect();
        let values = row::decode_columns(definition, &wanted_values, &encoded)?;
        found.extend(wanted_values.into_iter().zip(values));
    }
    let column = |number: &usize| {
        let unknown = || Error::Invalid(format!("the table has no column number {number}"));
        found.get(number).cloned().ok_or_else(unknown)
    };
    wanted.iter().map(column).collect()
}

/// Converts rows with the table's columns to fresh rows of their places. Of several rows with the same
/// key the last one is kept.
pub fn by_place(
    definition: &Definition,
    rows: &RecordBatch,
    write_time: i64,
    deleted: bool,
) -> Result<Vec<(Place, Vec<FreshRow>)>> {
    let keys = key::encode(definition, rows)?;
    let places = key::place(definition, &keys)?;
    let values = if deleted {
        Vec::new()
    } else {
        row::encode(definition, rows)?
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

/// Converts keys to rows of the table that have nulls outside of the key.
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
