use std::collections::BTreeMap;
use std::path::Path;

use bakeoff_workload::Workload;

use super::*;
use crate::adbc::{AdbcOptions, DriverFile};

const FILE: &str = r#"
[files]
library = "/opt/libadbc_driver_files.so"
dialect = "sqlite"
options = { uri = "file:${folder}/table.db" }

[server]
library = "/opt/libadbc_driver_server.so"
dialect = "postgres"
options = { uri = "postgresql://me@db1/metrics?options=-csearch_path%3D${schema}" }

[plain]
library = "/opt/libadbc_driver_plain.so"
options = { path = "${folder}" }
"#;

const WORKLOAD: &str = r#"title = "t"
designs = ["adbc/files"]

[table]
name = "TABLE"
columns = { series = "text", time = "timestamp" }
partition_key = ["series"]
order_key = ["time"]

[data]
requires = "--data"

[[queries]]
name = "rows"
sql = "SELECT count(*) AS n FROM \"TABLE\""
"#;

fn context(token: &str) -> Context {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drivers.toml");
    std::fs::write(&path, FILE).unwrap();
    let mut context = Context::of_test("/runs/a");
    context.token = Some(token.to_owned());
    context.options.adbc = AdbcOptions {
        drivers: Some(Arc::new(DriverFile::read(&path).unwrap())),
        ..AdbcOptions::default()
    };
    context
}

fn table(name: &str) -> Table {
    let text = WORKLOAD.replace("TABLE", name);
    Workload::parse(&text, Path::new("w.toml")).unwrap().table
}

fn layout(id: &str) -> AdbcLayout {
    AdbcLayout::new(&id.parse().unwrap(), &table("order"), &context("a")).unwrap()
}

#[test]
fn a_design_touches_its_folder_or_its_schema_and_nothing_else() {
    let files = layout("adbc/files");
    assert_eq!(files.folder(), Some(Path::new("/runs/a/adbc/adbc-files")));
    assert_eq!(
        (files.schema(), files.drop_statements()),
        (None, Vec::new())
    );
    assert_eq!(files.schema_statements(), [""; 0]);
    let server = layout("adbc/server");
    assert_eq!(server.folder(), None);
    let schema = server.schema().unwrap().to_owned();
    let dropped = [
        format!("DROP TABLE IF EXISTS \"{schema}\".\"order\""),
        format!("DROP TABLE IF EXISTS \"{schema}\".\"bakeoff_slices\""),
        format!("DROP SCHEMA IF EXISTS \"{schema}\""),
    ];
    assert_eq!(server.drop_statements(), dropped);
    let options = server.database(Phase::Loading).unwrap().options;
    let options: BTreeMap<String, String> = options.into_iter().collect();
    assert!(options["uri"].ends_with(&format!("search_path%3D{schema}")));
}

#[test]
fn each_design_of_each_run_has_a_schema_that_nobody_can_guess() {
    let schema = |id: &str, token: &str| {
        let id = id.parse().unwrap();
        let layout = AdbcLayout::new(&id, &table("t"), &context(token)).unwrap();
        layout.schema().unwrap().to_owned()
    };
    let one = schema("adbc/server", "a");
    assert!(one.starts_with("bakeoff_server_"), "{one}");
    assert!(one.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
    assert_eq!(one, schema("adbc/server", "a"));
    assert_ne!(one, schema("adbc/server", "b"));
    assert_ne!(one, schema("adbc/server?index=on", "a"));
}

#[test]
fn it_settles_as_its_dialect_has_it() {
    assert_eq!(layout("adbc/files").settle_statements(), ["ANALYZE"]);
    let index = layout("adbc/plain?index=on").settle_statements();
    let made = "CREATE INDEX IF NOT EXISTS bakeoff_key ON \"order\" (\"series\", \"time\")";
    assert_eq!(index, [made]);
    assert_eq!(layout("adbc/plain?index=off").settle_statements(), [""; 0]);
    let server = layout("adbc/server");
    let vacuum = format!(
        "VACUUM (ANALYZE) \"{}\".\"order\"",
        server.schema().unwrap()
    );
    assert_eq!(server.settle_statements(), [vacuum]);
}

#[test]
fn what_cannot_be_a_design_is_told() {
    let error = |id: &str, name: &str| {
        let made = AdbcLayout::new(&id.parse().unwrap(), &table(name), &context("a"));
        made.unwrap_err().0
    };
    for (id, name, words) in [
        ("adbc", "t", "write adbc/NAME"),
        ("adbc/file", "t", "no driver `file` (did you mean `files`?)"),
        (
            "adbc/files?index=yes",
            "t",
            "index=yes is not one of on, off",
        ),
        ("adbc/files?idnex=on", "t", "did you mean `index`?"),
        (
            "adbc/files",
            NOTES,
            "the table cannot be called bakeoff_slices",
        ),
    ] {
        let error = error(id, name);
        assert!(error.contains(words), "{error}");
    }
    let id: DesignId = "adbc/files".parse().unwrap();
    let without = AdbcLayout::new(&id, &table("t"), &Context::of_test("/runs/a"));
    let error = without.unwrap_err().0;
    assert!(error.contains("`--adbc FILE`"), "{error}");
}
