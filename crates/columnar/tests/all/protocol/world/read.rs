//! A query: the snapshot of a place (`index.rs`, `version.rs`), and then the blobs of its chunks.

use super::{Fault, Moment, Process, Request, Row, Task, World, each};
use crate::protocol::cells::{Cells, Chunks, Rows, Time};
use crate::protocol::rules::Rules;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Read {
    /// The number of queries that are still asked, with this one.
    queries: u8,
    at: At,
    /// The rows that it has to show, unless they are dropped meanwhile, and those that it must not show.
    must: Rows,
    must_not: Rows,
    /// When it began, by the clock of its process and by no clock.
    moment: Moment,
    began: Time,
    /// The answers so far: the row of the place, the fresh rows of these generations, and the chunks.
    guess: (u8, u8),
    row: Option<Row>,
    fresh: Option<Rows>,
    chunks: Option<Chunks>,
    /// Whether the remembered index is of another version than the present one.
    is_outdated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum At {
    Begin,
    /// Three requests at the same time.
    Together,
    Row,
    Fresh,
    Chunks,
    LookAgain,
    Blobs,
}

/// What is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    Row,
    Fresh,
    Chunks,
}

impl Read {
    /// Asks a number of queries, one after another.
    pub fn queries(queries: u8) -> Task {
        let zero = Moment { steady: 0, wall: 0 };
        Task::Read(Read {
            queries,
            at: At::Begin,
            must: 0,
            must_not: 0,
            moment: zero,
            began: 0,
            guess: (1, 0),
            row: None,
            fresh: None,
            chunks: None,
            is_outdated: false,
        })
    }

    /// Returns the requests of which one may come next.
    pub fn next(&self) -> Vec<(Part, Request)> {
        let read = |part| (part, Request::Read);
        match self.at {
            At::Begin => vec![(Part::Row, Request::None)],
            At::Together => {
                let open = [
                    (Part::Row, self.row.is_none()),
                    (Part::Fresh, self.fresh.is_none()),
                    (Part::Chunks, self.chunks.is_none()),
                ];
                let open = open.into_iter().filter(|(_, is_open)| *is_open);
                open.map(|(part, _)| read(part)).collect()
            }
            At::Row | At::LookAgain => vec![read(Part::Row)],
            At::Fresh => vec![read(Part::Fresh)],
            At::Chunks | At::Blobs => vec![read(Part::Chunks)],
        }
    }

    pub fn step(
        mut self,
        part: Part,
        process: &mut Process,
        world: &mut World,
        at: u8,
        rules: &Rules,
    ) -> Task {
        let cells = world.read(at);
        self.at = match self.at {
            At::Begin => self.begin(process, world),
            At::Together => self.together(part, process, &cells, world, rules),
            At::Row => {
                let moment = process.moment(world.now);
                self.row = Some(process.read_row(&cells, moment));
                self.in_turn(None)
            }
            At::Fresh => {
                let (first, last) = self.row.map_or((1, 0), |row| row.generations());
                self.fresh = Some(cells.fresh(first, last));
                At::Chunks
            }
            At::Chunks => {
                self.chunks = self.valid_chunks(process, &cells, world, rules);
                let leased = self
                    .row
                    .is_some_and(|row| process.is_leased(&row, world.now, rules));
                match (self.chunks, leased) {
                    (None, _) => At::Chunks,
                    (Some(_), true) => At::Blobs,
                    (Some(_), false) => At::LookAgain,
                }
            }
            At::LookAgain => {
                let moment = process.moment(world.now);
                if process.read_row(&cells, moment).is_dropped() {
                    self.nothing()
                } else {
                    At::Blobs
                }
            }
            At::Blobs => return self.end(&cells, world, rules),
        };
        Task::Read(self)
    }

    fn begin(&mut self, process: &Process, world: &World) -> At {
        let Task::Read(fresh) = Read::queries(self.queries) else {
            return At::Begin;
        };
        *self = Read {
            must: world.acknowledged,
            must_not: world.dropped & !world.acknowledged,
            moment: process.moment(world.now),
            began: world.now,
            ..fresh
        };
        match process.row {
            Some(row) => {
                self.guess = row.generations();
                At::Together
            }
            None => At::Row,
        }
    }

    fn together(
        &mut self,
        part: Part,
        process: &mut Process,
        cells: &Cells,
        world: &World,
        rules: &Rules,
    ) -> At {
        match part {
            Part::Row => self.row = Some(process.read_row(cells, self.moment)),
            Part::Fresh => self.fresh = Some(cells.fresh(self.guess.0, self.guess.1)),
            Part::Chunks => self.chunks = self.valid_chunks(process, cells, world, rules),
        }
        let (Some(row), Some(fresh), Some(_)) = (self.row, self.fresh, self.chunks) else {
            return At::Together;
        };
        let is_same = row.generations() == self.guess;
        let is_leased = process.is_leased(&row, world.now, rules);
        let is_quiet = row.closed <= row.sealed && !row.is_dropped() && is_leased;
        if is_same && is_quiet {
            At::Blobs
        } else {
            self.in_turn(is_same.then_some(fresh))
        }
    }

    /// Goes on with one request after another, with the row of the place and perhaps the fresh rows.
    fn in_turn(&mut self, fresh: Option<Rows>) -> At {
        self.fresh = fresh;
        self.chunks = None;
        self.is_outdated = false;
        match (self.row, fresh) {
            (Some(row), _) if row.is_dropped() => self.nothing(),
            (_, Some(_)) => At::Chunks,
            (_, None) => At::Fresh,
        }
    }

    fn nothing(&mut self) -> At {
        (self.fresh, self.chunks) = (Some(0), Some(0));
        At::Blobs
    }

    /// Reads the version, and the index unless it is remembered with that version. Returns `None` if it still
    /// has to be read.
    fn valid_chunks(
        &mut self,
        process: &mut Process,
        cells: &Cells,
        world: &World,
        rules: &Rules,
    ) -> Option<Chunks> {
        if let Some((version, chunks)) = process.index.filter(|_| !self.is_outdated) {
            self.is_outdated = cells.version() != Some(version);
            return (!self.is_outdated).then_some(chunks);
        }
        let chunks = world.valid(cells);
        let wall = process.moment(world.now).wall;
        let settled = cells
            .version()
            .filter(|(written, _)| wall - written >= rules.settled_after);
        process.index = settled.map(|version| (version, chunks));
        Some(chunks)
    }

    /// Reads the blobs and looks at what there is.
    fn end(mut self, cells: &Cells, world: &mut World, rules: &Rules) -> Task {
        let chunks = self.chunks.unwrap_or_default();
        let is_gone = each(chunks).any(|chunk| world.entry(cells, chunk).put == 0);
        let shown = self.fresh.unwrap_or_default() | world.rows_of(chunks);
        if is_gone {
            // The query fails, as it is said to after the grace; a drop does not wait for queries.
            let is_too_early = world.now - self.began < rules.promised && world.dropped == 0;
            if is_too_early && world.dropping.is_none() {
                world.fault = Some(Fault::Swept);
            }
            return Task::Failed;
        }
        if self.must & world.acknowledged & !shown != 0 {
            world.fault = Some(Fault::Unseen);
        } else if self.must_not & shown != 0 {
            world.fault = Some(Fault::Back);
        } else if is_twice(world, chunks, rules) {
            world.fault = Some(Fault::Twice);
        }
        self.queries -= 1;
        if self.queries == 0 {
            return Task::Done;
        }
        self.at = At::Begin;
        Task::Read(self)
    }
}

/// Returns whether chunks have the same rows, although at most one process seals.
fn is_twice(world: &World, chunks: Chunks, rules: &Rules) -> bool {
    let rows: u32 = each(chunks)
        .map(|chunk| world.chunks[chunk].1.count_ones())
        .sum();
    rules.seals <= 1 && rows > world.rows_of(chunks).count_ones()
}
