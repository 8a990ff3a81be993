//! Parquet and Arrow IPC files.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use arrow::datatypes::{Field, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::reader::{FileReader, StreamReader};
use arrow::record_batch::RecordBatch;
use bakeoff_servers::available_mib;
use bakeoff_workload::source::{check_ipc_lengths, check_parquet_pages};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};

use super::{BATCH_ROWS, Batches, TableError, failed, words_of};

/// The first bytes of an Arrow IPC file, which a stream does not have.
const ARROW_MAGIC: &[u8] = b"ARROW1";

/// The bytes of a batch for which it is not asked how much memory is free.
const SMALL_BYTES: u64 = 256 << 20;

pub struct ArrowFile {
    path: PathBuf,
    schema: SchemaRef,
    format: Format,
}

enum Format {
    Parquet(ArrowReaderMetadata),
    /// An IPC file, whose footer has the positions of its batches.
    File,
    Stream,
}

impl ArrowFile {
    pub fn open(path: &Path, is_parquet: bool) -> Result<Self, TableError> {
        let mut file = File::open(path).map_err(|error| failed(path, error))?;
        let is_stream = !is_parquet && !is_ipc_file(&mut file).map_err(|e| failed(path, e))?;
        if !is_parquet {
            let lengths = check_ipc_lengths(&file, is_stream);
            let lengths = lengths.map_err(|why| failed(path, why))?;
            check_memory(lengths.most_bytes).map_err(|why| failed(path, why))?;
        }
        guarded(path, || {
            ArrowFile::open_checked(path, file, is_parquet, is_stream)
        })
    }

    fn open_checked(
        path: &Path,
        file: File,
        is_parquet: bool,
        is_stream: bool,
    ) -> Result<Self, TableError> {
        let not_arrow = |error: ArrowError| failed(path, format!("not an Arrow file: {error}"));
        let (schema, format) = if is_parquet {
            let metadata = ArrowReaderMetadata::load(&file, Default::default())
                .map_err(|error| failed(path, format!("not a Parquet file: {error}")))?;
            (metadata.schema().clone(), Format::Parquet(metadata))
        } else if is_stream {
            let reader = StreamReader::try_new(file, None).map_err(not_arrow)?;
            (reader.schema(), Format::Stream)
        } else {
            let reader = FileReader::try_new(file, None).map_err(not_arrow)?;
            (reader.schema(), Format::File)
        };
        Ok(ArrowFile {
            path: path.to_owned(),
            schema,
            format,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn fields(&self) -> Vec<Field> {
        self.schema
            .fields()
            .iter()
            .map(|f| f.as_ref().clone())
            .collect()
    }

    pub fn total_rows(&self) -> Option<u64> {
        match &self.format {
            Format::Parquet(metadata) => {
                u64::try_from(metadata.metadata().file_metadata().num_rows()).ok()
            }
            Format::File | Format::Stream => None,
        }
    }

    /// Reads the columns with these numbers, in this order.
    pub fn read(self, places: &[usize]) -> Result<Batches, TableError> {
        let path = self.path.clone();
        let file = File::open(&path).map_err(|error| failed(&path, error))?;
        // A projected batch has its columns in the order of the file.
        let mut in_file_order = places.to_vec();
        in_file_order.sort_unstable();
        let order: Vec<usize> = places
            .iter()
            .map(|place| in_file_order.partition_point(|other| other < place))
            .collect();
        let mut reader = Some(guarded(&path, || self.reader(file, in_file_order))?);
        Ok(Box::new(std::iter::from_fn(move || {
            let open = reader.as_mut()?;
            let next = || {
                open.next()
                    .transpose()
                    .map_err(|error| failed(&path, error))
            };
            let batch = guarded(&path, next).transpose()?;
            let ordered = batch.and_then(|batch| {
                let ordered = batch.project(&order);
                ordered.map_err(|error| failed(&path, error))
            });
            if ordered.is_err() {
                reader = None;
            }
            Some(ordered)
        })))
    }

    fn reader(
        self,
        file: File,
        places: Vec<usize>,
    ) -> Result<Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>, TableError> {
        let path = &self.path;
        let buffered = |file| BufReader::with_capacity(1 << 20, file);
        Ok(match self.format {
            Format::Parquet(metadata) => {
                check_parquet_pages(&file, metadata.metadata(), &places)
                    .map_err(|why| failed(path, why))?;
                let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata);
                let mask = ProjectionMask::roots(builder.parquet_schema(), places);
                let builder = builder.with_projection(mask).with_batch_size(BATCH_ROWS);
                Box::new(builder.build().map_err(|error| failed(path, error))?)
            }
            Format::File => {
                let reader = FileReader::try_new(buffered(file), Some(places));
                Box::new(reader.map_err(|error| failed(path, error))?)
            }
            Format::Stream => {
                let reader = StreamReader::try_new(buffered(file), Some(places));
                Box::new(reader.map_err(|error| failed(path, error))?)
            }
        })
    }
}

/// Returns what was read, or the panic of a library that reads as an error: it checks most of what a file says
/// of itself, but not all. Nothing that it worked on is used again.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, TableError>) -> Result<T, TableError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        let words = words_of(&*panic);
        Err(failed(
            path,
            format!("it is damaged ({words}); try another copy of it"),
        ))
    })
}

/// Checks that the memory for a batch is free.
fn check_memory(bytes: u64) -> Result<(), String> {
    if bytes <= SMALL_BYTES {
        return Ok(());
    }
    match available_mib() {
        Ok(available) if bytes >> 20 > available => Err(format!(
            "a batch of it takes {} MiB of memory, and {available} MiB are free: write it in batches of fewer \
             rows, or as Parquet",
            bytes >> 20
        )),
        _ => Ok(()),
    }
}

fn is_ipc_file(file: &mut File) -> std::io::Result<bool> {
    let mut begin = Vec::new();
    file.take(ARROW_MAGIC.len() as u64)
        .read_to_end(&mut begin)?;
    file.rewind()?;
    Ok(begin == ARROW_MAGIC)
}
