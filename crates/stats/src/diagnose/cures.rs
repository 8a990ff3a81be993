//! Whether settings cure what a diagnosis found: designs that were measured on a copy of the table, each compared with
//! the one that the table has now.

use serde::Serialize;

use crate::drive::DriveSummary;
use crate::study::{
    Claim, Comparison, Figure, FigureOf, Finding, Judged, Measured, Quantile, StepResult, Study,
};
use crate::{Footprint, Summary};

/// Names of the two measurements.
const RUN: &str = "run";
const LOAD: &str = "drive";

/// A finding, and the designs that would show whether a setting cures it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    /// Name of the rule, such as `chunk-length`.
    pub rule: &'static str,
    /// The table as `KEYSPACE.TABLE`.
    pub about: String,
    /// What is wrong.
    pub says: String,
    /// Ids of the designs that were measured, without the one that the table has now.
    pub designs: Vec<String>,
    pub not_tried: Vec<NotTried>,
}

/// A proposed design that was not measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotTried {
    /// Id of the design.
    pub design: String,
    pub why: String,
}

/// What was measured of all findings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cures {
    /// Id of the design that the table has now, which the others are compared with.
    pub present: String,
    pub findings: Vec<Tried>,
}

/// What was measured of a finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tried {
    /// Name of the rule, such as `chunk-length`.
    pub rule: &'static str,
    /// The table as `KEYSPACE.TABLE`.
    pub about: String,
    /// What is wrong.
    pub says: String,
    pub designs: Vec<TriedDesign>,
    pub not_tried: Vec<NotTried>,
}

/// A design beside the present one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TriedDesign {
    /// Id of the design.
    pub design: String,
    pub helped: Helped,
    pub figures: Vec<TriedFigure>,
    /// Bytes at rest of the present design.
    pub bytes_before: Option<u64>,
    /// Bytes at rest of this one.
    pub bytes_after: Option<u64>,
}

/// What follows from the figures of a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Helped {
    /// Something became faster and nothing slower, and every query was answered rightly.
    Helps,
    /// Something became slower and nothing faster.
    Hurts,
    /// Some figures became better and others worse.
    Mixed,
    /// No difference is shown, or some became faster while a query has no right answers to compare.
    NotSettled,
    NotMeasured,
}

/// A figure of a design as a multiple of that of the present one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TriedFigure {
    /// What it is of, such as `time of the query row`.
    pub figure: String,
    pub ratio: Option<f64>,
    /// Bounds of the ratio, which those of all figures here hold at once with a probability of 95%.
    pub interval: Option<(f64, f64)>,
    #[serde(flatten)]
    pub change: Change,
}

/// How a figure changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "change", content = "why")]
pub enum Change {
    Faster,
    Slower,
    NotSettled,
    /// Holds the reason.
    NotMeasured(String),
}

/// A figure that is compared.
struct Compared {
    step: &'static str,
    figure: Figure,
    name: String,
    /// Whether more of it is better, as of operations per second.
    more_is_better: bool,
}

impl Cures {
    /// Compares the designs of findings with the present one in what was measured: times of queries, and operations of
    /// a mix.
    pub fn new(
        present: &str,
        proposed: &[Proposed],
        run: Option<Summary>,
        load: Option<DriveSummary>,
    ) -> Cures {
        let compared = compared(run.as_ref(), load.as_ref());
        let mut designs: Vec<&str> = Vec::new();
        for design in proposed.iter().flat_map(|finding| &finding.designs) {
            if !designs.contains(&design.as_str()) {
                designs.push(design);
            }
        }
        let bytes = |design: &str| bytes_of(design, run.as_ref(), load.as_ref());
        let all_bytes: Vec<Option<u64>> = designs.iter().map(|design| bytes(design)).collect();
        let bytes_before = bytes(present);
        let claims = { designs.iter() }
            .flat_map(|design| compared.iter().map(move |one| one.claim(design, present)));
        let study = Study {
            claims: claims.collect(),
            ..nothing()
        };
        let steps = [
            step(RUN, run.map(|run| Measured::Run(Box::new(run)))),
            step(LOAD, load.map(|load| Measured::Load(Box::new(load)))),
        ];
        let mut judged = study.judge(&steps).into_iter();
        let of_design = |(design, bytes_after): (&&str, Option<u64>)| {
            let figures = compared.iter().zip(judged.by_ref());
            let figures: Vec<TriedFigure> = figures.map(|(one, of)| one.tried(of)).collect();
            TriedDesign {
                design: (*design).to_owned(),
                helped: helped(&figures, lacks_a_query(&compared, &figures)),
                figures,
                bytes_before,
                bytes_after,
            }
        };
        let tried: Vec<TriedDesign> = designs.iter().zip(all_bytes).map(of_design).collect();
        let of_finding = |finding: &Proposed| Tried {
            rule: finding.rule,
            about: finding.about.clone(),
            says: finding.says.clone(),
            designs: { finding.designs.iter() }
                .filter_map(|id| tried.iter().find(|one| one.design == *id).cloned())
                .collect(),
            not_tried: finding.not_tried.clone(),
        };
        Cures {
            present: present.to_owned(),
            findings: proposed.iter().map(of_finding).collect(),
        }
    }
}

impl Tried {
    /// Returns whether a design helps.
    pub fn is_helped(&self) -> bool {
        let mut designs = self.designs.iter();
        designs.any(|design| design.helped == Helped::Helps)
    }
}

impl Compared {
    fn claim(&self, design: &str, present: &str) -> Claim {
        let of = |design: &str| FigureOf {
            figure: self.figure.clone(),
            design: design.to_owned(),
        };
        Claim {
            text: self.name.clone(),
            published: None,
            why: None,
            comparison: Some(Comparison {
                step: self.step.to_owned(),
                of: of(design),
                to: Some(of(present)),
                at_least: None,
                at_most: Some(1.0),
            }),
        }
    }

    fn tried(&self, judged: Judged) -> TriedFigure {
        let interval = judged.value.and_then(|value| value.interval);
        let is_less = interval.is_some_and(|(_, high)| high < 1.0);
        let is_more = interval.is_some_and(|(low, _)| low > 1.0);
        let (is_better, is_worse) = if self.more_is_better {
            (is_more, is_less)
        } else {
            (is_less, is_more)
        };
        let change = match judged.finding {
            Finding::NotMeasured(why) => Change::NotMeasured(why),
            _ if is_better => Change::Faster,
            _ if is_worse => Change::Slower,
            _ => Change::NotSettled,
        };
        TriedFigure {
            figure: self.name.clone(),
            ratio: judged.value.map(|value| value.value),
            interval,
            change,
        }
    }
}

/// Returns the figures that were measured.
fn compared(run: Option<&Summary>, load: Option<&DriveSummary>) -> Vec<Compared> {
    let mut compared = Vec::new();
    let queries = run.iter().flat_map(|run| &run.header.queries);
    for query in queries {
        compared.push(Compared {
            step: RUN,
            figure: Figure::Query(query.name.clone()),
            name: format!("time of the query {}", query.name),
            more_is_better: false,
        });
    }
    let Some(load) = load else {
        return compared;
    };
    compared.push(Compared {
        step: LOAD,
        figure: Figure::Throughput,
        name: "operations a second of the mix".to_owned(),
        more_is_better: true,
    });
    for operation in &load.header.operations {
        compared.push(Compared {
            step: LOAD,
            figure: Figure::Response {
                operation: operation.name.clone(),
                quantile: Quantile::P99,
            },
            name: format!("p99 of {} in the mix", operation.name),
            more_is_better: false,
        });
    }
    compared
}

fn bytes_of(design: &str, run: Option<&Summary>, load: Option<&DriveSummary>) -> Option<u64> {
    let of_run = run.and_then(|run| run.design(design)?.footprint.as_ref());
    let of_load = || load.and_then(|load| load.design(design)?.footprint.as_ref());
    of_run.or_else(of_load).and_then(Footprint::bytes)
}

/// Returns whether a query of the questions was not measured, such as one with a wrong answer.
fn lacks_a_query(compared: &[Compared], figures: &[TriedFigure]) -> bool {
    let mut both = compared.iter().zip(figures);
    both.any(|(one, figure)| one.step == RUN && matches!(figure.change, Change::NotMeasured(_)))
}

fn helped(figures: &[TriedFigure], lacks_a_query: bool) -> Helped {
    let has = |change: &Change| figures.iter().any(|figure| figure.change == *change);
    match (has(&Change::Faster), has(&Change::Slower)) {
        (true, false) if lacks_a_query => Helped::NotSettled,
        (true, false) => Helped::Helps,
        (false, true) => Helped::Hurts,
        (true, true) => Helped::Mixed,
        (false, false) if has(&Change::NotSettled) => Helped::NotSettled,
        (false, false) => Helped::NotMeasured,
    }
}

fn step(name: &str, measured: Option<Measured>) -> StepResult {
    StepResult {
        name: name.to_owned(),
        what: String::new(),
        command: String::new(),
        measured,
        failed: None,
    }
}

/// A study without statements, whose comparisons are made here.
fn nothing() -> Study {
    Study {
        name: String::new(),
        title: String::new(),
        author: String::new(),
        year: 0,
        publication: String::new(),
        url: String::new(),
        question: String::new(),
        method: Vec::new(),
        claims: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
