//! Writes the rows of a part, or a plan.

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Result, bail};
use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use arrow::ipc::writer::StreamWriter;

use crate::out_file::OutFile;

/// The bytes that are collected before they are written to the standard output.
const BUFFER_BYTES: usize = 1 << 20;

/// A file or the standard output.
pub enum Sink {
    File(OutFile),
    Stdout(BufWriter<std::io::Stdout>),
}

impl Sink {
    /// Opens the output. A file appears only when it is complete.
    pub fn open(out: Option<&Path>) -> Result<Sink> {
        Ok(match out {
            Some(path) => Sink::File(OutFile::create(path)?),
            None => Sink::Stdout(BufWriter::with_capacity(BUFFER_BYTES, std::io::stdout())),
        })
    }

    fn is_terminal(&self) -> bool {
        match self {
            Sink::File(file) => file.is_terminal(),
            // Looked at before, since nothing should be read in vain.
            Sink::Stdout(_) => false,
        }
    }

    /// Completes the output once all of it was written.
    pub fn complete(mut self) -> Result<()> {
        match &mut self {
            Sink::File(file) => file.complete(),
            Sink::Stdout(out) => Ok(out.flush()?),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Sink::File(file) => file.write(bytes),
            Sink::Stdout(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Sink::File(file) => file.flush(),
            Sink::Stdout(out) => out.flush(),
        }
    }
}

/// An Arrow IPC stream that is being written.
pub struct Stream {
    writer: StreamWriter<Sink>,
    pub rows: u64,
}

impl Stream {
    /// Begins a stream with its schema.
    pub fn begin(out: Option<&Path>, schema: &Schema) -> Result<Stream> {
        let sink = Sink::open(out)?;
        if sink.is_terminal() {
            bail!(
                "--part writes an Arrow stream, which is not for a terminal: give --out another file"
            );
        }
        Ok(Stream {
            writer: StreamWriter::try_new(sink, schema)?,
            rows: 0,
        })
    }

    pub fn write(&mut self, rows: &RecordBatch) -> Result<()> {
        self.writer.write(rows)?;
        self.rows += rows.num_rows() as u64;
        Ok(())
    }

    /// Writes the mark of the end, without which a stream is torn, and completes the output.
    pub fn finish(self) -> Result<()> {
        self.writer.into_inner()?.complete()
    }
}
