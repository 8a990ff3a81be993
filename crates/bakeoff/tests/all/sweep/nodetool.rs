//! A sweep with nodetool and an exporter of metrics on a cluster that Bakeoff did not start.

use serde_json::Value;

use crate::support::exporter::Exporter;
use crate::support::server::Server;
use crate::support::{HOSTS, of_kind, records};

#[test]
fn the_last_table_is_compacted_and_measured_with_nodetool() {
    let Some(server) = Server::shared_for(HOSTS) else {
        return;
    };
    let nodetool = server.nodetool();
    // It is there when it is checked, and then no more.
    let exporter = Exporter::start(&server.address, |asked| {
        (asked == 0).then(|| "node_cpu_seconds_total{mode=\"user\"} 1\n".to_owned())
    });
    let arguments = [
        "sweep",
        "w.toml",
        "--designs",
        "cassandra/wide",
        "--batches",
        "50,100",
        "--workers",
        "2",
        "--for",
        "300ms",
        "--warm-up",
        "50ms",
        "--nodetool",
        &nodetool,
        "--metrics",
        &exporter.url,
        "--out",
        "out",
    ];
    server.bakeoff(&arguments).expect(0);
    let records = records(&server.bench.path("out/sweep.jsonl"));
    let at_rest: Vec<&Value> = of_kind(&records, "at-rest").collect();
    let [at_rest] = at_rest[..] else {
        panic!("{at_rest:?}");
    };
    assert_eq!(at_rest["how"], "flushed, then compacted by nodetool");
    let footprint = &at_rest["footprint"];
    assert!(footprint["engine_bytes"].as_u64() > Some(0), "{footprint}");
    let ratio = footprint["compression_ratio"].as_f64();
    assert!(ratio > Some(0.0), "{footprint}");
    let html = std::fs::read_to_string(server.bench.path("out/report.html")).unwrap();
    assert!(html.contains("<h2>Tables at rest</h2>"));
    let note = format!("missing, always or at times: {} of 127.", exporter.url);
    assert!(html.contains(&note), "{note}");
}
