//! How designs of PostgreSQL and TimescaleDB are made and filled outside of a run: SQL, which `psql` sends.

use bakeoff_workload::{ColumnType, DesignId, Workload};

use super::deployment::CREATE_EXTENSION;
use super::layout::{Shape, TableLayout, qualified, quoted};
use super::settle;
use crate::EngineError;
use crate::adoption::{Adoption, Loading, SchemaFile, adopted_name, in_shell, said_by_script};
use crate::ranges::Ranges;

const SCHEMA_FILE: &str = "schema.sql";
/// `psql` without the user's own settings, which ends at the first error.
const PSQL: &str = "psql -X -v ON_ERROR_STOP=1";

/// Says how a design is made and filled.
///
/// # Errors
/// The errors of a design that cannot be.
pub fn of(id: &DesignId, workload: &Workload) -> Result<Adoption, EngineError> {
    let layout = TableLayout::new(id, &workload.table, workload.data.time_span())?;
    let schema = adopted_name(&workload.table.name);
    let mut statements = Vec::new();
    if layout.is_hypertable() {
        statements.push(CREATE_EXTENSION.to_owned());
    }
    statements.push(format!("CREATE SCHEMA IF NOT EXISTS {}", quoted(&schema)));
    let mut made = layout.create_statements(&schema);
    let index = made.iter().position(|s| s.starts_with("CREATE INDEX "));
    if let Some(index) = index.filter(|_| !layout.unique) {
        made.insert(index, how_keys_are_unique(&layout, &schema));
    }
    statements.extend(made);
    Ok(Adoption {
        called_with: "URL",
        schema: Some(SchemaFile {
            file: SCHEMA_FILE,
            statements,
            apply: Some(format!("{PSQL} -f \"$here/{SCHEMA_FILE}\" \"$@\"")),
        }),
        load: Ok(load(&layout, &schema)),
        asked_with: vec![
            format!("SET search_path TO {}, public", quoted(&schema)),
            "SET TimeZone TO 'UTC'".to_owned(),
        ],
        asked_by: None,
    })
}

/// Returns a comment on the index of a table in which a key may be several times, with the statement that prevents it.
fn how_keys_are_unique(layout: &TableLayout, schema: &str) -> String {
    let place = match layout.shape {
        Shape::Brin { .. } => "besides the index",
        _ => "in place of the next index",
    };
    let unique = TableLayout {
        shape: Shape::Plain,
        time_index: false,
        unique: true,
        table: layout.table.clone(),
    };
    let statements = unique.create_statements(schema);
    format!(
        "-- As measured, a key may be there several times. What prevents it, {place}, was not measured: {}",
        statements.last().map_or("", String::as_str)
    )
}

/// Returns what copies the rows of a file into the table, and brings it to rest.
fn load(layout: &TableLayout, schema: &str) -> Loading {
    let table = qualified(schema, &layout.table.name);
    let names: Vec<String> = layout
        .table
        .columns
        .iter()
        .map(|c| quoted(&c.name))
        .collect();
    let names = names.join(", ");
    let copy = |into: &str| {
        format!("\\copy {into} ({names}) FROM 'rows.csv' WITH (FORMAT csv, HEADER true)")
    };
    let blobs: Vec<String> = { layout.table.columns.iter() }
        .filter(|c| c.kind == ColumnType::Blob)
        .map(|c| quoted(&c.name))
        .collect();
    let copy_first = |partitions: Option<String>| {
        let mut statements = vec![format!("CREATE TEMP TABLE bakeoff_rows (LIKE {table});")];
        // Bytes are 0x and digits in the file, which PostgreSQL would take for a text of these.
        statements.extend(blobs.iter().map(|blob| {
            format!("ALTER TABLE bakeoff_rows ALTER COLUMN {blob} TYPE text USING NULL;")
        }));
        statements.push(copy("bakeoff_rows"));
        statements.extend(partitions);
        let read = layout.table.columns.iter().map(|c| match c.kind {
            ColumnType::Blob => format!("decode(substr({}, 3), 'hex')", quoted(&c.name)),
            _ => quoted(&c.name),
        });
        let read = read.collect::<Vec<_>>().join(", ");
        statements.push(format!(
            "INSERT INTO {table} ({names}) SELECT {read} FROM bakeoff_rows;"
        ));
        statements
    };
    let mut statements = match &layout.shape {
        Shape::Partitioned(ranges) => copy_first(Some(partitions(ranges, schema, &table))),
        _ if !blobs.is_empty() => copy_first(None),
        Shape::Plain | Shape::Brin { .. } | Shape::Hypertable { .. } => vec![copy(&table)],
    };
    let rest = settle::statements(layout, schema, false).into_iter();
    statements.extend(rest.map(|statement| format!("{statement};")));
    let mut lines = vec!["cd \"$rows\"".to_owned(), format!("{PSQL} \"$@\" <<'EOF'")];
    lines.extend(statements.iter().cloned());
    lines.push("EOF".to_owned());
    Loading {
        checks: refusing_more(&table),
        lines,
        takes_csv: true,
        statements,
    }
}

/// Returns the lines that end a script if the table has rows, unless `MORE=1` is in its environment: without a unique
/// index, rows that are loaded twice are there twice.
fn refusing_more(table: &str) -> Vec<String> {
    let sql = format!("SELECT EXISTS (SELECT FROM {table})");
    let told = format!(
        "the table {table} has rows already, and loading adds these to them: empty it (TRUNCATE {table}), or add them with \
         MORE=1 in the environment"
    );
    vec![
        "# A table that has rows is refused: loaded twice, they would be there twice. MORE=1 in the environment adds them."
            .to_owned(),
        "if [ \"${MORE:-}\" != 1 ]; then".to_owned(),
        format!("  has_rows=$({PSQL} -At -c {} \"$@\")", in_shell(&sql)),
        "  if [ \"$has_rows\" = t ]; then".to_owned(),
        format!("    {} >&2", said_by_script(&told)),
        "    exit 1".to_owned(),
        "  fi".to_owned(),
        "fi".to_owned(),
    ]
}

/// Returns the statement that makes the partitions which the copied rows need.
fn partitions(ranges: &Ranges, schema: &str, table: &str) -> String {
    let (column, width) = (quoted(&ranges.column), ranges.width);
    let (value, bound) = match ranges.kind {
        ColumnType::Timestamp => (
            format!("extract(epoch FROM {column}) * 1000"),
            "TIMESTAMP ''epoch'' + INTERVAL ''1 millisecond'' * %s",
        ),
        _ => (column, "%s"),
    };
    let schema = quoted(schema);
    format!(
        "DO $$ DECLARE bakeoff_part bigint; BEGIN \
         FOR bakeoff_part IN SELECT DISTINCT floor(({value})::numeric / {width})::bigint FROM bakeoff_rows LOOP \
         EXECUTE format('CREATE TABLE IF NOT EXISTS {schema}.%I PARTITION OF {table} \
         FOR VALUES FROM ({bound}) TO ({bound})', \
         CASE WHEN bakeoff_part < 0 THEN 'before_' ELSE 'from_' END || abs(bakeoff_part), \
         bakeoff_part * {width}, (bakeoff_part + 1) * {width}); END LOOP; END $$;"
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const WORKLOAD: &str = r#"
title = "t"
[table]
name = "readings"
columns = { series = "text", time = "timestamp", value = "double" }
partition_key = ["series"]
order_key = ["time"]
[data]
requires = "--data"
[[queries]]
name = "mean"
sql = "SELECT avg(value) AS mean FROM readings"
"#;

    fn adopted(id: &str) -> Adoption {
        adopted_of(WORKLOAD, id)
    }

    fn adopted_of(workload: &str, id: &str) -> Adoption {
        let workload = Workload::parse(workload, Path::new("w.toml")).unwrap();
        of(&id.parse().unwrap(), &workload).unwrap()
    }

    #[test]
    fn a_table_is_made_and_its_rows_are_copied() {
        let adoption = adopted("postgres/plain");
        assert_eq!(
            adoption.asked_with[0],
            "SET search_path TO \"readings\", public"
        );
        let schema = adoption.schema.unwrap();
        assert_eq!(
            schema.statements[0],
            "CREATE SCHEMA IF NOT EXISTS \"readings\""
        );
        assert!(schema.statements[1].starts_with("CREATE TABLE \"readings\".\"readings\" ("));
        let index = "INDEX ON \"readings\".\"readings\" (\"series\", \"time\" DESC)";
        let note = "-- As measured, a key may be there several times. What prevents it, in place of the next index, \
                    was not measured: CREATE UNIQUE ";
        assert_eq!(
            schema.statements[2..],
            [format!("{note}{index}"), format!("CREATE {index}")]
        );
        let load = adoption.load.unwrap();
        let copy = "\\copy \"readings\".\"readings\" (\"series\", \"time\", \"value\") FROM 'rows.csv' \
                    WITH (FORMAT csv, HEADER true)";
        assert_eq!(
            load.statements,
            [copy, "VACUUM (ANALYZE) \"readings\".\"readings\";"]
        );
    }

    #[test]
    fn a_table_that_has_rows_is_only_filled_if_its_user_says_so() {
        for id in ["postgres/plain", "timescale/hypertable?chunk=7d"] {
            let checks = adopted(id).load.unwrap().checks.join("\n");
            let asked = "has_rows=$(psql -X -v ON_ERROR_STOP=1 -At -c \
                         'SELECT EXISTS (SELECT FROM \"readings\".\"readings\")' \"$@\")";
            let told = "the table \"readings\".\"readings\" has rows already, and loading adds these to them: empty it \
                        (TRUNCATE \"readings\".\"readings\"), or add them with MORE=1 in the environment";
            for words in [asked, told, "if [ \"${MORE:-}\" != 1 ]; then\n"] {
                assert!(checks.contains(words), "{checks}");
            }
        }
    }

    #[test]
    fn what_makes_keys_unique_is_told_where_it_was_not_measured() {
        for (id, told) in [
            (
                "postgres/partitioned?width=7d&time-index=on",
                Some("in place of the next index"),
            ),
            (
                "timescale/hypertable?chunk=7d",
                Some("in place of the next index"),
            ),
            ("postgres/brin", Some("besides the index")),
            ("postgres/plain?unique=on&time-index=on", None),
        ] {
            let statements = adopted(id).schema.unwrap().statements;
            let notes = statements.iter().filter(|s| s.starts_with("--"));
            let notes: Vec<&String> = notes.collect();
            assert_eq!(notes.len(), usize::from(told.is_some()), "{notes:?}");
            for note in notes {
                assert!(note.contains(told.unwrap_or_default()), "{note}");
                let statement =
                    "CREATE UNIQUE INDEX ON \"readings\".\"readings\" (\"series\", \"time\" DESC)";
                assert!(note.ends_with(statement), "{note}");
            }
        }
    }

    #[test]
    fn partitions_are_those_that_the_rows_need() {
        let load = adopted("postgres/partitioned?width=7d").load.unwrap();
        let made = &load.statements[2];
        for words in [
            "floor((extract(epoch FROM \"time\") * 1000)::numeric / 604800000)::bigint",
            "\"readings\".%I PARTITION OF \"readings\".\"readings\" FOR VALUES FROM (TIMESTAMP ''epoch''",
            "bakeoff_part * 604800000, (bakeoff_part + 1) * 604800000",
        ] {
            assert!(made.contains(words), "{made}");
        }
    }

    #[test]
    fn bytes_are_made_of_their_digits() {
        let workload = WORKLOAD.replace("value = \"double\"", "value = \"blob\"");
        let workload = workload.replace("avg(value) AS mean", "count(value) AS n");
        let load = adopted_of(&workload, "postgres/plain").load.unwrap();
        let expected = [
            "CREATE TEMP TABLE bakeoff_rows (LIKE \"readings\".\"readings\");",
            "ALTER TABLE bakeoff_rows ALTER COLUMN \"value\" TYPE text USING NULL;",
            "\\copy bakeoff_rows (\"series\", \"time\", \"value\") FROM 'rows.csv' WITH (FORMAT csv, HEADER true)",
            "INSERT INTO \"readings\".\"readings\" (\"series\", \"time\", \"value\") SELECT \"series\", \"time\", \
             decode(substr(\"value\", 3), 'hex') FROM bakeoff_rows;",
        ];
        assert_eq!(load.statements[..4], expected);
    }

    #[test]
    fn a_hypertable_has_its_extension() {
        let statements = adopted("timescale/hypertable?chunk=7d")
            .schema
            .unwrap()
            .statements;
        assert_eq!(statements[0], CREATE_EXTENSION);
        assert!(
            statements
                .iter()
                .any(|s| s.starts_with("SELECT create_hypertable("))
        );
    }
}
