//! Arrow IPC files and streams as sources of rows.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::reader::{FileReader, StreamReader};
use arrow::record_batch::RecordBatch;

use super::stamp::Stamp;
use super::stored::{self, row_error, rows_of};
use super::{data_error, guarded, ipc_lengths, read_error};
use crate::source::{RowBatch, RowBatches, RowSource};
use crate::{Result, Table, TextForm};

/// First bytes of a file, which a stream does not have, and of a file of the first version of Feather.
const FILE_MAGIC: &[u8] = b"ARROW1";
const FEATHER_1_MAGIC: &[u8] = b"FEA1";

/// Largest memory for a batch, which is read as a whole.
const MOST_BATCH_BYTES: u64 = 1 << 30;

const BUFFER_BYTES: usize = 1 << 20;

/// Batches of a file, as they are stored.
pub type StoredBatches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// A file or stream whose lengths were checked.
#[derive(Debug, Clone)]
pub struct Ipc {
    pub path: PathBuf,
    /// That of the file when it was checked.
    stamp: Stamp,
    pub schema: SchemaRef,
    is_stream: bool,
    pub rows: u64,
}

impl Ipc {
    /// Opens a file, and checks what it says of its lengths.
    ///
    /// # Errors
    /// It cannot be read, is damaged, has no rows, or has a batch that would take too much memory.
    pub fn open(path: &Path) -> Result<Ipc> {
        let failed = |error| read_error(path, error);
        let mut file = File::open(path).map_err(failed)?;
        let stamp = Stamp::of(&file).map_err(failed)?;
        let mut begin = Vec::new();
        let most = FILE_MAGIC.len() as u64;
        let read = file.by_ref().take(most).read_to_end(&mut begin);
        read.map_err(failed)?;
        file.rewind().map_err(failed)?;
        if begin.is_empty() {
            return Err(data_error(path, "the file is empty"));
        }
        if begin.starts_with(FEATHER_1_MAGIC) {
            let message =
                "it is Feather of version 1, which is not Arrow IPC: write it with version 2";
            return Err(data_error(path, message));
        }
        let is_stream = begin != FILE_MAGIC;
        let lengths = ipc_lengths::check(&file, is_stream).map_err(|why| data_error(path, why))?;
        if lengths.rows == 0 {
            return Err(data_error(path, "the file has no rows"));
        }
        if lengths.most_bytes > MOST_BATCH_BYTES {
            let message = format!(
                "a batch of it takes {} MiB of memory, and {} are possible: write it in batches of fewer rows, or as \
                 Parquet",
                lengths.most_bytes >> 20,
                MOST_BATCH_BYTES >> 20
            );
            return Err(data_error(path, message));
        }
        let schema = guarded(path, || {
            let schema = if is_stream {
                StreamReader::try_new(file, None).map(|reader| reader.schema())
            } else {
                FileReader::try_new(file, None).map(|reader| reader.schema())
            };
            schema.map_err(|error| data_error(path, format!("not an Arrow file: {error}")))
        })?;
        Ok(Ipc {
            path: path.to_owned(),
            stamp,
            schema,
            is_stream,
            rows: lengths.rows,
        })
    }

    /// Reads all batches, of which each has the columns with these indexes in the order of the file; all columns if
    /// none are given.
    pub fn batches(&self, columns: Option<&[usize]>) -> Result<StoredBatches> {
        let opened = self.stamp.open(&self.path);
        let file = opened.map_err(|error| read_error(&self.path, error))?;
        let file = BufReader::with_capacity(BUFFER_BYTES, file);
        let columns = columns.map(|columns| {
            let mut in_file_order = columns.to_vec();
            in_file_order.sort_unstable();
            in_file_order
        });
        guarded(&self.path, || {
            let opened: Result<StoredBatches, ArrowError> = if self.is_stream {
                let opened = StreamReader::try_new(file, columns);
                opened.map(|reader| Box::new(reader) as StoredBatches)
            } else {
                let opened = FileReader::try_new(file, columns);
                opened.map(|reader| Box::new(reader) as StoredBatches)
            };
            opened.map_err(|error| data_error(&self.path, error.to_string()))
        })
    }
}

/// An Arrow IPC file whose columns can be cast to those of the table without loss.
pub struct ArrowFile {
    ipc: Ipc,
    table: Arc<Table>,
    /// Index in the file of each column of the table.
    columns: Arc<[usize]>,
}

impl ArrowFile {
    /// Opens a file and checks that it has the columns of the table, by the names that `form` gives, and those of the
    /// first file that it is read together with.
    pub fn open(
        path: &Path,
        table: &Table,
        form: &TextForm,
        first: Option<(&Path, &Schema)>,
    ) -> Result<ArrowFile> {
        let ipc = Ipc::open(path)?;
        if let Some(first) = first {
            stored::check_same(first, path, &ipc.schema)?;
        }
        let columns = stored::locate(path, &ipc.schema, table, form)?;
        Ok(ArrowFile {
            ipc,
            table: Arc::new(table.clone()),
            columns: columns.into(),
        })
    }

    /// Returns the columns of the file.
    pub fn stored(&self) -> &SchemaRef {
        &self.ipc.schema
    }
}

impl RowSource for ArrowFile {
    fn schema(&self) -> SchemaRef {
        self.table.schema()
    }

    fn known_rows(&self) -> Option<u64> {
        Some(self.ipc.rows)
    }

    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        Ok(Box::new(ArrowRows {
            path: self.ipc.path.clone(),
            table: self.table.clone(),
            columns: self.columns.clone(),
            batches: Some(self.ipc.batches(Some(&self.columns))?),
            left: None,
            next_row: 0,
            from,
            batch_rows: batch_rows.max(1),
        }))
    }

    fn may_repeat_keys(&self) -> bool {
        true
    }

    fn seeks(&self) -> bool {
        // The batches before are read.
        false
    }
}

/// Rows of a file from a number on.
struct ArrowRows {
    path: PathBuf,
    table: Arc<Table>,
    columns: Arc<[usize]>,
    /// `None` after an error.
    batches: Option<StoredBatches>,
    /// What is left of a batch.
    left: Option<RecordBatch>,
    /// Number of the row that is read next.
    next_row: u64,
    from: u64,
    batch_rows: usize,
}

impl ArrowRows {
    fn next_batch(&mut self) -> Result<Option<RowBatch>> {
        let Some(batches) = &mut self.batches else {
            return Ok(None);
        };
        while self.left.as_ref().is_none_or(|left| left.num_rows() == 0) {
            let (path, row) = (&self.path, self.next_row + 1);
            let read = guarded(path, || {
                let batch = batches.next().transpose();
                batch.map_err(|error| data_error(path, format!("cannot read row {row}: {error}")))
            })?;
            let Some(batch) = read else { return Ok(None) };
            let before = usize::try_from(self.from.saturating_sub(self.next_row));
            let before = before.unwrap_or(usize::MAX).min(batch.num_rows());
            self.next_row += before as u64;
            self.left = Some(batch.slice(before, batch.num_rows() - before));
        }
        let Some(left) = self.left.take() else {
            return Ok(None);
        };
        let rows = self.batch_rows.min(left.num_rows());
        let (first_row, taken) = (self.next_row, left.slice(0, rows));
        self.left = Some(left.slice(rows, left.num_rows() - rows));
        self.next_row += rows as u64;
        let rows = guarded(&self.path, || {
            let cast = rows_of(&taken, &self.table, &self.columns);
            cast.map_err(|bad| row_error(&self.path, first_row, bad))
        })?;
        Ok(Some(RowBatch { first_row, rows }))
    }
}

impl Iterator for ArrowRows {
    type Item = Result<RowBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.next_batch();
        if batch.is_err() {
            self.batches = None;
            self.left = None;
        }
        batch.transpose()
    }
}
