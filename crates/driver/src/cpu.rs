//! CPU time of Bakeoff and of servers around a step, and the memory of Bakeoff.

use bakeoff_stats::CpuSeconds;

use crate::Design;

/// Returns the largest resident memory that this process has ever had, in bytes (`VmHWM`).
pub fn peak_memory_bytes() -> u64 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
            line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()
        })
        .map_or(0, |kib| kib * 1024)
}

/// Measures the CPU seconds that Bakeoff and a design's server use between two moments.
pub struct Meter {
    /// CPU seconds of this process at the start.
    client: f64,
    /// CPU seconds of the server at the start; `None` where they cannot be read.
    server: Option<f64>,
}

impl Meter {
    /// Reads both clocks.
    pub fn start(design: &dyn Design) -> Self {
        Meter {
            client: own_cpu_seconds(),
            server: design.server_cpu_seconds(),
        }
    }

    /// Returns the CPU seconds since the start.
    pub fn stop(self, design: &dyn Design) -> CpuSeconds {
        CpuSeconds {
            client: own_cpu_seconds() - self.client,
            server: design
                .server_cpu_seconds()
                .zip(self.server)
                .map(|(now, then)| (now - then).max(0.0)),
        }
    }
}

/// Returns the user and system CPU time of this process with all its threads, from a clock that counts
/// nanoseconds: ticks of 10 ms are longer than many an answer.
pub fn own_cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_cpu_time_is_finer_than_a_clock_tick() {
        let (before, mut steps) = (own_cpu_seconds(), 0);
        while own_cpu_seconds() < before + 0.01 {
            steps += 1;
        }
        assert!(steps > 1, "one step is a whole tick");
        assert!(peak_memory_bytes() > 0);
    }
}
