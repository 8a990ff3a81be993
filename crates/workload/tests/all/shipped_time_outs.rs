//! The workload that is about the time-outs of its server.

use std::path::Path;

use bakeoff_workload::{TimeOuts, Workload};

fn shipped(name: &str) -> Workload {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads");
    Workload::read(&folder.join(name)).unwrap()
}

/// Nothing may raise the time-outs of the server, and the questions need rows that they pass.
#[test]
fn sensor_timeouts_leaves_the_time_outs_as_they_are_shipped() {
    let workload = shipped("sensor_timeouts.toml");
    assert_eq!(workload.server.time_outs, TimeOuts::Shipped);
    assert!(workload.server.cassandra.is_empty());
    assert!(workload.scale.default_rows >= 3_000_000);
    let rows = ["1000000", "2000000", "3000000"];
    for (query, rows) in workload.queries.iter().zip(rows) {
        let condition = format!("time <= {rows}");
        assert!(query.sql.ends_with(&condition), "{}", query.sql);
    }
    // The values are those of the workload whose server waits.
    let expect = |workload: &Workload| workload.queries[0].expect.clone().unwrap().answer;
    assert_eq!(expect(&workload), expect(&shipped("sensor.toml")));
}
