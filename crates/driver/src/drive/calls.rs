//! Which operations one worker performs, on which rows.

use bakeoff_workload::{Keys, OperationChooser, RowChooser, Stream};

use super::arrivals::Share;
use super::new_rows::{AcknowledgedRows, NewRows};
use super::{Call, Plan};

/// The operations of one worker in their order. All but the rows of [`Keys::Latest`], which follow
/// the inserts that were acknowledged so far, is a pure function of the plan and the worker's
/// place in it.
pub struct Calls {
    seed: u64,
    first_number: u64,
    share: Share,
    /// Operations so far.
    count: u64,
    operations: OperationChooser,
    rows: Vec<OperationRows>,
    /// New rows that this worker took so far, those of earlier loads included.
    new_rows: u64,
    inserts: Option<AcknowledgedRows>,
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
        let drawn = first_draw(plan);
        let rows = mix.operations.iter().map(|operation| OperationRows {
            keys: operation.keys,
            chooser: RowChooser::new(operation.keys, plan.seed, plan.rows, shard)
                .for_thread(thread, plan.threads),
            drawn,
            batch: u64::from(operation.batch.max(1)),
        });
        let asks_for_latest = |keys: Keys| matches!(keys, Keys::Latest { .. });
        let follows_inserts = mix.operations.iter().any(|o| asks_for_latest(o.keys));
        let earlier = plan.new_rows.get(thread as usize);
        let earlier = earlier.cloned().unwrap_or_default();
        Calls {
            seed: plan.seed,
            first_number: plan.first_number(),
            share: plan.share(thread),
            count: 0,
            operations: OperationChooser::new(mix),
            rows: rows.collect(),
            new_rows: earlier.taken,
            inserts: follows_inserts.then_some(earlier.inserts),
            loaded: plan.rows,
            block_end: plan.shard.rows(plan.rows).end,
            mix_keeps_rows: !mix.may_remove_rows(),
        }
    }

    /// The next operation.
    pub fn next(&mut self) -> Call {
        let number = self.first_number + self.share.number(self.count);
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
        let drawn = rows.drawn;
        rows.drawn += 1;
        let row = self.row(operation, &mut stream, drawn);
        Call {
            number,
            operation,
            row,
            row_step: 1,
            row_exists: self.mix_keeps_rows && self.is_there(row),
        }
    }

    /// Whether the row of this operation is one of the latest when it is sent, so that it has to be
    /// drawn as late as that.
    pub fn wants_latest(&self, call: &Call) -> bool {
        matches!(self.rows[call.operation].keys, Keys::Latest { .. })
    }

    /// Draws the row anew, from those that are there now.
    pub fn draw_latest(&self, call: &mut Call) {
        let mut stream = Stream::new(&[self.seed, call.number]);
        let operation = self.operations.choose(&mut stream);
        call.row = self.row(operation, &mut stream, 0);
        call.row_exists = self.mix_keeps_rows && self.is_there(call.row);
    }

    fn row(&self, operation: usize, stream: &mut Stream, drawn: u64) -> u64 {
        let rows = &self.rows[operation];
        let newest = self.inserts.as_ref().map_or(0, |inserts| inserts.frontier);
        let row = rows.chooser.choose(stream, drawn, newest);
        // A batch ends with the shard's last row at the latest.
        match rows.batch {
            1 => row,
            batch => row.min(self.block_end.saturating_sub(batch)),
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

    /// For the next load on the same table, when no operation is under way any more.
    pub fn into_new_rows(self) -> NewRows {
        let taken = self.new_rows;
        let closed = self.inserts.map(|inserts| inserts.close(taken));
        NewRows {
            taken,
            inserts: closed.unwrap_or_default(),
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

/// How many rows count as drawn before the first one. Operations in sequence begin at the first row
/// in a first load, and in later ones at a place of their own, which all threads have in common.
fn first_draw(plan: &Plan) -> u64 {
    let own = plan.shard.rows(plan.rows);
    let rows = (own.end - own.start).max(1);
    match plan.ordinal {
        0 => 0,
        _ => Stream::new(&[plan.seed, plan.first_number()]).below(rows),
    }
}

/// How many new rows this worker took before this one.
fn count_of(row: u64, loaded: u64, share: Share) -> u64 {
    (row - loaded) / share.stride()
}

#[cfg(test)]
mod tests;
