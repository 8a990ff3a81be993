//! What designs of PostgreSQL and TimescaleDB do not do in a drive, refused before anything is started.

use bakeoff_workload::{Action, DesignId};

use super::plan::plan_operations;
use super::queries::in_postgres;
use crate::postgres::layout::TableLayout;
use crate::postgres::load_connections::MOST_CONNECTIONS;
use crate::{DriveRequest, EngineError};

/// The setting of designs whose keys are unique.
const UNIQUE: (&str, &str) = ("unique", "on");

/// Checks that a design takes the operations of a mix, with the options of the command line.
///
/// # Errors
/// Fails with the first thing that it does not do, and what to write instead.
pub fn check_drive(id: &DesignId, request: &DriveRequest<'_>) -> Result<(), EngineError> {
    let failed = |why: String| Err(EngineError(format!("design {id}: {why}")));
    if let Some(option) = request.options.first() {
        return failed(format!(
            "{option} is for designs of cassandra: leave it out, or this design, with --designs"
        ));
    }
    if request.threads > MOST_CONNECTIONS {
        return failed(format!(
            "--threads {}: each has a connection to PostgreSQL, of which there are at most {MOST_CONNECTIONS}: give it \
             fewer",
            request.threads
        ));
    }
    let workload = request.workload;
    let layout = TableLayout::new(id, &workload.table, workload.data.time_span())?;
    let translated = in_postgres(id, workload, request.mix)?;
    // The name of the schema does not matter.
    plan_operations(id, &layout, "bakeoff", (request.mix, &translated.queries))?;
    if request.keys_repeat {
        return failed(
            "rows may have the same key, of which Cassandra keeps the last and PostgreSQL all, or none with unique=on: \
             give the table a key, or data, in which each is another one"
                .to_owned(),
        );
    }
    let mut operations = request.mix.operations.iter();
    let inserts = operations.find(|operation| operation.action == Action::Insert);
    match inserts {
        Some(operation) if request.retries > 0 && !layout.unique => failed(format!(
            "--retries: operation `{}` tried again after a time-out may write its row twice: leave --retries out, or \
             drive a design whose inserts overwrite, such as postgres/plain?unique=on",
            operation.name
        )),
        _ => Ok(()),
    }
}

/// Returns the design if it takes a mix, or else the same one with unique keys, over whose rows it can insert.
///
/// # Errors
/// Fails as [`check_drive`] does where neither takes the mix.
pub fn for_drive(id: &DesignId, request: &DriveRequest<'_>) -> Result<DesignId, EngineError> {
    let Err(error) = check_drive(id, request) else {
        return Ok(id.clone());
    };
    let (setting, value) = UNIQUE;
    let mut unique = id.clone();
    unique.settings.insert(setting.to_owned(), value.to_owned());
    match check_drive(&unique, request) {
        Ok(()) => Ok(unique),
        Err(_) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bakeoff_workload::Workload;

    use super::*;

    const HEAD: &str = r#"
title = "t"
[table]
name = "readings"
columns = { sensor = "text", time = "timestamp", value = "int" }
partition_key = ["sensor"]
order_key = ["time"]
[data]
generator = "columns"
[data.columns]
sensor = { sequence = { cycle = 5 }, prefix = "s" }
time = { sequence = { start = "2026-01-01T00:00:00Z", step = "10s", every = 5 } }
value = { uniform = [0, 100] }
[scale]
rows = 50
[mix]
"#;

    fn workload(mix: &str) -> Workload {
        Workload::parse(&format!("{HEAD}{mix}"), Path::new("w.toml")).unwrap()
    }

    fn operation(text: &str) -> String {
        format!("[[mix.operations]]\nname = \"it\"\nweight = 100\n{text}\n")
    }

    /// Checks a design with one operation; `change` changes the request.
    fn checked(id: &str, mix: &str, change: impl Fn(&mut DriveRequest<'_>)) -> Result<(), String> {
        let workload = workload(mix);
        let mix = workload.mix.clone().unwrap();
        let mut request = DriveRequest::plain(&workload, &mix);
        change(&mut request);
        check_drive(&id.parse().unwrap(), &request).map_err(|error| error.0)
    }

    #[test]
    fn ordinary_operations_are_taken_by_every_layout() {
        for text in [
            "action = \"read-row\"",
            "action = \"read-partition\"\nlimit = 3\nnewest_first = true",
            "action = \"read-range\"\nrows = 3",
            "action = \"update\"",
            "action = \"delete-row\"",
            "action = \"delete-partition\"",
        ] {
            for id in [
                "postgres/plain",
                "postgres/brin",
                "postgres/partitioned",
                "timescale/hypertable",
            ] {
                let taken = checked(id, &operation(text), |request| request.retries = 2);
                assert_eq!(taken, Ok(()), "{id}: {text}");
            }
        }
    }

    #[test]
    fn what_postgresql_does_not_do_is_named_with_what_to_write() {
        let insert = operation("action = \"insert\"");
        let over = operation("action = \"insert\"\nkeys = \"uniform\"");
        let cases = [
            (
                operation("action = \"insert\"\nttl = \"1h\""),
                "postgres/plain",
                "has a `ttl`",
            ),
            (over.clone(), "postgres/plain", "postgres/plain?unique=on"),
            (over.clone(), "postgres/brin", "postgres/plain?unique=on"),
            (insert.clone(), "postgres/partitioned", "no partitions"),
            (
                operation("action = \"read-partition\"\nrequests = 4"),
                "postgres/plain",
                "leave `requests` out",
            ),
        ];
        for (mix, id, words) in cases {
            let error = checked(id, &mix, |_| ()).unwrap_err();
            let start = format!("design {id}: operation `it` ");
            assert!(
                error.starts_with(&start) && error.contains(words),
                "{error}"
            );
        }
        for id in [
            "postgres/plain?unique=on",
            "postgres/partitioned?unique=on",
            "timescale/hypertable?unique=on",
        ] {
            assert_eq!(checked(id, &over, |_| ()), Ok(()), "{id}");
        }
        assert_eq!(checked("timescale/hypertable", &insert, |_| ()), Ok(()));
    }

    #[test]
    fn the_design_most_like_one_has_unique_keys_where_inserts_need_them() {
        let nearest = |id: &str, mix: &str, keys_repeat: bool| {
            let workload = workload(&operation(mix));
            let mix = workload.mix.clone().unwrap();
            let mut request = DriveRequest::plain(&workload, &mix);
            request.keys_repeat = keys_repeat;
            let found = for_drive(&id.parse().unwrap(), &request);
            found.map(|id| id.to_string()).map_err(|error| error.0)
        };
        let (insert, read) = ("action = \"insert\"", "action = \"read-row\"");
        let over = "action = \"insert\"\nkeys = \"uniform\"";
        for (id, mix, expected) in [
            ("postgres/plain", read, "postgres/plain"),
            ("postgres/plain", insert, "postgres/plain"),
            ("postgres/plain", over, "postgres/plain?unique=on"),
            (
                "timescale/hypertable?chunk=3d",
                over,
                "timescale/hypertable?chunk=3d&unique=on",
            ),
        ] {
            assert_eq!(nearest(id, mix, false).unwrap(), expected, "{mix}");
        }
        let error = nearest("postgres/brin", over, false).unwrap_err();
        assert!(
            error.contains("inserts over rows that are there"),
            "{error}"
        );
        let error = nearest("postgres/plain", read, true).unwrap_err();
        assert!(error.contains("rows may have the same key"), "{error}");
    }

    #[test]
    fn options_that_are_cassandra_s_are_named() {
        let insert = operation("action = \"insert\"");
        let plain = "postgres/plain";
        let error = checked(plain, &insert, |request| request.options = &["--shard"]);
        let words = "design postgres/plain: --shard is for designs of cassandra";
        assert!(error.unwrap_err().starts_with(words));
        let error = checked(plain, &insert, |request| request.keys_repeat = true);
        assert!(error.unwrap_err().contains("rows may have the same key"));
        let error = checked(plain, &insert, |request| request.threads = 257);
        assert!(error.unwrap_err().contains("--threads 257"));
        let again = |request: &mut DriveRequest<'_>| request.retries = 1;
        let error = checked(plain, &insert, again).unwrap_err();
        assert!(error.contains("--retries: operation `it`"), "{error}");
        let unique = "postgres/plain?unique=on";
        assert_eq!(checked(unique, &insert, again), Ok(()));
    }

    #[test]
    fn a_mix_in_cql_is_refused() {
        let cql = "schema = [\"CREATE TABLE ${keyspace}.t (sensor text PRIMARY KEY)\"]\n\
                   [[mix.operations]]\nname = \"it\"\naction = \"cql\"\nweight = 100\n\
                   statements = [\"SELECT * FROM ${keyspace}.t WHERE sensor = :sensor\"]\n";
        let error = checked("postgres/plain", cql, |_| ()).unwrap_err();
        assert!(error.contains("statements in CQL (schema"), "{error}");
    }
}
