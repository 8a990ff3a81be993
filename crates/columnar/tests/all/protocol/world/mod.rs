//! The state of the model: replicas, clocks, and processes with what they remember.

pub mod commit;
pub mod insert;
pub mod read;
pub mod removal;

use self::commit::Commit;
use self::insert::Insert;
use self::read::Read;
use self::removal::{DropPlace, Sweep};
use super::cells::{CHUNKS, Cells, Chunks, Entry, Generation, Rows, Time};
use super::rules::Rules;

/// The moment at which a model begins. Moments of states are never 0.
pub const START: Time = 20;

/// A moment that is longer ago than any lease lasts.
const LONG_AGO: Moment = Moment {
    steady: -50,
    wall: -50,
};

/// What must never happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// An acknowledged row is on no replica any more, or in nothing that is read.
    Lost,
    /// A read that began later does not show an acknowledged row.
    Unseen,
    /// A read shows a row in two chunks, although only one process seals.
    Twice,
    /// A read shows a row that was dropped before it began.
    Back,
    /// A read finds a chunk gone that it may still rely on.
    Swept,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World {
    pub now: Time,
    pub replicas: Vec<Cells>,
    /// Writes whose processes have died, and the replicas that they may still come to.
    pub late: Vec<(Cells, usize)>,
    /// When each chunk was named, by its maker's clock, and its rows.
    pub chunks: [(Time, Rows); CHUNKS],
    pub processes: Vec<Process>,
    /// The rows that a read has to show that begins now.
    pub acknowledged: Rows,
    /// The rows that were dropped.
    pub dropped: Rows,
    /// The rows that are being dropped.
    pub dropping: Option<Rows>,
    /// The number of ticks for which a machine may still sleep, and of processes that may still die.
    pub sleeps: u8,
    pub deaths: u8,
    pub fault: Option<Fault>,
}

/// A process on a machine of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Process {
    /// How far its wall clock is ahead.
    pub ahead: Time,
    /// How long its steady clock has stood still.
    pub stood_still: Time,
    /// The row of the place as it was read last.
    pub row: Option<Row>,
    /// The index that is remembered: its version and the valid chunks.
    pub index: Option<((Time, u8), Chunks)>,
    pub task: Task,
}

/// What a process does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    Insert(Insert),
    /// A seal, or an ingest.
    Commit(Commit),
    Read(Read),
    Sweep(Sweep),
    Drop(DropPlace),
    /// It has ended well.
    Done,
    /// It has returned an error.
    Failed,
    Dead,
}

/// What the next step of a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    Read,
    Write,
    /// A step without a request.
    None,
}

/// A moment by the two clocks of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moment {
    pub steady: Time,
    pub wall: Time,
}

/// The row of the place, and when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    pub opened: u8,
    pub closed: u8,
    pub sealed: u8,
    pub dropped: Time,
    pub read_at: Moment,
}

impl Row {
    pub fn is_dropped(&self) -> bool {
        self.dropped != 0
    }

    pub fn open(&self) -> Option<u8> {
        (self.opened > self.closed && !self.is_dropped()).then_some(self.opened)
    }

    /// Returns the first and the last generation that may have fresh rows.
    pub fn generations(&self) -> (u8, u8) {
        (self.sealed + 1, self.opened)
    }
}

impl Process {
    pub fn new(task: Task) -> Process {
        Process {
            ahead: 0,
            stood_still: 0,
            row: None,
            index: None,
            task,
        }
    }

    /// Makes a process with a wall clock that is ahead, or behind.
    pub fn ahead(self, ahead: Time) -> Process {
        Process { ahead, ..self }
    }

    pub fn moment(&self, now: Time) -> Moment {
        Moment {
            steady: now - self.stood_still,
            wall: now + self.ahead,
        }
    }

    /// Returns the moment that is written with a state.
    pub fn now(&self, now: Time, rules: &Rules) -> Time {
        if rules.anything_is_removed {
            self.moment(now).wall
        } else {
            START
        }
    }

    /// Returns the time since a moment, as far as this process knows.
    pub fn elapsed(&self, since: Moment, now: Time, rules: &Rules) -> Time {
        let moment = self.moment(now);
        let (steady, wall) = (moment.steady - since.steady, moment.wall - since.wall);
        match wall {
            _ if !rules.wall_clock_counts => steady,
            ..0 => Time::MAX,
            wall => steady.max(wall),
        }
    }

    pub fn is_leased(&self, row: &Row, now: Time, rules: &Rules) -> bool {
        self.elapsed(row.read_at, now, rules) < rules.lease
    }

    /// Remembers the row of the place as replicas have it.
    pub fn read_row(&mut self, cells: &Cells, read_at: Moment) -> Row {
        let row = Row {
            opened: cells.opened,
            closed: cells.closed,
            sealed: cells.sealed,
            dropped: cells.dropped.1,
            read_at,
        };
        self.row = Some(row);
        row
    }

    /// Returns the write that opens a generation, after which it is remembered as open.
    pub fn open(&mut self, generation: u8) -> Cells {
        if let Some(row) = &mut self.row {
            row.opened = generation;
            row.dropped = 0;
        }
        Cells {
            opened: generation,
            dropped: (generation, 0),
            ..Cells::default()
        }
    }
}

impl World {
    /// Returns what some replicas say together.
    pub fn read(&self, at: u8) -> Cells {
        let mut all = Cells::default();
        for (i, replica) in self.replicas.iter().enumerate() {
            if at & 1 << i != 0 {
                all.join(replica);
            }
        }
        all
    }

    /// Brings a write to some replicas.
    pub fn write(&mut self, at: u8, write: &Cells) {
        for (i, replica) in self.replicas.iter_mut().enumerate() {
            if at & 1 << i != 0 {
                replica.join(write);
            }
        }
    }

    /// Deletes the fresh rows of a generation on some replicas.
    pub fn delete_generation(&mut self, at: u8, generation: u8) {
        let deleted = Generation {
            rows: 0,
            deleted: true,
        };
        self.write(at, &Cells::default().with_generation(generation, deleted));
    }

    /// Returns the valid chunks.
    pub fn valid(&self, cells: &Cells) -> Chunks {
        let valid = (0..CHUNKS).filter(|chunk| self.entry(cells, *chunk).is_valid());
        valid.fold(0, |chunks, chunk| chunks | 1 << chunk)
    }

    pub fn entry(&self, cells: &Cells, chunk: usize) -> Entry {
        cells.entry(chunk, self.chunks[chunk].0)
    }

    /// Returns the rows of some chunks.
    pub fn rows_of(&self, chunks: Chunks) -> Rows {
        each(chunks).fold(0, |rows, chunk| rows | self.chunks[chunk].1)
    }

    /// Returns all rows that a read shows which sees everything at once.
    pub fn shown(&self, cells: &Cells) -> Rows {
        if cells.dropped.1 != 0 {
            return 0;
        }
        cells.fresh(cells.sealed + 1, cells.opened) | self.rows_of(self.valid(cells))
    }

    /// Forgets what makes no difference any more, so that fewer states are different.
    pub fn forget(&mut self, rules: &Rules) {
        let now = self.now;
        for process in &mut self.processes {
            if matches!(process.task, Task::Done | Task::Failed | Task::Dead) {
                (process.row, process.index) = (None, None);
            }
            if let Some(mut row) = process.row
                && !process.is_leased(&row, now, rules)
            {
                row.read_at = LONG_AGO;
                process.row = Some(row);
            }
        }
    }

    /// Notes that a drop begins. What is being written may be dropped, too.
    pub fn begin_drop(&mut self) {
        self.dropping = Some(self.acknowledged);
        self.acknowledged = 0;
        for process in &mut self.processes {
            match &mut process.task {
                Task::Insert(insert) => insert.may_be_dropped |= insert.has_begun(),
                Task::Commit(commit) => commit.may_be_dropped |= commit.has_begun(),
                _ => {}
            }
        }
    }

    pub fn end_drop(&mut self) {
        self.dropped |= self.dropping.take().unwrap_or_default();
    }

    /// Notes that a row is acknowledged.
    pub fn acknowledge(&mut self, rows: Rows, may_be_dropped: bool) {
        if !may_be_dropped {
            self.acknowledged |= rows;
        }
    }
}

/// Returns the numbers of chunks.
pub fn each(chunks: Chunks) -> impl Iterator<Item = usize> {
    (0..CHUNKS).filter(move |chunk| chunks & 1 << chunk != 0)
}
