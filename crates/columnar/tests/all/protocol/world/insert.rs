//! An insert: `fresh.rs`, `places.rs`.

use super::{Process, Request, Task, World};
use crate::protocol::cells::{Cells, Generation, Rows};
use crate::protocol::rules::Rules;

/// The number of generations that a row is written to because the one before was frozen meanwhile.
const TRIES: u8 = 2;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Insert {
    rows: Rows,
    at: At,
    tries: u8,
    /// Whether a drop was under way at the same time.
    pub may_be_dropped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum At {
    Begin,
    Open(u8),
    Write(u8),
    Check(u8),
}

impl Insert {
    pub fn of(rows: Rows) -> Task {
        Task::Insert(Insert {
            rows,
            at: At::Begin,
            tries: TRIES,
            may_be_dropped: false,
        })
    }

    pub fn has_begun(&self) -> bool {
        self.at != At::Begin || self.tries != TRIES
    }

    pub fn next(&self, process: &Process, world: &World, rules: &Rules) -> Request {
        match self.at {
            At::Begin if guess(process).is_none() => Request::Read,
            At::Begin | At::Open(_) | At::Write(_) => Request::Write,
            At::Check(generation) if self.relies_on_lease(generation, process, world, rules) => {
                Request::None
            }
            At::Check(_) => Request::Read,
        }
    }

    pub fn step(mut self, process: &mut Process, world: &mut World, at: u8, rules: &Rules) -> Task {
        if !self.has_begun() {
            self.may_be_dropped = world.dropping.is_some();
        }
        let moment = process.moment(world.now);
        self.at = match self.at {
            At::Begin => match guess(process) {
                Some(generation) => self.write(generation, world, at),
                None => {
                    let row = process.read_row(&world.read(at), moment);
                    row.open().map_or(At::Open(row.opened + 1), At::Write)
                }
            },
            At::Open(generation) => {
                let open = process.open(generation);
                world.write(at, &open);
                At::Write(generation)
            }
            At::Write(generation) => self.write(generation, world, at),
            At::Check(generation) => {
                let relies = self.relies_on_lease(generation, process, world, rules);
                let mut is_open = || process.read_row(&world.read(at), moment).open();
                if relies || is_open() == Some(generation) {
                    world.acknowledge(self.rows, self.may_be_dropped);
                    return Task::Done;
                }
                self.tries -= 1;
                if self.tries == 0 {
                    return Task::Failed;
                }
                At::Begin
            }
        };
        Task::Insert(self)
    }

    fn write(&self, generation: u8, world: &mut World, at: u8) -> At {
        let rows = Generation {
            rows: self.rows,
            deleted: false,
        };
        world.write(at, &Cells::default().with_generation(generation, rows));
        At::Check(generation)
    }

    /// Returns whether what was read before is taken for an answer, which only a store with a fault does.
    fn relies_on_lease(
        &self,
        generation: u8,
        process: &Process,
        world: &World,
        rules: &Rules,
    ) -> bool {
        let row = process.row.filter(|row| row.open() == Some(generation));
        !rules.asks_whether_open && row.is_some_and(|row| process.is_leased(&row, world.now, rules))
    }
}

/// Returns the generation that was open when the place was read last. The limit for this guess is longer
/// than any model lasts, and nothing relies on it.
fn guess(process: &Process) -> Option<u8> {
    process.row.and_then(|row| row.open())
}
