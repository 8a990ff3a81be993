//! A seal and an ingest, both of which end with a commit: `fresh.rs`, `chunks.rs`, `commit.rs`, `version.rs`.
//!
//! Left out is that a seal lists the place, as an ingest does: a seal and a drop at the same time may bring
//! rows back, as the documentation says.

use super::{Moment, Process, Request, Task, World, each};
use crate::protocol::cells::{Cells, Chunks, Entry, Rows, Time};
use crate::protocol::rules::Rules;

/// The number of times that a version is written because the one before took too long.
const VERSIONS_AT_MOST: u8 = 2;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Commit {
    /// Whether it seals, or loads rows.
    is_seal: bool,
    at: At,
    /// The chunk that it makes, and the chunks that this one replaces.
    chunk: usize,
    retire: Chunks,
    /// The frozen generations, first and last, and the rows of the chunk.
    frozen: (u8, u8),
    rows: Rows,
    /// When the chunk was renewed.
    renewed: Moment,
    /// When the timestamp of the version was chosen, and how many versions were written.
    began: Moment,
    versions: u8,
    /// Whether a drop was under way at the same time.
    pub may_be_dropped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum At {
    Freeze,
    Close,
    /// Until this moment of the steady clock.
    Wait(Time),
    ReadFresh,
    NoteEmpty,
    ReadIndex,
    ReadBlobs,
    Name,
    List,
    Open(u8),
    Put,
    Renew,
    Look,
    ReadVersion,
    /// With a version of this timestamp.
    Batch(Time),
    Retire,
    PutVersion(Time),
    ReadRow,
    Delete(u8),
    NoteSealed,
}

impl Commit {
    /// A seal that writes all rows as this chunk.
    pub fn seal(chunk: usize) -> Task {
        Task::Commit(Commit::new(chunk, At::Freeze, 0))
    }

    /// An ingest of rows as this chunk.
    pub fn load(chunk: usize, rows: Rows) -> Task {
        Task::Commit(Commit::new(chunk, At::Name, rows))
    }

    fn new(chunk: usize, at: At, rows: Rows) -> Commit {
        let zero = Moment { steady: 0, wall: 0 };
        Commit {
            is_seal: at == At::Freeze,
            at,
            chunk,
            retire: 0,
            frozen: (1, 0),
            rows,
            renewed: zero,
            began: zero,
            versions: 0,
            may_be_dropped: false,
        }
    }

    pub fn is_seal(&self) -> bool {
        self.is_seal
    }

    pub fn has_begun(&self) -> bool {
        !matches!(self.at, At::Freeze | At::Name)
    }

    pub fn next(&self, process: &Process, world: &World, rules: &Rules) -> Option<Request> {
        Some(match self.at {
            At::Wait(until) if process.moment(world.now).steady < until => return None,
            At::List if leased(process, world, rules) => Request::None,
            At::Wait(_) | At::Name => Request::None,
            At::Freeze | At::ReadFresh | At::ReadIndex | At::ReadBlobs | At::List => Request::Read,
            At::Look | At::ReadVersion | At::ReadRow => Request::Read,
            At::Close | At::NoteEmpty | At::Open(_) | At::Put | At::Renew => Request::Write,
            At::Batch(_) | At::Retire | At::PutVersion(_) => Request::Write,
            At::Delete(_) | At::NoteSealed => Request::Write,
        })
    }

    pub fn step(mut self, process: &mut Process, world: &mut World, at: u8, rules: &Rules) -> Task {
        if !self.has_begun() {
            self.may_be_dropped = world.dropping.is_some();
        }
        let next = match self.at {
            At::Freeze | At::Close | At::Wait(_) | At::ReadFresh | At::NoteEmpty => {
                Ok(self.freeze(process, world, at, rules))
            }
            At::ReadIndex | At::ReadBlobs | At::Name | At::List | At::Open(_) | At::Put => {
                self.put(process, world, at, rules)
            }
            At::Renew | At::Look => self.renew(process, world, at, rules),
            At::ReadVersion | At::Batch(_) | At::Retire | At::PutVersion(_) => {
                self.commit(process, world, at, rules)
            }
            At::ReadRow | At::Delete(_) | At::NoteSealed => self.remove_sealed(process, world, at),
        };
        match next {
            Ok(next) => Task::Commit(Commit { at: next, ..self }),
            Err(end) => end,
        }
    }

    fn freeze(&mut self, process: &mut Process, world: &mut World, at: u8, rules: &Rules) -> At {
        let moment = process.moment(world.now);
        let (_, last) = self.frozen;
        match self.at {
            At::Freeze => {
                let row = process.read_row(&world.read(at), moment);
                self.frozen = row.generations();
                if self.frozen.0 > self.frozen.1 {
                    At::ReadIndex
                } else {
                    At::Close
                }
            }
            At::Close => {
                let close = Cells {
                    closed: last,
                    ..Cells::default()
                };
                world.write(at, &close);
                At::Wait(moment.steady + rules.freeze_wait)
            }
            At::ReadFresh => {
                self.rows = world.read(at).fresh(self.frozen.0, last);
                if self.rows == 0 {
                    At::NoteEmpty
                } else {
                    At::ReadIndex
                }
            }
            At::NoteEmpty => {
                world.write(at, &sealed(last));
                At::ReadIndex
            }
            _ => At::ReadFresh,
        }
    }

    fn put(
        &mut self,
        process: &mut Process,
        world: &mut World,
        at: u8,
        rules: &Rules,
    ) -> Result<At, Task> {
        let moment = process.moment(world.now);
        let now = process.now(world.now, rules);
        Ok(match self.at {
            At::ReadIndex => {
                self.retire = world.valid(&world.read(at));
                if self.rows == 0 && self.retire.count_ones() < 2 {
                    return Err(Task::Done);
                }
                At::ReadBlobs
            }
            At::ReadBlobs => {
                let cells = world.read(at);
                if each(self.retire).any(|chunk| world.entry(&cells, chunk).put == 0) {
                    return Err(Task::Failed);
                }
                self.rows |= world.rows_of(self.retire);
                world.chunks[self.chunk] = (now, self.rows);
                At::Put
            }
            At::Name => {
                world.chunks[self.chunk] = (now, self.rows);
                if rules.anything_is_removed {
                    At::List
                } else {
                    At::Put
                }
            }
            At::List => {
                let row = if leased(process, world, rules) {
                    process.row
                } else {
                    Some(process.read_row(&world.read(at), moment))
                };
                let dropped = row.filter(|row| row.is_dropped());
                dropped.map_or(self.listed(world), |row| At::Open(row.opened + 1))
            }
            At::Open(generation) => {
                let open = process.open(generation);
                world.write(at, &open);
                self.listed(world)
            }
            _ => {
                let put = Entry {
                    put: now,
                    ..Entry::default()
                };
                world.write(at, &Cells::default().with_entry(self.chunk, put));
                match (rules.renews && rules.anything_is_removed, self.is_seal) {
                    (false, _) => At::ReadVersion,
                    (true, true) => At::Renew,
                    (true, false) => At::List,
                }
            }
        })
    }

    /// Returns what comes after the place was listed: the chunk is put, or was put before.
    fn listed(&self, world: &World) -> At {
        let everywhere = world.read(u8::MAX);
        if everywhere.entries[self.chunk].put == 0 {
            At::Put
        } else {
            At::Renew
        }
    }

    fn renew(
        &mut self,
        process: &Process,
        world: &mut World,
        at: u8,
        rules: &Rules,
    ) -> Result<At, Task> {
        if self.at == At::Renew {
            self.renewed = process.moment(world.now);
            let renewed = Entry {
                renewed: process.now(world.now, rules),
                ..Entry::default()
            };
            world.write(at, &Cells::default().with_entry(self.chunk, renewed));
            return Ok(At::Look);
        }
        let entry = world.entry(&world.read(at), self.chunk);
        if entry.can_be_committed() {
            Ok(At::ReadVersion)
        } else {
            Err(Task::Failed)
        }
    }

    fn commit(
        &mut self,
        process: &mut Process,
        world: &mut World,
        at: u8,
        rules: &Rules,
    ) -> Result<At, Task> {
        let moment = process.moment(world.now);
        let now = process.now(world.now, rules);
        let version = |timestamp, versions: u8| Cells {
            version: (timestamp, 1 + 8 * self.chunk as u8 + versions),
            ..Cells::default()
        };
        match self.at {
            At::ReadVersion => {
                self.began = moment;
                let found = world.read(at).version();
                let after = found.map_or(moment.wall, |(time, _)| moment.wall.max(time + 1));
                return Ok(if self.versions == 0 {
                    At::Batch(after)
                } else {
                    At::PutVersion(after)
                });
            }
            At::Batch(timestamp) => {
                let since_renewed = process.elapsed(self.renewed, world.now, rules);
                let has_renewed = rules.renews && rules.anything_is_removed;
                if has_renewed && since_renewed > rules.commits_within {
                    return Err(Task::Failed);
                }
                let mut batch = version(timestamp, 0);
                batch.entries[self.chunk].committed = now;
                if rules.one_batch {
                    self.retire_in(&mut batch, now);
                }
                world.write(at, &batch);
                if !rules.one_batch {
                    return Ok(At::Retire);
                }
            }
            At::Retire => {
                let mut batch = Cells::default();
                self.retire_in(&mut batch, now);
                world.write(at, &batch);
            }
            At::PutVersion(timestamp) => world.write(at, &version(timestamp, self.versions)),
            _ => {}
        }
        if process.elapsed(self.began, world.now, rules) > rules.applied_within {
            self.versions += 1;
            return if self.versions > VERSIONS_AT_MOST {
                Err(Task::Failed)
            } else {
                Ok(At::ReadVersion)
            };
        }
        if self.is_seal {
            return Ok(At::ReadRow);
        }
        world.acknowledge(self.rows, self.may_be_dropped);
        Err(Task::Done)
    }

    fn retire_in(&self, batch: &mut Cells, now: Time) {
        each(self.retire).for_each(|chunk| batch.entries[chunk].retired = now);
    }

    fn remove_sealed(
        &mut self,
        process: &mut Process,
        world: &mut World,
        at: u8,
    ) -> Result<At, Task> {
        let (_, last) = self.frozen;
        let generation = match self.at {
            At::ReadRow => {
                let row = process.read_row(&world.read(at), process.moment(world.now));
                if last > row.closed {
                    return Err(Task::Failed);
                }
                row.sealed + 1
            }
            At::Delete(generation) => {
                world.delete_generation(at, generation);
                generation + 1
            }
            _ => {
                world.write(at, &sealed(last));
                return Err(Task::Done);
            }
        };
        Ok(if generation <= last {
            At::Delete(generation)
        } else {
            At::NoteSealed
        })
    }
}

fn leased(process: &Process, world: &World, rules: &Rules) -> bool {
    let row = process.row;
    row.is_some_and(|row| process.is_leased(&row, world.now, rules))
}

/// Returns the write that notes up to which generation fresh rows are no longer read.
pub fn sealed(last: u8) -> Cells {
    Cells {
        sealed: last,
        ..Cells::default()
    }
}
