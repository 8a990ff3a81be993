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

/// Measures the CPU seconds that Bakeoff and a design's server use between two moments. Reading the server's takes
/// time of this process, which is not counted: it is read before the first moment and after the second one.
pub struct Meter {
    /// What changes when a process of the server ends, before the server's CPU seconds were read.
    ended: u64,
    /// CPU seconds of the server at the start; `None` where they cannot be read.
    server: Option<f64>,
    /// CPU seconds of this process at the start, which are read last.
    client: f64,
}

impl Meter {
    /// Reads both clocks, this process's last.
    pub fn start(design: &dyn Design) -> Self {
        let ended = design.ended_processes();
        let server = design.server_cpu_seconds();
        Meter {
            ended,
            server,
            client: own_cpu_seconds(),
        }
    }

    /// Returns the CPU seconds since the start. Reads this process's clock first.
    pub fn stop(self, design: &dyn Design) -> CpuSeconds {
        let client = own_cpu_seconds() - self.client;
        let server = design.server_cpu_seconds();
        CpuSeconds {
            client,
            server: { server.zip(self.server) }.map(|(now, then)| (now - then).max(0.0)),
            in_ticks: design.ended_processes() != self.ended,
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
    use std::sync::Mutex;

    use arrow::record_batch::RecordBatch;
    use async_trait::async_trait;
    use bakeoff_stats::{DesignInfo, Footprint};

    use super::*;
    use crate::{Answer, DesignError};

    /// Design whose server's clock takes time of this process to read.
    #[derive(Default)]
    struct SlowToRead {
        /// CPU seconds of this process when each reading of the server's began and when it ended.
        readings: Mutex<Vec<(f64, f64)>>,
        ended: u64,
    }

    #[async_trait]
    impl Design for SlowToRead {
        fn info(&self) -> &DesignInfo {
            unreachable!("nobody asks for it")
        }
        fn keeps_duplicates(&self) -> bool {
            true
        }
        async fn create(&self) -> Result<(), DesignError> {
            Ok(())
        }
        async fn survives(&self) -> bool {
            true
        }
        async fn load(&self, _: u64, _: &RecordBatch) -> Result<(), DesignError> {
            Ok(())
        }
        async fn settle(&self) -> Result<String, DesignError> {
            Ok(String::new())
        }
        async fn footprint(&self) -> Result<Footprint, DesignError> {
            Err(DesignError::new("it stores nothing"))
        }
        async fn answer(&self, _: &str) -> Result<Answer, DesignError> {
            Ok(Answer::default())
        }
        fn server_cpu_seconds(&self) -> Option<f64> {
            let began = own_cpu_seconds();
            while own_cpu_seconds() < began + 0.001 {}
            let mut readings = self.readings.lock().unwrap();
            readings.push((began, own_cpu_seconds()));
            Some(readings.len() as f64)
        }
        fn ended_processes(&self) -> u64 {
            self.ended
        }
    }

    #[test]
    fn what_it_takes_to_read_a_server_s_clock_is_not_counted() {
        let mut design = SlowToRead::default();
        let cpu = Meter::start(&design).stop(&design);
        let readings = design.readings.lock().unwrap().clone();
        let between = readings[1].0 - readings[0].1;
        assert!(cpu.client <= between, "{cpu:?}, {readings:?}");
        assert_eq!((cpu.server, cpu.in_ticks), (Some(1.0), false));
        let meter = Meter::start(&design);
        design.ended += 1;
        assert!(meter.stop(&design).in_ticks);
    }

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
