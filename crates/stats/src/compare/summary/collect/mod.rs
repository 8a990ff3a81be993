//! Gathers the records of a run by design and query, and condenses them.

mod shared;
mod table;

use super::{Failure, InstanceSummary, PairedComparison, Summary, SummaryError};
use crate::compare::{Answered, Concurrent, Header, Instance, Planned, Record, Step};
use crate::{AccountAt, EngineInfo};
use table::{Design, Query};

/// Records of a run read so far, by design and query.
pub struct Collected {
    /// Fields of the summary itself; its designs are filled in at the end.
    run: Summary,
    rows_to_load: Option<u64>,
    designs: Vec<Design>,
    /// Further tables; their figures are kept as those of a design.
    instances: Vec<(Instance, Design)>,
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
                has_all_rows: false,
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
                selected: Vec::new(),
                columns_read: Vec::new(),
                distinct: Vec::new(),
                partitions: Vec::new(),
                plans: Vec::new(),
                stored: Vec::new(),
                profiles: Vec::new(),
                warnings: Vec::new(),
                finished: false,
                interrupted: false,
                seconds: None,
                peak_memory_bytes: None,
                comparison: PairedComparison::default(),
                concurrent: None,
                parameter_sets: Vec::new(),
                forecast: None,
                decision: None,
                race: None,
                scale_out: None,
                cost: None,
                together: None,
                per_node: None,
                server: Vec::new(),
                accounts: Vec::new(),
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
                run.accounts.clear();
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
            Record::LoadingDone { rows, left, is_all } => {
                self.rows_to_load = Some(*rows);
                run.rows_left = *left;
                run.has_all_rows = *is_all;
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
            Record::Created { design } => {
                self.design(number, design)?.create();
                // What is loaded again would have its old slices next to its new ones.
                self.run.server.retain(|window| window.design != *design);
            }
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
            Record::Selected { queries } => run.selected.clone_from(queries),
            Record::ColumnsRead { queries } => run.columns_read.clone_from(queries),
            Record::Distinct { columns } => run.distinct.clone_from(columns),
            Record::Partitions(partitions) => {
                self.design(number, &partitions.design)?;
                let known = &mut self.run.partitions;
                known.retain(|known| known.design != partitions.design);
                known.push(partitions.clone());
            }
            Record::Planned(planned) => self.take_plan(number, planned)?,
            Record::Stored(stored) => {
                self.design(number, &stored.design)?;
                let known = &mut self.run.stored;
                known.retain(|known| known.design != stored.design);
                known.push(stored.clone());
            }
            Record::Profile(profile) => {
                self.design(number, &profile.design)?;
                let known = &mut self.run.profiles;
                known.retain(|known| known.design != profile.design);
                known.push(profile.clone());
            }
            Record::Server(window) => {
                self.design(number, &window.design)?;
                self.run.server.push(window.clone());
            }
            Record::Account(at) => {
                let is_same =
                    |known: &AccountAt| known.engine == at.engine && known.moment == at.moment;
                run.accounts.retain(|known| !is_same(known));
                run.accounts.push(at.clone());
            }
            Record::Instances { instances } => self.take_instances(number, instances)?,
            Record::Answered(answer) => self.take_answer(number, answer)?,
            Record::Timed(timing) => {
                self.query(number, &timing.design, &timing.query)?
                    .take(timing);
            }
            Record::ParameterSets { queries, .. } => run.parameter_sets.clone_from(queries),
            Record::Concurrent(asked) => self.take_concurrent(number, asked)?,
            Record::Failed {
                design,
                step,
                query,
                reason,
            } => {
                let table = self.design(number, design)?;
                // A query that fails alone has only its answers on record.
                table.is_gone |= query.is_some();
                table.fail(Failure {
                    step: *step,
                    query: query.clone(),
                    reason: reason.clone(),
                });
            }
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
            info.table_of = info.table_of.map(|of| instance.like_it(&of));
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

    /// Keeps the latest plan of a query on a design.
    fn take_plan(&mut self, number: usize, planned: &Planned) -> Result<(), SummaryError> {
        self.query(number, &planned.design, &planned.query)?;
        let is_same =
            |known: &Planned| known.design == planned.design && known.query == planned.query;
        self.run.plans.retain(|known| !is_same(known));
        self.run.plans.push(planned.clone());
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
    pub fn summary(mut self) -> Summary {
        let further = self.instances.iter_mut().map(|(_, design)| design);
        shared::share_tables(self.designs.iter_mut().chain(further).collect());
        let mut run = self.run;
        let (header, engines) = (&run.header, &run.engines);
        run.designs = self
            .designs
            .into_iter()
            .map(|design| design.condense(header, engines))
            .collect();
        run.instances = self
            .instances
            .into_iter()
            .map(|(instance, design)| InstanceSummary {
                instance,
                figures: design.condense(header, engines),
            })
            .collect();
        let without_rows = run.plans.iter().filter(|known| known.plan.reads_no_row());
        for planned in without_rows {
            let smaller = run.instances.iter_mut();
            let smaller = smaller.map(|instance| &mut instance.figures);
            let mut tables = run.designs.iter_mut().chain(smaller);
            let Some(table) = tables.find(|table| table.info.id == planned.design) else {
                continue;
            };
            let mut queries = table.queries.iter_mut();
            if let Some(query) = queries.find(|query| query.query == planned.query) {
                query.from_metadata = true;
            }
        }
        let most_loaded = run.designs.iter().map(|d| d.rows_loaded).max();
        run.rows = self.rows_to_load.or(most_loaded).unwrap_or(0);
        run
    }
}

/// Adds an engine, or replaces it if it was started again when the run was resumed.
fn replace_engine(engines: &mut Vec<EngineInfo>, engine: &EngineInfo) {
    let of = engine.setting(EngineInfo::SERVER_OF);
    let mut known = engines.iter_mut();
    let known = known.find(|e| e.engine == engine.engine && e.setting(EngineInfo::SERVER_OF) == of);
    match known {
        Some(known) => *known = engine.clone(),
        None => engines.push(engine.clone()),
    }
}
