//! Comparison of a design's figures with a limit.

use super::figure::interval;
use super::{Contender, Figure, Limit, LimitOf, LimitState};

/// Probability with which a limit has to be kept or broken to be called so.
const SURE: f64 = 0.90;

impl Limit {
    /// Returns whether a design keeps the limit, and how surely.
    pub(super) fn state(&self, design: &Contender) -> LimitState {
        let Some(figure) = self.figure(design) else {
            return LimitState::NotKnown;
        };
        let excess = self.excess_of(figure.point);
        let (low, high) = self.excess_interval(figure);
        match (excess <= 1.0, low <= 1.0, high <= 1.0) {
            (true, _, true) => LimitState::Kept,
            (true, _, false) => LimitState::ProbablyKept,
            (false, true, _) => LimitState::ProbablyBroken(excess),
            (false, false, _) => LimitState::Broken(excess),
        }
    }

    /// Returns whether the figure that the limit is on is known.
    pub(super) fn is_measured(&self, design: &Contender) -> bool {
        self.own_figure(design).is_some()
    }

    /// Returns the figure as a multiple of the bound, which breaks the limit if it is above 1. Returns
    /// `None` if the figure is not known.
    pub(super) fn excess(&self, design: &Contender, resample: Option<usize>) -> Option<f64> {
        let figure = self.figure(design)?;
        Some(self.excess_of(figure.at(resample)))
    }

    /// Returns the time in seconds of the quantile that the limit is on. Returns `None` if it is on another figure, or if
    /// the quantile is not known.
    pub(super) fn quantile(&self, design: &Contender) -> Option<f64> {
        match self.of {
            LimitOf::Storage
            | LimitOf::Load
            | LimitOf::Question {
                quantile: None | Some(0.5),
                ..
            } => None,
            LimitOf::Question { .. } => self.own_figure(design).map(|figure| figure.point),
        }
    }

    fn excess_of(&self, value: f64) -> f64 {
        match self.of {
            LimitOf::Load => self.bound / value,
            LimitOf::Storage | LimitOf::Question { .. } => value / self.bound,
        }
    }

    /// Returns the interval of the excess. If the error of the figure is not known, it is unbounded.
    fn excess_interval(&self, figure: &Figure) -> (f64, f64) {
        let (low, high) = if figure.resamples.is_empty() {
            figure.interval.unwrap_or((0.0, f64::INFINITY))
        } else {
            interval(&figure.resamples, SURE)
        };
        let ends = (self.excess_of(low), self.excess_of(high));
        (ends.0.min(ends.1), ends.0.max(ends.1))
    }

    /// Returns the figure that is compared with the bound. Where a quantile above the median is not known, a median
    /// that breaks the limit takes its place: the quantile is no shorter.
    fn figure<'a>(&self, design: &'a Contender) -> Option<&'a Figure> {
        let median = match self.of {
            LimitOf::Question {
                index,
                quantile: Some(quantile),
            } if quantile > 0.5 => design.seconds(index),
            _ => None,
        };
        let breaks = |median: &&Figure| self.excess_of(median.point) > 1.0;
        self.own_figure(design).or_else(|| median.filter(breaks))
    }

    fn own_figure<'a>(&self, design: &'a Contender) -> Option<&'a Figure> {
        let figure = match self.of {
            LimitOf::Storage => design.storage.as_ref(),
            LimitOf::Load => design.load.as_ref(),
            // Runs of earlier versions have the median as a quantile, too.
            LimitOf::Question {
                index,
                quantile: None | Some(0.5),
            } => design.seconds(index),
            LimitOf::Question {
                index,
                quantile: Some(quantile),
            } => quantile_of(design, index, quantile),
        };
        figure.filter(|f| f.is_usable())
    }
}

fn quantile_of(design: &Contender, question: usize, quantile: f64) -> Option<&Figure> {
    let quantiles = &design.answers.get(question)?.quantiles;
    let found = quantiles.iter().find(|q| (q.0 - quantile).abs() < 1e-9);
    found.map(|(_, figure)| figure)
}
