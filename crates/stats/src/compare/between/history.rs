//! History of many runs of one workload: their figures over time, and the changes that lasted.

use std::collections::BTreeMap;

use serde::Serialize;

use super::change::{Change, Run, has_time};
use super::what::{Unknown, What};
use super::{RunAbout, Shown, differs};
use crate::Estimate;
use crate::compare::summary::rounds::method::Method;
use crate::compare::summary::rounds::paired::Paired;
use crate::compare::{DesignSummary, Summary};

/// Groups of runs that may be compared, each in the order of time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct History {
    pub groups: Vec<Group>,
}

/// Runs that may be compared with each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    pub runs: Vec<RunAbout>,
    /// Figures over time, in the order of designs and queries.
    pub series: Vec<Series>,
}

/// One figure over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    pub design: String,
    pub what: What,
    /// Figures in the order of the runs; `None` for a run that lacks it.
    pub points: Vec<Option<Point>>,
    pub shifts: Vec<Shift>,
    /// Reason why it is unknown whether the last run differs from the first one, or from the last shift;
    /// `None` if it is known.
    pub unknown: Option<Unknown>,
}

/// Figure of one run in seconds: the centre of its rounds, by which two runs are compared; in loading, the seconds for
/// each row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    pub seconds: f64,
    /// Bounds of the seconds, of this run taken by itself; `None` for too few rounds or a short load.
    pub interval: Option<(f64, f64)>,
}

/// Change that all later runs confirm, as far as they show anything.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Shift {
    /// Index of the run that the later ones are compared with.
    pub from: usize,
    /// Index of the first run that differs.
    pub at: usize,
    /// Ratio of the seconds of the run at `at` to those of the run at `from`.
    pub ratio: f64,
    pub interval: Option<(f64, f64)>,
    /// Number of runs that show the change, including that one.
    pub runs: usize,
}

impl History {
    /// Sorts runs, each with the name that its reader knows it by, and finds the changes that lasted.
    /// Runs that began at the same time keep their order.
    pub fn of(mut runs: Vec<(String, Summary)>) -> History {
        runs.sort_by(|a, b| a.1.header.started_at.cmp(&b.1.header.started_at));
        let mut groups: Vec<Vec<&(String, Summary)>> = Vec::new();
        for run in &runs {
            let may_join = |group: &&mut Vec<&(String, Summary)>| {
                let last = group.last();
                last.is_some_and(|(_, last)| differs::obstacles(last, &run.1).is_empty())
            };
            match groups.iter_mut().find(may_join) {
                Some(group) => group.push(run),
                None => groups.push(vec![run]),
            }
        }
        History {
            groups: groups.iter().map(|group| Group::new(group)).collect(),
        }
    }
}

impl Group {
    fn new(runs: &[&(String, Summary)]) -> Group {
        let prepared: Vec<Run<'_>> = { runs.iter() }
            .map(|(_, run)| Run::new(run, None))
            .collect();
        let methods: Vec<Method> = runs.iter().map(|(_, run)| method_of(run)).collect();
        let mut changes = Changes::new(&prepared);
        let series = names(runs)
            .into_iter()
            .map(|(design, what)| {
                let points = { runs.iter().zip(&methods) }
                    .map(|((_, run), method)| point(run.design(&design)?, &what, method))
                    .collect();
                let shifts = changes.shifts(&design, &what);
                let since = shifts.last().map_or(0, |shift| shift.at);
                Series {
                    unknown: changes.unknown(since, &design, &what),
                    points,
                    shifts,
                    design,
                    what,
                }
            })
            .filter(|series| series.points.iter().any(Option::is_some));
        Group {
            runs: runs
                .iter()
                .map(|(name, run)| RunAbout::new(name, run))
                .collect(),
            series: series.collect(),
        }
    }
}

/// Changes from runs to all later ones, compared when they are first asked for: a series needs them from the first
/// run and from those of its shifts only.
struct Changes<'a> {
    runs: &'a [Run<'a>],
    /// Number of comparisons for which intervals are corrected.
    comparisons: usize,
    /// Changes to each later run, by the index of the earlier one.
    from: BTreeMap<usize, Vec<Vec<Change>>>,
}

impl<'a> Changes<'a> {
    /// A series uses one comparison for each run except the first: with the first run, or with the run of the last
    /// shift. Intervals are corrected for that number.
    fn new(runs: &'a [Run<'a>]) -> Changes<'a> {
        let series = runs.windows(2).map(|two| two[0].comparisons_with(&two[1]));
        Changes {
            comparisons: series.max().unwrap_or(0) * runs.len().saturating_sub(1),
            from: BTreeMap::new(),
            runs,
        }
    }

    /// Returns the changes of a figure from run `from` to the later runs that have it, with their indices.
    fn later(&mut self, from: usize, design: &str, what: &What) -> Vec<(usize, &Change)> {
        let (runs, comparisons) = (self.runs, self.comparisons);
        let compare = || {
            let later = runs[from + 1..].iter();
            let changes = later.map(|run| runs[from].changes_to(run, comparisons));
            changes.collect()
        };
        let is_it = |change: &&Change| change.design == design && change.what == *what;
        let changes = self.from.entry(from).or_insert_with(compare);
        { changes.iter().enumerate() }
            .filter_map(|(index, run)| Some((from + 1 + index, run.iter().find(is_it)?)))
            .collect()
    }

    /// Returns why it is unknown whether the last run with the figure differs from run `from`.
    fn unknown(&mut self, from: usize, design: &str, what: &What) -> Option<Unknown> {
        self.later(from, design, what).last()?.1.unknown
    }

    /// Returns all shifts of a figure, in the order of time.
    fn shifts(&mut self, design: &str, what: &What) -> Vec<Shift> {
        let mut shifts: Vec<Shift> = Vec::new();
        loop {
            let from = shifts.last().map_or(0, |shift| shift.at);
            match self.shift(from, design, what) {
                Some(shift) => shifts.push(shift),
                None => return shifts,
            }
        }
    }

    /// Returns the first run from which on all runs that have the figure differ from run `from`, in the
    /// same direction. A run that is not settled does not prevent it, unless it denies the change. A single run shows
    /// a change only if it is the newest one, since nothing has denied it yet.
    fn shift(&mut self, from: usize, design: &str, what: &What) -> Option<Shift> {
        let later = self.later(from, design, what);
        let newest = later.last()?.0;
        let lasts = |index: &usize| {
            let change = later[*index].1;
            let mut others = later[index + 1..].iter();
            matches!(change.shown, Shown::Slower | Shown::Faster)
                && !others.any(|(_, other)| denies(other, change))
        };
        let first = (0..later.len()).find(lasts)?;
        let (at, change) = later[first];
        let shows = |(_, other): &&(usize, &Change)| other.shown == change.shown;
        let runs = later[first..].iter().filter(shows).count();
        (runs > 1 || at == newest).then_some(Shift {
            from,
            at,
            ratio: change.ratio,
            interval: change.interval,
            runs,
        })
    }
}

/// Returns whether a later run denies a change: it shows another one, or it shows nothing and its ratio is nearer to
/// no change than to that one, or cannot be that one.
fn denies(later: &Change, change: &Change) -> bool {
    if later.shown != Shown::CannotTell {
        return later.shown != change.shown;
    }
    let (its, ratio) = (later.ratio.ln(), change.ratio.ln());
    its.abs() < (its - ratio).abs() || are_apart(later, change)
}

/// Returns whether the intervals of two changes have no ratio in common.
fn are_apart(one: &Change, other: &Change) -> bool {
    let both = one.interval.zip(other.interval);
    both.is_some_and(|((low, high), (from, to))| high < from || low > to)
}

/// Returns the subjects that any of the runs measured, without repetitions.
fn names(runs: &[&(String, Summary)]) -> Vec<(String, What)> {
    let mut names = Vec::new();
    for (_, run) in runs {
        for design in &run.designs {
            let queries = run.header.queries.iter();
            let what = queries.map(|query| What::Query(query.name.clone()));
            for what in what.chain([What::Loading]) {
                let name = (design.info.id.clone(), what);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    names.sort_by(|a, b| a.0.cmp(&b.0));
    names
}

/// Returns the method for the figures of a run, each taken by itself.
fn method_of(run: &Summary) -> Method {
    let rounds = run.designs.iter().flat_map(|design| {
        let queries = design.queries.iter();
        queries.filter(move |query| has_time(design, &query.query))
    });
    let samples: Vec<Paired> = rounds.map(|query| Paired::of_one(&query.rounds)).collect();
    Method::new(1, &samples)
}

fn point(design: &DesignSummary, what: &What, method: &Method) -> Option<Point> {
    match what {
        What::Loading => design.load_rate.map(of_rate),
        What::Query(name) => {
            let query = design.query(name).filter(|_| has_time(design, name))?;
            of_rounds(&Paired::of_one(&query.rounds), method)
        }
        What::Time(_) | What::Rate(_) => None,
    }
}

fn of_rounds(rounds: &Paired, method: &Method) -> Option<Point> {
    let centre = rounds.centre()?;
    let part = method.part(rounds);
    let interval = part.map(|part| method.interval_of(centre, &[part]));
    Some(Point {
        seconds: centre.exp(),
        interval: interval.and_then(|interval| interval.bounds()),
    })
}

fn of_rate(rate: Estimate) -> Point {
    let is_known = rate.coverage > 0.0;
    Point {
        seconds: 1.0 / rate.median,
        interval: is_known.then(|| (1.0 / rate.high, 1.0 / rate.low)),
    }
}
