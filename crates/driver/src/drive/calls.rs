//! Which operations one worker performs, on which rows.

use std::collections::{BTreeSet, VecDeque};

use bakeoff_workload::{Keys, OperationChooser, RowChooser, Stream};

use super::arrivals::Share;
use super::{Call, Plan};

/// The operations of one worker in their order. All but the rows of [`Keys::Latest`], which follow
/// the inserts that were acknowledged so far, is a pure function of the plan and the worker's
/// place in it.
pub struct Calls {
    seed: u64,
    share: Share,
    /// Operations so far.
    count: u64,
    operations: OperationChooser,
    rows: Vec<OperationRows>,
    /// New rows that this worker took so far.
    new_rows: u64,
    inserts: Option<Inserts>,
    /// Rows below are loaded, and one past the last of this shard's.
    loaded: u64,
    block_end: u64,
    mix_keeps_rows: bool,
}

/// How one operation of the mix chooses rows.
struct OperationRows {
    keys: Keys,
    chooser: RowChooser,
    /// Draws so far.
    drawn: u64,
    batch: u64,
}

impl Calls {
    pub fn new(plan: &Plan, thread: u32) -> Self {
        let mix = &plan.mix;
        let shard = (plan.shard.index, plan.shard.of);
        let rows = mix.operations.iter().map(|operation| OperationRows {
            keys: operation.keys,
            chooser: RowChooser::new(operation.keys, plan.seed, plan.rows, shard)
                .for_thread(thread, plan.threads),
            drawn: 0,
            batch: u64::from(operation.batch.max(1)),
        });
        let asks_for_latest = |keys: Keys| matches!(keys, Keys::Latest { .. });
        let follows_inserts = mix.operations.iter().any(|o| asks_for_latest(o.keys));
        Calls {
            seed: plan.seed,
            share: plan.share(thread),
            count: 0,
            operations: OperationChooser::new(mix),
            rows: rows.collect(),
            new_rows: 0,
            inserts: follows_inserts.then(Inserts::default),
            loaded: plan.rows,
            block_end: plan.shard.rows(plan.rows).end,
            mix_keeps_rows: !mix.may_remove_rows(),
        }
    }

    /// The next operation.
    pub fn next(&mut self) -> Call {
        let number = self.share.number(self.count);
        self.count += 1;
        let mut stream = Stream::new(&[self.seed, number]);
        let operation = self.operations.choose(&mut stream);
        let rows = &mut self.rows[operation];
        if rows.keys == Keys::New {
            let row = rows.chooser.new_row(self.new_rows);
            self.new_rows += rows.batch;
            return Call {
                number,
                operation,
                row,
                row_step: self.share.stride(),
                row_exists: false,
            };
        }
        let newest = self.inserts.as_ref().map_or(0, |inserts| inserts.frontier);
        let row = rows.chooser.choose(&mut stream, rows.drawn, newest);
        rows.drawn += 1;
        // A batch ends with the shard's last row at the latest.
        let row = match rows.batch {
            1 => row,
            batch => row.min(self.block_end.saturating_sub(batch)),
        };
        Call {
            number,
            operation,
            row,
            row_step: 1,
            row_exists: self.mix_keeps_rows && self.is_there(row),
        }
    }

    /// To be called when an operation ended.
    pub fn ended(&mut self, call: &Call, succeeded: bool) {
        let rows = &self.rows[call.operation];
        let Some(inserts) = &mut self.inserts else {
            return;
        };
        if rows.keys == Keys::New {
            let first = count_of(call.row, self.loaded, self.share);
            inserts.ended(first, rows.batch, succeeded);
        }
    }

    fn is_there(&self, row: u64) -> bool {
        match &self.inserts {
            _ if row < self.loaded => true,
            Some(inserts) => inserts.is_there(count_of(row, self.loaded, self.share)),
            None => false,
        }
    }
}

/// How many new rows this worker took before this one.
fn count_of(row: u64, loaded: u64, share: Share) -> u64 {
    (row - loaded) / share.stride()
}

/// The worker's own new rows that are there.
#[derive(Debug, Default)]
struct Inserts {
    /// The inserts of all rows before this one have ended.
    frontier: u64,
    /// Whether the inserts of the rows from the frontier on have ended. As long as the operations
    /// in flight.
    ended: VecDeque<bool>,
    /// Rows whose insert failed, so that they may be there or not.
    uncertain: BTreeSet<u64>,
    /// All rows below are uncertain.
    uncertain_below: u64,
}

/// Failed inserts that are remembered one by one.
const MAX_UNCERTAIN: usize = 10_000;

impl Inserts {
    fn ended(&mut self, first: u64, rows: u64, succeeded: bool) {
        for row in first..first + rows {
            if !succeeded {
                self.uncertain.insert(row);
            }
            let place = (row - self.frontier) as usize;
            if self.ended.len() <= place {
                self.ended.resize(place + 1, false);
            }
            self.ended[place] = true;
        }
        while self.ended.front() == Some(&true) {
            self.ended.pop_front();
            self.frontier += 1;
        }
        while self.uncertain.len() > MAX_UNCERTAIN {
            self.uncertain_below = self.uncertain.pop_first().map_or(0, |row| row + 1);
        }
    }

    fn is_there(&self, row: u64) -> bool {
        row < self.frontier && row >= self.uncertain_below && !self.uncertain.contains(&row)
    }
}

#[cfg(test)]
mod tests;
