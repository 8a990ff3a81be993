//! A server that is started: its options, as a workload sets them.

use bakeoff_servers::Home;
use bakeoff_servers::cassandra::{self, Release, ServerOptions, Tuning};
use bakeoff_workload::{Collector, ServerSettings, TimeOuts};

use crate::Context;
use crate::cassandra::release::engine_of;

/// Returns the options of the server of that release of a run, or of each node.
///
/// # Errors
/// The home is not known.
pub fn server_options(
    release: Release,
    context: &Context,
) -> bakeoff_servers::Result<ServerOptions> {
    let home = Home::from_env()?;
    let engine = engine_of(release);
    let (folder, name) = match &context.options.cassandra.server_of {
        Some(design) => (context.folder_of_server(design), design.to_string()),
        None => (context.folder_of(engine), engine.to_owned()),
    };
    let mut options = ServerOptions::of(release, home, folder)?;
    options.name = name;
    let ServerSettings {
        heap_mib,
        memory_mib,
        disk_read_bytes,
        time_outs,
        young_mib,
        collector,
        processors,
        cassandra: settings,
    } = context.options.cassandra.server.clone();
    options.heap_mib = heap_mib.unwrap_or(options.heap_mib);
    options.memory_limit_bytes = memory_mib.map(|mib| mib << 20);
    options.disk_read_bytes_per_second = disk_read_bytes;
    options.functions = context.options.cassandra.functions;
    options.later_nodes = context.options.cassandra.later_nodes;
    options.tuning = Tuning {
        shipped_time_outs: time_outs == TimeOuts::Shipped,
        young_mib,
        collector: collector.map(of_server),
        processors,
        settings,
        ..Tuning::default()
    };
    Ok(options)
}

/// Returns the options and the number of nodes of the server of that release that a run would start; `None` where a
/// cluster is named, or the home is not known.
pub fn own_server(release: Release, context: &Context) -> Option<(ServerOptions, u8)> {
    let options = &context.options.cassandra;
    if options.cluster.is_some() {
        return None;
    }
    let server = server_options(release, context).ok()?;
    Some((server, options.replication.nodes))
}

fn of_server(collector: Collector) -> cassandra::Collector {
    match collector {
        Collector::G1 => cassandra::Collector::G1,
        Collector::Zgc => cassandra::Collector::Zgc,
        Collector::Parallel => cassandra::Collector::Parallel,
        Collector::Serial => cassandra::Collector::Serial,
    }
}

/// Describes the workload's settings of the server that have no effect, since the cluster existed before.
pub fn settings_not_applied(context: &Context) -> Option<String> {
    let options = &context.options.cassandra;
    let cluster = options.cluster.as_ref()?;
    let ServerSettings {
        heap_mib,
        memory_mib,
        disk_read_bytes,
        time_outs,
        young_mib,
        collector,
        processors,
        cassandra: keys,
    } = &options.server;
    let mebibytes = |name: &str, mib: &Option<u64>| mib.map(|mib| format!("{name} = {mib} MiB"));
    let disk_read = disk_read_bytes.map(|bytes| format!("disk_read = {} MB/s", bytes as f64 / 1e6));
    let time_outs = match time_outs {
        // Also that of a workload that says nothing.
        TimeOuts::Long => None,
        TimeOuts::Shipped => Some("time_outs = default".to_owned()),
    };
    let collector = collector.map(|c| format!("collector = {}", of_server(c).name()));
    let own = [
        mebibytes("heap", heap_mib),
        mebibytes("memory", memory_mib),
        disk_read,
        time_outs,
        mebibytes("young", young_mib),
        collector,
        processors.map(|number| format!("processors = {number}")),
    ];
    let keys = keys.iter().map(|(key, value)| format!("{key} = {value}"));
    let settings: Vec<String> = own.into_iter().flatten().chain(keys).collect();
    if settings.is_empty() {
        return None;
    }
    Some(format!(
        "[server] {} of the workload has no effect: Bakeoff did not start the server at {}",
        settings.join(", "),
        cluster.address
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cluster;

    fn settings() -> ServerSettings {
        ServerSettings {
            heap_mib: Some(512),
            memory_mib: Some(960),
            disk_read_bytes: Some(50_000_000),
            time_outs: TimeOuts::Shipped,
            young_mib: Some(128),
            collector: Some(Collector::Parallel),
            processors: Some(3),
            cassandra: vec![("row_cache_size".to_owned(), "64MiB".to_owned())],
        }
    }

    #[test]
    fn a_server_is_started_with_what_the_workload_sets() {
        let mut context = Context::of_test("/run");
        let default = server_options(Release::Five, &context).unwrap();
        assert_eq!(default.tuning, Tuning::default());
        context.options.cassandra.server = settings();
        context.options.cassandra.functions = true;
        context.options.cassandra.later_nodes = 1;
        let options = server_options(Release::Five, &context).unwrap();
        assert_eq!(options.heap_mib, 512);
        assert_eq!(options.memory_limit_bytes, Some(960 << 20));
        assert_eq!(options.disk_read_bytes_per_second, Some(50_000_000));
        assert!(options.functions);
        assert_eq!((default.later_nodes, options.later_nodes), (0, 1));
        let tuning = Tuning {
            shipped_time_outs: true,
            young_mib: Some(128),
            collector: Some(cassandra::Collector::Parallel),
            processors: Some(3),
            settings: vec![("row_cache_size".to_owned(), "64MiB".to_owned())],
            ..Tuning::default()
        };
        assert_eq!(options.tuning, tuning);
    }

    #[test]
    fn each_release_has_a_folder_and_a_name_of_its_own() {
        let context = Context::of_test("/run");
        let five = server_options(Release::Five, &context).unwrap();
        assert_eq!(five.dir, context.run_dir.join("cassandra"));
        assert!(five.version.starts_with("5.0."), "{}", five.version);
        let four = server_options(Release::Four, &context).unwrap();
        assert_eq!(four.dir, context.run_dir.join("cassandra-4"));
        assert!(four.version.starts_with("4.1."), "{}", four.version);
        assert_eq!(
            (five.name.as_str(), four.name.as_str()),
            ("cassandra", "cassandra-4")
        );
    }

    #[test]
    fn a_server_of_one_design_has_its_folder_and_its_name() {
        let mut context = Context::of_test("/run");
        context.options.cassandra.server_of = Some("cassandra/wide?chunk=4KiB".parse().unwrap());
        let options = server_options(Release::Five, &context).unwrap();
        let folder = context.run_dir.join("cassandra-wide-chunk-4KiB");
        assert_eq!(options.dir, folder);
        assert_eq!(options.name, "cassandra/wide?chunk=4KiB");
    }

    #[test]
    fn settings_without_effect_on_an_existing_cluster_are_reported() {
        let mut context = Context::of_test("/run");
        let cluster = Cluster {
            address: "db1".to_owned(),
            ..Cluster::default()
        };
        context.options.cassandra.server = settings();
        assert_eq!(settings_not_applied(&context), None);
        context.options.cassandra.cluster = Some(cluster);
        let note = settings_not_applied(&context).unwrap();
        assert_eq!(
            note,
            "[server] heap = 512 MiB, memory = 960 MiB, disk_read = 50 MB/s, time_outs = default, \
             young = 128 MiB, collector = Parallel, processors = 3, row_cache_size = 64MiB of the workload has \
             no effect: Bakeoff did not start the server at db1"
        );
        context.options.cassandra.server = ServerSettings::default();
        assert_eq!(settings_not_applied(&context), None);
    }
}
