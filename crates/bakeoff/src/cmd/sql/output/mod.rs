//! Writes rows to a destination in a format.

mod parquet;
mod plan;
mod table;
mod text;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use clap::ValueEnum;

use crate::out_file::OutFile;
use crate::terminal::Cleaned;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Csv,
    Json,
    Parquet,
}

/// A format and a place that suit each other.
#[derive(Debug, Clone)]
pub struct Destination {
    /// Whether the format was chosen, by --format or by the name of the file.
    is_chosen: bool,
    format: Format,
    out: Option<PathBuf>,
    /// Most rows that a table shows; `None` for all.
    rows: Option<u64>,
}

/// A summary of the output.
pub struct Written {
    pub rows: u64,
    /// Notes about parts of the result that are not shown.
    pub notes: Vec<String>,
}

/// A format that takes rows batch by batch.
trait Rows: Send {
    /// Writes rows and returns how many it took: all, unless it wants no more.
    fn write(&mut self, rows: &RecordBatch) -> Result<usize>;

    /// Completes the output, and returns notes about rows and columns that are not shown.
    fn finish(self: Box<Self>) -> Result<Vec<String>>;
}

/// An output to which rows are being written.
pub struct Output {
    to: Box<dyn Rows>,
    rows: u64,
}

impl Destination {
    pub fn new(format: Option<Format>, out: Option<&Path>, rows: Option<u64>) -> Result<Self> {
        let is_chosen = format.is_some() || out.is_some();
        let format = match (format, out) {
            (Some(Format::Parquet), None) => bail!("--format parquet needs a file: --out FILE"),
            (Some(format), _) => format,
            (None, Some(path)) => format_of(path)?,
            (None, None) if std::io::stdout().is_terminal() => Format::Table,
            (None, None) => Format::Csv,
        };
        Ok(Destination {
            is_chosen,
            format,
            out: out.map(Path::to_owned),
            rows,
        })
    }

    /// Returns the destination of the answers to several questions, which are tables, one below the other.
    ///
    /// # Errors
    /// Fails for a file, and for another format.
    pub fn of_several(&self, questions: usize) -> Result<Self> {
        let is_other = self.is_chosen && self.format != Format::Table;
        if is_other || self.out.is_some() {
            bail!(
                "these are {questions} questions, and only --format table on the standard output takes the answers of \
                 several: leave --out and other formats out, or ask one question at a time"
            );
        }
        Ok(Destination {
            format: Format::Table,
            ..self.clone()
        })
    }

    /// Returns the most rows to query: one more than are shown, which reveals that there are more.
    pub fn wanted_rows(&self) -> Option<usize> {
        let shown = self.rows.filter(|_| self.format == Format::Table)?;
        usize::try_from(shown).ok()?.checked_add(1)
    }

    /// Begins the output. A file appears only when the output is finished.
    pub fn begin(self, schema: &SchemaRef, explains: bool) -> Result<Output> {
        // A plan is for people, wherever it is written to.
        let format = if explains && !self.is_chosen {
            Format::Table
        } else {
            self.format
        };
        let to: Box<dyn Rows> = match (format, self.out) {
            (Format::Parquet, Some(path)) => {
                let file = OutFile::create(&path)?;
                if file.is_terminal() {
                    bail!(
                        "--format parquet needs a file: {} is a terminal",
                        path.display()
                    );
                }
                Box::new(parquet::Parquet::new(file, schema)?)
            }
            (format, out) => {
                let has_width = out.is_none();
                let sink: Box<dyn Sink> = match out {
                    Some(path) => Box::new(OutFile::create(&path)?),
                    None => Box::new(std::io::stdout()),
                };
                let on_terminal = sink.is_to_terminal();
                match format {
                    Format::Table if explains => Box::new(plan::Plans::new(sink)),
                    Format::Table => {
                        let width = (on_terminal && has_width).then(width);
                        Box::new(table::Table::new(sink, schema, self.rows, width))
                    }
                    Format::Csv if on_terminal => {
                        let sink = Box::new(Cleaned::new(sink, false));
                        Box::new(text::Csv::new(sink, schema)?)
                    }
                    Format::Csv => Box::new(text::Csv::new(sink, schema)?),
                    _ => Box::new(text::Json::new(sink, on_terminal)),
                }
            }
        };
        Ok(Output { to, rows: 0 })
    }
}

fn format_of(path: &Path) -> Result<Format> {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    Ok(match ending.to_lowercase().as_str() {
        "csv" => Format::Csv,
        "json" | "jsonl" | "ndjson" => Format::Json,
        "parquet" => Format::Parquet,
        "txt" => Format::Table,
        _ => bail!(
            "--out {}: the name does not end in .csv, .json or .parquet; name the format with --format",
            path.display()
        ),
    })
}

/// Returns the columns of the terminal.
fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    match size.map_or(0, |size| usize::from(size.ws_col)) {
        0 => 100,
        columns => columns,
    }
}

impl Output {
    /// Writes rows, and returns whether more are wanted.
    pub fn write(&mut self, rows: &RecordBatch) -> Result<bool> {
        let taken = self.to.write(rows)?;
        self.rows += taken as u64;
        Ok(taken == rows.num_rows())
    }

    pub fn finish(self) -> Result<Written> {
        Ok(Written {
            rows: self.rows,
            notes: self.to.finish()?,
        })
    }
}

/// A destination of text.
trait Sink: Write + Send {
    /// Returns whether a terminal shows the text, which would act on some of what tables hold.
    fn is_to_terminal(&self) -> bool;

    /// Completes the text once all of it was written.
    fn complete(&mut self) -> Result<()>;
}

impl Sink for std::io::Stdout {
    fn is_to_terminal(&self) -> bool {
        self.is_terminal()
    }

    fn complete(&mut self) -> Result<()> {
        Ok(self.flush()?)
    }
}

impl Sink for OutFile {
    fn is_to_terminal(&self) -> bool {
        self.is_terminal()
    }

    fn complete(&mut self) -> Result<()> {
        OutFile::complete(self)
    }
}

impl Sink for Cleaned<Box<dyn Sink>> {
    fn is_to_terminal(&self) -> bool {
        true
    }

    fn complete(&mut self) -> Result<()> {
        self.get_mut().complete()
    }
}
