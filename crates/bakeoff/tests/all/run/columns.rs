//! Designs that store some of the columns, through the program: what they are asked, and what is refused.

use crate::support::{Bench, READINGS, WORKLOAD, of_kind};

const RUN: [&str; 6] = ["run", "w.toml", "--rounds", "2", "--out", "out"];

/// The workload with a question that the key alone answers.
fn bench() -> Bench {
    let scale = "[scale]\nrows = 1000";
    assert!(WORKLOAD.contains(scale));
    let count = "[[queries]]\nname = \"count\"\nsql = \"SELECT series, count(*) AS n FROM readings GROUP BY series \
                 ORDER BY series\"\n\n";
    Bench::new(
        &WORKLOAD.replace(scale, &format!("{count}{scale}")),
        READINGS,
    )
}

#[test]
fn each_design_is_measured_in_each_number_of_columns() {
    let bench = bench();
    let chosen = [
        "--designs",
        "parquet?codec=zstd,local/columnar",
        "--columns",
        "2,3",
    ];
    let dry = [&RUN[..], &chosen, &["--dry-run"]].concat();
    let not_asked =
        "by_series is not asked of local/columnar?columns=2, since it needs the column value";
    bench.bakeoff(&dry).expect(0).says(not_asked);
    assert!(!bench.path("out").exists());

    let ended = bench.bakeoff(&[&RUN[..], &chosen].concat()).expect(0);
    let told: Vec<&str> = ended.stdout.split_whitespace().collect();
    let note = "all is not asked of parquet?codec=zstd&columns=2 and local/columnar?columns=2, since it needs the \
                column value";
    assert!(told.join(" ").contains(note), "{}", ended.stdout);
    let records = bench.journal("out");
    let ids: Vec<_> = { records[0]["designs"].as_array().unwrap().iter() }
        .map(|design| {
            (
                design["id"].as_str().unwrap(),
                design["role"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        ids,
        [
            ("parquet?codec=zstd&columns=2", "some-columns"),
            ("parquet?codec=zstd", "store"),
            ("local/columnar?columns=2", "some-columns"),
            ("local/columnar", "store"),
        ]
    );
    let answered: Vec<_> = of_kind(&records, "answered").collect();
    for record in &answered {
        assert_eq!(record["outcome"]["outcome"], "right", "{record}");
    }
    let of = |design: &str| -> Vec<&str> {
        let own = answered.iter().filter(|record| record["design"] == design);
        let mut queries: Vec<&str> = own
            .map(|record| record["query"].as_str().unwrap())
            .collect();
        queries.sort_unstable();
        queries
    };
    assert_eq!(of("local/columnar?columns=2"), ["count"]);
    assert_eq!(of("parquet?codec=zstd&columns=2"), ["count"]);
    assert_eq!(of("local/columnar"), ["all", "by_series", "count"]);
}

#[test]
fn what_has_no_such_table_is_refused_before_a_folder_is_made() {
    let bench = bench();
    for (designs, columns, words) in [
        ("parquet", "1", "columns=1 is less than the 2 of the key"),
        ("parquet", "2,4", "--columns 4: the table has 3 columns"),
        (
            "parquet?columns=4",
            "",
            "columns=4 is not less than the 3 of the table",
        ),
        ("parquet", "2,2", "--columns has 2 twice"),
        ("parquet", "two", "not a number of columns such as 5"),
        (
            "memory",
            "2",
            "design memory?columns=2: this layout always stores all columns of the table",
        ),
        (
            "parquet?columns=2",
            "2",
            "says itself how many columns it stores",
        ),
    ] {
        let chosen = ["--designs", designs, "--columns", columns];
        let given = if columns.is_empty() { 2 } else { 4 };
        let chosen = &chosen[..given];
        let ended = bench.bakeoff(&[&RUN[..], chosen].concat());
        ended.expect(2).says(words);
        assert!(!bench.path("out").exists());
    }
    let none = Bench::new(WORKLOAD, READINGS);
    let chosen = ["--designs", "parquet?columns=2"];
    let ended = none.bakeoff(&[&RUN[..], &chosen].concat());
    ended
        .expect(2)
        .says("no query can be answered from these columns (series, time)");
}

#[test]
fn a_run_without_a_table_of_all_columns_says_before_and_after_that_none_is_a_choice() {
    let bench = bench();
    let run = |more: &[&str]| {
        let chosen = ["--designs", "parquet", "--columns", "2"];
        bench.bakeoff(&[&RUN[..], &chosen, more].concat()).expect(0)
    };
    let warning = "warning: no design stores all 3 columns of the table, so that none can be recommended: add 3 to \
                   --columns";
    let dry = run(&["--dry-run"]);
    assert!(dry.stderr.contains(warning), "{}", dry.stderr);
    let ended = run(&[]);
    assert!(ended.stderr.contains(warning), "{}", ended.stderr);
    ended.says("Verdict\nNo design can be recommended: all are yardsticks");
}
