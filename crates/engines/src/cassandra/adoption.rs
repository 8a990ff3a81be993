//! How designs of Cassandra are made and filled outside of a run: CQL, which `cqlsh` sends, and files that it copies.

use bakeoff_workload::{ColumnType, DesignId, Workload};

use super::cluster::relations::Relation;
use super::cluster::settle::{Settling, settle_statements};
use super::columnar;
use super::layout::CassandraLayout;
use super::request::DesignRequest;
use super::rows;
use super::rows::layout::{BUCKET_COLUMN, Shape, TableLayout};
use crate::adoption::{
    ASKED_FROM, Adoption, ColumnarPlace, Loading, SchemaFile, adopted_name, in_shell,
    said_by_script, sql_command,
};
use crate::{Context, EngineError};

const SCHEMA_FILE: &str = "schema.cql";
const CALLED_WITH: &str = "HOST [PORT]";
/// What commands of Bakeoff that take a named cluster are called with.
const PROGRAM_CALLED_WITH: &str = "HOST[:PORT]";

/// Says how a design is made and filled.
///
/// # Errors
/// The errors of a design that cannot be.
pub fn of(id: &DesignId, workload: &Workload, context: &Context) -> Result<Adoption, EngineError> {
    let request = DesignRequest::new(id, workload, context)?;
    let keyspace = adopted_name(&workload.table.name);
    match CassandraLayout::from_id(id)? {
        CassandraLayout::Rows(shape) => of_rows(&request, shape, &keyspace),
        CassandraLayout::Columnar => {
            let copies = workload.scale.replication.max(1);
            let into = format!("{keyspace}.{keyspace}");
            let made_with = format!("--create-keyspace {copies}");
            let place = ColumnarPlace {
                called_with: PROGRAM_CALLED_WITH,
                table: &into,
                shown: &into,
                made_with: &made_with,
                server: "--cassandra \"$@\"",
            };
            let mut adoption = Adoption::of_ingest(id, &workload.table, &place);
            if let Ok(load) = &mut adoption.load {
                let tables = columnar::relations(&keyspace);
                let told = on_each_node(&keyspace, &tables, Settling::Compact);
                load.lines.push(said_by_script(&told));
                load.statements.push(format!("# {told}"));
            }
            Ok(adoption)
        }
        layout @ (CassandraLayout::Series | CassandraLayout::AsWritten) => {
            let statements = layout.describe(&request)?.statements.into_iter();
            let own = format!("{}.", request.keyspace.name);
            let made = statements.filter(|statement| {
                statement.starts_with("CREATE ") && !statement.starts_with("CREATE KEYSPACE")
            });
            let made = made.filter(|statement| !statement.contains("bakeoff_marker"));
            let made = made.map(|statement| statement.replace(&own, &format!("{keyspace}.")));
            let why = "its rows are not those of the file: a program writes them as docs/designs.md of Bakeoff says";
            Ok(adoption(
                &request,
                &keyspace,
                made.collect(),
                Err(why.to_owned()),
            ))
        }
    }
}

fn of_rows(
    request: &DesignRequest<'_>,
    shape: Shape,
    keyspace: &str,
) -> Result<Adoption, EngineError> {
    let mut layout = rows::table_layout(request, shape)?;
    layout.name = adopted_name(&layout.table.name);
    // A run drops tombstones at once where keys repeat, which no table that is repaired may.
    layout.keys_repeat = false;
    let statements = layout.recreation_statements(keyspace).into_iter();
    let statements = statements.filter(|statement| !statement.starts_with("DROP "));
    let load = if layout.has_blob() {
        Err(format!(
            "its column {} is encoded by Bakeoff: a program writes its rows, as docs/designs.md of Bakeoff says",
            rows::layout::BLOB_COLUMN
        ))
    } else if layout.summary.is_some() {
        Err("its second table holds sums and counts of intervals, which a program writes with the rows".to_owned())
    } else {
        Ok(copying(&layout, keyspace))
    };
    let name = &request.workload.table.name;
    let is_read_by_sql = !layout.has_blob() && !layout.names.are_short();
    let asked_by = is_read_by_sql.then(|| {
        let into = format!("{keyspace}.{}", layout.name);
        let asked = sql_command(name, &into, &format!("--cassandra {PROGRAM_CALLED_WITH}"));
        // Of a bucket, an index or a second table only a design knows.
        format!("{ASKED_FROM} (it may read more rows than a run does): {asked}")
    });
    Ok(Adoption {
        asked_by,
        ..adoption(request, keyspace, statements.collect(), load)
    })
}

/// Says what is to be run on each node, so that tables are at rest as they were when they were measured.
fn on_each_node(keyspace: &str, tables: &[Relation], settling: Settling) -> String {
    let commands = settle_statements(true, keyspace, tables, settling);
    format!(
        "a run brings its tables to rest before it measures (on nodes of yours with --nodetool only); to do so, run on \
         each node: {}",
        commands.join(" && ")
    )
}

fn adoption(
    request: &DesignRequest<'_>,
    keyspace: &str,
    tables: Vec<String>,
    load: Result<Loading, String>,
) -> Adoption {
    let copies = request.workload.scale.replication.max(1);
    let mut statements = vec![format!(
        "CREATE KEYSPACE IF NOT EXISTS {keyspace} WITH replication = {{'class': 'NetworkTopologyStrategy', \
         'replication_factor': {copies}}}"
    )];
    statements.extend(tables);
    Adoption {
        called_with: CALLED_WITH,
        schema: Some(SchemaFile {
            file: SCHEMA_FILE,
            statements,
            apply: Some(format!("cqlsh -f \"$here/{SCHEMA_FILE}\" \"$@\"")),
        }),
        load,
        asked_with: Vec::new(),
        asked_by: None,
    }
}

/// Returns what copies the rows of a file into the table and its copies.
fn copying(layout: &TableLayout, keyspace: &str) -> Loading {
    let mut tables = Vec::new();
    let mut needed = Vec::new();
    let mut copies = Vec::new();
    for (number, table) in layout.written().iter().enumerate() {
        let columns: Vec<&str> = table.cql_columns().iter().map(|(name, _)| *name).collect();
        copies.push(format!(
            "COPY {keyspace}.{} ({}) FROM 'table-{number}.csv' WITH HEADER = TRUE AND ESCAPE = '\"'",
            table.name,
            layout.names.quoted_list(&columns)
        ));
        // As Python writes a list of plain names, too.
        tables.push(format!("{columns:?}"));
        // Rows without a value there are in no partition of a copy.
        needed.push(table.copied_by.as_deref().unwrap_or_default().to_owned());
    }
    let times = layout.table.columns.iter();
    let times = times.filter(|column| column.kind == ColumnType::Timestamp);
    let times: Vec<&str> = times.map(|column| column.name.as_str()).collect();
    let mut lines = vec!["python3 - \"$rows\" <<'EOF'".to_owned()];
    lines.extend(HEAD.lines().map(str::to_owned));
    lines.push(format!("TIMES = {times:?}"));
    lines.push(format!("TABLES = [{}]", tables.join(", ")));
    lines.push(format!("NEEDED = {needed:?}"));
    lines.extend(BODY.lines().map(str::to_owned));
    if let Some(bucket) = &layout.bucket {
        lines.push(format!(
            "        row[\"{BUCKET_COLUMN}\"] = int(row[\"{}\"]) // {}",
            bucket.column, bucket.width
        ));
    }
    lines.extend(END.lines().map(str::to_owned));
    lines.push("EOF".to_owned());
    lines.push("cd \"$rows\"".to_owned());
    let sent = copies.iter();
    lines.extend(sent.map(|copy| format!("cqlsh -e {} \"$@\"", in_shell(copy))));
    let told = on_each_node(keyspace, &layout.relations(), layout.settling);
    lines.push(said_by_script(&told));
    let mut statements = vec![
        "-- of files with all rows: times in milliseconds since 1970, empty cells are null"
            .to_owned(),
    ];
    statements.extend(layout.bucket.as_ref().map(|bucket| {
        format!(
            "-- {BUCKET_COLUMN} is floor({} / {})",
            bucket.column, bucket.width
        )
    }));
    statements.extend(copies.iter().map(|copy| format!("{copy};")));
    statements.push(format!("-- {told}"));
    Loading {
        checks: Vec::new(),
        lines,
        takes_csv: true,
        statements,
    }
}

/// A program in Python, which `cqlsh` needs, too: from `rows.csv` it makes a file for each table, with the table's
/// columns and times as milliseconds, since `cqlsh` silently cuts off what is behind the T of a time in ISO 8601.
const HEAD: &str = r#"import csv, datetime, sys
EPOCH = datetime.datetime(1970, 1, 1)"#;
const BODY: &str = r#"def milliseconds(text):
    if text.lstrip("-").isdigit():
        return int(text)
    seconds, _, part = text.rstrip("Z").partition(".")
    passed = datetime.datetime.fromisoformat(seconds) - EPOCH
    return passed // datetime.timedelta(milliseconds=1) + int((part + "000")[:3])
csv.field_size_limit(2**31 - 1)
folder = sys.argv[1]
names = [f"{folder}/table-{number}.csv" for number in range(len(TABLES))]
files = [open(name, "w", newline="", encoding="utf-8") for name in names]
writers = [csv.writer(file) for file in files]
for writer, columns in zip(writers, TABLES):
    writer.writerow(columns)
with open(f"{folder}/rows.csv", newline="", encoding="utf-8") as rows:
    for row in csv.DictReader(rows):
        for column in TIMES:
            if row[column]:
                row[column] = milliseconds(row[column])"#;
const END: &str = r#"        for writer, columns, needed in zip(writers, TABLES, NEEDED):
            if not needed or row[needed] != "":
                writer.writerow([row[column] for column in columns])
for file in files:
    file.close()"#;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const WORKLOAD: &str = r#"
title = "t"
[table]
name = "readings"
columns = { series = "text", time = "timestamp", value = "double", kind = "text" }
partition_key = ["series"]
order_key = ["time"]
[data]
requires = "--data"
[[queries]]
name = "mean"
sql = "SELECT avg(value) AS mean FROM readings"
[scale]
replication = 2
"#;

    fn adopted(id: &str, keys_repeat: bool) -> Adoption {
        let workload = Workload::parse(WORKLOAD, Path::new("w.toml")).unwrap();
        let context = Context {
            keys_repeat,
            ..Context::of_test("/run")
        };
        of(&id.parse().unwrap(), &workload, &context).unwrap()
    }

    #[test]
    fn tables_of_rows_have_the_names_of_the_workload_and_keep_tombstones() {
        let adoption = adopted("cassandra/wide?bucket=1d&order=desc", true);
        let statements = adoption.schema.unwrap().statements;
        assert_eq!(statements.len(), 2);
        assert!(
            statements[0].contains("readings WITH replication"),
            "{statements:?}"
        );
        assert!(statements[0].ends_with("'replication_factor': 2}"));
        assert!(statements[1].starts_with("CREATE TABLE readings.readings (\"series\" text, "));
        assert!(
            !statements[1].contains("gc_grace_seconds"),
            "{statements:?}"
        );
        let load = adoption.load.unwrap();
        assert!(
            load.lines.contains(&"TIMES = [\"time\"]".to_owned()),
            "{:?}",
            load.lines
        );
        let bucket = "        row[\"bakeoff_bucket\"] = int(row[\"time\"]) // 86400000";
        assert!(load.lines.contains(&bucket.to_owned()), "{:?}", load.lines);
        let copy = &load.statements[2];
        assert!(
            copy.starts_with(
                "COPY readings.readings (\"series\", \"time\", \"value\", \"kind\", \"bakeoff_bucket\") FROM"
            ),
            "{copy}"
        );
    }

    #[test]
    fn a_second_table_is_filled_and_an_index_is_made() {
        let load = adopted("cassandra/wide?table_by=kind", false).load.unwrap();
        let needed = "NEEDED = [\"\", \"kind\"]".to_owned();
        assert!(load.lines.contains(&needed), "{:?}", load.lines);
        let sent = load
            .lines
            .iter()
            .filter(|line| line.starts_with("cqlsh -e "));
        assert_eq!(sent.count(), 2);
        let indexed = adopted("cassandra/wide?index=kind", false).schema.unwrap();
        let index = &indexed.statements[2];
        assert!(
            index.starts_with("CREATE CUSTOM INDEX readings_index_1 ON readings.readings"),
            "{index}"
        );
    }

    #[test]
    fn scripts_say_what_brings_tables_to_rest_on_each_node() {
        for (id, commands) in [
            (
                "cassandra/wide",
                "nodetool flush readings && nodetool compact readings readings",
            ),
            (
                "cassandra/wide?table_by=kind",
                "nodetool flush readings && nodetool compact readings readings readings_by_1",
            ),
            ("cassandra/wide?settle=flush", "nodetool flush readings"),
            (
                "cassandra/columnar",
                "nodetool flush readings && nodetool compact readings readings_columnar ",
            ),
        ] {
            let load = adopted(id, false).load.unwrap();
            let told = format!("; to do so, run on each node: {commands}");
            let said = load.lines.last().unwrap();
            assert!(
                said.starts_with("printf ") && said.contains(&told),
                "{id}: {said}"
            );
            let shown = load.statements.last().unwrap();
            assert!(shown.contains(&told), "{id}: {shown}");
        }
    }

    #[test]
    fn questions_are_asked_by_the_command_that_reads_the_rows() {
        for id in ["cassandra/wide?bucket=1d", "cassandra/columnar"] {
            let asked = adopted(id, false).asked_by.unwrap();
            let command = ": bakeoff sql --table readings=readings.readings --cassandra HOST[:PORT] - <questions.sql";
            assert!(asked.ends_with(command), "{id}: {asked}");
        }
        for id in ["cassandra/blob", "cassandra/wide?names=short"] {
            assert_eq!(adopted(id, false).asked_by, None, "{id}");
        }
    }

    #[test]
    fn what_no_tool_of_cassandra_writes_says_so() {
        for id in [
            "cassandra/blob",
            "cassandra/wide?summary=1h",
            "cassandra/series",
        ] {
            let adoption = adopted(id, false);
            assert!(
                adoption.load.unwrap_err().contains("a program writes"),
                "{id}"
            );
            let statements = adoption.schema.unwrap().statements;
            assert!(statements.len() > 1, "{id}: {statements:?}");
            let all = statements.join("\n");
            assert!(
                !all.contains("DROP") && !all.contains("bakeoff_marker"),
                "{id}: {all}"
            );
            assert!(!all.contains("bakeoff_w_"), "{id}: {all}");
        }
        let columnar = adopted("cassandra/columnar?rows=5000&compressor=Zstd", false);
        assert_eq!(columnar.schema, None);
        let lines = columnar.load.unwrap().lines;
        let seal = "\"$bakeoff\" table seal readings.readings --cassandra \"$@\"";
        assert_eq!(lines[2], seal);
        let line = &lines[0];
        assert!(line.contains(" --into readings.readings "), "{line}");
        assert!(
            line.ends_with(" --chunk-rows 5000 --create-keyspace 2 --cassandra \"$@\""),
            "{line}"
        );
    }
}
