//! The points of the series, and the ranges that are queried.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch};

use crate::Result;

pub const SENSOR: i32 = 10;

/// The number of points in a batch that is loaded.
const BATCH: u64 = 65_536;

/// The points of the series, whose times are 1 to the number of rows.
#[derive(Clone, Copy)]
pub struct Points {
    pub rows: u64,
}

impl Points {
    pub fn batches(self) -> impl Iterator<Item = Result<RecordBatch>> {
        let starts = (1..=self.rows).step_by(BATCH as usize);
        starts.map(move |start| batch(start..(start + BATCH).min(self.rows + 1)))
    }

    /// Returns the middle half of the series, shortened by an odd number, so that it begins and
    /// ends within chunks.
    pub fn cut_range(self) -> (i64, i64) {
        let quarter = self.rows as i64 / 4;
        (quarter + 1_001, 3 * quarter - 1_003)
    }

    /// Returns the i-th of many ranges of this width all over the series, which are the same in
    /// every run.
    pub fn some_range(self, i: usize, width: i64) -> (i64, i64) {
        let low = 1 + (scrambled(i as u64) % (self.rows - width as u64)) as i64;
        (low, low + width - 1)
    }
}

fn batch(times: std::ops::Range<u64>) -> Result<RecordBatch> {
    let sensors = Int32Array::from_value(SENSOR, (times.end - times.start) as usize);
    let values = times.clone().map(value).collect::<Float64Array>();
    let times = times.map(|time| time as i64).collect::<Int64Array>();
    let columns: [(&str, ArrayRef); 3] = [
        ("sensor_id", Arc::new(sensors)),
        ("time", Arc::new(times)),
        ("value", Arc::new(values)),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}

/// Returns a measured value in hundredths: a slow wave with noise.
pub fn value(time: u64) -> f64 {
    let wave = (time as f64 / 5_000.0).sin() * 1_000.0;
    let noise = (scrambled(time) % 200) as f64;
    (2_000.0 + wave + noise).round() / 100.0
}

/// Returns a number that looks random, by SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable
/// pseudorandom number generators").
fn scrambled(i: u64) -> u64 {
    let mut z = i.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
