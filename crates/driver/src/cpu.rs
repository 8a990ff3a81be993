//! CPU seconds and memory of processes, from procfs.

use bakeoff_stats::CpuSeconds;

use crate::Design;

/// Returns the user and system CPU seconds of a process with all its threads; `None` once it is gone.
///
/// The resolution is one clock tick, usually 10 ms (proc_pid_stat(5), fields 14 and 15).
pub fn process_cpu_seconds(pid: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the command in parentheses and may itself hold spaces.
    let after_command = &stat[stat.rfind(')')? + 1..];
    let mut fields = after_command.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some((user + system) as f64 / rustix::param::clock_ticks_per_second() as f64)
}

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

fn own_cpu_seconds() -> f64 {
    process_cpu_seconds(std::process::id()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_cpu_time_grows_with_work_and_a_missing_process_has_none() {
        let before = own_cpu_seconds();
        let mut x = 1u64;
        while own_cpu_seconds() < before + 0.02 {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        assert!(process_cpu_seconds(u32::MAX).is_none());
        assert!(peak_memory_bytes() > 0);
    }
}
