//! What exporters of metrics expose of a node, as figures every one of which may be missing.

use std::time::Duration;

use serde::Serialize;

/// Figures of a node from a JVM exporter and a node exporter. Counters begin when the process or the machine starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Exposed {
    /// CPU time of Cassandra in seconds.
    pub cpu_seconds: Option<f64>,
    /// Memory of Cassandra that is resident, in bytes.
    pub resident_bytes: Option<f64>,
    pub heap_used_bytes: Option<f64>,
    pub heap_max_bytes: Option<f64>,
    /// Bytes that were allocated in the heap.
    pub allocated_bytes: Option<f64>,
    /// Garbage collections of all collectors.
    pub gc_count: Option<f64>,
    /// Time of garbage collections in seconds.
    pub gc_seconds: Option<f64>,
    /// CPU time of the whole machine in seconds; idle time, waiting for disks, and what other machines of the same host
    /// took are left out.
    pub machine_cpu_seconds: Option<f64>,
    pub machine_cpus: Option<f64>,
    /// Load average of the last minute.
    pub load_average: Option<f64>,
    pub memory_bytes: Option<f64>,
    pub memory_available_bytes: Option<f64>,
    /// Memory of the machine in which the system keeps contents of files and disks, in bytes.
    pub page_cache_bytes: Option<f64>,
    /// Bytes read from all disks; devices made of others, such as RAID and LVM, do not count.
    pub disk_read_bytes: Option<f64>,
    pub disk_written_bytes: Option<f64>,
    /// Requests to read from all disks.
    pub disk_reads: Option<f64>,
    pub disk_writes: Option<f64>,
    /// Requests that wait for all disks or are with them at this moment.
    pub disk_requests_now: Option<f64>,
    /// Seconds that all requests to disks together have waited and taken, whose growth a second is the mean length of
    /// the disks' queues.
    pub disk_queue_seconds: Option<f64>,
    /// Bytes that the machine has received from others; devices made of others, such as bridges, do not count.
    pub network_received_bytes: Option<f64>,
    /// Bytes that the machine has sent to others.
    pub network_sent_bytes: Option<f64>,
    /// Growth of the counters between two looks; `None` after one look.
    pub rates: Option<Rates>,
}

/// Growth of counters a second, between two looks at the exporters of a node about a second apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Rates {
    /// CPUs that Cassandra kept busy.
    pub cpus: Option<f64>,
    /// Bytes that were allocated in the heap.
    pub allocated_bytes: Option<f64>,
    /// CPUs of the machine that were busy.
    pub machine_cpus: Option<f64>,
    /// Bytes read from all disks.
    pub disk_read_bytes: Option<f64>,
    pub disk_written_bytes: Option<f64>,
    /// Requests to read from all disks.
    pub disk_reads: Option<f64>,
    pub disk_writes: Option<f64>,
    /// Mean number of requests that waited for all disks or were with them.
    pub disk_queue: Option<f64>,
    /// Bytes that the machine received from others.
    pub network_received_bytes: Option<f64>,
    /// Bytes that the machine sent to others.
    pub network_sent_bytes: Option<f64>,
}

impl Exposed {
    /// Adds up what is known of two nodes; of their load averages the higher one counts. What is not known of one of
    /// them is not known of both.
    #[must_use]
    pub fn and(self, other: Exposed) -> Exposed {
        let both = |figure: fn(&Exposed) -> Option<f64>| figure(&self).zip(figure(&other));
        let sum = |figure: fn(&Exposed) -> Option<f64>| {
            let (a, b) = both(figure)?;
            Some(a + b).filter(|sum| sum.is_finite())
        };
        Exposed {
            cpu_seconds: sum(|e| e.cpu_seconds),
            resident_bytes: sum(|e| e.resident_bytes),
            heap_used_bytes: sum(|e| e.heap_used_bytes),
            heap_max_bytes: sum(|e| e.heap_max_bytes),
            allocated_bytes: sum(|e| e.allocated_bytes),
            gc_count: sum(|e| e.gc_count),
            gc_seconds: sum(|e| e.gc_seconds),
            machine_cpu_seconds: sum(|e| e.machine_cpu_seconds),
            machine_cpus: sum(|e| e.machine_cpus),
            load_average: both(|e| e.load_average).map(|(a, b)| a.max(b)),
            memory_bytes: sum(|e| e.memory_bytes),
            memory_available_bytes: sum(|e| e.memory_available_bytes),
            page_cache_bytes: sum(|e| e.page_cache_bytes),
            disk_read_bytes: sum(|e| e.disk_read_bytes),
            disk_written_bytes: sum(|e| e.disk_written_bytes),
            disk_reads: sum(|e| e.disk_reads),
            disk_writes: sum(|e| e.disk_writes),
            disk_requests_now: sum(|e| e.disk_requests_now),
            disk_queue_seconds: sum(|e| e.disk_queue_seconds),
            network_received_bytes: sum(|e| e.network_received_bytes),
            network_sent_bytes: sum(|e| e.network_sent_bytes),
            rates: None,
        }
    }

    /// Returns the growth of the counters since an earlier look, with the times between the looks at the exporters of
    /// the JVM and of the machine. A counter that is lower than before began anew, so that its growth is not known.
    pub fn rates_since(
        &self,
        earlier: &Exposed,
        jvm: Option<Duration>,
        machine: Option<Duration>,
    ) -> Rates {
        let grown = |took: Option<Duration>, counter: fn(&Exposed) -> Option<f64>| {
            let seconds = took?.as_secs_f64();
            let grown = counter(self)? - counter(earlier)?;
            (seconds > 0.0 && grown >= 0.0).then_some(grown / seconds)
        };
        Rates {
            cpus: grown(jvm, |e| e.cpu_seconds),
            allocated_bytes: grown(jvm, |e| e.allocated_bytes),
            machine_cpus: grown(machine, |e| e.machine_cpu_seconds),
            disk_read_bytes: grown(machine, |e| e.disk_read_bytes),
            disk_written_bytes: grown(machine, |e| e.disk_written_bytes),
            disk_reads: grown(machine, |e| e.disk_reads),
            disk_writes: grown(machine, |e| e.disk_writes),
            disk_queue: grown(machine, |e| e.disk_queue_seconds),
            network_received_bytes: grown(machine, |e| e.network_received_bytes),
            network_sent_bytes: grown(machine, |e| e.network_sent_bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_the_time_between_the_looks_at_each_exporter() {
        let first = Exposed {
            cpu_seconds: Some(10.0),
            allocated_bytes: Some(500.0),
            disk_reads: Some(100.0),
            disk_queue_seconds: Some(3.0),
            network_sent_bytes: Some(7.0),
            ..Exposed::default()
        };
        let second = Exposed {
            cpu_seconds: Some(13.0),
            // The process was restarted.
            allocated_bytes: Some(20.0),
            disk_reads: Some(160.0),
            disk_queue_seconds: Some(5.0),
            ..Exposed::default()
        };
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let expected = Rates {
            cpus: Some(3.0),
            disk_reads: Some(30.0),
            disk_queue: Some(1.0),
            ..Rates::default()
        };
        assert_eq!(second.rates_since(&first, seconds(1), seconds(2)), expected);
        let without_a_jvm = Rates {
            cpus: None,
            ..expected
        };
        assert_eq!(second.rates_since(&first, None, seconds(2)), without_a_jvm);
        let both = first.and(second);
        assert_eq!(both.cpu_seconds, Some(23.0));
        assert_eq!(both.network_sent_bytes, None, "one tells nothing of it");
        let at_once = second.rates_since(&first, seconds(0), seconds(0));
        assert_eq!(at_once, Rates::default());
    }
}
