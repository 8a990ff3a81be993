//! Gathers the records of a run by design and query, and condenses them.

use super::cpu::Resolution;
use super::loading::Loading;
use super::{
    DesignSummary, Failure, InstanceSummary, PairedComparison, QuerySummary, Summary, SummaryError,
    concurrent,
};
use crate::compare::{
    Answered, Concurrent, Dropped, Header, Instance, LoadSlice, OPEN_ROUND, Outcome, Record, Step,
    Timing,
};
use crate::counts::total;
use crate::{CpuSeconds, DesignInfo, EngineInfo, Estimate, Footprint, Space};

/// Records of a run read so far, by design and query.
pub struct Collected {
    /// Fields of the summary itself; its designs are filled in at the end.
    run: Summary,
    rows_to_load: Option<u64>,
    designs: Vec<Design>,
    /// Further tables; their figures are kept as those of a design.
    instances: Vec<(Instance, Design)>,
}

/// Records of a table.
struct Design {
    info: DesignInfo,
    slices: Vec<LoadSlice>,
    settle_seconds: Option<f64>,
    footprint: Option<Footprint>,
    space: Option<Space>,
    /// Turns in which several clients asked the design.
    concurrent: Vec<Concurrent>,
    dropped: Option<Dropped>,
    queries: Vec<Query>,
    failures: Vec<Failure>,
}

/// Records of a query on a table.
struct Query {
    name: String,
    /// Rounds with a right answer.
    right: Vec<Timing>,
    /// Number of right answers in rounds whose times only decide who is dropped.
    right_without_time: usize,
    /// Complaint about each round without a right answer.
    bad: Vec<String>,
    /// Set if the complete answer was right.
    verified: bool,
    /// Set if the complete answer was wrong or missing.
    disproved: bool,
}

impl Collected {
    /// Begins with a header, before any other record.
    pub fn new(header: &Header) -> Collected {
        let designs = header.designs.iter();
        Collected {
            designs: designs.map(|info| Design::new(info, header)).collect(),
            rows_to_load: None,
            instances: Vec::new(),
            run: Summary {
                rows_left: None,
                header: header.clone(),
                engines: Vec::new(),
                rows: 0,
                duplicate_rows: 0,
                lost_by: Vec::new(),
                told_apart_by: None,
                rounds: 0,
                warm_up_passes: 0,
                steady: None,
                designs: Vec::new(),
                instances: Vec::new(),
                axes: None,
                warnings: Vec::new(),
                finished: false,
                interrupted: false,
                seconds: None,
                peak_memory_bytes: None,
                comparison: PairedComparison::default(),
                concurrent: None,
                forecast: None,
                decision: None,
                race: None,
                scale_out: None,
                cost: None,
            },
        }
    }

    /// Adds a record; `number` is its position in the journal, counted from 1.
    pub fn take(&mut self, number: usize, record: &Record) -> Result<(), SummaryError> {
        let run = &mut self.run;
        match record {
            Record::Started(_) => {}
            Record::Resumed { .. } => {
                run.interrupted = false;
                self.forget_failed_starts();
            }
            Record::Interrupted { .. } => run.interrupted = true,
            Record::Engine(engine) => replace_engine(&mut run.engines, engine),
            Record::DuplicateKeys {
                rows,
                lost_by,
                told_apart_by,
            } => {
                run.duplicate_rows = *rows;
                run.lost_by.clone_from(lost_by);
                run.told_apart_by.clone_from(told_apart_by);
            }
            Record::LoadingDone { rows, left } => {
                self.rows_to_load = Some(*rows);
                run.rows_left = *left;
            }
            Record::WarmedUp { passes, steady, .. } => {
                (run.warm_up_passes, run.steady) = (*passes, Some(*steady));
            }
            Record::Race { rungs } => {
                run.race.get_or_insert_default().add_rungs(rungs);
                self.take_instances(number, rungs)?;
            }
            // The designs that are dropped then have records of their own.
            Record::OpenQuestions { .. } => {}
            Record::Dropped(dropped) => {
                self.design(number, &dropped.by)?;
                self.design(number, &dropped.design)?.dropped = Some(dropped.as_ref().clone());
            }
            Record::Returned { design } => self.design(number, design)?.dropped = None,
            Record::Stopped(stopped) => run.race.get_or_insert_default().stopped = Some(*stopped),
            Record::Rounds { rounds } => run.rounds = *rounds,
            Record::Warning { message } => {
                if !run.warnings.contains(message) {
                    run.warnings.push(message.clone());
                }
            }
            Record::Finished {
                seconds,
                peak_memory_bytes,
                ..
            } => {
                run.finished = true;
                run.seconds = Some(*seconds);
                run.peak_memory_bytes = Some(*peak_memory_bytes);
            }
            Record::Created { design } => self.design(number, design)?.create(),
            // The rows of the slice are in the records of the designs that loaded it.
            Record::SliceBegun { .. } => {}
            Record::Loaded(slice) => {
                self.design(number, &slice.design)?
                    .slices
                    .push(slice.clone());
            }
            Record::Settled {
                design, seconds, ..
            } => {
                self.design(number, design)?.settle_seconds = Some(*seconds);
            }
            Record::Footprint(footprint) => {
                self.design(number, &footprint.design)?.footprint = Some(footprint.clone());
            }
            Record::Space(space) => {
                self.design(number, &space.design)?.space = Some(space.clone());
            }
            Record::Axes(axes) => run.axes = Some(axes.clone()),
            Record::Instances { instances } => self.take_instances(number, instances)?,
            Record::Answered(answer) => self.take_answer(number, answer)?,
            Record::Timed(timing) => {
                self.query(number, &timing.design, &timing.query)?
                    .take(timing);
            }
            Record::ParameterSets { .. } => {}
            Record::Concurrent(asked) => self.take_concurrent(number, asked)?,
            Record::Failed {
                design,
                step,
                query,
                reason,
            } => self.design(number, design)?.fail(Failure {
                step: *step,
                query: query.clone(),
                reason: reason.clone(),
            }),
        }
        Ok(())
    }

    /// Forgets designs that could not be started, since a resumed run tries again to start them.
    fn forget_failed_starts(&mut self) {
        let further = self.instances.iter_mut().map(|(_, design)| design);
        for design in self.designs.iter_mut().chain(further) {
            design.failures.retain(|f| f.step != Step::Start);
        }
    }

    fn take_instances(&mut self, number: usize, made: &[Instance]) -> Result<(), SummaryError> {
        for instance in made {
            if self.instances.iter().any(|(known, _)| known == instance) {
                continue;
            }
            let owner = self.design(number, &instance.design)?;
            let mut info = owner.info.clone();
            info.id.clone_from(&instance.id);
            let design = Design::new(&info, &self.run.header);
            self.instances.push((instance.clone(), design));
        }
        Ok(())
    }

    fn take_answer(&mut self, number: usize, answer: &Answered) -> Result<(), SummaryError> {
        let Some(reason) = answer.outcome.complaint() else {
            self.query(number, &answer.design, &answer.query)?.verified = true;
            return Ok(());
        };
        self.query(number, &answer.design, &answer.query)?.disproved = true;
        let query = Some(answer.query.clone());
        self.design(number, &answer.design)?.fail(Failure {
            step: Step::Verify,
            query,
            reason,
        });
        Ok(())
    }

    fn take_concurrent(&mut self, number: usize, asked: &Concurrent) -> Result<(), SummaryError> {
        for query in &asked.queries {
            self.query(number, &asked.design, &query.query)?;
        }
        let turns = &mut self.design(number, &asked.design)?.concurrent;
        turns.push(asked.clone());
        Ok(())
    }

    fn design(&mut self, record: usize, id: &str) -> Result<&mut Design, SummaryError> {
        let further = self.instances.iter_mut().map(|(_, design)| design);
        let mut all = self.designs.iter_mut().chain(further);
        let found = all.find(|design| design.info.id == id);
        found.ok_or_else(|| SummaryError::UnknownDesign {
            design: id.to_owned(),
            record,
        })
    }

    fn query(&mut self, record: usize, id: &str, query: &str) -> Result<&mut Query, SummaryError> {
        let found = self
            .design(record, id)?
            .queries
            .iter_mut()
            .find(|q| q.name == query);
        found.ok_or_else(|| SummaryError::UnknownQuery {
            query: query.to_owned(),
            record,
        })
    }

    /// Condenses the records into a summary that still lacks the comparison of designs with each
    /// other.
    pub fn summary(self) -> Summary {
        let mut run = self.run;
        let header = &run.header;
        run.designs = self
            .designs
            .into_iter()
            .map(|design| {
                let copies = header.copies_in(&design.info);
                design.condense(copies)
            })
            .collect();
        run.instances = self
            .instances
            .into_iter()
            .map(|(instance, design)| {
                let copies = header.copies_in(&design.info);
                let figures = design.condense(copies);
                InstanceSummary { instance, figures }
            })
            .collect();
        let most_loaded = run.designs.iter().map(|d| d.rows_loaded).max();
        run.rows = self.rows_to_load.or(most_loaded).unwrap_or(0);
        run
    }
}

impl Design {
    fn new(info: &DesignInfo, header: &Header) -> Design {
        Design {
            info: info.clone(),
            slices: Vec::new(),
            settle_seconds: None,
            footprint: None,
            space: None,
            concurrent: Vec::new(),
            dropped: None,
            queries: header.queries.iter().map(|q| Query::new(&q.name)).collect(),
            failures: Vec::new(),
        }
    }

    /// Forgets an earlier table. Times of earlier rounds stay, since `memory` is created again when
    /// a run is resumed.
    fn create(&mut self) {
        self.slices.clear();
        self.settle_seconds = None;
        self.footprint = None;
        self.space = None;
    }

    /// Records a failure. Of several records of the same failure, the most detailed one is kept: a
    /// wrong answer is recorded as such, and can be recorded again as the reason why the design is
    /// out.
    fn fail(&mut self, failure: Failure) {
        let known = self.failures.iter_mut().find(|known| {
            known.step == failure.step
                && known.query == failure.query
                && (known.reason.contains(&failure.reason)
                    || failure.reason.contains(&known.reason))
        });
        match known {
            Some(known) if known.reason.len() < failure.reason.len() => *known = failure,
            Some(_) => {}
            None => self.failures.push(failure),
        }
    }

    /// Returns the resolution of the clocks of its CPU times.
    fn resolution(&self) -> Resolution {
        let answers = self.queries.iter().flat_map(|query| &query.right);
        let slices = self.slices.iter().map(|slice| slice.cpu);
        Resolution::of(slices.chain(answers.map(|timing| timing.cpu)))
    }

    /// Condenses the records of a design whose footprint holds this number of copies of each row.
    fn condense(mut self, copies: u32) -> DesignSummary {
        let failures = self.queries.iter().filter_map(Query::failure);
        let failures: Vec<Failure> = failures
            .chain(concurrent::failures(&self.concurrent))
            .collect();
        for failure in failures {
            self.fail(failure);
        }
        let loading = Loading {
            slices: self.slices.iter().map(|s| (s.rows, s.seconds)).collect(),
            settle_seconds: self.settle_seconds.unwrap_or(0.0),
        };
        let resolution = self.resolution();
        let rows_loaded = total(self.slices.iter().map(|s| s.rows));
        let bytes = self.footprint.as_ref().and_then(Footprint::bytes);
        DesignSummary {
            rows_loaded,
            load_rate: loading.estimate(),
            longest_stall: loading.longest_stall(),
            load_seconds: self.slices.iter().map(|s| s.seconds).sum(),
            load_cpu: sum(self.slices.iter().map(|s| s.cpu)),
            settle_seconds: self.settle_seconds,
            bytes_per_row: bytes
                .filter(|_| rows_loaded > 0)
                .map(|bytes| bytes as f64 / rows_loaded as f64 / f64::from(copies)),
            times_smallest: None,
            queries: self.queries.into_iter().map(Query::condense).collect(),
            footprint: self.footprint,
            space: self.space,
            resolution,
            concurrent: concurrent::summary(&self.concurrent),
            dropped: self.dropped,
            info: self.info,
            failures: self.failures,
            loading,
        }
    }
}

impl Query {
    fn new(name: &str) -> Query {
        Query {
            name: name.to_owned(),
            right: Vec::new(),
            right_without_time: 0,
            bad: Vec::new(),
            verified: false,
            disproved: false,
        }
    }

    fn take(&mut self, timing: &Timing) {
        match timing.outcome.complaint() {
            None if timing.round >= OPEN_ROUND => self.right_without_time += 1,
            None => self.right.push(timing.clone()),
            Some(reason) => self.bad.push(reason),
        }
    }

    fn failure(&self) -> Option<Failure> {
        let first = self.bad.first()?;
        let rounds = self.bad.len() + self.right.len() + self.right_without_time;
        let reason = format!("{first} ({} of {rounds} rounds)", self.bad.len());
        Some(Failure {
            step: Step::Measure,
            query: Some(self.name.clone()),
            reason,
        })
    }

    fn condense(self) -> QuerySummary {
        let is_right = self.verified || self.right_without_time > 0 || !self.right.is_empty();
        let right = if self.disproved {
            Vec::new()
        } else {
            self.right
        };
        let seconds: Vec<f64> = right.iter().map(|t| t.seconds).collect();
        let scanned: Vec<f64> = right
            .iter()
            .filter_map(|t| t.rows_scanned)
            .map(|rows| rows as f64)
            .collect();
        let time = Estimate::from_samples(&seconds);
        let mut rounds: Vec<(u32, f64)> = right.iter().map(|t| (t.round, t.seconds)).collect();
        // A resumed run repeats rounds of a design that was created again. The last time of a round counts,
        // so it comes first, and the sort is stable.
        rounds.reverse();
        rounds.sort_by_key(|(round, _)| *round);
        rounds.dedup_by_key(|(round, _)| *round);
        let is_empty = |timing: &Timing| matches!(timing.outcome, Outcome::Right { rows: 0 });
        let rows_scanned = Estimate::from_samples(&scanned).map(|e| e.median);
        QuerySummary {
            query: self.name,
            time,
            rounds,
            was_right: is_right && !self.disproved,
            always_empty: !right.is_empty() && right.iter().all(is_empty),
            times_fastest: None,
            rows_scanned_per_second: rows_scanned
                .zip(time.filter(|t| t.median > 0.0))
                .map(|(rows, time)| rows / time.median),
            rows_scanned,
            cpu: mean(&right),
            bad_rounds: u32::try_from(self.bad.len()).unwrap_or(u32::MAX),
        }
    }
}

/// Adds an engine, or replaces it if it was started again when the run was resumed.
fn replace_engine(engines: &mut Vec<EngineInfo>, engine: &EngineInfo) {
    match engines.iter_mut().find(|e| e.engine == engine.engine) {
        Some(known) => *known = engine.clone(),
        None => engines.push(engine.clone()),
    }
}

fn sum(parts: impl Iterator<Item = CpuSeconds>) -> CpuSeconds {
    parts.reduce(|a, b| a + b).unwrap_or_default()
}

fn mean(timings: &[Timing]) -> CpuSeconds {
    let total = sum(timings.iter().map(|t| t.cpu));
    let count = timings.len().max(1) as f64;
    CpuSeconds {
        client: total.client / count,
        server: total.server.map(|s| s / count),
    }
}
