//! Counts of one or several trials: rates and times after the warm-up, failures of all of it.

mod growth;

use std::ops::AddAssign;

use self::growth::{CacheUse, Growth, Requests};
use super::figures::{LoadFigures, OperationFigures};
use super::{CacheCounts, DriveHeader, SecondCounts, ServerSample, Tally, TrialEnd};
use crate::counts::{add, total};

/// Sums over a span of time, so that trials can be joined with `+=` before anything is divided.
#[derive(Debug, Clone)]
pub struct Window {
    /// Whole seconds in which operations became due, which rates refer to.
    seconds: f64,
    operations: Vec<OperationWindow>,
    /// CPU seconds of the client and operations sent, warm-up included.
    client_cpu: Growth,
    server_cpu: Growth,
    disk_read: Growth,
    disk_written: Growth,
    compaction_read: Growth,
    compaction_written: Growth,
    gc: Growth,
    gc_count: Growth,
    allocated: Growth,
    device_reads: Growth,
    device_writes: Growth,
    device_queue: Growth,
    chunk_cache: CacheUse,
    key_cache: CacheUse,
    row_cache: CacheUse,
    local_reads: Requests,
    local_writes: Requests,
    coordinator_reads: Requests,
    coordinator_writes: Requests,
    resident_bytes: Option<u64>,
    page_cache_bytes: Option<u64>,
}

#[derive(Debug, Clone, Default)]
struct OperationWindow {
    /// Times of all operations that became due after the warm-up, even if they ended late;
    /// failures, retries and unapplied writes of all operations.
    tally: Tally,
    /// Successes that ended in time, which rates are made of, as well as their rows and bytes.
    successes: u64,
    rows: u64,
    bytes: u64,
}

impl Window {
    /// Sums up the counts from second `from` on; operations became due until `end`, in seconds.
    pub fn new(
        header: &DriveHeader,
        counts: &[SecondCounts],
        from: u32,
        end: f64,
        trial_end: Option<&TrialEnd>,
    ) -> Window {
        // An incomplete last second also holds operations that were in flight at the end.
        let (whole, seconds) = match end.floor() as u32 {
            last if last > from => (from..last, f64::from(last - from)),
            _ => (from..end.ceil() as u32, end - f64::from(from)),
        };
        let grown = |value: fn(&ServerSample) -> Option<f64>| {
            Growth::between(header, counts, whole.clone(), value)
        };
        let mut server_cpu = grown(|s| s.cpu_seconds);
        let mut client_cpu = Growth::default();
        if let Some(end) = trial_end {
            client_cpu = Growth::per_operation(end.cpu.client, end.sent);
            if server_cpu.operations == 0 {
                let seconds = end.cpu.server;
                server_cpu = seconds.map_or(server_cpu, |s| Growth::per_operation(s, end.sent));
            }
        }
        let cache_use = |cache: fn(&ServerSample) -> Option<CacheCounts>| {
            CacheUse::between(counts, whole.clone(), cache)
        };
        let requests = |count: fn(&ServerSample) -> Option<f64>,
                        p99_micros: fn(&ServerSample) -> Option<f64>| {
            Requests::between(header, counts, whole.clone(), count, p99_micros)
        };
        let mut window = Window {
            seconds,
            operations: vec![OperationWindow::default(); header.operations.len()],
            client_cpu,
            server_cpu,
            disk_read: grown(|s| s.disk_read_bytes.map(|b| b as f64)),
            disk_written: grown(|s| s.disk_written_bytes.map(|b| b as f64)),
            compaction_read: grown(|s| s.compaction_read_bytes.map(|b| b as f64)),
            compaction_written: grown(|s| s.compaction_written_bytes.map(|b| b as f64)),
            gc: grown(|s| s.gc_seconds),
            gc_count: grown(|s| s.gc_count.map(|n| n as f64)),
            allocated: grown(|s| s.allocated_bytes.map(|b| b as f64)),
            device_reads: grown(|s| s.device_reads.map(|n| n as f64)),
            device_writes: grown(|s| s.device_writes.map(|n| n as f64)),
            device_queue: grown(|s| s.device_queue_seconds),
            chunk_cache: cache_use(|s| s.chunk_cache),
            key_cache: cache_use(|s| s.key_cache),
            row_cache: cache_use(|s| s.row_cache),
            local_reads: requests(|s| s.local_reads.map(|n| n as f64), |s| s.read_p99_micros),
            local_writes: requests(|s| s.local_writes.map(|n| n as f64), |s| s.write_p99_micros),
            coordinator_reads: requests(
                |s| s.coordinator_reads.map(|n| n as f64),
                |s| s.coordinator_read_p99_micros,
            ),
            coordinator_writes: requests(
                |s| s.coordinator_writes.map(|n| n as f64),
                |s| s.coordinator_write_p99_micros,
            ),
            resident_bytes: counts.iter().filter_map(|c| c.server.resident_bytes).max(),
            page_cache_bytes: { counts.iter() }
                .filter_map(|c| c.server.page_cache_bytes)
                .max(),
        };
        for second in counts {
            window.take(second, whole.contains(&second.second));
        }
        window
    }

    fn take(&mut self, second: &SecondCounts, in_time: bool) {
        for (window, counts) in self.operations.iter_mut().zip(&second.operations) {
            counts.add_to(&mut window.tally);
            if in_time {
                add(&mut window.successes, counts.successes);
                add(&mut window.rows, counts.rows);
                add(&mut window.bytes, counts.bytes);
            }
        }
    }

    /// Adds histograms to the counts, which hold everything else.
    pub fn add_times(&mut self, tallies: &[Tally]) {
        for (window, tally) in self.operations.iter_mut().zip(tallies) {
            window.tally += tally;
        }
    }

    pub fn figures(&self, header: &DriveHeader) -> LoadFigures {
        let per_second = |n: u64| {
            if self.seconds > 0.0 {
                n as f64 / self.seconds
            } else {
                0.0
            }
        };
        let operation = |(info, window): (&super::OperationInfo, &OperationWindow)| {
            OperationFigures::new(
                &info.name,
                &window.tally,
                [window.successes, window.rows, window.bytes].map(per_second),
            )
        };
        LoadFigures {
            seconds: self.seconds,
            ops_per_second: per_second(total(self.operations.iter().map(|o| o.successes))),
            operations: header
                .operations
                .iter()
                .zip(&self.operations)
                .map(operation)
                .collect(),
            client_cpu_micros_per_op: self.client_cpu.by_operation().map(|s| s * 1e6),
            server_cpu_micros_per_op: self.server_cpu.by_operation().map(|s| s * 1e6),
            server_cores: self.server_cpu.by_second(),
            disk_read_per_op: self.disk_read.by_operation(),
            disk_read_per_byte: self.disk_read.by_byte(),
            disk_read_per_second: self.disk_read.by_second(),
            disk_written_per_second: self.disk_written.by_second(),
            compaction_read_per_second: self.compaction_read.by_second(),
            compaction_written_per_second: self.compaction_written.by_second(),
            gc_share: self.gc.by_second(),
            gc_per_second: self.gc_count.by_second(),
            allocated_per_second: self.allocated.by_second(),
            device_reads_per_second: self.device_reads.by_second(),
            device_writes_per_second: self.device_writes.by_second(),
            device_queue: self.device_queue.by_second(),
            device_request_micros: self
                .device_queue
                .by_growth_of([self.device_reads, self.device_writes])
                .map(|s| s * 1e6),
            chunk_cache_hits: self.chunk_cache.share(),
            key_cache_hits: self.key_cache.share(),
            row_cache_hits: self.row_cache.share(),
            local_reads: self.local_reads.figures(),
            local_writes: self.local_writes.figures(),
            coordinator_reads: self.coordinator_reads.figures(),
            coordinator_writes: self.coordinator_writes.figures(),
            resident_bytes: self.resident_bytes,
            page_cache_bytes: self.page_cache_bytes,
        }
    }
}

impl AddAssign<&Window> for Window {
    fn add_assign(&mut self, other: &Window) {
        let Window {
            seconds,
            operations,
            client_cpu,
            server_cpu,
            disk_read,
            disk_written,
            compaction_read,
            compaction_written,
            gc,
            gc_count,
            allocated,
            device_reads,
            device_writes,
            device_queue,
            chunk_cache,
            key_cache,
            row_cache,
            local_reads,
            local_writes,
            coordinator_reads,
            coordinator_writes,
            resident_bytes,
            page_cache_bytes,
        } = other;
        self.seconds += seconds;
        for (mine, theirs) in self.operations.iter_mut().zip(operations) {
            *mine += theirs;
        }
        self.client_cpu += *client_cpu;
        self.server_cpu += *server_cpu;
        self.disk_read += *disk_read;
        self.disk_written += *disk_written;
        self.compaction_read += *compaction_read;
        self.compaction_written += *compaction_written;
        self.gc += *gc;
        self.gc_count += *gc_count;
        self.allocated += *allocated;
        self.device_reads += *device_reads;
        self.device_writes += *device_writes;
        self.device_queue += *device_queue;
        self.chunk_cache += *chunk_cache;
        self.key_cache += *key_cache;
        self.row_cache += *row_cache;
        self.local_reads += *local_reads;
        self.local_writes += *local_writes;
        self.coordinator_reads += *coordinator_reads;
        self.coordinator_writes += *coordinator_writes;
        self.resident_bytes = self.resident_bytes.max(*resident_bytes);
        self.page_cache_bytes = self.page_cache_bytes.max(*page_cache_bytes);
    }
}

impl AddAssign<&OperationWindow> for OperationWindow {
    fn add_assign(&mut self, other: &OperationWindow) {
        let OperationWindow {
            tally,
            successes,
            rows,
            bytes,
        } = other;
        self.tally += tally;
        add(&mut self.successes, *successes);
        add(&mut self.rows, *rows);
        add(&mut self.bytes, *bytes);
    }
}

#[cfg(test)]
mod tests;
