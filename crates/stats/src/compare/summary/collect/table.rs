//! Records of one table, and what they come to.

use crate::compare::summary::cpu::Resolution;
use crate::compare::summary::failures::is_given_up;
use crate::compare::summary::loading::Loading;
use crate::compare::summary::{DesignSummary, Failure, QuerySummary, concurrent};
use crate::compare::{Concurrent, Dropped, Header, LoadSlice, OPEN_ROUND, Outcome, Step, Timing};
use crate::counts::total;
use crate::{CpuSeconds, DesignInfo, EngineInfo, Estimate, Footprint, Space};

/// Records of a table.
pub struct Design {
    pub info: DesignInfo,
    pub slices: Vec<LoadSlice>,
    pub settle_seconds: Option<f64>,
    pub footprint: Option<Footprint>,
    pub space: Option<Space>,
    /// Turns in which several clients asked the design.
    pub concurrent: Vec<Concurrent>,
    pub dropped: Option<Dropped>,
    pub queries: Vec<Query>,
    pub failures: Vec<Failure>,
    /// Set if its engine was gone after it had been asked a query.
    pub is_gone: bool,
}

/// Records of a query on a table.
pub struct Query {
    pub name: String,
    /// Rounds with a right answer.
    right: Vec<Timing>,
    /// Number of right answers in rounds whose times only decide who is dropped.
    right_without_time: usize,
    /// Complaint about each round without a right answer.
    bad: Vec<String>,
    /// Set if the complete answer was right.
    pub verified: bool,
    /// Set if the complete answer was wrong or missing.
    pub disproved: bool,
}

impl Design {
    /// Begins without records.
    pub fn new(info: &DesignInfo, header: &Header) -> Design {
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
            is_gone: false,
        }
    }

    /// Forgets an earlier table. Times of earlier rounds stay, since `memory` is created again when
    /// a run is resumed.
    pub fn create(&mut self) {
        self.slices.clear();
        self.settle_seconds = None;
        self.footprint = None;
        self.space = None;
    }

    /// Records a failure. Of several records of the same failure, the most detailed one is kept: a
    /// wrong answer is recorded as such, and can be recorded again as the reason why the design is
    /// out.
    pub fn fail(&mut self, failure: Failure) {
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

    /// Condenses the records of a design of the run with this header and these engines.
    pub fn condense(mut self, header: &Header, engines: &[EngineInfo]) -> DesignSummary {
        let copies = header.copies_in(&self.info, engines);
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
        let mut summary = DesignSummary {
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
            is_gone: self.is_gone,
            loading,
        };
        summary.forget_impossible_cpu(header);
        summary
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

    /// Adds the answer of a round.
    pub fn take(&mut self, timing: &Timing) {
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
        let given_up = self.bad.iter().filter(|reason| is_given_up(reason)).count();
        QuerySummary {
            query: self.name,
            time,
            rounds,
            was_right: is_right && !self.disproved,
            was_right_at_first: self.verified,
            always_empty: !right.is_empty() && right.iter().all(is_empty),
            times_fastest: None,
            rows_scanned_per_second: rows_scanned
                .zip(time.filter(|t| t.median > 0.0))
                .map(|(rows, time)| rows / time.median),
            rows_scanned,
            from_metadata: false,
            cpu: Some(mean(&right)),
            bad_rounds: u32::try_from(self.bad.len()).unwrap_or(u32::MAX),
            given_up_rounds: u32::try_from(given_up).unwrap_or(u32::MAX),
        }
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
        in_ticks: total.in_ticks,
    }
}
