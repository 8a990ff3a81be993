//! Writing sorted rows into one file, or into a folder for each value of a column.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use arrow::compute::partition;
use arrow::record_batch::RecordBatch;
use bakeoff_workload::Table;
use datafusion::error::DataFusionError;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use super::layout::FileLayout;
use crate::value_folders::ValueFolders;

/// The file or the folders that sorted rows are written into.
pub struct Sorted {
    path: PathBuf,
    table: Table,
    properties: WriterProperties,
    /// The column whose values have folders, and the folders so far; `None` for a single file.
    folders: Option<(String, ValueFolders)>,
    /// The only file that is open, and the name of its folder. Rows come in the order of the folders' column,
    /// so that no folder is written to again.
    open: Option<(String, ArrowWriter<File>)>,
}

impl Sorted {
    /// Makes the file, or the folder of the folders.
    ///
    /// # Errors
    /// Fails if it cannot be made.
    pub fn create(
        path: &Path,
        table: &Table,
        layout: &FileLayout,
    ) -> Result<Self, DataFusionError> {
        let mut sorted = Sorted {
            path: path.to_owned(),
            table: table.clone(),
            properties: layout.encoding.properties(table).map_err(external)?,
            folders: layout.partition.clone().zip(layout.folders()),
            open: None,
        };
        if sorted.folders.is_some() {
            fs::create_dir(path)?;
        } else {
            sorted.open = Some((String::new(), sorted.writer(path)?));
        }
        Ok(sorted)
    }

    /// Writes further rows.
    ///
    /// # Errors
    /// Fails if a file cannot be written, or if there are more folders than there may be.
    pub fn write(&mut self, rows: &RecordBatch) -> Result<(), DataFusionError> {
        let column = self.folders.as_ref().map(|(column, _)| column);
        let Some(values) = column
            .and_then(|column| rows.column_by_name(column))
            .cloned()
        else {
            return self.write_open(rows);
        };
        // Nulls count as equal.
        for range in partition(std::slice::from_ref(&values))?.ranges() {
            let name = match &mut self.folders {
                Some((_, folders)) => folders.of_row(values.as_ref(), range.start),
                None => Ok(String::new()),
            };
            self.enter(name.map_err(external)?)?;
            self.write_open(&rows.slice(range.start, range.len()))?;
        }
        Ok(())
    }

    /// Completes the last file.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn finish(mut self) -> Result<(), DataFusionError> {
        self.close()
    }

    /// Goes on in a folder, whose file is made unless it is open.
    fn enter(&mut self, name: String) -> Result<(), DataFusionError> {
        if self.open.as_ref().is_some_and(|(open, _)| *open == name) {
            return Ok(());
        }
        self.close()?;
        let folder = self.path.join(&name);
        fs::create_dir(&folder)?;
        self.open = Some((name, self.writer(&folder.join("rows.parquet"))?));
        Ok(())
    }

    fn writer(&self, path: &Path) -> Result<ArrowWriter<File>, DataFusionError> {
        let (schema, properties) = (self.table.schema(), self.properties.clone());
        ArrowWriter::try_new(File::create(path)?, schema, Some(properties)).map_err(external)
    }

    fn write_open(&mut self, rows: &RecordBatch) -> Result<(), DataFusionError> {
        match &mut self.open {
            Some((_, writer)) => writer.write(rows).map_err(external),
            None => Ok(()),
        }
    }

    fn close(&mut self) -> Result<(), DataFusionError> {
        if let Some((_, writer)) = self.open.take() {
            writer.into_inner().map_err(external)?.sync_all()?;
        }
        Ok(())
    }
}

/// Makes any error one of DataFusion, which is what reading and sorting fail with.
pub fn external(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> DataFusionError {
    DataFusionError::External(error.into())
}
