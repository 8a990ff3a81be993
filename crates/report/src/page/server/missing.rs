//! What no sample of a server has, and what would tell it.

use bakeoff_stats::{DesignInfo, EngineInfo, ServerSample};

/// Says which figures are missing in all samples of a design, and what would tell them.
pub fn missing<'a>(
    info: &DesignInfo,
    engines: &[EngineInfo],
    samples: impl Iterator<Item = &'a ServerSample>,
) -> Vec<String> {
    let samples: Vec<&ServerSample> = samples.collect();
    let told = |tells: fn(&ServerSample) -> bool| samples.iter().any(|sample| tells(sample));
    let any = told(|sample| !sample.is_empty());
    let database = told(|sample| sample.database.is_some());
    let jvm = told(|sample| sample.cpu_seconds.is_some() || sample.gc_count.is_some());
    let machine =
        told(|sample| sample.machine_cpu_seconds.is_some() || sample.load_average.is_some());
    let disks = told(|sample| sample.disk_read_bytes.is_some());
    let compaction = told(|sample| sample.compaction_read_bytes.is_some());
    let requests =
        told(|sample| sample.coordinator_reads.is_some() || sample.coordinator_writes.is_some());
    let has = |setting: &str| {
        let mut engines = engines.iter().filter(|e| e.engine == info.engine);
        engines.any(|engine| engine.setting(setting).is_some())
    };
    let is_existing = has(EngineInfo::CLUSTER);
    let resources = jvm || machine;
    let mut missing = Vec::new();
    if database && has(EngineInfo::SERVER) && !resources {
        missing.push("Not available: CPU, memory and disk of a server that Bakeoff did not start.");
    }
    if any && is_existing && !resources {
        missing.push(
            "Not available over CQL: CPU, memory, disk, garbage collection and load of a cluster that Bakeoff did \
             not start; --metrics reads them from exporters on its hosts.",
        );
    }
    if is_existing && machine && !jvm {
        missing.push(
            "Not available: CPU time, memory, heap, garbage collection and allocation of Cassandra itself; --metrics \
             of a JVM exporter in each node tells them.",
        );
    }
    if is_existing && jvm && !machine {
        missing.push(
            "Not available: disks, network, load and CPU time of the machines; --metrics of a node exporter on each \
             machine tells them.",
        );
    }
    if any && is_existing && !requests {
        missing.push(
            "Not available: requests and latencies of the tables, for which every node has to answer and the role \
             needs SELECT on system_views.",
        );
    }
    if is_existing && disks && !compaction {
        missing.push(
            "Bytes and requests of the disks include those of compaction: exporters do not tell them apart.",
        );
    }
    missing.into_iter().map(str::to_owned).collect()
}
