//! Estimates of designs that a run did not measure: the times of one of its designs, multiplied by the factors that an
//! earlier run, such as one on another machine, found between its designs.

use serde::Serialize;

use super::differences::{Caution, Obstacle};
use super::differs;
use super::{FEWEST_ROUNDS, RunAbout};
use crate::compare::summary::rounds::method::Method;
use crate::compare::summary::rounds::paired::Paired;
use crate::compare::{DesignSummary, QuerySummary, ScanQuestion, Summary, UnknownLoad};

/// Estimates of an earlier run's designs for the machine of another run, from one design that both measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ByFactors {
    /// Design that both runs measured.
    pub base: String,
    /// The run that has the times of the base.
    pub run: RunAbout,
    /// The run that has the factors.
    pub earlier: RunAbout,
    /// Differences of the earlier run (A) and the other one (B) that have to be known.
    pub cautions: Vec<Caution>,
    /// The questions that both runs asked, with the times of the base.
    pub bases: Vec<BaseTime>,
    /// Designs of the earlier run but the base, in the order of its header.
    pub designs: Vec<ScaledDesign>,
    /// Those of them for which there is no estimate.
    pub unknown: Vec<UnknownLoad>,
}

/// Time of the base in the run that is estimated for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BaseTime {
    pub query: String,
    /// Median of the rounds, in seconds.
    pub seconds: f64,
    /// Bounds of the median; `None` for fewer than five rounds.
    pub interval: Option<(f64, f64)>,
}

/// Estimated figures of a design.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScaledDesign {
    pub design: String,
    pub times: Vec<ScaledTime>,
    /// Bytes of a row; `None` where one of the three sizes that it needs is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_per_row: Option<f64>,
}

/// Estimated time of a query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScaledTime {
    pub query: String,
    /// Time as a multiple of the base's, in the earlier run.
    pub factor: f64,
    /// Bounds of the factor, which hold all factors at once with a probability of 95%; `None` for too few rounds.
    pub factor_interval: Option<(f64, f64)>,
    /// The base's time, in seconds, times the factor.
    pub seconds: f64,
    /// The least and the greatest time that both intervals allow; `None` without one of them.
    pub range: Option<(f64, f64)>,
    /// What the run measured of the design itself, in seconds, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<f64>,
}

/// Estimated times of a question by the records that it reads.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScaledScan {
    #[serde(flatten)]
    pub asked: ScanQuestion,
    /// The full scan by which the base's speed is known, and whose factors are taken.
    pub query: String,
    /// Times of the base and of the others, in seconds, the base first.
    pub designs: Vec<ScaledRecords>,
}

/// Estimated times of a question on one design, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScaledRecords {
    pub design: String,
    /// Time where the records are spread over many partitions.
    pub spread: f64,
    /// Time where the records are in a single partition.
    pub one_partition: f64,
}

impl ScaledTime {
    /// Returns the factor by which the estimate is longer or shorter than what was measured, at least 1.
    pub fn off_by(&self) -> Option<f64> {
        let measured = self.measured.filter(|seconds| *seconds > 0.0)?;
        Some((self.seconds / measured).max(measured / self.seconds))
    }
}

impl ByFactors {
    /// Estimates the designs of an earlier run for the machine of another one, each run with the name that its reader
    /// knows it by. The base is the only design that both have, unless it is named.
    ///
    /// # Errors
    /// Says why there is no estimate: the runs have different tables, rows or questions, or no base.
    pub fn of(
        run: (&str, &Summary),
        earlier: (&str, &Summary),
        base: Option<&str>,
    ) -> Result<ByFactors, String> {
        refuse_others(earlier.1, run.1)?;
        let (here, there) = base_of(run.1, earlier.1, base)?;
        let runs = Runs {
            run: run.1,
            earlier: earlier.1,
            here,
            there,
        };
        let bases = runs.bases();
        if bases.is_empty() {
            let base = &here.info.id;
            return Err(format!(
                "there is no question to which {base} has right answers in both"
            ));
        }
        let (designs, unknown) = runs.scaled(&bases);
        Ok(ByFactors {
            base: here.info.id.clone(),
            run: RunAbout::new(run.0, run.1),
            earlier: RunAbout::new(earlier.0, earlier.1),
            cautions: differs::cautions(earlier.1, run.1),
            bases,
            designs,
            unknown,
        })
    }

    /// Estimates a question by the records that it reads: its time with the base by the scan speed of the run, times
    /// the factors of the scan.
    ///
    /// # Errors
    /// Says why the scan speed of the base is not known.
    pub fn scan(&self, run: &Summary, asked: ScanQuestion) -> Result<ScaledScan, String> {
        let found = run.by_scan_speed(asked);
        let is_base = |design: &str| design == self.base;
        let Some(base) = found.designs.iter().find(|d| is_base(&d.design)) else {
            let why = found.unknown.iter().find(|d| is_base(&d.design));
            let why = why.map_or("it failed or is a yardstick", |unknown| {
                unknown.why.as_str()
            });
            return Err(format!(
                "the scan speed of {} is not known: {why}",
                self.base
            ));
        };
        let query = base.speed.query.clone();
        let of_base = ScaledRecords {
            design: self.base.clone(),
            spread: base.spread,
            one_partition: base.one_partition,
        };
        let others = self.designs.iter().filter_map(|design| {
            let time = design.times.iter().find(|time| time.query == query)?;
            Some(ScaledRecords {
                design: design.design.clone(),
                spread: base.spread * time.factor,
                one_partition: base.one_partition * time.factor,
            })
        });
        Ok(ScaledScan {
            asked,
            designs: std::iter::once(of_base).chain(others).collect(),
            query,
        })
    }
}

/// Two runs, with the base as each of them measured it.
struct Runs<'a> {
    run: &'a Summary,
    earlier: &'a Summary,
    here: &'a DesignSummary,
    there: &'a DesignSummary,
}

impl Runs<'_> {
    /// Returns the times of the base for the questions that both runs asked it.
    fn bases(&self) -> Vec<BaseTime> {
        let queries = differs::queries(self.earlier, self.run).into_iter();
        queries
            .filter_map(|query| {
                right(self.there, query)?;
                // A time of 0 is below the resolution of the clock, and has no multiples.
                let time = right(self.here, query)?.time?;
                if time.median <= 0.0 {
                    return None;
                }
                let is_enough = time.observations as usize >= FEWEST_ROUNDS;
                Some(BaseTime {
                    query: query.to_owned(),
                    seconds: time.median,
                    interval: is_enough.then_some((time.low, time.high)),
                })
            })
            .collect()
    }

    /// Returns the estimates of the other designs of the earlier run, and those that have none.
    fn scaled(&self, bases: &[BaseTime]) -> (Vec<ScaledDesign>, Vec<UnknownLoad>) {
        let others = self.earlier.designs.iter();
        let is_other =
            |d: &&DesignSummary| d.info.id != self.there.info.id && !d.info.is_yardstick();
        let others: Vec<&DesignSummary> = others.filter(is_other).collect();
        let of_design = |design: &&DesignSummary| -> Vec<Paired> {
            let pairs = bases.iter();
            pairs
                .filter_map(|base| self.pair(design, &base.query))
                .collect()
        };
        let pairs: Vec<Paired> = others.iter().flat_map(of_design).collect();
        let method = Method::new(pairs.len(), &pairs);
        let (mut designs, mut unknown) = (Vec::new(), Vec::new());
        for design in others {
            let times = bases.iter();
            let times: Vec<ScaledTime> = times
                .filter_map(|base| self.time(design, base, &method))
                .collect();
            let id = design.info.id.clone();
            match why_none(design, &times) {
                Some(why) => unknown.push(UnknownLoad { design: id, why }),
                None => designs.push(ScaledDesign {
                    design: id,
                    times,
                    bytes_per_row: self.bytes_per_row(design),
                }),
            }
        }
        (designs, unknown)
    }

    /// Returns the times of a design of the earlier run and of the base there, by round.
    fn pair(&self, design: &DesignSummary, query: &str) -> Option<Paired> {
        if design.is_out_of_race() {
            return None;
        }
        let (own, base) = (right(design, query)?, right(self.there, query)?);
        let paired = Paired::new(&own.rounds, &base.rounds);
        (paired.rounds() > 0).then_some(paired)
    }

    fn time(&self, design: &DesignSummary, base: &BaseTime, method: &Method) -> Option<ScaledTime> {
        let paired = self.pair(design, &base.query)?;
        let noise = self.earlier.table_noise(&base.query);
        let interval = method.interval(&paired, noise)?;
        let (factor, factor_interval) = (interval.centre.exp(), interval.bounds());
        let both = base.interval.zip(factor_interval);
        let measured = { self.run.design(&design.info.id) }
            .and_then(|design| right(design, &base.query)?.time);
        Some(ScaledTime {
            query: base.query.clone(),
            factor,
            factor_interval,
            seconds: base.seconds * factor,
            range: both.map(|(base, factor)| (base.0 * factor.0, base.1 * factor.1)),
            measured: measured.map(|time| time.median),
        })
    }

    /// Returns the bytes of a row: those of the base in the run, times the ratio in the earlier one.
    fn bytes_per_row(&self, design: &DesignSummary) -> Option<f64> {
        let known = |run: &Summary, design: &DesignSummary| match run.failure_of_table(design) {
            None => design.bytes_per_row.filter(|bytes| *bytes > 0.0),
            Some(_) => None,
        };
        let here = known(self.run, self.here)?;
        let there = known(self.earlier, self.there)?;
        Some(here * known(self.earlier, design)? / there)
    }
}

/// Returns a query of a design, if its times say something.
fn right<'a>(design: &'a DesignSummary, query: &str) -> Option<&'a QuerySummary> {
    let found = design.query(query).filter(|found| found.time.is_some())?;
    design.failure_behind(query).is_none().then_some(found)
}

fn why_none(design: &DesignSummary, times: &[ScaledTime]) -> Option<String> {
    if design.is_out_of_race() {
        return Some("a race of the earlier run dropped it".to_owned());
    }
    let none = || "the earlier run has no right answers of it in rounds of the base".to_owned();
    times.is_empty().then(none)
}

/// Refuses runs whose factors are about other things: another table, other rows, or other questions by one name.
fn refuse_others(earlier: &Summary, run: &Summary) -> Result<(), String> {
    let obstacles = differs::obstacles(earlier, run).into_iter();
    let mut reasons: Vec<String> = obstacles
        .filter(|obstacle| !matches!(obstacle, Obstacle::NoCommonDesign))
        .map(|obstacle| obstacle.to_string())
        .collect();
    reasons.extend(
        differs::changed_queries(earlier, run)
            .into_iter()
            .map(|name| format!("{name} is another question in B")),
    );
    if reasons.is_empty() {
        return Ok(());
    }
    Err(format!(
        "factors of A, the earlier run, say nothing about B: {}",
        reasons.join("; ")
    ))
}

/// Returns the base of both runs, in the run and in the earlier one.
fn base_of<'a>(
    run: &'a Summary,
    earlier: &'a Summary,
    named: Option<&str>,
) -> Result<(&'a DesignSummary, &'a DesignSummary), String> {
    let common: Vec<&str> = differs::common(run, earlier).collect();
    let id = match (named, &common[..]) {
        (Some(named), all) if all.contains(&named) => named,
        (Some(named), all) => {
            return Err(format!(
                "{named} was not measured by both{}",
                listed(", but ", all)
            ));
        }
        (None, [only]) => *only,
        (None, []) => {
            let ids = earlier.designs.iter().map(|design| design.info.id.as_str());
            let ids: Vec<&str> = ids.collect();
            return Err(format!(
                "they have no design in common: measure one of the earlier run here, too{}",
                listed(", of ", &ids)
            ));
        }
        (None, all) => {
            return Err(format!(
                "they have several designs in common: choose the base with --base{}",
                listed(", of ", all)
            ));
        }
    };
    let both = run.design(id).zip(earlier.design(id));
    both.ok_or_else(|| format!("{id} was not measured by both"))
}

/// Lists designs after some words; nothing for none.
fn listed(before: &str, designs: &[&str]) -> String {
    match designs {
        [] => String::new(),
        all => format!("{before}{}", all.join(", ")),
    }
}
