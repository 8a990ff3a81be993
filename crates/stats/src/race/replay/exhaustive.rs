//! A run that measured everything, of which a race plays a part.

use std::collections::BTreeSet;

use super::{LOOKS, ReplayError, rungs};
use crate::compare::{Instance, InstanceKind, Record, Summary, Timing};

/// A run that measured everything.
pub struct Exhaustive<'a> {
    records: &'a [Record],
    pub summary: Summary,
    /// Rows of the rungs that a race over as many rows has.
    pub rungs: Vec<u64>,
    pub rounds: Vec<u32>,
    /// Seconds of warming up.
    pub warm_up: f64,
}

impl<'a> Exhaustive<'a> {
    /// Reads the records of a run.
    ///
    /// # Errors
    /// The run is a race itself, or too small for one.
    pub fn of(records: &'a [Record]) -> Result<Exhaustive<'a>, ReplayError> {
        let summary = Summary::from_records(records)?;
        if summary.race.is_some() {
            return Err(ReplayError::IsRace);
        }
        let rounds = rounds_of(records);
        let known = summary.decision_input().map_or(0, |input| input.rounds);
        if known < LOOKS[0] {
            return Err(ReplayError::FewRounds { rounds: known });
        }
        let rungs = rungs(summary.rows);
        let has = |rows: &u64| {
            let mut kinds = summary
                .instances
                .iter()
                .map(|further| further.instance.kind);
            kinds.any(|kind| kind == InstanceKind::Smaller { rows: *rows })
        };
        if let Some(rows) = rungs.iter().find(|rows| !has(rows)) {
            return Err(ReplayError::NoRung { rows: *rows });
        }
        let warm_up = records.iter().map(|record| match record {
            Record::WarmedUp { seconds, .. } => *seconds,
            _ => 0.0,
        });
        Ok(Exhaustive {
            records,
            warm_up: warm_up.sum(),
            summary,
            rungs,
            rounds,
        })
    }

    /// Returns the records with which a race begins.
    pub fn header(&self) -> Vec<Record> {
        let race = Record::Race { rungs: Vec::new() };
        self.records.iter().take(1).cloned().chain([race]).collect()
    }

    /// Returns the seconds that these tables took. Warming up takes the share of the run's that they have of
    /// the times of a round.
    pub fn seconds(&self, is_of: impl Fn(&str) -> bool) -> f64 {
        let of = self.records.iter();
        let of = of.filter(|record| table_of(record).is_some_and(&is_of));
        let asked: f64 = of.map(seconds_of).sum();
        asked + self.warm_up_of(|timing| is_of(&timing.design))
    }

    /// Returns the share of warming up that these questions have of the times of a round.
    pub fn warm_up_of(&self, is_asked: impl Fn(&Timing) -> bool) -> f64 {
        let (mut asked, mut all) = (0.0, 0.0);
        for record in self.records {
            if let Record::Timed(timing) = record {
                all += timing.seconds;
                asked += if is_asked(timing) {
                    timing.seconds
                } else {
                    0.0
                };
            }
        }
        self.warm_up * asked / all.max(f64::MIN_POSITIVE)
    }

    /// Returns whether a table has fewer rows than its design's own.
    pub fn is_smaller(&self, table: &str) -> bool {
        let mut instances = self.summary.instances.iter();
        instances.any(|further| {
            further.instance.id == table && further.instance.kind != InstanceKind::Twin
        })
    }

    /// Returns what loading and settling these tables, and checking their answers, left in the journal.
    pub fn tables(&self, ids: &BTreeSet<String>) -> impl Iterator<Item = &'a Record> {
        let is_of = move |record: &&Record| {
            let id = table_of(record);
            !matches!(record, Record::Timed(_)) && id.is_some_and(|id| ids.contains(id))
        };
        self.records
            .iter()
            .filter(is_of)
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// Returns the times in a round of the run.
    pub fn times(&self, round: u32) -> impl Iterator<Item = &'a Timing> {
        self.records.iter().filter_map(move |record| match record {
            Record::Timed(timing) if timing.round == round => Some(timing),
            _ => None,
        })
    }

    /// Returns the tables of a rung.
    pub fn at_rung(&self, rows: u64) -> Vec<Instance> {
        let instances = self
            .summary
            .instances
            .iter()
            .map(|further| &further.instance);
        let of_rung = instances.filter(|i| i.kind == InstanceKind::Smaller { rows });
        of_rung.cloned().collect()
    }
}

fn rounds_of(records: &[Record]) -> Vec<u32> {
    let rounds: BTreeSet<u32> = { records.iter() }
        .filter_map(|record| match record {
            Record::Timed(timing) => Some(timing.round),
            _ => None,
        })
        .collect();
    rounds.into_iter().collect()
}

/// Returns the table that a record is about.
fn table_of(record: &Record) -> Option<&str> {
    match record {
        Record::Created { design }
        | Record::Settled { design, .. }
        | Record::Failed { design, .. } => Some(design),
        Record::Loaded(slice) => Some(&slice.design),
        Record::Footprint(size) => Some(&size.design),
        Record::Answered(answer) => Some(&answer.design),
        Record::Timed(timing) => Some(&timing.design),
        _ => None,
    }
}

/// Returns how long a step took. Checking answers has no time in a journal and is counted nowhere.
pub fn seconds_of(record: &Record) -> f64 {
    match record {
        Record::Loaded(slice) => slice.seconds,
        Record::Settled { seconds, .. } => *seconds,
        Record::Timed(timing) => timing.seconds,
        _ => 0.0,
    }
}
