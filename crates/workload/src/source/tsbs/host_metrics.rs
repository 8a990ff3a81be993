//! Measurements of `devops`.

use super::law::Law;
use super::measurement::Measurement;
use super::walker::Noise;
use crate::DevopsMeasurement;

const DISK_BYTES: f64 = 1_099_511_627_776.0;
const INODE_BYTES: f64 = 4096.0;
const SIXTEEN_GB: f64 = 16.0 * 1_073_741_824.0;

/// Returns a measurement, with its metrics in the order in which TSBS writes them.
pub fn measurement(measurement: DevopsMeasurement, interval_ms: u32) -> Measurement {
    match measurement {
        DevopsMeasurement::Cpu => cpu(),
        DevopsMeasurement::Diskio => diskio(),
        DevopsMeasurement::Disk => disk(),
        DevopsMeasurement::Kernel => kernel(),
        DevopsMeasurement::Mem => mem(),
        DevopsMeasurement::Net => net(),
        DevopsMeasurement::Nginx => nginx(),
        DevopsMeasurement::Postgresl => postgresl(),
        DevopsMeasurement::Redis => redis(interval_ms),
    }
}

fn normal() -> Measurement {
    Measurement::new(Noise::Normal)
}

fn cpu() -> Measurement {
    let names = [
        "usage_user",
        "usage_system",
        "usage_idle",
        "usage_nice",
        "usage_iowait",
        "usage_irq",
        "usage_softirq",
        "usage_steal",
        "usage_guest",
        "usage_guest_nice",
    ];
    normal().walks(&names, Law::between(0.0, 100.0, 1.0))
}

fn diskio() -> Measurement {
    normal()
        .walks(&["reads", "writes"], Law::counter(50.0))
        .walks(&["read_bytes", "write_bytes"], Law::counter(100.0))
        .walks(&["read_time", "write_time", "io_time"], Law::counter(5.0))
}

/// Returns the measurement of a disk, of which only the free bytes change.
fn disk() -> Measurement {
    let mut disk = normal();
    let free = disk.hidden(Law::up_to(DISK_BYTES, DISK_BYTES / 2.0, 50.0));
    disk.derived(free, "total", |_| DISK_BYTES)
        .derived(free, "free", |free| free)
        .derived(free, "used", |free| DISK_BYTES - free)
        .derived(free, "used_percent", |free| {
            (100.0 * ((DISK_BYTES - free) / DISK_BYTES)).trunc()
        })
        .derived(free, "inodes_total", |_| DISK_BYTES / INODE_BYTES)
        .derived(free, "inodes_free", |free| (free / INODE_BYTES).trunc())
        .derived(free, "inodes_used", |free| {
            DISK_BYTES / INODE_BYTES - (free / INODE_BYTES).trunc()
        })
}

fn kernel() -> Measurement {
    let names = [
        "interrupts",
        "context_switches",
        "processes_forked",
        "disk_pages_in",
        "disk_pages_out",
    ];
    normal()
        .boot_time("boot_time")
        .walks(&names, Law::counter(5.0))
}

fn mem() -> Measurement {
    let mut mem = normal();
    let [used, cached, buffered] =
        std::array::from_fn(|_| mem.hidden(Law::between(0.0, 1.0, 1.0 / 64.0)));
    let percent = |bytes: f64, total: f64| 100.0 * (bytes / total);
    mem.memory("total")
        .derived_from_memory(used, "available", |used, total| total - used)
        .derived_from_memory(used, "used", |used, _| used)
        .derived_from_memory(used, "free", |used, total| total - used)
        .derived_from_memory(cached, "cached", |cached, _| cached)
        .derived_from_memory(buffered, "buffered", |buffered, _| buffered)
        .derived_from_memory(used, "used_percent", percent)
        .derived_from_memory(used, "available_percent", |used, total| {
            100.0 * ((total - used) / total)
        })
        .derived_from_memory(buffered, "buffered_percent", percent)
}

fn net() -> Measurement {
    let many = ["bytes_sent", "bytes_recv", "packets_sent", "packets_recv"];
    normal().walks(&many, Law::counter(50.0)).walks(
        &["err_in", "err_out", "drop_in", "drop_out"],
        Law::counter(5.0),
    )
}

fn nginx() -> Measurement {
    let (counter, percent) = (Law::counter(5.0), Law::up_to(100.0, 0.0, 5.0));
    normal()
        .walks(&["accepts"], counter)
        .walks(&["active"], percent)
        .walks(&["handled"], counter)
        .walks(&["reading"], percent)
        .walks(&["requests"], counter)
        .walks(&["waiting", "writing"], percent)
}

fn postgresl() -> Measurement {
    let some = [
        "numbackends",
        "xact_commit",
        "xact_rollback",
        "blks_read",
        "blks_hit",
        "tup_returned",
        "tup_fetched",
        "tup_inserted",
        "tup_updated",
        "tup_deleted",
        "conflicts",
        "temp_files",
    ];
    let more = ["deadlocks", "blk_read_time", "blk_write_time"];
    let thousand = Law::up_to(1000.0, 0.0, 5.0);
    normal()
        .walks(&some, thousand)
        .walks(&["temp_bytes"], Law::up_to(1_073_741_824.0, 0.0, 1024.0))
        .walks(&more, thousand)
}

fn redis(interval_ms: u32) -> Measurement {
    let rate = Law::Drift {
        start: 0.0,
        mean: 1.0,
        deviation: 1.0,
        least: f64::NEG_INFINITY,
        most: f64::INFINITY,
    };
    let rates = [
        "instantaneous_ops_per_sec",
        "instantaneous_input_kbps",
        "instantaneous_output_kbps",
    ];
    let thousand = Law::up_to(1000.0, 0.0, 5.0);
    let memory = Law::up_to(SIXTEEN_GB, SIXTEEN_GB / 2.0, 50.0);
    let memories = [
        "used_memory",
        "used_memory_rss",
        "used_memory_peak",
        "used_memory_lua",
    ];
    let keys = [
        "expired_keys",
        "evicted_keys",
        "keyspace_hits",
        "keyspace_misses",
    ];
    let some = [
        "sync_full",
        "sync_partial_ok",
        "sync_partial_err",
        "pubsub_channels",
        "pubsub_patterns",
        "latest_fork_usec",
        "connected_slaves",
        "master_repl_offset",
        "repl_backlog_active",
        "repl_backlog_size",
        "repl_backlog_histlen",
    ];
    let more = [
        "used_cpu_sys",
        "used_cpu_user",
        "used_cpu_sys_children",
        "used_cpu_user_children",
    ];
    normal()
        .uptime("uptime_in_seconds", interval_ms)
        .walks(&["total_connections_received"], Law::counter(5.0))
        .walks(&keys, Law::counter(50.0))
        .walks(&rates, rate)
        .walks(&["connected_clients"], Law::up_to(10_000.0, 0.0, 50.0))
        .walks(&memories, memory)
        .walks(
            &["rdb_changes_since_last_save"],
            Law::up_to(10_000.0, 0.0, 50.0),
        )
        .walks(&some, thousand)
        .walks(&["mem_fragmentation_ratio"], Law::up_to(100.0, 0.0, 5.0))
        .walks(&more, thousand)
}
