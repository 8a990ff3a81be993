//! Summary of a sweep with everything that a report shows.

mod compared;
mod flattening;
mod per_node;

use serde::Serialize;

use super::{AtRest, Cell, SweepHeader, SweepRecord, SweepSetting};
use crate::per_node::{PerNode, Wanted};
use crate::{DesignInfo, EngineInfo, ServerWindow};
pub use compared::SweepComparison;
pub use flattening::Flattening;

#[derive(Debug, Clone, Serialize)]
pub struct SweepSummary {
    pub header: SweepHeader,
    pub engines: Vec<EngineInfo>,
    pub warnings: Vec<String>,
    pub designs: Vec<SweepDesign>,
    /// Number of rounds of which there are results; the last one may be incomplete.
    pub rounds: u32,
    /// Comparison of the designs within rounds, each with its best setting.
    pub comparison: SweepComparison,
    pub finished: bool,
    pub interrupted: bool,
    pub seconds: Option<f64>,
    pub peak_memory_bytes: Option<u64>,
    /// Rows per second and node of the best settings; `None` where no design has a complete one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_node: Option<PerNode>,
    /// Bytes of tables at rest, of one setting of each design, where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_rest: Vec<AtRest>,
    /// Figures of the servers while settings were measured, in their order.
    #[serde(skip)]
    pub server: Vec<ServerWindow>,
}

#[derive(Debug, Clone, Serialize)]
pub struct SweepDesign {
    pub info: DesignInfo,
    /// Settings by batch, then by workers; `None` for those that were not measured.
    pub cells: Vec<Vec<Option<SweepSetting>>>,
    /// Indices of the setting with the highest rate, by batch and workers.
    pub best: Option<(usize, usize)>,
    pub flattening: Option<Flattening>,
    /// Reasons why the design takes no further part.
    pub failures: Vec<String>,
}

/// Results of a design by batch, by workers and by round.
type Results = Vec<Vec<Vec<Cell>>>;

impl SweepSummary {
    pub fn new(header: &SweepHeader, records: &[SweepRecord]) -> SweepSummary {
        let mut summary = SweepSummary {
            header: header.clone(),
            engines: Vec::new(),
            warnings: Vec::new(),
            designs: { header.designs.iter() }.map(SweepDesign::new).collect(),
            rounds: 0,
            comparison: SweepComparison::default(),
            finished: false,
            interrupted: false,
            seconds: None,
            peak_memory_bytes: None,
            per_node: None,
            at_rest: Vec::new(),
            server: Vec::new(),
        };
        let none = vec![vec![Vec::new(); header.workers.len()]; header.batches.len()];
        let mut results: Vec<Results> = vec![none; header.designs.len()];
        for record in records {
            summary.take(record, &mut results);
        }
        for (design, results) in summary.designs.iter_mut().zip(results) {
            design.conclude(results);
        }
        summary.compare();
        summary.per_node = PerNode::new(summary.node_rates(), &Wanted::default(), &[]);
        summary
    }

    /// Returns all settings that were measured.
    pub fn settings(&self) -> impl Iterator<Item = &SweepSetting> {
        self.designs.iter().flat_map(SweepDesign::measured)
    }

    fn take(&mut self, record: &SweepRecord, results: &mut [Results]) {
        match record {
            SweepRecord::Started(_) | SweepRecord::Part(_) => {}
            SweepRecord::Engine(info) => self.engines.push(info.clone()),
            SweepRecord::Warning { message } => self.warnings.push(message.clone()),
            SweepRecord::Cell(cell) => self.take_cell(cell, results),
            SweepRecord::Server(window) => self.server.push(window.clone()),
            SweepRecord::AtRest(at_rest) => self.at_rest.push(at_rest.clone()),
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

    fn take_cell(&mut self, cell: &Cell, results: &mut [Results]) {
        let header = &self.header;
        let row = header.batches.iter().position(|b| *b == cell.batch_rows);
        let column = header.workers.iter().position(|w| *w == cell.workers);
        let design = self.designs.iter().position(|d| d.info.id == cell.design);
        if let (Some(design), Some(row), Some(column)) = (design, row, column) {
            results[design][row][column].push(cell.clone());
            self.rounds = self.rounds.max(cell.round);
        }
    }
}

impl SweepDesign {
    fn new(info: &DesignInfo) -> SweepDesign {
        SweepDesign {
            info: info.clone(),
            cells: Vec::new(),
            best: None,
            flattening: None,
            failures: Vec::new(),
        }
    }

    /// Returns the settings that were measured.
    pub fn measured(&self) -> impl Iterator<Item = &SweepSetting> {
        self.cells.iter().flatten().flatten()
    }

    pub fn best_setting(&self) -> Option<&SweepSetting> {
        let (row, column) = self.best?;
        self.cells[row][column].as_ref()
    }

    /// Returns the highest rate of any setting whose rows exist, including those with failures or too
    /// few rows.
    pub fn highest_rate(&self) -> Option<f64> {
        let rates = self
            .measured()
            .filter_map(|setting| Some(setting.rank()?.1));
        rates.reduce(f64::max)
    }

    /// Returns a setting's rate as a share of the highest one; `None` if its rate does not count.
    pub fn share(&self, setting: &SweepSetting) -> Option<f64> {
        Some(setting.rank()?.1 / self.highest_rate()?)
    }

    fn conclude(&mut self, results: Results) {
        let of_batch = |row: Vec<Vec<Cell>>| row.into_iter().map(SweepSetting::new).collect();
        self.cells = results.into_iter().map(of_batch).collect();
        let ranks = self.cells.iter().enumerate().flat_map(|(row, settings)| {
            let settings = settings.iter().enumerate();
            settings.filter_map(move |(column, setting)| {
                Some(((row, column), setting.as_ref()?.rank()?))
            })
        });
        // Complete settings come before others, however fast those were.
        let best = ranks.max_by(|(_, a), (_, b)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        self.best = best.map(|(indices, _)| indices);
    }
}

#[cfg(test)]
mod tests;
