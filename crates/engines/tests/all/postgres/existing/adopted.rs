//! Designs that are made and filled outside of a run, by what their engine says of it.

use std::process::Command;
use std::sync::Arc;

use arrow::array::{Float64Array, StringArray, TimestampMillisecondArray};
use bakeoff_engines::AdoptedRows;
use bakeoff_engines::registry::engine;
use bakeoff_testing::skipped;
use bakeoff_workload::DesignId;
use bakeoff_workload::csv::Encoder;

use super::Theirs;
use crate::support::{DAY, Table};

/// No statement of PostgreSQL says where its rows are.
const ROWS: AdoptedRows<'static> = AdoptedRows {
    from: "w.toml",
    from_in_script: "w.toml",
    usual: "all",
};

/// Rows on both sides of 1970, with a null, a NaN and a text that has to be quoted.
fn readings(name: &str) -> Table {
    Table::new(
        name,
        r#"partition_key = ["series"]
order_key = ["time"]
columns = { series = "text", time = "timestamp", value = "double" }"#,
        vec![
            Arc::new(StringArray::from(vec!["a", "b, \"c\"\nd", "a"])),
            Arc::new(TimestampMillisecondArray::from(vec![-1, 0, 3 * DAY + 5])),
            Arc::new(Float64Array::from(vec![Some(1.5), None, Some(f64::NAN)])),
        ],
    )
}

pub(super) async fn a_design_is_made_and_filled_by_its_own_statements(theirs: &Theirs) {
    if Command::new("psql").arg("--version").output().is_err() {
        skipped("psql is not on PATH");
        return;
    }
    for (id, name) in [
        ("postgres/plain", "adopted_plain"),
        ("postgres/brin", "adopted_brin"),
        ("postgres/partitioned?width=1d", "adopted_parts"),
        ("timescale/hypertable?chunk=1d", "adopted_chunks"),
    ] {
        let table = readings(name);
        let id: DesignId = id.parse().unwrap();
        let adoption =
            engine(&id)
                .unwrap()
                .adoption(&id, &table.workload, &theirs.context("metrics"), &ROWS);
        let adoption = adoption.unwrap();
        let folder = theirs.file(name);
        std::fs::create_dir(&folder).unwrap();
        let mut encoder = Encoder::new(&table.workload.table);
        let mut rows = encoder.header();
        encoder.rows(&table.rows, &mut rows);
        std::fs::write(folder.join("rows.csv"), rows).unwrap();
        let schema = adoption.schema.unwrap();
        let statements = schema.statements.iter().map(|s| format!("{s};\n"));
        std::fs::write(folder.join(schema.file), statements.collect::<String>()).unwrap();
        let load = adoption.load.unwrap();
        let fill = [load.checks.join("\n"), load.lines.join("\n")].join("\n");
        let called = |lines: &str, more: &str| {
            let script = format!("set -eu\nhere=$1\nrows=$1\nshift\n{lines}\n");
            let output = Command::new("sh")
                .args(["-c", &script, "sh"])
                .arg(&folder)
                .arg(theirs.url("metrics"))
                .env("PGPASSWORD", theirs.server.password())
                .env("MORE", more)
                .output()
                .unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            (output.status.code(), stderr)
        };
        let apply = schema.apply.unwrap_or_default();
        let (code, stderr) = called(&format!("{apply}\n{fill}"), "");
        assert_eq!(code, Some(0), "{id}: {stderr}");
        // Once more, its rows are refused unless they are to be added.
        let (code, stderr) = called(&fill, "");
        assert_eq!(code, Some(1), "{id}: {stderr}");
        assert!(stderr.contains("has rows already"), "{id}: {stderr}");
        let client = theirs.client("metrics").await;
        let sql = format!(
            "SELECT count(*), count(value), (extract(epoch FROM min(time)) * 1000)::bigint FROM {name}.{name}"
        );
        let row = client.query_one(&sql, &[]).await.unwrap();
        let found: (i64, i64, i64) = (row.get(0), row.get(1), row.get(2));
        assert_eq!(found, (3, 2, -1), "{id}");
        let (code, stderr) = called(&fill, "1");
        assert_eq!(code, Some(0), "{id}: {stderr}");
        let row = client.query_one(&sql, &[]).await.unwrap();
        assert_eq!(row.get::<_, i64>(0), 6, "{id}");
    }
}
