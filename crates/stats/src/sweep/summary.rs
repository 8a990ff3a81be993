//! Summary of a sweep with everything that a report shows.

use serde::Serialize;

use super::{Cell, Inserted, SweepHeader, SweepRecord};
use crate::{DesignInfo, EngineInfo};

/// Share of the highest rate from which on settings cannot be distinguished by one measurement
/// each.
const AS_GOOD: f64 = 0.95;

#[derive(Debug, Clone, Serialize)]
pub struct SweepSummary {
    pub header: SweepHeader,
    pub engines: Vec<EngineInfo>,
    pub warnings: Vec<String>,
    pub designs: Vec<SweepDesign>,
    pub finished: bool,
    pub interrupted: bool,
    pub seconds: Option<f64>,
    pub peak_memory_bytes: Option<u64>,
}

#[derive(Debug, Clone, Serialize)]
pub struct SweepDesign {
    pub info: DesignInfo,
    /// Cells by batch, then by workers; `None` for those that were not measured.
    pub cells: Vec<Vec<Option<Cell>>>,
    /// Indices of the cell with the highest rate, by batch and workers.
    pub best: Option<(usize, usize)>,
    pub flattening: Option<Flattening>,
    /// Reasons why the design takes no further part.
    pub failures: Vec<String>,
}

/// Point from which on more workers bring no more rows, at the best setting's batch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Flattening {
    pub batch_rows: u64,
    /// Fewest workers with about the highest rate.
    pub enough: u32,
    /// Most workers that were measured.
    pub most: u32,
    /// Factor by which the rate with the most workers differs.
    pub rate_factor: f64,
    /// Factor by which the p99 with the most workers differs; `None` if one of the two has too few
    /// inserts for a p99.
    pub p99_factor: Option<f64>,
}

impl SweepSummary {
    pub fn new(header: &SweepHeader, records: &[SweepRecord]) -> SweepSummary {
        let mut summary = SweepSummary {
            header: header.clone(),
            engines: Vec::new(),
            warnings: Vec::new(),
            designs: header
                .designs
                .iter()
                .map(|d| SweepDesign::new(d, header))
                .collect(),
            finished: false,
            interrupted: false,
            seconds: None,
            peak_memory_bytes: None,
        };
        for record in records {
            summary.take(record);
        }
        for design in &mut summary.designs {
            design.conclude();
        }
        summary
    }

    /// Returns all cells that were measured.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.designs.iter().flat_map(SweepDesign::measured)
    }

    fn take(&mut self, record: &SweepRecord) {
        match record {
            SweepRecord::Started(_) => {}
            SweepRecord::Engine(info) => self.engines.push(info.clone()),
            SweepRecord::Warning { message } => self.warnings.push(message.clone()),
            SweepRecord::Cell(cell) => {
                let row = self
                    .header
                    .batches
                    .iter()
                    .position(|b| *b == cell.batch_rows);
                let column = self.header.workers.iter().position(|w| *w == cell.workers);
                let design = self.designs.iter_mut().find(|d| d.info.id == cell.design);
                if let (Some(design), Some(row), Some(column)) = (design, row, column) {
                    design.cells[row][column] = Some(cell.clone());
                }
            }
            SweepRecord::Failed { design, reason } => {
                let failed = self.designs.iter_mut().find(|d| d.info.id == *design);
                failed
                    .into_iter()
                    .for_each(|d| d.failures.push(reason.clone()));
            }
            SweepRecord::Interrupted { .. } => self.interrupted = true,
            SweepRecord::Finished {
                seconds,
                peak_memory_bytes,
                ..
            } => {
                self.finished = true;
                self.seconds = Some(*seconds);
                self.peak_memory_bytes = Some(*peak_memory_bytes);
            }
        }
    }
}

impl SweepDesign {
    fn new(info: &DesignInfo, header: &SweepHeader) -> SweepDesign {
        SweepDesign {
            info: info.clone(),
            cells: vec![vec![None; header.workers.len()]; header.batches.len()],
            best: None,
            flattening: None,
            failures: Vec::new(),
        }
    }

    /// Returns the cells that were measured.
    pub fn measured(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().flatten().flatten()
    }

    pub fn best_cell(&self) -> Option<&Cell> {
        let (row, column) = self.best?;
        self.cells[row][column].as_ref()
    }

    /// Returns the highest rate of any cell whose rows exist, including those with failures or too
    /// few rows.
    pub fn highest_rate(&self) -> Option<f64> {
        let rates = self.measured().filter_map(|c| Some(rank(c)?.1));
        rates.reduce(f64::max)
    }

    /// Returns a cell's rate as a share of the highest one; `None` if its rate does not count.
    pub fn share(&self, cell: &Cell) -> Option<f64> {
        Some(rank(cell)?.1 / self.highest_rate()?)
    }

    fn conclude(&mut self) {
        let ranks = self.cells.iter().enumerate().flat_map(|(row, cells)| {
            let cells = cells.iter().enumerate();
            cells.filter_map(move |(column, cell)| Some(((row, column), rank(cell.as_ref()?)?)))
        });
        // Complete cells come before others, however fast those were.
        let best = ranks.max_by(|(_, a), (_, b)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        self.best = best.map(|(indices, _)| indices);
        self.flattening = self.best.and_then(|(row, _)| flattening(&self.cells[row]));
    }
}

/// Returns whether the cell is complete, then its rate, by which cells are ranked. A cell whose
/// rows do not exist has no rank. One with failures comes after all others, since the failed
/// inserts may have been the hardest ones, and so does one whose rows ran out, since workers
/// without rows did nothing.
fn rank(cell: &Cell) -> Option<(bool, f64)> {
    let is_wrong = cell.check.as_ref().is_some_and(|check| check.is_wrong());
    let inserted = cell.inserted.as_ref()?;
    let is_whole = cell.failures.count() == 0 && !inserted.rows_ran_out;
    (!is_wrong).then_some((is_whole, inserted.rows_per_second()))
}

fn flattening(cells: &[Option<Cell>]) -> Option<Flattening> {
    let measured: Vec<(&Cell, &Inserted)> = cells
        .iter()
        .flatten()
        .filter(|cell| rank(cell).is_some_and(|(is_whole, _)| is_whole))
        .filter_map(|cell| Some((cell, cell.inserted.as_ref()?)))
        .collect();
    let rates = measured.iter().map(|(_, i)| i.rows_per_second());
    let highest = rates.reduce(f64::max)?;
    let (enough, least) = measured
        .iter()
        .find(|(_, i)| i.rows_per_second() >= AS_GOOD * highest)?;
    let (most, widest) = measured.last()?;
    (most.workers > enough.workers).then(|| Flattening {
        batch_rows: enough.batch_rows,
        enough: enough.workers,
        most: most.workers,
        rate_factor: widest.rows_per_second() / least.rows_per_second(),
        p99_factor: widest
            .p99
            .zip(least.p99)
            .map(|(most, enough)| most / enough),
    })
}

#[cfg(test)]
mod tests;
