//! A sweep and a drop: `sweep.rs`.

use super::commit::sealed;
use super::{Process, Request, Task, World, each};
use crate::protocol::cells::{CHUNKS, Cells, Chunks, Entry, Time};
use crate::protocol::rules::Rules;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sweep {
    ReadRow,
    ReadStates,
    /// Marks the pending chunks, beside the retired ones.
    Abandon(Chunks, Chunks),
    LookAgain(Chunks, Chunks),
    Delete(Chunks),
}

impl Sweep {
    /// A sweep of the place.
    pub fn begin() -> Task {
        Task::Sweep(Sweep::ReadRow)
    }

    pub fn next(&self) -> Request {
        match self {
            Sweep::ReadRow | Sweep::ReadStates | Sweep::LookAgain(..) => Request::Read,
            Sweep::Abandon(..) | Sweep::Delete(_) => Request::Write,
        }
    }

    pub fn step(self, process: &mut Process, world: &mut World, at: u8, rules: &Rules) -> Task {
        let now = process.moment(world.now).wall;
        let cells = world.read(at);
        Task::Sweep(match self {
            Sweep::ReadRow => {
                let row = process.read_row(&cells, process.moment(world.now));
                if row.is_dropped() {
                    return unfinished_drop(row.dropped, row.generations());
                }
                Sweep::ReadStates
            }
            Sweep::ReadStates => {
                let is_retired =
                    |entry: &Entry| entry.retired != 0 && entry.retired <= now - rules.grace;
                let retired = those(world, &cells, is_retired);
                let pending = those(world, &cells, |entry| is_given_up(entry, now, rules));
                match (retired, pending) {
                    (0, 0) => return Task::Done,
                    (retired, 0) => Sweep::Delete(retired),
                    (retired, pending) => Sweep::Abandon(retired, pending),
                }
            }
            Sweep::Abandon(retired, pending) => {
                let mut mark = Cells::default();
                each(pending).for_each(|chunk| mark.entries[chunk].abandoned = now);
                world.write(at, &mark);
                if rules.looks_again {
                    Sweep::LookAgain(retired, pending)
                } else {
                    Sweep::Delete(retired | pending)
                }
            }
            Sweep::LookAgain(retired, pending) => {
                let still = pending & those(world, &cells, |entry| is_given_up(entry, now, rules));
                if retired | still == 0 {
                    return Task::Done;
                }
                Sweep::Delete(retired | still)
            }
            Sweep::Delete(chunks) => {
                let mut delete = Cells::default();
                each(chunks).for_each(|chunk| delete.entries[chunk].deleted = true);
                world.write(at, &delete);
                return Task::Done;
            }
        })
    }
}

/// Returns the chunks whose entries are like this.
fn those(world: &World, cells: &Cells, is_it: impl Fn(&Entry) -> bool) -> Chunks {
    let all = (0..CHUNKS).filter(|chunk| {
        let entry = world.entry(cells, *chunk);
        entry != Entry::default() && is_it(&entry)
    });
    all.fold(0, |chunks, chunk| chunks | 1 << chunk)
}

fn is_given_up(entry: &Entry, now: Time, rules: &Rules) -> bool {
    let holds = rules.grace.max(rules.renewal_holds);
    let is_renewed = entry.renewed != 0 && entry.renewed > now - holds;
    entry.is_pending() && entry.put <= now - rules.grace && !is_renewed
}

/// A drop, or the rest of one that was interrupted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DropPlace {
    at: At,
    /// The first and the last generation that are deleted.
    generations: (u8, u8),
    /// Whether this process has begun the drop.
    is_whole: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum At {
    ReadRow,
    Unlist,
    /// Until this moment of the steady clock.
    Wait(Time),
    /// Up to this timestamp, or the present moment.
    DeleteIndex(Option<Time>),
    Delete(u8),
    NoteSealed,
}

/// Returns the rest of a drop that began at this moment.
fn unfinished_drop(dropped: Time, generations: (u8, u8)) -> Task {
    if generations.0 > generations.1 {
        return Task::Done;
    }
    Task::Drop(DropPlace {
        at: At::DeleteIndex(Some(dropped)),
        generations,
        is_whole: false,
    })
}

impl DropPlace {
    /// A drop of the place.
    pub fn begin() -> Task {
        Task::Drop(DropPlace {
            at: At::ReadRow,
            generations: (1, 0),
            is_whole: true,
        })
    }

    pub fn next(&self, process: &Process, world: &World) -> Option<Request> {
        match self.at {
            At::Wait(until) if process.moment(world.now).steady < until => None,
            At::Wait(_) => Some(Request::None),
            At::ReadRow => Some(Request::Read),
            _ => Some(Request::Write),
        }
    }

    pub fn step(mut self, process: &mut Process, world: &mut World, at: u8, rules: &Rules) -> Task {
        let moment = process.moment(world.now);
        let (first, last) = self.generations;
        self.at = match self.at {
            At::ReadRow => {
                let row = process.read_row(&world.read(at), moment);
                if row.is_dropped() {
                    return unfinished_drop(row.dropped, row.generations());
                }
                self.generations = (row.sealed + 1, row.opened + 1);
                At::Unlist
            }
            At::Unlist => {
                world.begin_drop();
                let unlist = Cells {
                    opened: last,
                    closed: last,
                    dropped: (last, moment.wall),
                    ..Cells::default()
                };
                world.write(at, &unlist);
                At::Wait(moment.steady + rules.freeze_wait)
            }
            At::Wait(_) => At::DeleteIndex(None),
            At::DeleteIndex(timestamp) => {
                let delete = Cells {
                    index_deleted: timestamp.unwrap_or(moment.wall),
                    ..Cells::default()
                };
                world.write(at, &delete);
                self.after(first)
            }
            At::Delete(generation) => {
                world.delete_generation(at, generation);
                self.after(generation + 1)
            }
            At::NoteSealed => {
                world.write(at, &sealed(last));
                let began_it = |task: &Task| matches!(task, Task::Drop(drop) if drop.is_whole);
                let is_alive = world.processes.iter().any(|other| began_it(&other.task));
                if self.is_whole || !is_alive {
                    world.end_drop();
                }
                return Task::Done;
            }
        };
        Task::Drop(self)
    }

    fn after(&self, generation: u8) -> At {
        if generation <= self.generations.1 {
            At::Delete(generation)
        } else {
            At::NoteSealed
        }
    }
}
