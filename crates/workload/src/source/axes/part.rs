//! The rows of a source that belong to a share of its series and of its time.

use std::sync::Arc;

use arrow::array::{Array, AsArray, BooleanArray};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{Int64Type, SchemaRef};
use arrow::record_batch::RecordBatch;

use super::series::SeriesHasher;
use super::{BATCH_ROWS, Cut, Survey, each_batch, numbers};
use crate::source::{RowBatch, RowBatches, RowSource};
use crate::{Error, Result, Table};

/// Rows of another source that belong to a share of its series and to the first part of its time, in
/// their order and renumbered.
pub struct Part {
    inner: Arc<dyn RowSource>,
    table: Table,
    cut: Cut,
    rows: u64,
    /// Which rows of a turn belong to it, where series take turns.
    turn: Option<Turn>,
}

/// Places of the series that are kept, where all series take turns row by row.
#[derive(Debug, Clone)]
struct Turn {
    length: u64,
    kept: Vec<u64>,
}

impl Turn {
    /// Returns the number in the whole source of a row that is kept.
    fn whole(&self, row: u64) -> u64 {
        let kept = self.kept.len().max(1) as u64;
        let place = self.kept.get((row % kept) as usize).copied().unwrap_or(0);
        row / kept * self.length + place
    }
}

impl Part {
    /// Makes the source of one of `series` series and the first of `time` parts of the time of the
    /// rows that were surveyed. Where `rows` is not known, they are counted.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn of(
        inner: Arc<dyn RowSource>,
        table: &Table,
        survey: &Survey,
        shares: (u32, u32),
        rows: Option<u64>,
    ) -> Result<Part> {
        let mut part = Part {
            turn: None,
            cut: survey.cut(shares.0, shares.1),
            table: table.clone(),
            rows: 0,
            inner,
        };
        part.turn = part.taking_turns()?;
        part.rows = match rows {
            Some(rows) => rows,
            None => part.count(survey.rows)?,
        };
        Ok(part)
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    fn taking_turns(&self) -> Result<Option<Turn>> {
        let Some(length) = self.inner.turn() else {
            return Ok(None);
        };
        let mut hasher = SeriesHasher::new(&self.table)?;
        let (mut kept, mut row) = (Vec::new(), 0);
        each_batch(self.inner.as_ref(), length, |batch| {
            for hash in hasher.hashes(batch)? {
                kept.extend((hash <= self.cut.most).then_some(row));
                row += 1;
            }
            Ok(())
        })?;
        Ok(Some(Turn { length, kept }))
    }

    fn count(&self, rows: u64) -> Result<u64> {
        let mut filter = Filter::new(self)?;
        let mut count = 0;
        each_batch(self.inner.as_ref(), rows, |batch| {
            count += filter.kept(batch)?.true_count() as u64;
            Ok(())
        })?;
        Ok(count)
    }
}

impl RowSource for Part {
    fn schema(&self) -> SchemaRef {
        self.inner.schema()
    }

    fn known_rows(&self) -> Option<u64> {
        Some(self.rows)
    }

    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        let batch_rows = batch_rows.max(1);
        let (start, next) = match &self.turn {
            Some(turn) => (turn.whole(from), from),
            None => (0, 0),
        };
        // Few rows are asked for where one is looked up, and then only where a turn leads to it.
        let read_rows = match self.turn {
            Some(_) => batch_rows,
            None => batch_rows.max(BATCH_ROWS),
        };
        Ok(Box::new(Kept {
            batches: self.inner.read(start, read_rows)?,
            filter: Filter::new(self)?,
            waiting: None,
            next,
            from,
            end: self.rows,
            batch_rows,
        }))
    }

    fn may_repeat_keys(&self) -> bool {
        self.inner.may_repeat_keys()
    }

    fn seeks(&self) -> bool {
        self.turn.is_some() && self.inner.seeks()
    }

    fn in_order_of_time_beyond(&self) -> Option<u64> {
        self.inner.in_order_of_time_beyond()
    }
}

/// Says which rows belong to a part.
struct Filter {
    hasher: SeriesHasher,
    time: Option<usize>,
    cut: Cut,
}

impl Filter {
    fn new(part: &Part) -> Result<Filter> {
        Ok(Filter {
            hasher: SeriesHasher::new(&part.table)?,
            time: part.table.time_column(),
            cut: part.cut,
        })
    }

    fn kept(&mut self, batch: &RecordBatch) -> Result<BooleanArray> {
        let hashes = self.hasher.hashes(batch)?;
        let times = self.time.zip(self.cut.until);
        let times = times
            .map(|(index, until)| Ok::<_, Error>((numbers(batch, index)?, until)))
            .transpose()?;
        // A row without a time is in every part of the time.
        let is_early = |row: usize| match &times {
            Some((times, until)) => {
                let times = times.as_primitive::<Int64Type>();
                times.is_null(row) || times.value(row) < *until
            }
            None => true,
        };
        let kept = hashes.iter().enumerate();
        let kept = kept.map(|(row, hash)| Some(*hash <= self.cut.most && is_early(row)));
        Ok(kept.collect())
    }
}

/// The rows of a part from a number on, in batches.
struct Kept {
    batches: RowBatches,
    filter: Filter,
    /// Rows that did not fit into the batch before.
    waiting: Option<RecordBatch>,
    /// Number of the first row that waits or comes next.
    next: u64,
    from: u64,
    end: u64,
    batch_rows: usize,
}

impl Kept {
    fn more(&mut self) -> Result<Option<RecordBatch>> {
        match self.waiting.take() {
            Some(waiting) => Ok(Some(waiting)),
            None => self.filtered(),
        }
    }

    fn filtered(&mut self) -> Result<Option<RecordBatch>> {
        let Some(batch) = self.batches.next().transpose()? else {
            return Ok(None);
        };
        let kept = self.filter.kept(&batch.rows)?;
        filter_record_batch(&batch.rows, &kept)
            .map(Some)
            .map_err(|error| {
                Error::Usage(format!("cannot choose rows of a smaller table: {error}"))
            })
    }

    /// Leaves out what comes before the first row that was asked for or after the last one.
    fn within(&mut self, rows: RecordBatch) -> Option<RowBatch> {
        let skipped = self.from.saturating_sub(self.next);
        let skipped = skipped.min(rows.num_rows() as u64) as usize;
        self.next += skipped as u64;
        let left = self.end.saturating_sub(self.next);
        let length = (rows.num_rows() - skipped).min(self.batch_rows);
        let length = (length as u64).min(left) as usize;
        let rest = rows.num_rows() - skipped - length;
        self.waiting = (rest > 0).then(|| rows.slice(skipped + length, rest));
        let first_row = self.next;
        self.next += length as u64;
        (length > 0).then(|| RowBatch {
            first_row,
            rows: rows.slice(skipped, length),
        })
    }
}

impl Iterator for Kept {
    type Item = Result<RowBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.next < self.end {
            match self.more() {
                Ok(Some(rows)) => {
                    if let Some(batch) = self.within(rows) {
                        return Some(Ok(batch));
                    }
                }
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
        None
    }
}
