//! Comparisons with the best, which is not known beforehand (Hsu: Constrained simultaneous
//! confidence intervals for multiple comparisons with the best, Annals of Statistics 12, 1984).
//!
//! Any table that is not shown to be slower than another may be the fastest. So a table's ratio to
//! the fastest lies between the least and the greatest bound that it has against any of those.
//! That takes one comparison for each table but one, not one for each pair.

use super::method::Interval;

/// Ratios between all tables of one query, as logarithms.
pub struct Field {
    /// Whether each table may be the best one.
    pub may_be_best: Vec<bool>,
    /// Ratio of each table to each other one.
    pub ratios: Vec<Vec<Interval>>,
}

impl Field {
    /// Returns the table that is nearest to being faster than all others.
    pub fn best(&self) -> Option<usize> {
        let worst = |table: usize| {
            let ratios = self.rivals(table).map(|other| self.ratios[table][other]);
            ratios.map(|r| r.centre).fold(f64::NEG_INFINITY, f64::max)
        };
        let tables = (0..self.may_be_best.len()).filter(|table| self.may_be_best[*table]);
        tables.min_by(|a, b| worst(*a).total_cmp(&worst(*b)))
    }

    /// Returns each table's ratio to the best one.
    pub fn to_best(&self) -> Vec<Interval> {
        let Some(best) = self.best() else {
            return Vec::new();
        };
        let possible = self.possible();
        (0..self.may_be_best.len())
            .map(|table| self.against(table, best, &possible))
            .collect()
    }

    /// Returns the tables that may truly be the best one, since none is shown to be better.
    pub fn possible(&self) -> Vec<usize> {
        (0..self.may_be_best.len())
            .filter(|table| self.may_be_best[*table] && !self.is_beaten(*table))
            .collect()
    }

    fn against(&self, table: usize, best: usize, possible: &[usize]) -> Interval {
        let others = possible.iter().filter(|other| **other != table);
        let bounds: Vec<Interval> = others.map(|other| self.ratios[table][*other]).collect();
        let exactly = Interval {
            centre: 0.0,
            low: 0.0,
            high: 0.0,
        };
        let centre = if table == best {
            0.0
        } else {
            self.ratios[table][best].centre
        };
        let low = bounds.iter().map(|b| b.low).reduce(f64::min);
        let high = bounds.iter().map(|b| b.high).reduce(f64::max);
        let Some((low, high)) = low.zip(high) else {
            return exactly;
        };
        if !self.may_be_best[table] {
            return Interval { centre, low, high };
        }
        // A table that takes part in the choice cannot be faster than the best one. If it may be the best
        // one itself, its ratio may be 1.
        let is_possible = possible.contains(&table);
        Interval {
            centre: centre.max(0.0),
            low: if is_possible { 0.0 } else { low.max(0.0) },
            high: high.max(0.0),
        }
    }

    /// Returns whether another table is shown to be faster.
    fn is_beaten(&self, table: usize) -> bool {
        self.rivals(table)
            .any(|other| self.ratios[table][other].low > 0.0)
    }

    /// Returns the other tables that may be the best one.
    fn rivals(&self, table: usize) -> impl Iterator<Item = usize> {
        (0..self.may_be_best.len()).filter(move |other| *other != table && self.may_be_best[*other])
    }
}
