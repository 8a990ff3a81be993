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

/// CPU time of this process with all its threads, in seconds, as the system counts it in clock ticks of mostly
/// 10 ms.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OwnCpu {
    /// Time in user mode.
    pub user: f64,
    /// Time in the kernel.
    pub system: f64,
}

impl OwnCpu {
    /// Returns the time that was used up to now; none where the system does not tell it.
    pub fn now() -> OwnCpu {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let ticks = rustix::param::clock_ticks_per_second() as f64;
        let (user, system) = mode_ticks(&stat).unwrap_or_default();
        OwnCpu {
            user: user as f64 / ticks,
            system: system as f64 / ticks,
        }
    }

    /// Returns the time that was used since an earlier moment.
    pub fn since(self, then: OwnCpu) -> OwnCpu {
        OwnCpu {
            user: (self.user - then.user).max(0.0),
            system: (self.system - then.system).max(0.0),
        }
    }
}

/// Reads the ticks in user mode and in the kernel out of a process's `stat` (proc_pid_stat(5)).
fn mode_ticks(stat: &str) -> Option<(u64, u64)> {
    // The second field is the program's name in parentheses, which may have blanks and parentheses itself.
    let (_, after_name) = stat.rsplit_once(')')?;
    // Fields 14 and 15, of which the first one after the name is number 3.
    let mut fields = after_name.split_ascii_whitespace().skip(11);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
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
    fn ticks_are_read_behind_any_name() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 100 0 3 0 250 31 5 6 20 0 1 0 99 1000 10";
        assert_eq!(mode_ticks(stat), Some((250, 31)));
        assert_eq!(mode_ticks("7 (a) S 1 7"), None);
        assert_eq!(mode_ticks(""), None);
    }

    #[test]
    fn own_cpu_time_is_known_by_mode() {
        let (before, all) = (OwnCpu::now(), own_cpu_seconds());
        let mut sum = 0u64;
        while own_cpu_seconds() < all + 0.1 {
            sum = std::hint::black_box(sum + 1);
        }
        let used = OwnCpu::now().since(before);
        assert!(used.user + used.system >= 0.05, "{used:?}");
    }

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
