use super::*;
use crate::cmd::decide::fixture::decide;

/// A table and a question, behind what a workload says of its rows.
const TABLE: &str = r#"
    [table]
    name = "t"
    columns = { a = "int", b = "int" }
    partition_key = ["a"]
    order_key = ["b"]
    [[queries]]
    name = "most"
    sql = "SELECT max(b) AS most FROM t"
"#;

#[test]
fn questions_are_in_the_sql_of_the_design() {
    let text = r#"
        title = "t"
        designs = ["memory"]
        [table]
        name = "readings"
        columns = { room = "text", time = "timestamp", value = "double" }
        partition_key = ["room"]
        order_key = ["time"]
        [data]
        file = "none.csv"
        [[queries]]
        name = "days"
        sql = "SELECT date_bin(INTERVAL '1 day', time) AS day, avg(value) AS mean FROM readings GROUP BY day"
        [scale]
        rows = 10
        full_rows = 10
    "#;
    let workload = Workload::parse(text, Path::new("w.toml")).unwrap();
    let asked = |design: &str| {
        let asked = questions(workload.clone(), &design.parse().unwrap()).unwrap();
        assert_eq!(asked.all[0].0, "days");
        (asked.all[0].1.contains("date_bin("), asked.are_of_engine)
    };
    assert_eq!(asked("parquet?codec=zstd"), (true, false));
    assert!(asked("duckdb/table").1);
}

#[test]
fn files_that_are_not_in_the_folder_are_named() {
    let dir = Path::new("/mine/out");
    let files = |named: &[&str], data: &str| {
        let text = format!("title = \"t\"\ndesigns = [\"memory\"]\n[data]\n{data}\n{TABLE}");
        let workload = Workload::parse(&text, &dir.join(WORKLOAD)).unwrap();
        let named = named.iter().map(PathBuf::from).collect();
        files_elsewhere(named, &workload, dir)
    };
    let none: [&Path; 0] = [];
    assert_eq!(files(&[], "file = \"workload.parquet\""), none);
    assert_eq!(
        files(&[], "file = \"/mine/a.csv\""),
        [Path::new("/mine/a.csv")]
    );
    assert_eq!(
        files(&["/his/b.csv"], "file = \"b.csv\""),
        [Path::new("/his/b.csv")]
    );
}

#[test]
fn rows_that_are_not_all_or_are_made_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, "").unwrap();
        path.display().to_string()
    };
    let (rows, statements) = (path("a.csv"), path("s.sql"));
    let cases: [(&str, &[&str], Option<&str>); 5] = [
        (&rows, &["--grow", "three years"], None),
        (&statements, &[], Some("rows that are made by guesses")),
        (
            &statements,
            &["--data", &rows],
            Some("the sample of --data"),
        ),
        ("cassandra://db1/ks.t", &[], Some("the sample of the table")),
        ("formats", &[], None),
    ];
    for (from, options, expected) in cases {
        let words = [&[from][..], options].concat();
        let told = rows_of_script(&decide(&words)).unwrap();
        assert_eq!(told, expected, "{from} {options:?}");
    }
}

#[test]
fn the_design_is_explained_as_in_the_list_of_layouts() {
    let told = |design: &str| in_words(&design.parse().unwrap());
    let columnar = told("local/columnar?profile=compact").unwrap();
    assert!(columnar.contains("without a server"), "{columnar}");
    assert!(
        told("parquet?codec=zstd")
            .unwrap()
            .contains("Parquet files")
    );
    assert!(told("cassandra/wide").is_some());
    // What a driver leads to is known to the user alone.
    assert_eq!(told("adbc/mine"), None);
}

#[test]
fn the_report_and_the_command_for_its_tables_are_named() {
    let told = |prices: Option<&str>| report_of(Path::new("my runs/run"), prices.map(Path::new));
    let paths = "Report: my runs/run/report.html\nData:   my runs/run/run.json\nTables: bakeoff report 'my runs/run'";
    assert_eq!(told(None), paths);
    assert_eq!(
        told(Some("study-2018")),
        format!("{paths} --prices study-2018")
    );
}
