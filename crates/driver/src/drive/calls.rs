//! Choice of the operations that one worker performs, and of their rows.

use bakeoff_workload::{Keys, OperationChooser, RowChooser, Stream};

use super::arrivals::Share;
use super::new_rows::{AcknowledgedRows, NewRows};
use super::{Call, Pass, Plan};

/// Operations of one worker in their order. They are a pure function of the plan and of the worker's
/// share in it, except for the rows of [`Keys::Latest`], which depend on the inserts that have been
/// acknowledged so far.
pub struct Calls {
    seed: u64,
    /// Number of the load's first operation.
    first_number: u64,
    share: Share,
    /// Number of operations chosen so far.
    count: u64,
    operations: OperationChooser,
    /// Rows of each operation of the mix, in the mix's order.
    rows: Vec<OperationRows>,
    /// Number of new rows that this worker has taken so far, including those of earlier loads.
    new_rows: u64,
    /// New rows of this worker that exist; `None` if no operation reads the latest rows.
    inserts: Option<AcknowledgedRows>,
    /// Number of loaded rows; all rows below it exist.
    loaded: u64,
    /// Number after that of the last loaded row of this shard.
    block_end: u64,
    mix_keeps_rows: bool,
    /// The pass that the load is; `None` for a load with all operations of the mix.
    pass: Option<Pass>,
    /// Number of operations of all workers after which the load ends; `None` if it ends after a time.
    most: Option<u64>,
}

/// State with which one operation of the mix chooses its rows.
struct OperationRows {
    keys: Keys,
    chooser: RowChooser,
    /// Number of rows drawn so far.
    drawn: u64,
    /// Number of rows that one operation writes.
    batch: u64,
}

impl Calls {
    /// Prepares the operations of a thread, after those of the loads before.
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
        let follows_inserts = mix.operations.iter().any(|o| is_latest(o.keys));
        let earlier = plan
            .new_rows
            .get(thread as usize)
            .cloned()
            .unwrap_or_default();
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
            pass: plan.schedule.pass(),
            most: plan.schedule.operations(),
        }
    }

    /// Returns whether there is no operation left for this worker, in a pass or in a load of so many operations.
    /// Other loads have no last one.
    pub fn are_over(&self) -> bool {
        match (self.pass, self.most) {
            (Some(pass), _) => self.first_row_of_pass(pass) >= pass.rows,
            (None, Some(most)) => self.share.number(self.count) >= most,
            (None, None) => false,
        }
    }

    /// Returns the first row of this worker's next operation of a pass: workers take turns, as with new
    /// rows.
    fn first_row_of_pass(&self, pass: Pass) -> u64 {
        self.share.number(self.count) * self.rows[pass.operation].batch
    }

    /// Chooses the next operation with its row. It must not be called when they are over.
    pub fn next(&mut self) -> Call {
        let number = self.first_number + self.share.number(self.count);
        if let Some(pass) = self.pass {
            let row = self.first_row_of_pass(pass);
            self.count += 1;
            return Call {
                number,
                operation: pass.operation,
                row,
                row_step: 1,
                row_exists: self.mix_keeps_rows && self.exists(row),
            };
        }
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
            row_exists: self.mix_keeps_rows && self.exists(row),
        }
    }

    /// Returns whether an operation reads one of the latest rows at the moment when it is sent, so that
    /// its row cannot be drawn earlier.
    pub fn wants_latest(&self, call: &Call) -> bool {
        self.pass.is_none() && is_latest(self.rows[call.operation].keys)
    }

    /// Draws the row again, from those that exist now.
    pub fn draw_latest(&self, call: &mut Call) {
        let mut stream = Stream::new(&[self.seed, call.number]);
        let operation = self.operations.choose(&mut stream);
        call.row = self.row(operation, &mut stream, 0);
        call.row_exists = self.mix_keeps_rows && self.exists(call.row);
    }

    fn row(&self, operation: usize, stream: &mut Stream, drawn: u64) -> u64 {
        let rows = &self.rows[operation];
        let newest = self.inserts.as_ref().map_or(0, |inserts| inserts.frontier);
        let row = rows.chooser.choose(stream, drawn, newest);
        if rows.batch == 1 {
            return row;
        }
        // A batch must not extend beyond the shard's last row.
        row.min(self.block_end.saturating_sub(rows.batch))
    }

    /// Notes that an operation has ended.
    pub fn ended(&mut self, call: &Call, succeeded: bool) {
        let rows = &self.rows[call.operation];
        let Some(inserts) = &mut self.inserts else {
            return;
        };
        // A pass writes rows that count as loaded.
        if rows.keys == Keys::New && self.pass.is_none() {
            let first = new_row_index(call.row, self.loaded, self.share);
            inserts.ended(first, rows.batch, succeeded);
        }
    }

    /// Returns the new rows for the next load on the same table. No operation may be in flight any more.
    pub fn into_new_rows(self) -> NewRows {
        let taken = self.new_rows;
        let closed = self.inserts.map(|inserts| inserts.close(taken));
        NewRows {
            taken,
            inserts: closed.unwrap_or_default(),
        }
    }

    /// Returns whether a row is certain to exist.
    fn exists(&self, row: u64) -> bool {
        if row < self.loaded {
            return true;
        }
        let index = new_row_index(row, self.loaded, self.share);
        self.inserts
            .as_ref()
            .is_some_and(|inserts| inserts.contains(index))
    }
}

fn is_latest(keys: Keys) -> bool {
    matches!(keys, Keys::Latest { .. })
}

/// Returns the number of rows that count as drawn before the load begins. Operations in sequence begin at
/// the first row in the first load. Each later load begins elsewhere, at the same row in all threads.
fn first_draw(plan: &Plan) -> u64 {
    if plan.ordinal == 0 {
        return 0;
    }
    let own = plan.shard.rows(plan.rows);
    let rows = (own.end - own.start).max(1);
    Stream::new(&[plan.seed, plan.first_number()]).below(rows)
}

/// Returns the number of new rows that this worker took before this one.
fn new_row_index(row: u64, loaded: u64, share: Share) -> u64 {
    (row - loaded) / share.stride()
}

#[cfg(test)]
mod tests;
