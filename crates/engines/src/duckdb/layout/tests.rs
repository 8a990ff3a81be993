use std::path::Path;

use bakeoff_workload::Workload;

use super::*;
use crate::parquet::Codec;

const WORKLOAD: &str = r#"title = "t"
designs = ["duckdb/table"]

[table]
name = "order"
columns = { series = "text", time = "timestamp", data = "blob", up = "boolean", n = "int", m = "bigint", v = "double", f = "float", id = "uuid", d = "date" }
partition_key = ["series"]
order_key = ["time"]

[data]
requires = "--data"

[[queries]]
name = "rows"
sql = "SELECT count(*) AS rows FROM \"order\""
"#;

/// A table with a name in it that has a quote.
fn table() -> Table {
    let workload = Workload::parse(WORKLOAD, Path::new("w.toml")).unwrap();
    let mut table = workload.table;
    for column in &mut table.columns {
        if column.name == "data" {
            column.name = "a\"b".to_owned();
        }
    }
    table
}

fn layout(id: &str) -> Result<DuckdbLayout, String> {
    let context = Context {
        threads: 3,
        ..Context::of_test("/it's/run")
    };
    DuckdbLayout::new(&id.parse().unwrap(), &table(), &context).map_err(|error| error.0)
}

fn option(database: &Database, name: &str) -> String {
    let mut options = database.options.iter();
    let found = options.find(|(known, _)| known == name);
    found.unwrap_or_else(|| panic!("no {name}")).1.clone()
}

#[test]
fn settings_are_read_and_others_refused() {
    let table = layout("duckdb/table").unwrap();
    assert_eq!(table.shape, Shape::Table);
    let snappy = layout("duckdb/parquet?codec=snappy&memory=256").unwrap();
    let shape = |codec, rows| Shape::Parquet(Encoding { codec, rows });
    assert_eq!(snappy.shape, shape(Codec::Snappy, 131_072));
    let said = format!("{:?}", snappy.settings());
    for words in ["snappy", "256 MiB", "(\"threads\", \"3\")"] {
        assert!(said.contains(words), "{said}");
    }
    let zstd = layout("duckdb/parquet").unwrap();
    assert_eq!(zstd.shape, shape(Codec::Zstd, 131_072));
    let small = layout("duckdb/parquet?rows=30720").unwrap();
    assert_eq!(small.shape, shape(Codec::Zstd, 30_720));
    for (id, words) in [
        ("duckdb/rows", "there are table and parquet"),
        ("duckdb", "there are table and parquet"),
        ("duckdb/table?codec=zstd", "unknown setting `codec`"),
        ("duckdb/parquet?codec=lz4", "not one of zstd, snappy"),
        ("duckdb/table?rows=30720", "unknown setting `rows`"),
        ("duckdb/table?memory=1GiB", "not a number of MiB"),
        ("duckdb/table?memory=64", "at least 128"),
    ] {
        let error = layout(id).unwrap_err();
        assert!(error.contains(words), "{id}: {error}");
    }
}

#[test]
fn a_folder_that_the_view_would_take_for_a_pattern_is_refused() {
    let layout = |id: &str| {
        let context = Context::of_test("/runs/a*");
        DuckdbLayout::new(&id.parse().unwrap(), &table(), &context).map_err(|error| error.0)
    };
    let error = layout("duckdb/parquet").unwrap_err();
    assert!(error.contains("has `*`"), "{error}");
    assert!(layout("duckdb/table").is_ok());
}

#[test]
fn statements_quote_names_and_paths() {
    let table = layout("duckdb/table").unwrap();
    assert_eq!(
        table.create_statements()[2],
        "CREATE TABLE main.\"order\" (\"series\" VARCHAR, \"time\" TIMESTAMP_MS, \"a\"\"b\" BLOB, \
         \"up\" BOOLEAN, \"n\" INTEGER, \"m\" BIGINT, \"v\" DOUBLE, \"f\" FLOAT, \"id\" VARCHAR, \"d\" DATE)"
    );
    let sort = table.sort_statements();
    assert_eq!(
        sort[0],
        "ATTACH '/it''s/run/duckdb/duckdb-table/table.duckdb.unfinished' AS sorted"
    );
    assert_eq!(
        sort[1],
        "CREATE TABLE sorted.main.\"order\" AS SELECT \"series\", CAST(\"time\" AS TIMESTAMP) AS \
         \"time\", \"a\"\"b\", \"up\", \"n\", \"m\", \"v\", \"f\", CAST(\"id\" AS UUID) AS \"id\", \"d\" \
         FROM main.\"order\" ORDER BY \"series\", \
         \"time\""
    );
    let view = layout("duckdb/parquet").unwrap().view_statements();
    assert_eq!(
        view[0],
        "CREATE VIEW main.\"order\" AS SELECT * FROM \
         read_parquet('/it''s/run/duckdb/duckdb-parquet/table.parquet')"
    );
}

#[test]
fn the_same_is_made_in_a_database_of_a_user_by_its_own_statements() {
    let made = layout("duckdb/table").unwrap().own_statements();
    let expected = "--   INSERT INTO \"order\" SELECT ... ORDER BY \"series\", \"time\"\n\
                    CREATE TABLE \"order\" (\"series\" VARCHAR, \"time\" TIMESTAMP, \"a\"\"b\" BLOB, ";
    assert!(made[0].contains(expected), "{}", made[0]);
    // As they are in the file, and not as they are loaded.
    let others = ", \"v\" DOUBLE, \"f\" FLOAT, \"id\" UUID, \"d\" DATE)";
    assert!(made[0].ends_with(others), "{}", made[0]);
    assert!(made[1].starts_with("CREATE MACRO date_bin(width, moment) AS "));
    let view = layout("duckdb/parquet").unwrap().own_statements();
    let expected = "\nCREATE VIEW \"order\" AS SELECT * FROM read_parquet('table.parquet')";
    assert!(view[0].ends_with(expected), "{}", view[0]);
}

#[test]
fn questions_can_change_nothing_and_read_no_other_file() {
    let library = Path::new("/lib/libduckdb.so");
    for id in ["duckdb/table", "duckdb/parquet"] {
        let layout = layout(id).unwrap();
        let asked = layout.asked(library);
        assert_eq!(option(&asked, "access_mode"), "READ_ONLY");
        assert_eq!(option(&asked, "threads"), "3");
        assert_eq!(option(&asked, "memory_limit"), "1024MiB");
        let last = &asked.setup[asked.setup.len() - 2..];
        assert_eq!(
            last,
            [
                "SET GLOBAL enable_external_access = false",
                "SET GLOBAL lock_configuration = true"
            ]
        );
        let mut allowed = asked.setup.iter().filter(|s| s.contains("allowed"));
        let only = allowed.next().map(String::as_str);
        let expected = match layout.shape {
            Shape::Table => None,
            Shape::Parquet(_) => Some(
                "SET GLOBAL allowed_paths = ['/it''s/run/duckdb/duckdb-parquet/table.parquet']",
            ),
        };
        assert_eq!(only, expected);
        let writable = layout.writable(library, &layout.loading_file());
        assert_eq!(option(&writable, "access_mode"), "READ_WRITE");
        assert!(writable.setup.is_empty());
    }
}

#[test]
fn the_view_of_a_parquet_file_is_not_among_the_bytes_of_the_table() {
    let layout = layout("duckdb/parquet").unwrap();
    assert!(!layout.view_file().starts_with(&layout.dir));
    assert_eq!(layout.view_file().parent(), layout.dir.parent());
}
