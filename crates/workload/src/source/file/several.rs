//! Several files with types as one source of rows.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;

use crate::Result;
use crate::source::{RowBatches, RowSource};

/// Sources of one table that know their rows, which follow each other.
pub struct Several {
    files: Arc<[Box<dyn RowSource>]>,
    /// Rows up to the end of each.
    ends: Vec<u64>,
}

impl Several {
    pub fn new(files: Vec<Box<dyn RowSource>>) -> Several {
        let mut end: u64 = 0;
        let ends = files.iter().map(|file| {
            end = end.saturating_add(file.known_rows().unwrap_or(0));
            end
        });
        Several {
            ends: ends.collect(),
            files: files.into(),
        }
    }
}

impl RowSource for Several {
    fn schema(&self) -> SchemaRef {
        self.files[0].schema()
    }

    fn known_rows(&self) -> Option<u64> {
        self.ends.last().copied()
    }

    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        let files = self.files.clone();
        let ends = self.ends.clone();
        let mut number = ends.partition_point(|end| *end <= from);
        let mut open: Option<RowBatches> = None;
        let mut has_failed = false;
        Ok(Box::new(std::iter::from_fn(move || {
            while !has_failed && number < files.len() {
                let before = number.checked_sub(1).map_or(0, |before| ends[before]);
                if open.is_none() {
                    match files[number].read(from.saturating_sub(before), batch_rows) {
                        Ok(batches) => open = Some(batches),
                        Err(error) => {
                            has_failed = true;
                            return Some(Err(error));
                        }
                    }
                }
                match open.as_mut().and_then(|batches| batches.next()) {
                    Some(Ok(mut batch)) => {
                        batch.first_row += before;
                        return Some(Ok(batch));
                    }
                    Some(Err(error)) => {
                        has_failed = true;
                        return Some(Err(error));
                    }
                    None => {
                        open = None;
                        number += 1;
                    }
                }
            }
            None
        })))
    }

    fn may_repeat_keys(&self) -> bool {
        true
    }

    fn seeks(&self) -> bool {
        self.files.iter().all(|file| file.seeks())
    }
}
