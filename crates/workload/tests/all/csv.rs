//! Tests that rows written as CSV are read back as they were.

use std::path::Path;

use arrow::record_batch::RecordBatch;
use bakeoff_workload::csv::Encoder;
use bakeoff_workload::{Workload, source};

fn workload(data: &str) -> Workload {
    let text =
        format!("title = \"t\"\n{data}\n[[queries]]\nname = \"q\"\nsql = \"SELECT 1 AS one\"\n");
    Workload::parse(&text, Path::new("t.toml")).unwrap()
}

fn rows(workload: &Workload, file: Option<&Path>, limit: usize) -> RecordBatch {
    let source = source::open(workload, file.map(Path::to_owned)).unwrap();
    let batches: Vec<RecordBatch> = source
        .read(0, 1_000)
        .unwrap()
        .map(|batch| batch.unwrap().rows)
        .take(limit.div_ceil(1_000))
        .collect();
    let joined = arrow::compute::concat_batches(&source.schema(), &batches).unwrap();
    joined.slice(0, limit.min(joined.num_rows()))
}

#[track_caller]
fn comes_back(workload: &Workload) {
    let before = rows(workload, None, 3_000);
    let mut encoder = Encoder::new(&workload.table);
    let mut lines = encoder.header();
    encoder.rows(&before, &mut lines);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.csv");
    std::fs::write(&file, lines).unwrap();
    assert_eq!(rows(workload, Some(&file), 3_000), before);
}

#[test]
fn rows_of_generators_come_back() {
    for data in [
        "[data]\ngenerator = \"devops\"\nhosts = 7",
        "[data]\ngenerator = \"devops\"\nhosts = 3\nmeasurement = \"mem\"",
        "[data]\ngenerator = \"iot\"\ntrucks = 7\nmeasurement = \"diagnostics\"",
        "[data]\ngenerator = \"gdelt\"",
    ] {
        comes_back(&workload(data));
    }
}

#[test]
fn awkward_cells_come_back() {
    let table = "[table]\nname = \"t\"\npartition_key = [\"n\"]\n\
        columns = { n = \"int\", b = \"boolean\", l = \"bigint\", d = \"double\", s = \"text\", \
        t = \"timestamp\", x = \"blob\" }\n[data]\nfile = \"first.csv\"\n";
    let workload = workload(table);
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first.csv");
    std::fs::write(
        &first,
        "n,b,l,d,s,t,x\n\
         1,true,-9223372036854775808,NaN,\"a \"\"b\"\", c\n d\",1969-12-31T23:59:59.999Z,0x00ff\n\
         2,,,,,,\n\
         3,f,9223372036854775807,-inf,ü 日本,9999-12-30T00:00:00Z,0x\n\
         4,t,0,1e-300,x,0,0xab\n",
    )
    .unwrap();
    let before = rows(&workload, Some(&first), 10);
    assert_eq!(before.num_rows(), 4);
    let mut encoder = Encoder::new(&workload.table);
    let mut lines = encoder.header();
    encoder.rows(&before, &mut lines);
    let again = folder.path().join("again.csv");
    std::fs::write(&again, lines).unwrap();
    // NaN is not equal to itself.
    let shown = |rows: RecordBatch| format!("{rows:?}");
    assert_eq!(shown(rows(&workload, Some(&again), 10)), shown(before));
}
