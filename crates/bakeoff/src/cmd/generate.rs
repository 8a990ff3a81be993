//! `bakeoff generate`: writes the rows of a workload as CSV.

use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_workload::Workload;
use bakeoff_workload::csv::Encoder;
use clap::Args;

use crate::cmd::completions;
use crate::cmd::options::choice::{Rows, parse_rows_or_all};
use crate::cmd::options::data::DataOptions;
use crate::exit::Exit;
use crate::progress::{Progress, Unit};

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
        let workload = self.data.workload(&self.workload)?;
        match &self.out {
            Some(path) => self.write_file(&workload, path)?,
            None => self.write(&workload, &mut stdout().lock())?,
        }
        Ok(Exit::Complete)
    }

    /// Writes a file that gets its name only once all rows are in it.
    fn write_file(&self, workload: &Workload, path: &Path) -> Result<()> {
        if path.exists() {
            bail!(
                "{} of --out already exists: name another file, or remove it",
                path.display()
            );
        }
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let cannot = || format!("cannot write {}", part.display());
        let mut file = BufWriter::new(File::create(&part).with_context(cannot)?);
        let written = self.write(workload, &mut file);
        let flushed = written.and_then(|()| file.flush().with_context(cannot));
        let named = flushed.and_then(|()| {
            std::fs::rename(&part, path).with_context(|| format!("cannot name {}", path.display()))
        });
        if named.is_err() {
            std::fs::remove_file(&part).ok();
        }
        named
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
