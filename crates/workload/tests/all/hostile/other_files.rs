//! Lines of JSON and Arrow IPC files that nobody meant anyone to read.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Float64Array, StringArray, TimestampMicrosecondArray};
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow::record_batch::RecordBatch;
use bakeoff_testing::hostile::{Corpus, Parser, bytes_taken};
use bakeoff_testing::times;
use bakeoff_workload::infer::{Asked, infer};
use bakeoff_workload::{Workload, source};
use flate2::Compression;
use flate2::write::GzEncoder;

/// The memory for a text of at most 128 KiB, or what a small one unpacks to.
const TEXT_BYTES: u64 = 256 << 20;

/// The memory for an Arrow file of at most 128 KiB. A batch that says that it takes more than 1 GiB is refused; its
/// rows are converted, and compared with what they were.
const ARROW_BYTES: u64 = (4 << 30) + (256 << 20);

const BATCH_ROWS: usize = 1_000;

const TABLE: &str = "title = 'x'\n[data]\nrequires = '--data'\n[table]\nname = 't'\npartition_key = ['series']\n\
    order_key = ['time']\n[table.columns]\nseries = 'text'\ntime = 'timestamp'\nvalue = 'double'\n\
    [[queries]]\nname = 'q'\nsql = 'SELECT 1'\n";

const LINES: &str = "{\"series\": \"a\\u00e9\\n\", \"time\": \"2024-01-01T00:00:00Z\", \"value\": 1.5, \"x\": [1, {}]}\n\
    {\"series\":\"b\",\"time\":1704067200000,\"value\":\"3\"}\r\n\n\
    {\"Value\":null,\"time\":\"2024-01-02\",\"series\":7,\"big\":123456789012345678901234567890}\n";

/// Returns whether all rows of a file can be read. All that is read has to be sound.
fn is_readable(workload: &Workload, path: &Path) -> bool {
    let Ok(source) = source::open(workload, Some(path.to_owned())) else {
        return false;
    };
    let Ok(batches) = source.read(0, BATCH_ROWS) else {
        return false;
    };
    let mut rows = 0;
    for batch in batches {
        let Ok(batch) = batch else { return false };
        assert_eq!(batch.first_row, rows);
        for column in batch.rows.columns() {
            column.to_data().validate_full().unwrap();
        }
        rows += batch.rows.num_rows() as u64;
    }
    assert_eq!(source.count_rows(u64::MAX).unwrap(), Some(rows));
    true
}

fn lines() -> Corpus {
    let mut corpus = Corpus::default();
    corpus.add(LINES.as_bytes());
    corpus.add(LINES.repeat(20).into_bytes());
    corpus
}

#[test]
fn lines_of_json_are_read_or_refused() {
    let parser = Parser {
        name: "jsonl files",
        most_bytes: TEXT_BYTES,
        cases: times(1_000, 50_000),
    };
    let strict = Workload::parse(TABLE, Path::new("x.toml")).unwrap();
    let lax = TABLE.replace("[data]", "[data]\nbad_rows = '99%'");
    let lax = Workload::parse(&lax, Path::new("x.toml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.jsonl");
    parser.feed(&lines(), |bytes| {
        std::fs::write(&path, bytes).unwrap();
        if let Ok(source) = source::open(&lax, Some(path.clone())) {
            let bad = source.bad_rows().unwrap();
            let batches = source.read(0, BATCH_ROWS).unwrap();
            let rows = batches.map(|batch| batch.unwrap().rows.num_rows() as u64);
            assert_eq!(rows.sum::<u64>() + bad.count, bad.rows);
            bad.write(&mut std::io::sink()).unwrap();
        }
        is_readable(&strict, &path)
    });
}

#[test]
fn workloads_are_written_for_lines_of_json_or_these_are_refused() {
    let parser = Parser {
        name: "jsonl files of which nothing is known",
        most_bytes: TEXT_BYTES,
        cases: times(500, 30_000),
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.jsonl");
    parser.feed(&lines(), |bytes| {
        std::fs::write(&path, bytes).unwrap();
        let Ok(found) = infer(&path, &Asked::default()) else {
            return false;
        };
        let text = found.workload("x.jsonl", &["memory".to_owned()], &[]);
        let written = Workload::parse(&text, Path::new("x.toml"));
        assert!(written.is_ok(), "{:?}\n{text}", written.err());
        true
    });
}

#[test]
fn packed_lines_of_json_are_read_or_refused() {
    feed_packed("jsonl.gz files", "x.jsonl.gz", |text| {
        let mut file = GzEncoder::new(Vec::new(), Compression::default());
        file.write_all(text).unwrap();
        file.finish().unwrap()
    });
    feed_packed("jsonl.zst files", "x.jsonl.zst", |text| {
        zstd::encode_all(text, 3).unwrap()
    });
}

/// Feeds lines that are packed, and changed afterwards.
fn feed_packed(name: &'static str, file: &str, pack: impl Fn(&[u8]) -> Vec<u8>) {
    let parser = Parser {
        name,
        most_bytes: TEXT_BYTES,
        cases: times(500, 30_000),
    };
    let mut packed = Corpus::default();
    for text in lines().iter() {
        packed.add(pack(text));
    }
    let workload = Workload::parse(TABLE, Path::new("x.toml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(file);
    parser.feed(&packed, |bytes| {
        std::fs::write(&path, bytes).unwrap();
        is_readable(&workload, &path)
    });
}

/// A small file unpacks to a thousand times its size, in which no line ends.
#[test]
fn a_line_that_never_ends_takes_little_memory() {
    let workload = Workload::parse(TABLE, Path::new("x.toml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut file = GzEncoder::new(Vec::new(), Compression::fast());
    for begin in ["", "{\"series\":\"a\",\"time\":1,\"value\":1}\n"] {
        file.write_all(begin.as_bytes()).unwrap();
        file.write_all(b"{\"series\":\"").unwrap();
        (0..64).for_each(|_| file.write_all(&vec![b'x'; 1 << 20]).unwrap());
    }
    let bomb = file.finish().unwrap();
    assert!(bomb.len() < 4 << 20, "{}", bomb.len());
    for name in ["x.jsonl.gz", "x.csv.gz"] {
        let path = folder.path().join(name);
        std::fs::write(&path, &bomb).unwrap();
        let taken = bytes_taken(|| {
            assert!(!is_readable(&workload, &path));
            assert!(infer(&path, &Asked::default()).is_err());
        });
        assert!(taken < TEXT_BYTES, "{name}: {taken}");
    }
}

/// Writes rows as an Arrow file, or as a stream.
fn arrow(is_stream: bool, codec: Option<CompressionType>) -> Vec<u8> {
    let numbers = 0..40_i64;
    let columns: [(&str, ArrayRef); 3] = [
        (
            "series",
            Arc::new(StringArray::from_iter_values(
                numbers.clone().map(|n| format!("series {}", n % 7)),
            )),
        ),
        (
            "time",
            Arc::new(TimestampMicrosecondArray::from_iter_values(
                numbers.clone().map(|n| n * 60_000_000),
            )),
        ),
        (
            "value",
            Arc::new(Float64Array::from_iter_values(
                numbers.map(|n| n as f64 / 7.0),
            )),
        ),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let options = IpcWriteOptions::default()
        .try_with_compression(codec)
        .unwrap();
    let (mut bytes, schema) = (Vec::new(), batch.schema());
    if is_stream {
        let mut writer = StreamWriter::try_new_with_options(&mut bytes, &schema, options).unwrap();
        writer.write(&batch).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    } else {
        let mut writer = FileWriter::try_new_with_options(&mut bytes, &schema, options).unwrap();
        writer.write(&batch).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    }
    bytes
}

#[test]
fn arrow_files_are_read_or_refused() {
    let workload = Workload::parse(TABLE, Path::new("x.toml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.arrow");
    for is_stream in [false, true] {
        let parser = Parser {
            name: if is_stream {
                "arrow streams of rows"
            } else {
                "arrow files of rows"
            },
            most_bytes: ARROW_BYTES,
            cases: times(300, 30_000),
        };
        let mut corpus = Corpus::default();
        corpus.add(arrow(is_stream, None));
        corpus.add(arrow(is_stream, Some(CompressionType::LZ4_FRAME)));
        corpus.add(arrow(is_stream, Some(CompressionType::ZSTD)));
        parser.feed(&corpus, |bytes| {
            std::fs::write(&path, bytes).unwrap();
            is_readable(&workload, &path)
        });
    }
}
