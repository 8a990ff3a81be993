//! Measuring queries that run often.

use std::time::{Duration, Instant};

use crate::Result;

/// The ratio of runs that count to those before them.
const COUNTED_PER_WARM_UP: usize = 5;

pub struct Timed {
    /// The times, in ascending order.
    pub times: Vec<Duration>,
    /// The sum of the answers, which has to be the same for all ways.
    pub answers: f64,
}

impl Timed {
    pub fn p50(&self) -> Duration {
        self.times
            .get(self.times.len() / 2)
            .copied()
            .unwrap_or_default()
    }

    pub fn p99(&self) -> Duration {
        let at = self.times.len() * 99 / 100;
        self.times.get(at).copied().unwrap_or_default()
    }
}

/// Runs a query several times, one after another; `run` gets the number of each run.
pub async fn timed<F: Future<Output = Result<f64>>>(
    runs: usize,
    mut run: impl FnMut(usize) -> F,
) -> Result<Timed> {
    for i in 0..runs.div_ceil(COUNTED_PER_WARM_UP) {
        run(i).await?;
    }
    let mut timed = Timed {
        times: Vec::with_capacity(runs),
        answers: 0.0,
    };
    for i in 0..runs {
        let began = Instant::now();
        timed.answers += run(i).await?;
        timed.times.push(began.elapsed());
    }
    timed.answers /= runs as f64;
    timed.times.sort_unstable();
    Ok(timed)
}
