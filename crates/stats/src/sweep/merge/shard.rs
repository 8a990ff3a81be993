//! Reads a folder that is to be joined.

use std::path::PathBuf;

use super::MergeError;
use crate::sweep::{Cell, CellPart, SharedSweep, SweepHeader, SweepRecord, SweepRun};

/// One folder of several that are joined.
#[derive(Debug)]
pub struct Shard {
    pub run: SweepRun,
    pub shared: SharedSweep,
    /// Settings in the order in which they were measured.
    pub settings: Vec<Own>,
}

/// What one process measured of a setting in a round.
#[derive(Debug)]
pub struct Own {
    pub cell: Cell,
    /// Its inserts; absent if there were none.
    pub part: Option<CellPart>,
}

impl Shard {
    pub fn new(run: SweepRun) -> Result<Shard, MergeError> {
        let Some(shared) = run.header().shared.clone() else {
            return Err(MergeError::Whole {
                dir: run.dir().to_owned(),
            });
        };
        let (mut settings, mut before) = (Vec::new(), None);
        for record in run.records() {
            match record {
                SweepRecord::Part(part) => before = Some(part.clone()),
                SweepRecord::Cell(cell) => settings.push(Own {
                    cell: cell.clone(),
                    part: before.take().filter(|part: &CellPart| part.is_of(cell)),
                }),
                _ => {}
            }
        }
        Ok(Shard {
            run,
            shared,
            settings,
        })
    }

    pub fn header(&self) -> &SweepHeader {
        self.run.header()
    }

    pub fn dir(&self) -> PathBuf {
        self.run.dir().to_owned()
    }

    /// Returns the number of the process, counted from 0.
    pub fn index(&self) -> u32 {
        self.shared.shard.0
    }

    pub fn name(&self) -> String {
        let (index, of) = self.shared.shard;
        format!("shard {}/{of}", index.saturating_add(1))
    }

    /// Returns what the process measured of the same design, setting and round.
    pub fn find(&self, like: &Cell) -> Option<&Own> {
        let of = |cell: &Cell| (cell.batch_rows, cell.workers, cell.round);
        let is_it = |own: &&Own| own.cell.design == like.design && of(&own.cell) == of(like);
        self.settings.iter().find(is_it)
    }
}

impl Own {
    /// Returns the inserts if the process has figures of the setting.
    pub fn measured(&self) -> Option<&CellPart> {
        self.part.as_ref().filter(|_| self.cell.inserted.is_some())
    }
}
