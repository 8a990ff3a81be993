//! A number of chunks that is set is how many there are.

use std::path::Path;

use arrow::compute::concat_batches;
use bakeoff_workload::{Workload, source};

use super::number;
use crate::support::{Started, Table};

/// Three days of two hosts.
fn three_days() -> Table {
    let text = "title = \"t\"\n[data]\ngenerator = \"devops\"\nhosts = 2\ninterval = \"1h\"\ndays = 3\n\
                [[queries]]\nname = \"q\"\nsql = \"SELECT count(*) AS n FROM cpu\"";
    let workload = Workload::parse(text, Path::new("cpu.toml")).unwrap();
    let source = source::open(&workload, None).unwrap();
    let batches = source.read(0, 1_000).unwrap();
    let batches: Vec<_> = batches.map(|batch| batch.unwrap().rows).collect();
    let rows = concat_batches(&source.schema(), &batches).unwrap();
    Table { workload, rows }
}

pub async fn are_as_many_as_set(timescale: &Started) {
    let table = three_days();
    assert_eq!(table.rows.num_rows(), 144);
    for (id, chunks) in [
        ("timescale/hypertable?chunks=6", 6),
        ("timescale/hypertable?chunks=5", 5),
    ] {
        let design = timescale.loaded(id, &table).await;
        let found = number(
            design.as_ref(),
            "SELECT count(DISTINCT tableoid) AS n FROM cpu",
        );
        assert_eq!(found.await, chunks, "{id}");
    }
}
