//! What was done in a simulation, and what readers may see therefore.

use std::collections::HashMap;
use std::ops::AddAssign;
use std::sync::{Mutex, MutexGuard};

use bakeoff_columnar::{ChunkId, FreshRow, Place};
use bytes::Bytes;

use super::rows::{Shown, newest};

/// A point in the order of everything that the processes do.
pub type Point = u64;

/// Everything that the processes have done.
#[derive(Default)]
pub struct History(Mutex<State>);

#[derive(Default)]
struct State {
    points: Point,
    rows: Vec<Written>,
    /// The numbers of rows by their places, keys and write times.
    numbers: HashMap<(Place, Bytes, i64), usize>,
    drops: Vec<Dropped>,
    /// Chunks, and those that they replace.
    replaced: Vec<(ChunkId, Vec<ChunkId>)>,
    told: Told,
    fault: Option<String>,
}

/// A row that somebody has written, or tried to.
struct Written {
    place: Place,
    row: FreshRow,
    began: Point,
    acknowledged: Option<Point>,
}

/// A place that somebody has dropped, or tried to.
struct Dropped {
    place: Place,
    began: Point,
    ended: Option<Point>,
}

/// What was done, in numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    pub acknowledged: u64,
    pub reads: u64,
    pub seals: u64,
    pub sweeps: u64,
    pub drops: u64,
    pub failures: u64,
    pub deaths: u64,
}

impl AddAssign for Told {
    fn add_assign(&mut self, other: Told) {
        let Told {
            acknowledged,
            reads,
            seals,
            sweeps,
            drops,
            failures,
            deaths,
        } = other;
        self.acknowledged += acknowledged;
        self.reads += reads;
        self.seals += seals;
        self.sweeps += sweeps;
        self.drops += drops;
        self.failures += failures;
        self.deaths += deaths;
    }
}

impl Told {
    /// Returns whether everything was done at least once.
    pub fn has_everything(&self) -> bool {
        let of_rows = [self.acknowledged, self.reads, self.failures, self.deaths];
        let of_places = [self.seals, self.sweeps, self.drops];
        let mut all = of_rows.iter().chain(&of_places);
        all.all(|number| *number > 0)
    }
}

/// What a reader has to see of an acknowledged row.
enum Due {
    /// This version or a later one.
    Shown,
    /// Not this version.
    Dropped,
    /// Anything: it is being dropped.
    Any,
}

impl History {
    /// Notes that rows are about to be written, and returns their numbers.
    pub fn begin_rows(&self, place: Place, rows: &[FreshRow]) -> Vec<usize> {
        let mut state = self.lock();
        let began = state.point();
        let first = state.rows.len();
        for row in rows {
            let (number, name) = (state.rows.len(), (place, row.key.clone(), row.write_time));
            state.numbers.insert(name, number);
            state.rows.push(Written {
                place,
                row: row.clone(),
                began,
                acknowledged: None,
            });
        }
        (first..state.rows.len()).collect()
    }

    /// Checks that rows which are about to be written are later than what was acknowledged before their process
    /// caught up with the place, which was after this point.
    ///
    /// # Errors
    /// Returns in words which row is not.
    pub fn check_is_later(
        &self,
        place: Place,
        caught_up: Point,
        rows: &[FreshRow],
    ) -> Result<(), String> {
        let state = self.lock();
        for row in rows {
            let is_of_it =
                |written: &&Written| written.place == place && written.row.key == row.key;
            let mut before = state.rows.iter().filter(is_of_it);
            let is_hidden = |written: &&Written| {
                written.row.write_time >= row.write_time
                    && matches!(state.due(written, caught_up), Due::Shown)
            };
            if let Some(written) = before.find(is_hidden) {
                let there = &written.row;
                return Err(format!(
                    "{row:?} in {place} would have no effect, since {there:?} was there before"
                ));
            }
        }
        Ok(())
    }

    /// Notes that rows are acknowledged.
    pub fn acknowledge(&self, numbers: &[usize]) {
        let mut state = self.lock();
        let point = state.point();
        state.told.acknowledged += numbers.len() as u64;
        for number in numbers {
            state.rows[*number].acknowledged = Some(point);
        }
    }

    /// Notes that a chunk is about to replace others.
    pub fn replace(&self, chunk: ChunkId, replaced: Vec<ChunkId>) {
        self.lock().replaced.push((chunk, replaced));
    }

    /// Notes that a drop begins, and returns its number.
    pub fn begin_drop(&self, place: Place) -> usize {
        let mut state = self.lock();
        let began = state.point();
        state.drops.push(Dropped {
            place,
            began,
            ended: None,
        });
        state.drops.len() - 1
    }

    pub fn end_drop(&self, number: usize) {
        let mut state = self.lock();
        let point = state.point();
        state.drops[number].ended = Some(point);
    }

    /// Returns the point at which a read begins.
    pub fn begin_read(&self) -> Point {
        self.lock().point()
    }

    /// Checks what a read that began at this point has shown.
    ///
    /// # Errors
    /// Returns in words what it should have shown and has not, or the other way round.
    pub fn check(&self, place: Place, began: Point, shown: &Shown) -> Result<(), String> {
        let mut state = self.lock();
        state.told.reads += 1;
        state.check_what_is_shown(place, shown)?;
        state.check_what_is_due(place, began, shown)
    }

    /// Adds to what was done.
    pub fn tell(&self, add: impl FnOnce(&mut Told)) {
        add(&mut self.lock().told);
    }

    /// Notes what is wrong, if it is the first fault.
    pub fn find(&self, fault: String) {
        let mut state = self.lock();
        if state.fault.is_none() {
            state.fault = Some(fault);
        }
    }

    /// Returns what was done.
    ///
    /// # Errors
    /// Returns the first fault, if there is one.
    pub fn result(&self) -> Result<Told, String> {
        let state = self.lock();
        match &state.fault {
            Some(fault) => Err(fault.clone()),
            None => Ok(state.told),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }
}

impl State {
    fn point(&mut self) -> Point {
        self.points += 1;
        self.points
    }

    /// Checks that everything that is shown was written, and by no more than one of a chunk and those that it
    /// replaces.
    fn check_what_is_shown(&self, place: Place, shown: &Shown) -> Result<(), String> {
        for row in &shown.rows {
            let name = (place, row.key.clone(), row.write_time);
            let written = self
                .numbers
                .get(&name)
                .map(|number| &self.rows[*number].row);
            if written != Some(row) {
                return Err(format!("{row:?} in {place} was never written"));
            }
        }
        for (chunk, replaced) in &self.replaced {
            let is_shown = |chunk: &ChunkId| shown.chunks.contains(chunk);
            if is_shown(chunk) && replaced.iter().any(is_shown) {
                return Err(format!(
                    "chunk {chunk} of {place} is there, and what it replaces"
                ));
            }
        }
        Ok(())
    }

    fn check_what_is_due(&self, place: Place, began: Point, shown: &Shown) -> Result<(), String> {
        let newest = newest(&shown.rows);
        let of_place = self.rows.iter().filter(|written| written.place == place);
        for written in of_place {
            let row = &written.row;
            let there = newest.get(&row.key).map(|row| row.write_time);
            match self.due(written, began) {
                Due::Shown if there < Some(row.write_time) => {
                    return Err(format!(
                        "{row:?} in {place} was acknowledged and is not there, but {there:?} is"
                    ));
                }
                Due::Dropped if shown.rows.contains(row) => {
                    return Err(format!("{row:?} in {place} was dropped and is back"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns what a read that began at this point, and ends now, has to show of a row.
    fn due(&self, written: &Written, began: Point) -> Due {
        let Some(acknowledged) = written.acknowledged.filter(|at| *at < began) else {
            return Due::Any;
        };
        let mut drops = self.drops.iter().filter(|drop| drop.place == written.place);
        let is_before = |drop: &Dropped, point| drop.ended.is_some_and(|ended| ended < point);
        let is_of_it = |drop: &Dropped| drop.began > acknowledged && is_before(drop, began);
        if drops.clone().any(is_of_it) {
            Due::Dropped
        } else if drops.all(|drop| is_before(drop, written.began)) {
            Due::Shown
        } else {
            Due::Any
        }
    }
}
