//! The files of designs, which the workers of a cluster have to see under the same path as this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, AsArray, Int64Array};
use arrow::datatypes::Int64Type;
use arrow::record_batch::RecordBatch;
use bakeoff_servers::spark::{Source, Spark};
use bakeoff_servers::try_writing;
use parquet::arrow::ArrowWriter;
use uuid::Uuid;

use super::answer::Reading;
use crate::{Context, EngineError, owner};

/// The rows of a file that is written to be counted.
const ROWS: i64 = 7;
/// The files that are written to be counted: so many that each of a few hundred cores reads one.
const FILES: usize = 256;
/// The longest that counting their rows may take, on a cluster that is busy with others.
const COUNTING_LIMIT: Duration = Duration::from_secs(5 * 60);
/// The longest that giving up the table of these files may take.
const CLOSING_LIMIT: Duration = Duration::from_secs(30);
/// The name of the session and of the table in which they are counted.
const NAME: &str = "bakeoff_seen";

/// Returns the context of the files: that of the run, or one with a folder of their own in the one that workers share.
pub fn context(context: &Context) -> Context {
    let Some(shared) = &context.options.spark.files else {
        return context.clone();
    };
    let hash = xxhash_rust::xxh3::xxh3_64(owner::marker(context).as_bytes());
    Context {
        run_dir: shared.join(format!("bakeoff_{hash:016x}")),
        ..context.clone()
    }
}

/// Checks that the folder that workers share is there and can be written to.
///
/// # Errors
/// Fails with the folder and the reason.
pub fn check(context: &Context) -> Result<(), EngineError> {
    let Some(shared) = &context.options.spark.files else {
        return Ok(());
    };
    let refused = |why: String| {
        EngineError(format!(
            "--spark-files {} {why}: name a folder that all workers of the Spark have under the same path",
            shared.display()
        ))
    };
    if !shared.is_dir() {
        return Err(refused("is no folder of this machine".to_owned()));
    }
    try_writing(shared).map_err(|error| refused(format!("cannot be written to ({error})")))
}

/// Checks that the workers of a cluster read what this machine writes into a folder: all of them read small files at
/// the same time, whose rows are known.
///
/// # Errors
/// Fails with what Spark says, and what to do; also if it says nothing within 5 minutes.
pub async fn check_seen(spark: &Spark, files: &Path) -> Result<(), EngineError> {
    let folder = files.join(format!("seen-{}", Uuid::now_v7().simple()));
    let seen = async {
        write_all(&folder).map_err(|error| {
            EngineError(format!(
                "writing to {} failed: {error}; choose another folder with --spark-files or --out",
                folder.display()
            ))
        })?;
        let unseen = |why: String| unseen(spark, files, &why);
        let counted = count(spark, &folder).await.map_err(unseen)?;
        let written = ROWS * FILES as i64;
        if counted != written {
            return Err(unseen(format!(
                "it counts {counted} rows where {written} are"
            )));
        }
        Ok(())
    };
    let seen = within(COUNTING_LIMIT, seen).await;
    let closing = async { spark.close(NAME).await.map_err(EngineError::from) };
    let closed = within(CLOSING_LIMIT, closing).await;
    let removed = fs::remove_dir_all(&folder);
    seen?;
    closed?;
    removed.map_err(|error| EngineError(format!("removing {} failed: {error}", folder.display())))
}

/// Waits for what a Spark is asked about the small files, but no longer than this.
async fn within(
    limit: Duration,
    asking: impl Future<Output = Result<(), EngineError>>,
) -> Result<(), EngineError> {
    let asked = tokio::time::timeout(limit, asking).await;
    asked.unwrap_or_else(|_| {
        Err(EngineError(format!(
            "the Spark of --spark did not read small files within {} s: look whether its workers have free cores, \
             and whether their folder of --spark-files answers",
            limit.as_secs()
        )))
    })
}

fn unseen(spark: &Spark, files: &Path, why: &str) -> EngineError {
    let cluster = spark.cluster().map(ToString::to_string);
    EngineError(format!(
        "the workers of the Spark at {} do not read the files in {}: with --spark-files name a folder that all of them \
         have under the same path as this machine, and may read; Spark says: {why}",
        cluster.unwrap_or_default(),
        files.display()
    ))
}

fn write_all(folder: &Path) -> Result<(), String> {
    let text = |error: std::io::Error| error.to_string();
    let file = file().map_err(|error| error.to_string())?;
    fs::create_dir_all(folder).map_err(text)?;
    for number in 0..FILES {
        let path: PathBuf = folder.join(format!("part-{number:03}.parquet"));
        fs::write(path, &file).map_err(text)?;
    }
    Ok(())
}

/// Returns the bytes of a file with a few rows.
fn file() -> Result<Vec<u8>, parquet::errors::ParquetError> {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS));
    let rows = RecordBatch::try_from_iter([("number", numbers)])?;
    let mut writer = ArrowWriter::try_new(Vec::new(), rows.schema(), None)?;
    writer.write(&rows)?;
    writer.into_inner()
}

/// Counts the rows of a folder of files through Spark.
async fn count(spark: &Spark, folder: &Path) -> Result<i64, String> {
    let source = Source::shared_parquet(folder);
    let opened = spark.open(NAME, NAME, &source, false).await;
    opened.map_err(|error| error.to_string())?;
    // Of numbers that are read, rather than of what a folder's listing or a footer may say.
    let sql = format!("SELECT count(number) AS n FROM {NAME} WHERE number >= 0");
    let answer = spark.query(NAME, &sql).await;
    let mut answer = answer.map_err(|error| error.to_string())?;
    let mut reading = Reading::default();
    while let Some(part) = answer.next().await.map_err(|error| error.to_string())? {
        reading.add(part).map_err(|error| error.to_string())?;
    }
    let answer = reading.complete().map_err(|error| error.to_string())?;
    let counts = answer.batches.iter().filter(|batch| batch.num_rows() == 1);
    let mut counts = counts.filter_map(|batch| {
        let column = batch.column(0).as_primitive_opt::<Int64Type>()?;
        Some(column.value(0))
    });
    counts.next().ok_or_else(|| "no number of rows".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sharing(files: &str) -> Context {
        let mut context = Context::of_test("/runs/a");
        context.options.spark.files = Some(files.into());
        context
    }

    #[test]
    fn files_are_in_the_run_folder_or_in_one_of_their_own_that_is_shared() {
        let own = context(&Context::of_test("/runs/a"));
        assert_eq!(own.folder_of("spark"), Path::new("/runs/a/spark"));
        let mut run = sharing("/shared");
        let folder = context(&run).folder_of("spark");
        assert!(folder.starts_with("/shared"), "{folder:?}");
        let name = folder.parent().unwrap().file_name().unwrap();
        assert!(name.to_str().unwrap().starts_with("bakeoff_"), "{name:?}");
        assert_eq!(context(&run).folder_of("spark"), folder);
        run.token = Some("other".to_owned());
        assert_ne!(context(&run).folder_of("spark"), folder, "of another run");
    }

    #[test]
    fn a_shared_folder_has_to_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let there = folder.path().to_str().unwrap();
        check(&sharing(there)).unwrap();
        assert_eq!(fs::read_dir(there).unwrap().count(), 0);
        let missing = folder.path().join("missing");
        let error = check(&sharing(missing.to_str().unwrap())).unwrap_err().0;
        assert!(error.contains("missing is no folder"), "{error}");
        assert!(error.starts_with("--spark-files "), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_spark_that_says_nothing_is_not_waited_for() {
        let error = within(COUNTING_LIMIT, std::future::pending()).await;
        let why = error.unwrap_err().0;
        assert!(why.contains("within 300 s: look whether"), "{why}");
        within(CLOSING_LIMIT, async { Ok(()) }).await.unwrap();
    }

    #[test]
    fn files_to_be_counted_have_their_rows() {
        let folder = tempfile::tempdir().unwrap();
        write_all(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), FILES);
        let bytes = bytes::Bytes::from(file().unwrap());
        let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReader::try_new(bytes, 100);
        let rows: usize = reader.unwrap().map(|batch| batch.unwrap().num_rows()).sum();
        assert_eq!(rows as i64, ROWS);
    }
}
