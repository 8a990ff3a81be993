//! `bakeoff generate`: writes the rows of a workload as CSV.

use std::io::{IsTerminal, Write, stdout};
use std::path::PathBuf;

use anyhow::Result;
use bakeoff_workload::Workload;
use bakeoff_workload::csv::Encoder;
use clap::Args;

use crate::cmd::completions;
use crate::cmd::options::choice::{Rows, parse_rows_or_all};
use crate::cmd::options::data::DataOptions;
use crate::exit::Exit;
use crate::out_file::OutFile;
use crate::progress::{Progress, Unit};
use crate::terminal;

/// Rows of a batch: few enough that the allocator reuses their memory for the next one.
const BATCH_ROWS: usize = 512;

/// Write the rows of a workload as CSV, as `run` would load them
#[derive(Args, Debug)]
pub struct Generate {
    /// Workload: a file, or a name out of `bakeoff list`
    #[arg(add = completions::workloads())]
    workload: PathBuf,

    /// Rows to write, for example 200000, 200k, 4.16M or all [default: as many as `run` loads]
    #[arg(long, value_name = "N", value_parser = parse_rows_or_all, allow_negative_numbers = true)]
    rows: Option<Rows>,

    #[command(flatten)]
    data: DataOptions,

    /// New file to write to, instead of the standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Generate {
    pub fn run(self) -> Result<Exit> {
        let workload = self.data.workload_of_rows(&self.workload)?;
        match &self.out {
            Some(path) => {
                let mut file = OutFile::create_new(path)?;
                self.write(&workload, &mut file)?;
                file.complete()?;
            }
            None if stdout().is_terminal() => {
                self.write(&workload, &mut terminal::stdout())?;
            }
            None => self.write(&workload, &mut stdout().lock())?,
        }
        Ok(Exit::Complete)
    }

    fn write(&self, workload: &Workload, out: &mut impl Write) -> Result<()> {
        // Rows that scroll by on the terminal are progress enough.
        let is_on_terminal = self.out.is_none() && stdout().is_terminal();
        let progress = (!is_on_terminal).then(|| Progress::begin("writing rows"));
        let source = self.data.open(workload)?;
        let rows = self.rows.map(|rows| rows.number(workload, source.as_ref()));
        let rows = rows.transpose()?.unwrap_or(workload.scale.default_rows);
        let mut encoder = Encoder::new(&workload.table);
        let mut lines = encoder.header();
        let mut left = rows;
        for batch in source.read(0, BATCH_ROWS)? {
            let batch = batch?.rows;
            let wanted = usize::try_from(left)
                .unwrap_or(usize::MAX)
                .min(batch.num_rows());
            encoder.rows(&batch.slice(0, wanted), &mut lines);
            out.write_all(&lines)?;
            lines.clear();
            left -= wanted as u64;
            if let Some(progress) = &progress {
                progress.at(rows - left, Some(rows), Unit::Rows);
            }
            if left == 0 {
                break;
            }
        }
        Ok(out.write_all(&lines)?)
    }
}
