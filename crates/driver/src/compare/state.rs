//! The steps that a run has already done, from its journal: where to go on.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_stats::race::RUNG_ROUND;
use bakeoff_stats::{Claim, Instance, Journal, JournalError, Outcome, Record, Step};

use super::turns::Turns;

/// The journal, and the state that its records add up to.
pub struct Log<'a> {
    journal: &'a mut Journal,
    state: State,
}

impl<'a> Log<'a> {
    pub fn new(journal: &'a mut Journal) -> Self {
        let mut state = State::default();
        for record in journal.records() {
            state.note(record);
        }
        Log { journal, state }
    }

    pub fn records(&self) -> &[Record] {
        self.journal.records()
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// Appends a finished step, synced, before the next one begins.
    pub fn record(&mut self, record: Record) -> Result<(), JournalError> {
        self.journal.append(&record)?;
        self.state.note(&record);
        Ok(())
    }

    /// Seconds that loading a design took so far.
    pub fn seconds_loading(&self, design: &str) -> f64 {
        let seconds = self.journal.records().iter().map(|record| match record {
            Record::Loaded(slice) if slice.design == design => slice.seconds,
            _ => 0.0,
        });
        seconds.sum()
    }

    pub fn fail(
        &mut self,
        design: &str,
        step: Step,
        query: Option<&str>,
        reason: String,
    ) -> Result<(), JournalError> {
        let (design, query) = (design.to_owned(), query.map(str::to_owned));
        self.record(Record::Failed {
            design,
            step,
            query,
            reason,
        })
    }
}

/// A slice of rows, as every design loads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SliceBounds {
    pub first_row: u64,
    pub rows: u64,
}

#[derive(Debug, Default)]
pub struct State {
    /// Slices that a design has.
    slices: BTreeMap<u64, SliceBounds>,
    /// Slices of which a design may have a part.
    begun: BTreeMap<u64, SliceBounds>,
    designs: BTreeMap<String, DesignState>,
    pub duplicates_known: bool,
    /// Rows in every design, once loading is over.
    pub loaded_rows: Option<u64>,
    /// Further tables of the designs, once they are chosen.
    pub instances: Option<Vec<Instance>>,
    /// Smaller tables at which a race drops designs, once it began.
    pub rungs: Option<Vec<Instance>>,
    /// Claims that the rungs left open, once they are known.
    pub claims: Option<Vec<Claim>>,
    /// Designs that a race dropped, each with the one that beat it; controls are none of them.
    pub dropped: BTreeMap<String, String>,
    /// Whether the rows that queries select are counted.
    pub selected_known: bool,
    /// Whether the columns that queries read are counted.
    pub columns_read_known: bool,
    /// Whether the different values of columns with an index are counted.
    pub distinct_known: bool,
    /// Plans that are known, as pairs of a design's id and a query's name.
    plans: BTreeSet<(String, String)>,
    /// Designs whose first rows were read as they are stored.
    stored: BTreeSet<String>,
    /// Designs that have a profile.
    profiles: BTreeSet<String>,
    pub rounds: Option<u32>,
    /// The last round of the designs' own tables in which any was asked.
    pub latest_round: Option<u32>,
    /// Whether a race ended measuring.
    pub is_stopped: bool,
    /// Number of sets of parameters of concurrent questions whose right answers were computed before.
    pub parameter_sets: Option<u32>,
}

#[derive(Debug, Default)]
pub struct DesignState {
    pub created: bool,
    /// Slices 0 to this one, exclusive, are loaded.
    pub slices: u64,
    pub settled: bool,
    pub footprint: bool,
    /// Whether the sizes of its partitions are known.
    pub partitions: bool,
    pub failed: bool,
    /// The step in which its table could not be made, loaded or measured.
    pub table_failed_in: Option<Step>,
    /// Another design beats it in everything.
    pub dropped: bool,
    /// Turns in which several clients asked it.
    pub turns: Turns,
    right: BTreeSet<String>,
    wrong: BTreeSet<String>,
    timed: BTreeSet<(String, u32)>,
}

impl State {
    fn note(&mut self, record: &Record) {
        match record {
            Record::Created { design } => self.design_mut(design).create(),
            Record::SliceBegun {
                slice,
                first_row,
                rows,
            } => {
                let bounds = SliceBounds {
                    first_row: *first_row,
                    rows: *rows,
                };
                self.begun.insert(*slice, bounds);
            }
            Record::Loaded(slice) => {
                let bounds = SliceBounds {
                    first_row: slice.first_row,
                    rows: slice.rows,
                };
                if self.instance(&slice.design).is_none() {
                    self.slices.insert(slice.slice, bounds);
                }
                self.design_mut(&slice.design).slices = slice.slice + 1;
            }
            Record::DuplicateKeys { .. } => self.duplicates_known = true,
            Record::LoadingDone { rows, .. } => self.loaded_rows = Some(*rows),
            Record::Instances { instances } => self.instances = Some(instances.clone()),
            Record::Settled { design, .. } => self.design_mut(design).settled = true,
            Record::Footprint(footprint) => self.design_mut(&footprint.design).footprint = true,
            Record::Partitions(partitions) => {
                self.design_mut(&partitions.design).partitions = true;
            }
            Record::Selected { .. } => self.selected_known = true,
            Record::ColumnsRead { .. } => self.columns_read_known = true,
            Record::Distinct { .. } => self.distinct_known = true,
            Record::Planned(planned) => {
                let pair = (planned.design.clone(), planned.query.clone());
                self.plans.insert(pair);
            }
            Record::Stored(stored) => {
                self.stored.insert(stored.design.clone());
            }
            Record::Profile(profile) => {
                self.profiles.insert(profile.design.clone());
            }
            Record::Answered(answered) => {
                let design = self.design_mut(&answered.design);
                match answered.outcome {
                    Outcome::Right { .. } => design.right.insert(answered.query.clone()),
                    _ => design.wrong.insert(answered.query.clone()),
                };
            }
            Record::Timed(timing) => {
                if timing.round < RUNG_ROUND {
                    self.latest_round = self.latest_round.max(Some(timing.round));
                }
                let design = self.design_mut(&timing.design);
                design.timed.insert((timing.query.clone(), timing.round));
                if !matches!(timing.outcome, Outcome::Right { .. }) {
                    design.wrong.insert(timing.query.clone());
                }
            }
            Record::Race { rungs } => self.rungs = Some(rungs.clone()),
            Record::OpenQuestions { claims } => self.claims = Some(claims.clone()),
            Record::Dropped(dropped) if dropped.is_control => {}
            Record::Dropped(dropped) => {
                self.dropped
                    .insert(dropped.design.clone(), dropped.by.clone());
                self.design_mut(&dropped.design).dropped = true;
            }
            Record::Returned { design } => {
                self.dropped.remove(design);
                self.design_mut(design).dropped = false;
            }
            Record::Stopped(_) => self.is_stopped = true,
            Record::Rounds { rounds } => self.rounds = Some(*rounds),
            Record::ParameterSets { sets, .. } => self.parameter_sets = Some(*sets),
            Record::Concurrent(asked) => self.design_mut(&asked.design).turns.take(asked),
            // What could not be started is tried again by the command that goes on.
            Record::Failed { design, step, .. } => {
                let design = self.design_mut(design);
                design.failed |= *step != Step::Start;
                if step.is_of_table() {
                    design.table_failed_in = Some(*step);
                }
            }
            Record::Started(_)
            | Record::Resumed { .. }
            | Record::Engine(_)
            | Record::Axes(_)
            | Record::WarmedUp { .. }
            | Record::Space(_)
            | Record::Server(_)
            | Record::Account(_)
            | Record::Warning { .. }
            | Record::Interrupted { .. }
            | Record::Finished { .. } => {}
        }
    }

    /// Returns whether the plan of a query on a design is in the journal.
    pub fn has_plan(&self, design: &str, query: &str) -> bool {
        self.plans.contains(&(design.to_owned(), query.to_owned()))
    }

    /// Returns whether the journal says how the first rows of a design are stored.
    pub fn has_stored(&self, design: &str) -> bool {
        self.stored.contains(design)
    }

    /// Returns whether the journal has the profile of a design.
    pub fn has_profile(&self, design: &str) -> bool {
        self.profiles.contains(design)
    }

    fn design_mut(&mut self, design: &str) -> &mut DesignState {
        self.designs.entry(design.to_owned()).or_default()
    }

    pub fn design(&self, design: &str) -> &DesignState {
        static NEW: DesignState = DesignState {
            created: false,
            slices: 0,
            settled: false,
            footprint: false,
            partitions: false,
            failed: false,
            table_failed_in: None,
            dropped: false,
            turns: Turns::NONE,
            right: BTreeSet::new(),
            wrong: BTreeSet::new(),
            timed: BTreeSet::new(),
        };
        self.designs.get(design).unwrap_or(&NEW)
    }

    /// Returns the further table that has this id.
    pub fn instance(&self, id: &str) -> Option<&Instance> {
        let known = self.instances.iter().chain(&self.rungs).flatten();
        known.into_iter().find(|instance| instance.id == id)
    }

    pub fn slice(&self, number: u64) -> Option<SliceBounds> {
        self.slices.get(&number).copied()
    }

    pub fn begun_slice(&self, number: u64) -> Option<SliceBounds> {
        self.begun.get(&number).copied()
    }
}

impl DesignState {
    /// A design that lost its rows is loaded and verified again. Its times stay, or a query would
    /// be timed twice in one round.
    fn create(&mut self) {
        *self = DesignState {
            created: true,
            turns: std::mem::take(&mut self.turns),
            dropped: self.dropped,
            wrong: std::mem::take(&mut self.wrong),
            timed: std::mem::take(&mut self.timed),
            ..DesignState::default()
        };
    }

    /// Returns whether it neither failed nor was dropped.
    pub fn takes_part(&self) -> bool {
        !self.failed && !self.dropped
    }

    /// Returns whether this query was compared with the oracle, with whatever outcome.
    pub fn answered(&self, query: &str) -> bool {
        self.right.contains(query) || self.wrong.contains(query)
    }

    /// Returns whether this query may be timed: a wrong or failed answer is never a time.
    pub fn may_time(&self, query: &str) -> bool {
        self.takes_part() && self.right.contains(query) && !self.wrong.contains(query)
    }

    pub fn timed(&self, query: &str, round: u32) -> bool {
        self.timed.contains(&(query.to_owned(), round))
    }
}
