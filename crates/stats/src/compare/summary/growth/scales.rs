//! What the tables of a design show about its growth: logarithms of times and the rows that were read.

use super::fit::Point;
use crate::compare::{DesignSummary, QuerySummary, Summary};

/// Least time, since nothing has no logarithm: below it is no clock.
const LEAST_SECONDS: f64 = 1e-9;
/// Share of the rounds that is left out at each end, since stalls make a few of them far too long.
const TRIMMED: f64 = 0.2;
/// Rows read that differ by no more than this factor are the same.
const SAME_ROWS: f64 = 1.1;
/// Share of the rows that a scan reads at least.
const SCAN_SHARE: f64 = 0.5;

/// Tables of a design, the smallest first.
pub struct Scales<'a> {
    design: &'a DesignSummary,
    /// All that did not fail, with their rows.
    all: Vec<(u64, &'a DesignSummary)>,
}

/// Rows read for the answers to a query, as the table grows.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// The design does not count what it reads.
    Unknown,
    /// It reads the same number of rows, or none.
    Same,
    /// It reads more rows: their number at each scale.
    More(Vec<Point>),
}

impl<'a> Scales<'a> {
    pub fn of(summary: &'a Summary, design: &'a DesignSummary) -> Scales<'a> {
        Scales::along(design, summary.scales_of(design))
    }

    /// Returns those of these tables that did not fail, by their rows.
    pub fn along(design: &'a DesignSummary, mut all: Vec<(u64, &'a DesignSummary)>) -> Scales<'a> {
        all.retain(|(rows, figures)| *rows > 0 && !figures.has_failed());
        all.sort_by_key(|(rows, _)| *rows);
        all.dedup_by_key(|(rows, _)| *rows);
        Scales { design, all }
    }

    /// Returns the number of tables of any size.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Returns the tables that are large enough to forecast from.
    pub fn fitted(&self) -> Vec<(u64, &'a DesignSummary)> {
        let least = self.least_rows();
        let all = self.all.iter().copied();
        all.filter(|(rows, _)| *rows >= least).collect()
    }

    fn least_rows(&self) -> u64 {
        self.design.info.rows_to_forecast()
    }

    /// Returns the rows to load so that this many tables are large enough, `None` if they are. Tables
    /// are as many times smaller as those of this run, or half as large each.
    pub fn rows_to_load(&self, needed: usize) -> Option<u64> {
        let least = self.least_rows();
        let last = self.all.len().checked_sub(needed);
        let (smallest, largest) = (last.map(|at| self.all[at].0), self.all.last()?.0);
        let times = match smallest {
            Some(rows) => largest as f64 / rows as f64,
            None => f64::from(1 << needed.saturating_sub(1).min(30)),
        };
        let load = rounded_up(times * least as f64);
        (self.fitted().len() < needed && load > largest).then_some(load)
    }

    /// Returns the logarithm of the time at each scale at which the query was answered.
    pub fn points(&self, query: usize) -> Vec<Point> {
        { self.timed(query) }
            .filter_map(|(rows, asked)| point(rows, asked))
            .collect()
    }

    /// Returns what is read at each scale at which the query was answered.
    pub fn work(&self, query: usize) -> Work {
        let counts = |figures: &DesignSummary| {
            let mut queries = figures.queries.iter();
            queries.any(|query| query.rows_scanned.is_some())
        };
        let counts_rows = self.all.iter().any(|(_, figures)| counts(figures));
        let read: Vec<(u64, Option<f64>)> = { self.timed(query) }
            .map(|(rows, asked)| (rows, asked.rows_scanned))
            .collect();
        if counts_rows && read.iter().all(|(_, rows)| rows.is_none()) {
            return Work::Same;
        }
        let known: Option<Vec<(u64, f64)>> = { read.into_iter() }
            .map(|(rows, read)| Some((rows, read?)))
            .collect();
        known.map_or(Work::Unknown, |known| growth_of(&known))
    }

    /// Returns whether answers read most of the table.
    pub fn is_scan(&self, query: usize) -> bool {
        let own = self.design.queries.get(query).and_then(|q| q.rows_scanned);
        let rows = self.all.last().map_or(0, |(rows, _)| *rows);
        own.is_some_and(|read| read >= SCAN_SHARE * rows as f64)
    }

    /// Returns whether a query finds something in some of the tables only.
    pub fn is_rare(&self, query: usize) -> bool {
        let own = self
            .design
            .queries
            .get(query)
            .is_some_and(|own| own.always_empty);
        let fitted = self.fitted().into_iter();
        let mut asked = fitted.filter_map(|(_, figures)| figures.queries.get(query));
        asked.any(|asked| asked.time.is_some() && asked.always_empty != own)
    }

    fn timed(&self, query: usize) -> impl Iterator<Item = (u64, &'a QuerySummary)> {
        let own = self.design.queries.get(query);
        let is_always_empty = own.is_some_and(|own| own.always_empty);
        let fitted = self.fitted().into_iter();
        fitted.filter_map(move |(rows, figures)| {
            let asked = figures.queries.get(query)?;
            // What finds nothing in a smaller table is other work than what finds something.
            let is_same_work = asked.always_empty == is_always_empty;
            asked.time.filter(|_| is_same_work).map(|_| (rows, asked))
        })
    }
}

impl DesignSummary {
    /// Returns whether it did not get to the end, rather than answer a query wrongly.
    pub(super) fn has_failed(&self) -> bool {
        self.failures.iter().any(|failure| failure.query.is_none())
    }
}

fn growth_of(read: &[(u64, f64)]) -> Work {
    let least = read.iter().map(|(_, read)| *read).fold(f64::MAX, f64::min);
    let most = read.iter().map(|(_, read)| *read).fold(0.0, f64::max);
    if most <= least * SAME_ROWS {
        return Work::Same;
    }
    let points = read.iter().map(|(rows, read)| Point {
        rows: *rows as f64,
        ln: read.max(1.0).ln(),
        weight: 1.0,
        variance: 0.0,
    });
    Work::More(points.collect())
}

/// Returns the trimmed mean of the rounds and its variance by Tukey and McLaughlin (Wilcox: Introduction
/// to Robust Estimation and Hypothesis Testing, 2012, section 3.3).
pub fn point(rows: u64, asked: &QuerySummary) -> Option<Point> {
    let ln = |(_, seconds): &(u32, f64)| seconds.max(LEAST_SECONDS).ln();
    let mut sorted: Vec<f64> = asked.rounds.iter().map(ln).collect();
    sorted.retain(|ln| ln.is_finite());
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len();
    let left_out = (count as f64 * TRIMMED).floor() as usize;
    let kept = sorted.get(left_out..count - left_out)?;
    let (first, last) = (*kept.first()?, *kept.last()?);
    let mean = kept.iter().sum::<f64>() / kept.len() as f64;
    let squares =
        |values: &[f64], centre: f64| -> f64 { values.iter().map(|v| (v - centre).powi(2)).sum() };
    let winsorised: Vec<f64> = sorted.iter().map(|ln| ln.clamp(first, last)).collect();
    let centre = winsorised.iter().sum::<f64>() / count as f64;
    let variance = squares(&winsorised, centre) / (count as f64 - 1.0).max(1.0);
    let share = kept.len() as f64 / count as f64;
    Some(Point {
        rows: rows as f64,
        ln: mean,
        weight: count as f64,
        variance: variance / (share * share * count as f64),
    })
}

/// Returns a number of rows with two digits that is at least this.
pub fn rounded_up(rows: f64) -> u64 {
    let step = 10f64.powf((rows.max(1.0).log10().floor() - 1.0).max(0.0));
    ((rows / step).ceil() * step) as u64
}
