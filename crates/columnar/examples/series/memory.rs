//! The distance between a scan of cached blobs and reading decoded values in memory.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use crate::Result;
use crate::chunks::Columnar;
use crate::points::{Points, SENSOR};
use crate::timing::timed;

const CACHE_BYTES: u64 = 512 << 20;

/// The number of values, which is far more than the caches of a processor hold.
const DOUBLES: usize = 64 << 20;

const RUNS: usize = 20;

/// Measures a sum that no statistics answer: every value is decoded and added up.
pub async fn distance(columnar: &Columnar, points: Points) -> Result<()> {
    let cached = columnar.cached(CACHE_BYTES).await?;
    let sql = format!("SELECT sum(value * 2) FROM sensor WHERE sensor_id = {SENSOR}");
    let scan = timed(RUNS, |_| cached.number(&sql)).await?;
    let decoded = bandwidth(points.rows as usize, scan.p50());
    let read = reading();
    println!(
        "\nsum(value * 2) of cached blobs: p50 {:.1} ms, {:.1} GB/s of doubles; adding up an array in \
         memory on all cores: {:.1} GB/s, {:.1} times that",
        scan.p50().as_secs_f64() * 1e3,
        decoded,
        read,
        read / decoded,
    );
    Ok(())
}

fn bandwidth(doubles: usize, time: Duration) -> f64 {
    (doubles * size_of::<f64>()) as f64 / time.as_secs_f64() / 1e9
}

/// Returns the highest speed of reading memory in GB/s.
fn reading() -> f64 {
    let values = vec![1.5_f64; DOUBLES];
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let once = || {
        let began = Instant::now();
        thread::scope(|scope| {
            for part in values.chunks(DOUBLES.div_ceil(cores)) {
                scope.spawn(|| black_box(added_up(part)));
            }
        });
        began.elapsed()
    };
    let best = (0..RUNS).map(|_| once()).min().unwrap_or_default();
    bandwidth(DOUBLES, best)
}

/// Adds values to several sums, so that the processor need not wait for one addition to end.
fn added_up(values: &[f64]) -> f64 {
    const SUMS: usize = 16;
    let mut sums = [0.0; SUMS];
    for values in values.chunks_exact(SUMS) {
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += value;
        }
    }
    sums.iter().sum()
}
