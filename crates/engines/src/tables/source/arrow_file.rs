//! Parquet and Arrow IPC files.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use arrow::datatypes::{Field, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::reader::{FileReader, StreamReader};
use arrow::record_batch::RecordBatch;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};

use super::{BATCH_ROWS, Batches, TableError, failed};

/// The first bytes of an Arrow IPC file, which a stream does not have.
const ARROW_MAGIC: &[u8] = b"ARROW1";

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
        let not_arrow = |error: ArrowError| failed(path, format!("not an Arrow file: {error}"));
        let (schema, format) = if is_parquet {
            let metadata = ArrowReaderMetadata::load(&file, Default::default())
                .map_err(|error| failed(path, format!("not a Parquet file: {error}")))?;
            (metadata.schema().clone(), Format::Parquet(metadata))
        } else if is_ipc_file(&mut file).map_err(|error| failed(path, error))? {
            let reader = FileReader::try_new(file, None).map_err(not_arrow)?;
            (reader.schema(), Format::File)
        } else {
            let reader = StreamReader::try_new(file, None).map_err(not_arrow)?;
            (reader.schema(), Format::Stream)
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
        let reader = self.reader(file, in_file_order)?;
        Ok(Box::new(reader.map(move |batch| {
            let ordered = batch.and_then(|batch| batch.project(&order));
            ordered.map_err(|error| failed(&path, error))
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

fn is_ipc_file(file: &mut File) -> std::io::Result<bool> {
    let mut begin = Vec::new();
    file.take(ARROW_MAGIC.len() as u64)
        .read_to_end(&mut begin)?;
    file.rewind()?;
    Ok(begin == ARROW_MAGIC)
}
