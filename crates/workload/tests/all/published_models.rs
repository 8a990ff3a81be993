//! Tests the shipped workloads whose model is from the literature.

use std::path::Path;

use bakeoff_workload::{Workload, source};

/// Without the published model no comparison would show what it is worth.
#[test]
fn workloads_of_the_literature_have_the_published_model_first() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads");
    for (name, model) in [
        ("latest_values.toml", "cassandra/wide?order=desc"),
        (
            "channel_messages.toml",
            "cassandra/wide?bucket=10d&order=desc",
        ),
    ] {
        let workload = Workload::read(&folder.join(name)).unwrap();
        assert_eq!(workload.designs[0].to_string(), model, "{name}");
        // A key names one row, so that the newest ones have an order.
        let source = source::open(&workload, None).unwrap();
        assert!(!source.may_repeat_keys(), "{name}");
        let asks_newest = |sql: &str| sql.contains("ORDER BY time DESC LIMIT");
        let mut queries = workload.queries.iter();
        assert!(queries.any(|query| asks_newest(&query.sql)), "{name}");
    }
}
