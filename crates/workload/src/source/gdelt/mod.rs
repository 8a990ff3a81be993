//! Generator of events in the shape of GDELT 1.0, the table of study S1: 57 columns with the
//! cardinalities, skew, emptiness and repetition of real rows, so that they compress alike.
//! `docs/gdelt-generator.md` shows how close they are.

mod actors;
mod calendar;
mod chance;
mod codes;
mod event;
mod locations;
mod names;
mod records;
mod table;

use std::iter;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;

use self::event::{ROWS_OF_A_STORY, WORLD};
use super::{RowBatch, RowBatches, RowSource};
use crate::{Error, Result};

pub use table::table;

/// An endless table of events. Row *i* has event id *i* + 1; its month is such that every stretch
/// of rows has all 72 months from 1979-01 in proportion to their real sizes.
pub struct Gdelt {
    seed: u64,
    schema: SchemaRef,
}

impl Gdelt {
    pub fn new(seed: u64) -> Self {
        Gdelt {
            seed,
            schema: table().schema(),
        }
    }
}

impl RowSource for Gdelt {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn known_rows(&self) -> Option<u64> {
        None
    }

    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        let (seed, schema) = (self.seed, self.schema.clone());
        let batch_rows = batch_rows.max(1);
        let next = move |row: &u64| Some(row.wrapping_add(batch_rows as u64));
        Ok(Box::new(iter::successors(Some(from), next).map(
            move |first_row| {
                let rows = batch(seed, first_row, batch_rows, &schema)?;
                Ok(RowBatch { first_row, rows })
            },
        )))
    }

    fn may_repeat_keys(&self) -> bool {
        false
    }
}

fn batch(seed: u64, first_row: u64, rows: usize, schema: &SchemaRef) -> Result<RecordBatch> {
    let world = &*WORLD;
    let mut number = first_row / ROWS_OF_A_STORY;
    let mut story = world.story(seed, number);
    let mut events = Vec::with_capacity(rows);
    for row in (0..rows as u64).map(|index| first_row.wrapping_add(index)) {
        if row / ROWS_OF_A_STORY != number {
            number = row / ROWS_OF_A_STORY;
            story = world.story(seed, number);
        }
        events.push(world.event(seed, row, &story));
    }
    RecordBatch::try_new(schema.clone(), table::columns(&events))
        .map_err(|error| Error::Usage(format!("cannot build events from row {first_row}: {error}")))
}

#[cfg(test)]
mod tests;
