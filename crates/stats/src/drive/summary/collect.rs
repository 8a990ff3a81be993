//! Gathers the records of a load by design and trial, and condenses them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{
    DriveDesign, DriveSummary, DriveSummaryError, LoadComparison, TrialSummary, beside, passes,
};
use crate::Estimate;
use crate::drive::window::Window;
use crate::drive::{
    BesideRecord, DriveHeader, DriveRecord, FoundRate, HistogramLog, HistogramLogReader,
    LoadFigures, PassRecord, ProbeRecord, ReadRepairs, SecondCounts, TrialEnd, TrialStart, WarmUp,
    warm_up, warm_up_of_throughput,
};

/// Records of a load read so far, by design and trial.
pub struct Collected {
    /// Fields of the summary itself; its trials and figures are filled in at the end.
    run: DriveSummary,
    trials: Vec<Trial>,
    /// What became of the questions beside loads.
    beside: Vec<BesideRecord>,
}

struct Trial {
    start: TrialStart,
    end: Option<TrialEnd>,
    probe: Option<ProbeRecord>,
    pass: Option<PassRecord>,
    seconds: Vec<SecondCounts>,
}

impl Collected {
    pub fn new(header: &DriveHeader) -> Collected {
        Collected {
            trials: Vec::new(),
            beside: Vec::new(),
            run: DriveSummary {
                header: header.clone(),
                engines: Vec::new(),
                designs: header.designs.iter().map(DriveDesign::new).collect(),
                trials: Vec::new(),
                partitions: Vec::new(),
                passes: Vec::new(),
                beside: Vec::new(),
                answering_ended: Vec::new(),
                nodes_added: Vec::new(),
                comparison: LoadComparison::default(),
                read_repairs: BTreeMap::new(),
                profiles: Vec::new(),
                warnings: Vec::new(),
                finished: false,
                interrupted: false,
                seconds: None,
                peak_memory_bytes: None,
                per_node: None,
            },
        }
    }

    /// Adds a record; `number` is its position in the log, counted from 1.
    pub fn take(&mut self, number: usize, record: &DriveRecord) -> Result<(), DriveSummaryError> {
        match record {
            DriveRecord::Started(_) => {}
            DriveRecord::Engine(engine) => self.run.engines.push(engine.clone()),
            DriveRecord::Populated(populated) => {
                let design = self.design(number, &populated.design)?;
                design.rows = Some(populated.rows);
                design.load_seconds = Some(populated.seconds);
            }
            DriveRecord::Footprint(footprint) => {
                self.design(number, &footprint.design)?.footprint = Some(footprint.clone());
            }
            DriveRecord::FootprintAfter(footprint) => {
                self.design(number, &footprint.design)?.footprint_after = Some(footprint.clone());
            }
            DriveRecord::Partitions(partitions) => {
                self.design(number, &partitions.design)?;
                self.run.partitions.push(partitions.clone());
            }
            DriveRecord::TrialStarted(start) => {
                self.design(number, &start.design)?;
                self.trials.push(Trial {
                    start: start.clone(),
                    end: None,
                    probe: None,
                    pass: None,
                    seconds: Vec::new(),
                });
            }
            DriveRecord::Second(counts) => self.take_second(number, counts)?,
            DriveRecord::TrialEnded(end) => {
                self.trial(number, end.trial)?.end = Some(end.clone());
            }
            DriveRecord::ReadRepairs(ReadRepairs { design, repairs }) => {
                self.design(number, design)?;
                let known = self.run.read_repairs.entry(design.clone()).or_default();
                *known = known.saturating_add(*repairs);
            }
            DriveRecord::Profile(profile) => {
                self.design(number, &profile.design)?;
                self.run.profiles.push(profile.clone());
            }
            DriveRecord::Pass(pass) => {
                self.design(number, &pass.design)?;
                self.trial(number, pass.trial)?.pass = Some(pass.clone());
            }
            DriveRecord::Beside(asked) => {
                self.design(number, &asked.design)?;
                self.trial(number, asked.trial)?;
                self.beside.push(asked.clone());
            }
            DriveRecord::AnsweringEnded(ended) => self.run.answering_ended.push(ended.clone()),
            DriveRecord::NodeAdded(added) => {
                self.trial(number, added.trial)?;
                self.run.nodes_added.push(added.clone());
            }
            DriveRecord::Probe(probe) => {
                self.trial(number, probe.trial)?.probe = Some(probe.clone());
                self.design(number, &probe.design)?
                    .probes
                    .push(probe.clone());
            }
            DriveRecord::Found(found) => {
                self.design(number, &found.design)?
                    .found
                    .push(found.clone());
            }
            DriveRecord::Failed { design, reason } => {
                self.design(number, design)?.failures.push(reason.clone());
            }
            DriveRecord::Warning { message } => {
                if !self.run.warnings.contains(message) {
                    self.run.warnings.push(message.clone());
                }
            }
            DriveRecord::Interrupted { .. } => self.run.interrupted = true,
            DriveRecord::Finished {
                seconds,
                peak_memory_bytes,
                ..
            } => {
                self.run.finished = true;
                self.run.seconds = Some(*seconds);
                self.run.peak_memory_bytes = Some(*peak_memory_bytes);
            }
        }
        Ok(())
    }

    fn take_second(
        &mut self,
        number: usize,
        counts: &SecondCounts,
    ) -> Result<(), DriveSummaryError> {
        let expected = self.run.header.operations.len();
        let found = counts.operations.len();
        if found != expected {
            return Err(DriveSummaryError::Operations {
                record: number,
                found,
                expected,
            });
        }
        self.trial(number, counts.trial)?
            .seconds
            .push(counts.clone());
        Ok(())
    }

    fn design(&mut self, record: usize, id: &str) -> Result<&mut DriveDesign, DriveSummaryError> {
        let found = self.run.designs.iter_mut().find(|d| d.info.id == id);
        found.ok_or_else(|| DriveSummaryError::UnknownDesign {
            design: id.to_owned(),
            record,
        })
    }

    fn trial(&mut self, record: usize, trial: u32) -> Result<&mut Trial, DriveSummaryError> {
        let found = self.trials.iter_mut().find(|t| t.start.trial == trial);
        found.ok_or(DriveSummaryError::UnknownTrial { trial, record })
    }

    /// Condenses the records, and reads the histogram logs of the run in this folder.
    pub fn summary(self, dir: &Path) -> Result<DriveSummary, DriveSummaryError> {
        let mut run = self.run;
        // Histograms are large: only those of one trial and the sums of each design are in memory.
        let mut sums: Vec<Option<Window>> = vec![None; run.designs.len()];
        for design in &mut run.designs {
            design.trials = match (&run.header.passes, &run.header.objective) {
                (Some(_), _) => Vec::new(),
                (None, Some(_)) => found_by_search(design, &self.trials),
                (None, None) => rounds_of(design, &self.trials),
            };
        }
        for trial in self.trials {
            let (summary, window) = trial.condense(&run.header, dir)?;
            let number = summary.start.trial;
            for (design, sum) in run.designs.iter().zip(&mut sums) {
                if design.trials.contains(&number) {
                    match sum {
                        Some(sum) => *sum += &window,
                        None => *sum = Some(window.clone()),
                    }
                }
            }
            run.trials.push(summary);
        }
        for (design, sum) in run.designs.iter_mut().zip(&sums) {
            design.figures = sum.as_ref().map(|sum| sum.figures(&run.header));
            let used = run
                .trials
                .iter()
                .filter(|t| design.trials.contains(&t.start.trial));
            let figures: Vec<&LoadFigures> = used.map(|t| &t.figures).collect();
            design.highest_rate = highest_rate(&design.found);
            design.rate = estimate(&figures, |f| Some(f.ops_per_second));
            design.response_p99 = (0..run.header.operations.len())
                .map(|n| estimate(&figures, |f| f.operations[n].response.map(|l| l.p99)))
                .collect();
        }
        if let Some(all) = &run.header.passes {
            run.passes = passes::figures(all, &run.designs, &run.trials);
        }
        if run.header.beside.is_some() {
            run.beside = beside::figures(&run, &self.beside);
        }
        run.comparison = LoadComparison::of(&run);
        Ok(run)
    }
}

/// Returns the rounds that a design's figures are made of, without the loads beside which questions were
/// asked. A round that was cut short counts only if there is no other.
fn rounds_of(design: &DriveDesign, trials: &[Trial]) -> Vec<u32> {
    let rounds = own(design, trials).filter(|t| t.start.is_round() && !t.lost_a_worker());
    let (complete, cut_short): (Vec<&Trial>, Vec<&Trial>) = rounds.partition(|t| t.is_complete());
    let counting = if complete.is_empty() {
        cut_short
    } else {
        complete
    };
    counting.into_iter().map(Trial::number).collect()
}

/// Returns the last trials at the rates that searches found. All other trials, including those
/// never judged, are steps on the way.
fn found_by_search(design: &DriveDesign, trials: &[Trial]) -> Vec<u32> {
    let found = design.found.iter();
    found
        .filter_map(|found| last_at_rate(design, trials, found))
        .collect()
}

/// Returns the last trial of a search that met the objective at the rate that was found.
fn last_at_rate(design: &DriveDesign, trials: &[Trial], found: &FoundRate) -> Option<u32> {
    own(design, trials)
        .filter(|t| t.start.round == found.round)
        .filter_map(|t| t.probe.as_ref())
        .filter(|probe| probe.held() && probe.rate == found.rate)
        .map(|probe| probe.trial)
        .next_back()
}

/// Returns the trials of a design that have at least one second on record.
fn own<'a>(
    design: &'a DriveDesign,
    trials: &'a [Trial],
) -> impl DoubleEndedIterator<Item = &'a Trial> {
    let id = &design.info.id;
    trials
        .iter()
        .filter(move |t| t.start.design == *id && !t.seconds.is_empty())
}

/// Finds the warm-up of a trial whose operations became due at an even rate for `duration` seconds:
/// the later one by service times and by throughput.
pub fn warm_up_of(seconds: &[SecondCounts], duration: f64) -> WarmUp {
    let whole = duration.floor() as u32;
    let (successes, service_ns): (Vec<f64>, Vec<f64>) = seconds
        .iter()
        .filter(|s| s.second < whole)
        .map(|s| (s.successes() as f64, s.mean_service_ns()))
        .unzip();
    let (throughput, service) = (warm_up_of_throughput(&successes), warm_up(&service_ns));
    WarmUp {
        seconds: throughput.seconds.max(service.seconds),
        steady: throughput.steady.zip(service.steady).map(|(a, b)| a && b),
    }
}

fn highest_rate(found: &[FoundRate]) -> Option<Estimate> {
    let rates: Option<Vec<f64>> = found.iter().map(FoundRate::highest).collect();
    Estimate::from_samples(&rates?)
}

/// Estimates a figure over rounds. Returns `None` if a round lacks the figure.
fn estimate(
    rounds: &[&LoadFigures],
    figure: impl Fn(&LoadFigures) -> Option<f64>,
) -> Option<Estimate> {
    let figures: Option<Vec<f64>> = rounds.iter().map(|f| figure(f)).collect();
    Estimate::from_samples(&figures?)
}

impl Trial {
    fn number(&self) -> u32 {
        self.start.trial
    }

    fn lost_a_worker(&self) -> bool {
        let end = self.end.as_ref();
        end.is_some_and(|end| !end.worker_failures.is_empty())
    }

    fn is_complete(&self) -> bool {
        self.end.as_ref().is_some_and(TrialEnd::is_complete)
    }

    fn condense(
        self,
        header: &DriveHeader,
        dir: &Path,
    ) -> Result<(TrialSummary, Window), DriveSummaryError> {
        let duration = self.duration(header);
        let warm_up = self.warm_up(duration);
        let from = u32::try_from(warm_up.seconds).unwrap_or(u32::MAX);
        let mut window = Window::new(header, &self.seconds, from, duration, self.end.as_ref());
        self.read_times(header, dir, from, &mut window)?;
        let summary = TrialSummary {
            figures: window.figures(header),
            start: self.start,
            end: self.end,
            probe: self.probe,
            pass: self.pass,
            seconds: self.seconds,
            warm_up_seconds: from,
            steady: warm_up.steady,
            duration,
        };
        Ok((summary, window))
    }

    /// Returns the seconds in which operations became due; in a trial without an end, as far as
    /// they are on record.
    fn duration(&self, header: &DriveHeader) -> f64 {
        let recorded = self
            .seconds
            .last()
            .map_or(0, |s| s.second.saturating_add(1));
        let recorded = f64::from(recorded);
        let so_far = header
            .planned_seconds()
            .map_or(recorded, |planned| recorded.min(planned));
        self.end.as_ref().map_or(so_far, |end| end.seconds)
    }

    fn warm_up(&self, duration: f64) -> WarmUp {
        if self.start.even {
            warm_up_of(&self.seconds, duration)
        } else {
            WarmUp {
                seconds: 0,
                steady: None,
            }
        }
    }

    /// Adds the histograms of all seconds after the warm-up that are on record.
    fn read_times(
        &self,
        header: &DriveHeader,
        dir: &Path,
        from: u32,
        window: &mut Window,
    ) -> Result<(), DriveSummaryError> {
        if self.seconds.is_empty() {
            return Ok(());
        }
        let recorded: BTreeSet<u32> = self.seconds.iter().map(|s| s.second).collect();
        let path = HistogramLog::path(dir, self.start.trial);
        for logged in HistogramLogReader::open(&path, &header.operation_names())? {
            let logged = logged?;
            if logged.second >= from && recorded.contains(&logged.second) {
                window.add_times(&logged.tallies);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
