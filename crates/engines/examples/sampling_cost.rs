//! Measures what samples cost three nodes of Cassandra that have nothing else to do: their CPU time with a sample every
//! two seconds, which are the most that `run` and `sweep` take of several nodes, and without any, in turns.
//!
//! `cargo run --release -p bakeoff-engines --example sampling_cost -- [SECONDS] [ROUNDS]` (Linux, with Java)

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use bakeoff_driver::Design;
use bakeoff_engines::registry::engine;
use bakeoff_engines::{Context, EngineOptions};
use bakeoff_workload::{DesignId, Workload, source};

const NODES: u8 = 3;
const ROWS: usize = 10_000;
/// Time between two samples.
const EVERY: Duration = Duration::from_secs(2);
/// Length of each part and number of rounds, unless others are given.
const SECONDS: u64 = 30;
const ROUNDS: u32 = 5;
const WORKLOAD: &str = "title = \"Samples\"\n[data]\ngenerator = \"sensor\"\n[[queries]]\nname = \"all\"\n\
                        sql = \"SELECT * FROM sensor\"\n";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut given = std::env::args().skip(1);
    let seconds: u64 = given.next().map_or(Ok(SECONDS), |text| text.parse())?;
    let rounds: u32 = given.next().map_or(Ok(ROUNDS), |text| text.parse())?;
    let folder = tempfile::tempdir()?;
    let workload = Workload::parse(WORKLOAD, Path::new("sampling_cost.toml"))?;
    let mut options = EngineOptions::default();
    options.cassandra.replication.nodes = NODES;
    let context = Context {
        run_dir: folder.path().to_owned(),
        token: None,
        threads: 2,
        keys_repeat: false,
        options,
    };
    let id: DesignId = "cassandra/wide".parse()?;
    let running = engine(&id)?.start(&context).await?;
    let design = running.design(&id, &workload, &context).await?;
    let measured = measure(design.as_ref(), &workload, seconds, rounds).await;
    drop(design);
    running.finish(false).await?;
    measured
}

/// Loads a table and prints the CPU time of the nodes in each round.
async fn measure(
    design: &dyn Design,
    workload: &Workload,
    seconds: u64,
    rounds: u32,
) -> Result<(), Box<dyn Error>> {
    design.create().await?;
    let batches = source::open(workload, None)?.read(0, ROWS)?.take(1);
    for (slice, batch) in (0..).zip(batches) {
        design.load(slice, &batch?.rows).await?;
    }
    let time = Duration::from_secs(seconds);
    // The first samples pay for compiling what answers them.
    cores(design, time, true).await?;
    println!("round  cores without  cores with  samples");
    let mut more = 0.0;
    for round in 1..=rounds.max(1) {
        let (without, _) = cores(design, time, false).await?;
        let (with, samples) = cores(design, time, true).await?;
        println!("{round:5}  {without:13.4}  {with:10.4}  {samples:7}");
        more += with - without;
    }
    let of_a_node = more / f64::from(rounds.max(1)) / f64::from(NODES);
    println!(
        "samples take {:.2}% of a core of each of {NODES} nodes",
        100.0 * of_a_node
    );
    Ok(())
}

/// Returns how many cores all nodes together use in this time, with samples or without, and the number of samples.
async fn cores(
    design: &dyn Design,
    time: Duration,
    is_sampled: bool,
) -> Result<(f64, u32), Box<dyn Error>> {
    let used = || {
        let cpu = design.server_cpu_seconds();
        cpu.ok_or("the CPU time of the nodes is not known")
    };
    let (began, before) = (Instant::now(), used()?);
    let mut samples = 0;
    while began.elapsed() < time {
        if is_sampled {
            design.server_sample().await;
            samples += 1;
        }
        tokio::time::sleep(EVERY).await;
    }
    let cores = (used()? - before) / began.elapsed().as_secs_f64();
    Ok((cores, samples))
}
