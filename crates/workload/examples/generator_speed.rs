//! Measures how many rows and values each generator makes per second of processor time, as Arrow
//! batches, and how many a sample of 100 hosts that goes on; or those of workload files, such as one with a sample that
//! goes on.
//!
//! `cargo run --release --example generator_speed -- [SECONDS [WORKLOAD.toml]...]` (Linux)

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use bakeoff_workload::csv::Encoder;
use bakeoff_workload::{Workload, source};

const BATCH_ROWS: usize = 8_192;
/// Generators to measure; the study's table has 4,000 hosts.
const GENERATORS: [(&str, &str); 7] = [
    ("cpu, 4000 hosts", "generator = \"devops\"\nhosts = 4000"),
    ("cpu, 100 hosts", "generator = \"devops\"\nhosts = 100"),
    (
        "redis, 4000 hosts",
        "generator = \"devops\"\nhosts = 4000\nmeasurement = \"redis\"",
    ),
    (
        "readings, 4000 trucks",
        "generator = \"iot\"\ntrucks = 4000",
    ),
    (
        "diagnostics, 4000 trucks",
        "generator = \"iot\"\ntrucks = 4000\nmeasurement = \"diagnostics\"",
    ),
    ("sensor", "generator = \"sensor\""),
    ("gdelt", "generator = \"gdelt\""),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().map_or(Ok(3), |text| text.parse())?;
    let files: Vec<String> = arguments.collect();
    println!(
        "{:26} {:>12} {:>14}",
        "generator", "M rows/CPU s", "M values/CPU s"
    );
    let least = Duration::from_secs(seconds);
    for file in &files {
        let text = std::fs::read_to_string(file)?;
        print(
            file,
            measure(&Workload::parse(&text, Path::new(file))?, least)?,
        );
    }
    if !files.is_empty() {
        return Ok(());
    }
    for (name, data) in GENERATORS {
        print(name, measure(&generated(data)?, least)?);
    }
    let folder = tempfile::tempdir()?;
    for along in ["time", "series"] {
        let workload = sample(folder.path(), along)?;
        print(&format!("sample along {along}"), measure(&workload, least)?);
    }
    Ok(())
}

fn print(name: &str, (rows, columns, cpu): (u64, usize, Duration)) {
    let rows = rows as f64 / cpu.as_secs_f64() / 1e6;
    println!("{name:26} {rows:12.2} {:14.1}", rows * columns as f64);
}

fn generated(data: &str) -> Result<Workload, Box<dyn Error>> {
    let text =
        format!("title = \"speed\"\n[data]\n{data}\n[[queries]]\nname = \"q\"\nsql = \"SELECT 1\"");
    Ok(Workload::parse(&text, Path::new("speed.toml"))?)
}

/// Writes the first rows of 100 hosts into a file, and returns the workload that goes on beyond them.
fn sample(folder: &Path, along: &str) -> Result<Workload, Box<dyn Error>> {
    let hosts = generated("generator = \"devops\"\nhosts = 100")?;
    let mut encoder = Encoder::new(&hosts.table);
    let mut lines = encoder.header();
    for batch in source::open(&hosts, None)?.read(0, BATCH_ROWS)?.take(10) {
        encoder.rows(&batch?.rows, &mut lines);
    }
    std::fs::write(folder.join("hosts.csv"), lines)?;
    let columns = hosts.table.columns.iter();
    let columns = columns.map(|column| format!("{} = \"{}\"\n", column.name, column.kind.name()));
    let (partition, order) = (&hosts.table.partition_key, &hosts.table.order_key);
    let text = format!(
        "title = \"speed\"\n[data]\nfile = \"hosts.csv\"\n\
         scale_sample = {{ rows = 1_000_000_000_000, along = \"{along}\" }}\n\
         [table]\nname = \"hosts\"\npartition_key = {partition:?}\norder_key = {order:?}\n\
         [table.columns]\n{}[[queries]]\nname = \"q\"\nsql = \"SELECT 1\"",
        columns.collect::<String>()
    );
    Ok(Workload::parse(&text, &folder.join("speed.toml"))?)
}

/// Returns the rows made in at least this processor time, the number of columns, and the time used,
/// including the time to open the generator. One that ends is begun anew.
fn measure(workload: &Workload, least: Duration) -> Result<(u64, usize, Duration), Box<dyn Error>> {
    let before = processor_time()?;
    let source = source::open(workload, None)?;
    let mut rows = 0;
    loop {
        let rows_before = rows;
        for batch in source.read(0, BATCH_ROWS)? {
            rows += std::hint::black_box(batch?).rows.num_rows() as u64;
            let used = processor_time()? - before;
            if used >= least {
                return Ok((rows, source.schema().fields().len(), used));
            }
        }
        if rows == rows_before {
            return Err("the generator makes no rows".into());
        }
    }
}

/// Returns the processor time of this process, which has one thread.
fn processor_time() -> Result<Duration, Box<dyn Error>> {
    let statistics = std::fs::read_to_string("/proc/self/schedstat")?;
    let nanoseconds = statistics.split_whitespace().next();
    Ok(Duration::from_nanos(
        nanoseconds
            .ok_or("/proc/self/schedstat is empty")?
            .parse()?,
    ))
}
