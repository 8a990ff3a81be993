//! The names of metrics that are understood: those of a JVM exporter and of a node exporter.

use super::text::Sample;
use crate::cassandra::nodes::exposed::Exposed;

/// A figure that may not be known.
type Figure = fn(&Exposed) -> Option<f64>;

/// Names of a JVM exporter, by which its page is known. Its older and its newer releases differ.
const HEAP_USED: [&str; 2] = ["jvm_memory_used_bytes", "jvm_memory_bytes_used"];
const HEAP_MAX: [&str; 2] = ["jvm_memory_max_bytes", "jvm_memory_bytes_max"];
const ALLOCATED: [&str; 2] = [
    "jvm_memory_pool_allocated_bytes_total",
    "jvm_memory_pool_allocated_bytes",
];
/// Name of a node exporter, by which its page is known.
const CPU: &str = "node_cpu_seconds_total";
/// Names of a node exporter of the bytes of each network device.
const RECEIVED: &str = "node_network_receive_bytes_total";
const SENT: &str = "node_network_transmit_bytes_total";
/// Modes of a CPU in which it works for nobody, or for another machine.
const IDLE: [&str; 3] = ["idle", "iowait", "steal"];
/// Beginnings of the names of devices that are made of others, or of memory.
const NOT_DISKS: [&str; 5] = ["dm-", "md", "loop", "ram", "zram"];
/// Device of the network by which a machine talks to itself.
const LOOPBACK: &str = "lo";
/// Beginnings of the names of network devices that are made of others, whose bytes count there, or lead to containers
/// of the machine itself.
const NOT_CARDS: [&str; 20] = [
    "bond", "br", "cali", "cilium", "cni", "docker", "dummy", "flannel", "kube", "lxc", "macvlan",
    "tap", "team", "tun", "veth", "virbr", "vlan", "vmbr", "vxlan", "wg",
];
/// Names of a node exporter of what the system keeps of files and disks in memory.
const PAGE_CACHE: [&str; 2] = ["node_memory_Cached_bytes", "node_memory_Buffers_bytes"];
/// What a node exporter of Linux shows by default, and what of the figures it is, in words.
const SHOWN_OF_MACHINES: [(&str, Figure); 3] = [
    ("page cache", |e| e.page_cache_bytes),
    ("disk queue", |e| e.disk_requests_now),
    ("network", |e| e.network_received_bytes),
];

/// Returns whether a metric is one that is read.
pub fn is_known(name: &str) -> bool {
    name.starts_with("jvm_memory_")
        || name.starts_with("jvm_gc_collection_seconds_")
        || name.starts_with("node_disk_")
        || name.starts_with("process_")
        || name.starts_with("node_memory_Mem")
        || PAGE_CACHE.contains(&name)
        || [CPU, "node_load1", RECEIVED, SENT].contains(&name)
}

/// The exporters whose figures a page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds {
    pub jvm: bool,
    pub machine: bool,
}

/// Takes figures out of the samples of one page, and leaves others as they are.
///
/// # Errors
/// Fails if the page is of neither exporter.
pub fn put(samples: &[Sample], into: &mut Exposed) -> Result<Kinds, String> {
    let page = Page(samples);
    let is_jvm = HEAP_USED.iter().any(|name| page.has(name));
    let is_machine = page.has(CPU);
    if is_jvm {
        page.put_jvm(into);
    }
    if is_machine {
        page.put_machine(into);
    }
    if is_jvm || is_machine {
        return Ok(Kinds {
            jvm: is_jvm,
            machine: is_machine,
        });
    }
    Err(format!(
        "it has neither `{}` of a JVM exporter nor `{CPU}` of a node exporter",
        HEAP_USED[0]
    ))
}

/// Names the figures that a page of a node exporter lacks though such exporters have them by default.
pub fn lacking(exposed: &Exposed) -> Vec<&'static str> {
    let lacking = SHOWN_OF_MACHINES.iter();
    let lacking = lacking.filter(|(_, figure)| figure(exposed).is_none());
    lacking.map(|(name, _)| *name).collect()
}

struct Page<'a>(&'a [Sample]);

impl Page<'_> {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|sample| sample.name == name)
    }

    /// Adds up the samples of a name that count; `None` if there are none, or one of them is no figure.
    fn sum(&self, name: &str, counts: impl Fn(&Sample) -> bool) -> Option<f64> {
        let named = self.0.iter().filter(|s| s.name == name && counts(s));
        let values = named.map(|sample| known(sample.value));
        let values: Vec<f64> = values.collect::<Option<_>>()?;
        if values.is_empty() {
            return None;
        }
        // Finite values may have an infinite sum.
        known(values.iter().sum())
    }

    fn first(&self, names: &[&str], counts: impl Fn(&Sample) -> bool) -> Option<f64> {
        names.iter().find_map(|name| self.sum(name, &counts))
    }

    fn put_jvm(&self, into: &mut Exposed) {
        let all = |_: &Sample| true;
        let is_heap = |sample: &Sample| sample.label("area") == "heap";
        // A node exporter has these of itself, and they are not read there.
        into.cpu_seconds = self.sum("process_cpu_seconds_total", all);
        into.resident_bytes = self.sum("process_resident_memory_bytes", all);
        into.heap_used_bytes = self.first(&HEAP_USED, is_heap);
        into.heap_max_bytes = self.first(&HEAP_MAX, is_heap);
        into.allocated_bytes = self.first(&ALLOCATED, all);
        into.gc_count = self.sum("jvm_gc_collection_seconds_count", all);
        into.gc_seconds = self.sum("jvm_gc_collection_seconds_sum", all);
    }

    fn put_machine(&self, into: &mut Exposed) {
        let all = |_: &Sample| true;
        let is_work = |sample: &Sample| !IDLE.contains(&sample.label("mode"));
        let is_disk = |sample: &Sample| {
            let device = sample.label("device");
            !NOT_DISKS.iter().any(|begin| device.starts_with(begin))
        };
        let is_card = |sample: &Sample| {
            let device = sample.label("device");
            // A virtual network of a card has the card's name, a point and a number.
            let is_part = device == LOOPBACK || device.contains('.');
            !is_part && !NOT_CARDS.iter().any(|begin| device.starts_with(begin))
        };
        let [cached, buffers] = PAGE_CACHE.map(|name| self.sum(name, all));
        let cpus = self
            .0
            .iter()
            .filter(|s| s.name == CPU && s.label("mode") == "idle");
        let cpus = cpus.count();
        into.machine_cpu_seconds = self.sum(CPU, is_work);
        into.machine_cpus = (cpus > 0).then_some(cpus as f64);
        into.load_average = self.sum("node_load1", all);
        into.memory_bytes = self.sum("node_memory_MemTotal_bytes", all);
        into.memory_available_bytes = self.sum("node_memory_MemAvailable_bytes", all);
        into.disk_read_bytes = self.sum("node_disk_read_bytes_total", is_disk);
        into.disk_written_bytes = self.sum("node_disk_written_bytes_total", is_disk);
        into.disk_reads = self.sum("node_disk_reads_completed_total", is_disk);
        into.disk_writes = self.sum("node_disk_writes_completed_total", is_disk);
        into.disk_requests_now = self.sum("node_disk_io_now", is_disk);
        into.disk_queue_seconds = self.sum("node_disk_io_time_weighted_seconds_total", is_disk);
        into.network_received_bytes = self.sum(RECEIVED, is_card);
        into.network_sent_bytes = self.sum(SENT, is_card);
        into.page_cache_bytes = cached.and_then(|cached| known(cached + buffers.unwrap_or(0.0)));
    }
}

/// Returns a figure that is finite and not negative; exporters have -1 or NaN for what they do not know.
fn known(value: f64) -> Option<f64> {
    (value.is_finite() && value >= 0.0).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::super::text::samples;
    use super::*;

    const JVM: &str = "\
jvm_memory_bytes_used{area=\"heap\",} 300.0
jvm_memory_bytes_used{area=\"nonheap\",} 70.0
jvm_memory_bytes_max{area=\"heap\",} 1000.0
jvm_gc_collection_seconds_count{gc=\"G1 Young Generation\",} 9.0
jvm_gc_collection_seconds_sum{gc=\"G1 Young Generation\",} 0.5
jvm_gc_collection_seconds_count{gc=\"G1 Old Generation\",} 1.0
jvm_gc_collection_seconds_sum{gc=\"G1 Old Generation\",} 0.25
process_cpu_seconds_total 88.5
process_resident_memory_bytes 2000.0
org_apache_cassandra_metrics_table_value{name=\"LiveDiskSpaceUsed\"} 4.0
";
    const MACHINE: &str = "\
node_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 1000
node_cpu_seconds_total{cpu=\"0\",mode=\"iowait\"} 50
node_cpu_seconds_total{cpu=\"0\",mode=\"steal\"} 70
node_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 30
node_cpu_seconds_total{cpu=\"1\",mode=\"idle\"} 1000
node_cpu_seconds_total{cpu=\"1\",mode=\"system\"} 12
node_load1 1.5
node_memory_MemTotal_bytes 8e9
node_memory_MemAvailable_bytes 2e9
node_disk_read_bytes_total{device=\"sda\"} 100
node_disk_read_bytes_total{device=\"nvme0n1\"} 10
node_disk_read_bytes_total{device=\"dm-0\"} 110
node_disk_reads_completed_total{device=\"sda\"} 7
node_disk_io_now{device=\"sda\"} 3
node_disk_io_now{device=\"dm-0\"} 3
node_disk_io_time_weighted_seconds_total{device=\"sda\"} 61.5
node_memory_Cached_bytes 3e9
node_memory_Buffers_bytes 1e8
node_network_receive_bytes_total{device=\"lo\"} 5000
node_network_receive_bytes_total{device=\"eth0\"} 40
node_network_receive_bytes_total{device=\"ens5\"} 2
node_network_receive_bytes_total{device=\"veth12ab\"} 42
node_network_receive_bytes_total{device=\"eth0.100\"} 40
node_network_receive_bytes_total{device=\"br0\"} 40
node_network_transmit_bytes_total{device=\"eth0\"} 9
process_cpu_seconds_total 3
";

    fn exposed(pages: &[&str]) -> Result<Exposed, String> {
        let mut exposed = Exposed::default();
        for page in pages {
            put(&samples(page, is_known)?, &mut exposed)?;
        }
        Ok(exposed)
    }

    #[test]
    fn both_exporters_are_understood_in_any_order() {
        let both = exposed(&[JVM, MACHINE]).unwrap();
        assert_eq!(both, exposed(&[MACHINE, JVM]).unwrap());
        assert_eq!(both.heap_used_bytes, Some(300.0));
        assert_eq!((both.gc_count, both.gc_seconds), (Some(10.0), Some(0.75)));
        assert_eq!(
            both.cpu_seconds,
            Some(88.5),
            "not that of the node exporter"
        );
        assert_eq!(both.machine_cpu_seconds, Some(42.0));
        assert_eq!(both.machine_cpus, Some(2.0));
        assert_eq!(both.disk_read_bytes, Some(110.0), "each byte once");
        assert_eq!((both.disk_reads, both.disk_writes), (Some(7.0), None));
        assert_eq!(both.disk_requests_now, Some(3.0), "each request once");
        assert_eq!(both.disk_queue_seconds, Some(61.5));
        assert_eq!(both.page_cache_bytes, Some(3.1e9));
        let network = (both.network_received_bytes, both.network_sent_bytes);
        assert_eq!(network, (Some(42.0), Some(9.0)), "each byte once");
        assert!(lacking(&both).is_empty());
    }

    #[test]
    fn figures_that_a_machine_does_not_show_are_named() {
        let only_cpu = exposed(&["node_cpu_seconds_total{mode=\"user\"} 1\n"]).unwrap();
        let names = ["page cache", "disk queue", "network"];
        assert_eq!(lacking(&only_cpu), names);
    }

    #[test]
    fn newer_names_of_the_jvm_exporter_are_understood() {
        let newer = JVM
            .replace("jvm_memory_bytes_used", "jvm_memory_used_bytes")
            .replace("jvm_memory_bytes_max", "jvm_memory_max_bytes");
        assert_eq!(exposed(&[&newer]), exposed(&[JVM]));
    }

    #[test]
    fn what_an_exporter_does_not_know_is_no_figure() {
        let unknown = JVM.replace("1000.0", "-1.0").replace("88.5", "NaN");
        let unknown = exposed(&[&unknown]).unwrap();
        assert_eq!((unknown.heap_max_bytes, unknown.cpu_seconds), (None, None));
    }

    #[test]
    fn a_page_of_another_exporter_is_refused() {
        let error = exposed(&["redis_up 1\nprocess_cpu_seconds_total 3\n"]).unwrap_err();
        assert!(error.contains("neither `jvm_memory_used_bytes`"), "{error}");
    }
}
