use super::*;

const FILE: &str = r#"
[sqlite]
library = "libs/libadbc_driver_sqlite.so"
dialect = "sqlite"
[sqlite.options]
uri = "file:${folder}/table.db"
[sqlite.questions]
uri = "file:${folder}/table.db?mode=ro"
[sqlite.statements]
"adbc.sqlite.query.batch_rows" = 4096

[server]
library = "/opt/libadbc_driver_postgresql.so"
entrypoint = "AdbcDriverInit"
dialect = "postgres"
[server.options]
uri_env = "BAKEOFF_TEST_ADBC_URI_THAT_NOBODY_SETS"
"#;

const WORKLOAD: &str = r#"title = "t"
designs = ["adbc/sqlite", "adbc/server", "dry"]

[table]
name = "readings"
columns = { series = "text" }
partition_key = ["series"]

[data]
requires = "--data"

[[queries]]
name = "rows"
sql = "SELECT count(*) AS rows FROM readings"
engine_sql = { sqlite = "SELECT 1", postgres = "SELECT 2", "adbc/server" = "SELECT 3" }
"#;

fn parse(text: &str) -> Result<DriverFile, EngineError> {
    DriverFile::parse(text, PathBuf::from("/home/me/drivers.toml"))
}

fn place() -> Place<'static> {
    Place {
        folder: Path::new("/runs/a/adbc/adbc-sqlite"),
        schema: "bakeoff_sqlite_1",
    }
}

#[test]
fn a_driver_is_read_with_its_options() {
    let file = parse(FILE).unwrap();
    let entry = file.entry("sqlite").unwrap();
    let library = Path::new("/home/me/libs/libadbc_driver_sqlite.so");
    assert_eq!(entry.library, library);
    let options = |phase| entry.database(&place(), phase).unwrap().options;
    let uri = "file:/runs/a/adbc/adbc-sqlite/table.db";
    assert_eq!(
        options(Phase::Loading),
        [("uri".to_owned(), uri.to_owned())]
    );
    let read_only = ("uri".to_owned(), format!("{uri}?mode=ro"));
    assert_eq!(options(Phase::Questions), [read_only]);
    let database = entry.database(&place(), Phase::Questions).unwrap();
    let rows = ("adbc.sqlite.query.batch_rows".to_owned(), "4096".to_owned());
    assert_eq!(database.statement_options, [rows]);
    assert!(entry.names_folder() && !entry.names_schema());
    let settings = file.entry("server").unwrap().settings();
    let shown = "the value of BAKEOFF_TEST_ADBC_URI_THAT_NOBODY_SETS".to_owned();
    assert!(
        settings.contains(&("option uri".to_owned(), shown)),
        "{settings:?}"
    );
}

#[test]
fn what_cannot_be_used_is_told_with_the_name_of_the_driver() {
    for (text, words) in [
        ("", "names no driver"),
        ("[sqlite]", "missing field `library`"),
        ("[sqlite]\nlibrary = \"\"", "`library` is empty"),
        (
            "[sqlite]\nlibrary = \"a.so\"\nentrypoint = \"\"",
            "`entrypoint` is empty",
        ),
        (
            "[sqlite]\nlibrary = \"a.so\"\nentry = \"x\"",
            "unknown field `entry`",
        ),
        ("[sqlite]\nlibrary = \"a.so\"\ndialect = \"mysql\"", "mysql"),
        (
            "[\"a b\"]\nlibrary = \"a.so\"",
            "`a b` cannot be the name of a driver",
        ),
        (
            "[1a]\nlibrary = \"a.so\"",
            "`1a` cannot be the name of a driver",
        ),
        (
            "[a]\nlibrary = \"a.so\"\n[a.options]\npassword = \"x\"",
            "[a]: options: `password` has a secret",
        ),
        ("[a", "drivers.toml: "),
    ] {
        let error = parse(text).unwrap_err().0;
        assert!(error.contains(words), "{text}: {error}");
        assert!(error.starts_with("/home/me/drivers.toml"), "{error}");
    }
    let file = parse(FILE).unwrap();
    let error = file.entry("sqlit").unwrap_err().0;
    assert!(
        error.contains("no driver `sqlit` (did you mean `sqlite`?); it has"),
        "{error}"
    );
}

#[test]
fn a_library_is_looked_at_and_a_place_of_its_own_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str, options: &str| {
        let text = format!("[a]\nlibrary = \"{name}\"\n[a.options]\n{options}");
        let file = DriverFile::parse(&text, folder.path().join("drivers.toml")).unwrap();
        file.entry("a")
            .unwrap()
            .check(&place())
            .map_err(|error| error.0)
    };
    std::fs::write(folder.path().join("text.so"), "text").unwrap();
    std::fs::write(folder.path().join("some.so"), "\x7fELF and more").unwrap();
    let uri = "uri = \"file:${folder}/a.db\"";
    assert_eq!(check("some.so", uri), Ok(()));
    let begins = |function: &str| check(&format!("some.so\"\nentrypoint = \"{function}"), uri);
    std::fs::write(folder.path().join("some.so"), "\x7fELF\0DriverInit\0").unwrap();
    assert_eq!(begins("DriverInit"), Ok(()));
    let error = begins("Driver").unwrap_err();
    assert!(error.contains("[a] has no function Driver: "), "{error}");
    for (name, options, words) in [
        ("text.so", uri, "text.so of [a] is no library of Linux"),
        ("none.so", uri, "No such file"),
        (
            "some.so",
            "uri = \"file:a.db\"",
            "no option of [a] has ${folder} or ${schema}",
        ),
        (
            "some.so",
            "uri_env = \"BAKEOFF_TEST_NOT_SET\"",
            "BAKEOFF_TEST_NOT_SET",
        ),
    ] {
        let error = check(name, options).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_value_of_a_variable_is_hidden_and_what_is_written_is_not() {
    // A variable that each process of a test has.
    let text = "[a]\nlibrary = \"a.so\"\n[a.options]\nuri = \"file:${folder}/a.db\"\n\
                [a.statements]\nsearch_env = \"PATH\"";
    let file = parse(text).unwrap();
    let database = file.entry("a").unwrap().database(&place(), Phase::Loading);
    let secrets = database.unwrap().secrets;
    let path = std::env::var("PATH").unwrap();
    let told = format!("neither {path} nor file:/runs/a/a.db");
    let shown = "neither the value of PATH nor file:/runs/a/a.db";
    assert_eq!(secrets.hide(&told), shown);
}

#[test]
fn queries_get_the_sql_of_the_dialect_unless_they_have_their_own() {
    let mut workload = Workload::parse(WORKLOAD, Path::new("w.toml")).unwrap();
    let designs = workload.designs.clone();
    parse(FILE).unwrap().put_sql_into(&mut workload, &designs);
    let query = &workload.queries[0];
    assert_eq!(query.sql_for("adbc/sqlite?index=on"), "SELECT 1");
    assert_eq!(query.sql_for("adbc/server"), "SELECT 3");
    assert_eq!(query.sql_for("dry"), query.sql);
}

#[test]
fn what_a_run_rests_on_changes_its_fingerprint() {
    let designs: Vec<DesignId> = ["adbc/sqlite", "parquet"]
        .map(|id| id.parse().unwrap())
        .to_vec();
    let of = |text: &str| parse(text).unwrap().fingerprint(&designs);
    assert_ne!(of(FILE), "");
    assert_eq!(of(FILE), of(FILE));
    assert_ne!(of(FILE), of(&FILE.replace("4096", "8192")));
    assert_ne!(of(FILE), of(&FILE.replace("libs/", "other/")));
    let none: Vec<DesignId> = vec!["parquet".parse().unwrap()];
    assert_eq!(parse(FILE).unwrap().fingerprint(&none), "");
    // Another driver is none of this run.
    assert_eq!(of(FILE), of(&FILE.replace("AdbcDriverInit", "OtherInit")));
}
