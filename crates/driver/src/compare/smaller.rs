//! Which further tables a run has: twins, and smaller tables of the first rows or along the axes of growth.

use bakeoff_stats::{DesignInfo, Ladder};
use bakeoff_workload::{Growth, Scale};

use super::star::Star;

/// Which further tables a run has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FurtherTables {
    /// Numbers of rows at which every design is measured; `None` chooses them by how many rows there
    /// are.
    pub scales: Option<Ladder>,
    /// Whether smaller tables are asked for along the axes of growth, with the scales along each.
    pub star: bool,
    /// Whether two of the designs are loaded twice.
    pub twins: bool,
}

impl FurtherTables {
    /// Returns the smaller tables of a run of this many rows of these designs. Unless rows were asked for,
    /// they are along the axes if series are one: the first rows show no more series.
    pub fn smaller(self, workload: &Scale, rows: u64, fewest: &[u64]) -> SmallerTables {
        let growth = workload
            .growth_from(rows)
            .filter(|_| workload.full_rows > rows || self.star);
        let wants = |growth: &Growth| self.star || (self.scales.is_none() && growth.series > 1.0);
        match growth.filter(wants) {
            Some(growth) => SmallerTables::Star(Star::chosen(self.scales, growth, rows, fewest)),
            None => SmallerTables::First(self.scales.unwrap_or_else(|| {
                let fewest = fewest.iter().max().copied().unwrap_or(0);
                Ladder::chosen(rows, workload.full_rows, fewest)
            })),
        }
    }

    /// Returns how many times the work of the designs' own tables all tables together are.
    pub fn work(self, workload: &Scale, rows: u64, fewest: &[u64]) -> f64 {
        let designs = fewest.len();
        let twins = if self.twins { designs.min(2) } else { 0 };
        let tables = match self.smaller(workload, rows, fewest) {
            SmallerTables::First(scales) => scales.work(),
            SmallerTables::Star(star) => star.work(),
        };
        tables + twins as f64 / designs.max(1) as f64
    }
}

/// Smaller tables of every design.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SmallerTables {
    /// The first rows.
    First(Ladder),
    /// Shares of the series and of the time.
    Star(Star),
}

/// Returns the fewest rows of a table from which each of these designs can be forecast. Yardsticks need none.
pub fn rows_to_forecast<'a>(designs: impl Iterator<Item = &'a DesignInfo>) -> Vec<u64> {
    let fewest = |info: &DesignInfo| {
        if info.is_yardstick() {
            0
        } else {
            info.rows_to_forecast()
        }
    };
    designs.map(fewest).collect()
}
