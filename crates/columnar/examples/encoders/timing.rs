//! Measuring processor time.

use std::hint::black_box;

use crate::Result;

/// The least time of a measurement, which is so long that the ticks of the kernel do not matter.
const LEAST_SECONDS: f64 = 0.3;

/// Returns the mean processor time of this thread, in seconds, over as many runs as take long
/// enough.
pub fn timed<T>(mut run: impl FnMut() -> Result<T>) -> Result<(f64, T)> {
    let start = processor_seconds()?;
    let mut runs = 0.0;
    loop {
        let value = black_box(run()?);
        runs += 1.0;
        let seconds = processor_seconds()? - start;
        if seconds >= LEAST_SECONDS {
            return Ok((seconds / runs, value));
        }
    }
}

/// Returns the processor time that Linux has counted for this thread, which other load on the
/// machine does not change.
fn processor_seconds() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = text.split(' ').next().ok_or("no processor time")?;
    Ok(nanoseconds.parse::<f64>()? / 1e9)
}

/// Returns the seconds for the int, the double, the string, and the string as views.
pub fn timed_columns(
    columns: [Option<(usize, bool)>; 4],
    mut decode: impl FnMut(usize, bool) -> Result<()>,
) -> Result<[Option<f64>; 4]> {
    let mut seconds = [None; 4];
    for (seconds, column) in seconds.iter_mut().zip(columns) {
        if let Some((column, views)) = column {
            *seconds = Some(timed(|| decode(column, views))?.0);
        }
    }
    Ok(seconds)
}
