//! Messages of ingest and table, and the exit code of what is named wrongly.

use crate::support::{Bench, READINGS, WORKLOAD};

const KEYS: [&str; 4] = ["--partition-key", "series", "--order-key", "time"];

fn with_file(name: &str, text: &str) -> Bench {
    let bench = Bench::new(WORKLOAD, READINGS);
    std::fs::write(bench.path(name), text).unwrap();
    bench
}

#[test]
fn a_file_with_another_separator_is_told_as_such() {
    for (name, text, message) in [
        (
            "semi.csv",
            "series;time;value\na;2024-01-01;1,5\n",
            "cannot read semi.csv: it has one column, `series;time;value`: it seems to be separated \
             by `;`; separate it by commas, or by tabs as .tsv",
        ),
        (
            "quoted.csv",
            "\"series\";\"time\"\n\"Smith; John\";2024-01-01\n",
            "separated by `;`",
        ),
        (
            "tabs.csv",
            "series\ttime\na\t2024-01-01\n",
            "separated by tabs; call it .tsv",
        ),
        (
            "commas.tsv",
            "series,time\na,2024-01-01\n",
            "separated by `,`; call it .csv",
        ),
    ] {
        let bench = with_file(name, text);
        let ingest = ["ingest", name, "--into", "dir:t"];
        bench
            .bakeoff(&[&ingest[..], &KEYS[..]].concat())
            .expect(1)
            .says(message);
        assert!(!bench.path("t").exists());
    }
    // One column is one, and other signs may be in its name and in names of several.
    for (name, text, key) in [
        ("one.csv", "k\nx\ny\n", "k"),
        ("odd.csv", "k,a;b\nx,1\n", "k"),
        ("bar.csv", "a|b\nx\n", "a|b"),
        ("quoted.csv", "\"name; first\"\n\"x; y\"\n", "name; first"),
    ] {
        let ingest = ["ingest", name, "--into", "dir:t", "--partition-key", key];
        with_file(name, text).bakeoff(&ingest).expect(0);
    }
}

#[test]
fn numbers_that_become_text_are_noted() {
    let bench = with_file(
        "words.csv",
        "series,time,value\na,2024-01-01T00:00:00,n/a\n",
    );
    let words = ["ingest", "words.csv", "--into", "dir:t"];
    bench.bakeoff(&[&words[..], &KEYS[..]].concat()).expect(0);
    let numbers = ["ingest", "readings.csv", "--into", "dir:t"];
    bench
        .bakeoff(&numbers)
        .expect(0)
        .says("note: kept as text, which is what they are in dir:t: value (double); text is compared as text");
    let again = bench.bakeoff(&words).expect(0);
    assert!(!again.stderr.contains("kept as text"), "{}", again.stderr);
}

#[test]
fn a_table_without_buckets_speaks_of_none() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let ingest = ["ingest", "readings.csv", "--into", "dir:t"];
    bench.bakeoff(&[&ingest[..], &KEYS[..]].concat()).expect(0);
    bench
        .bakeoff(&ingest)
        .expect(0)
        .says("note: 1 part of the table has chunks that overlap, which every read merges");
    let info = bench.bakeoff(&["table", "info", "dir:t"]).expect(0);
    info.says("of the table\n")
        .says("to be sealed   1 part: keys of its chunks overlap");
    bench
        .bakeoff(&["table", "seal", "dir:t"])
        .expect(0)
        .says("sealed the table: ");
    bench
        .bakeoff(&["table", "seal", "dir:t"])
        .expect(0)
        .says("sealed nothing: ");
}

#[test]
fn the_width_of_a_bucket_is_told_as_it_is_given() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let ingest = [
        "ingest",
        "readings.csv",
        "--into",
        "dir:t",
        "--bucket",
        "7d",
    ];
    let made = bench.bakeoff(&[&ingest[..], &KEYS[..]].concat()).expect(0);
    made.says("order key time, buckets of 7d\n");
    let other = [
        "ingest",
        "readings.csv",
        "--into",
        "dir:t",
        "--bucket",
        "1d",
    ];
    bench.bakeoff(&other).expect(2).says("its bucket is 7d:");
}

/// A name and a value that would set the terminal's title and colour.
#[test]
fn nothing_that_comes_from_outside_acts_on_the_terminal() {
    let head = "series,time,a\u{1b}]0;owned\u{7}\nx,2024-01-01T00:00:00,1\n";
    let bench = with_file("hostile.csv", head);
    let bad = format!("{head}x,2024-01-02T00:00:00,\u{1b}[31mred\n");
    std::fs::write(bench.path("bad.csv"), bad).unwrap();
    let title = WORKLOAD.replacen("title = \"", "title = \"\\u001b]0;owned\\u0007", 1);
    assert_ne!(title, WORKLOAD);
    std::fs::write(bench.path("t.toml"), title).unwrap();
    let ingest = |file| [&["ingest", file, "--into", "dir:t"][..], &KEYS[..]].concat();
    let made = bench.bakeoff(&ingest("hostile.csv")).expect(0);
    made.says("a\\u{1b}]0;owned\\u{7} bigint");
    let refused = bench.bakeoff(&ingest("bad.csv")).expect(1);
    refused.says("`\\u{1b}[31mred` is not a");
    let explain = ["sql", "EXPLAIN SELECT * FROM t", "--dir", "t"];
    let asked = bench.bakeoff(&explain).expect(0);
    let run = ["run", "t.toml", "--dry-run"];
    let planned = bench.bakeoff(&run).expect(0);
    for ended in [&made, &refused, &asked, &planned] {
        let all = format!("{}{}", ended.stdout, ended.stderr);
        assert!(!all.contains(['\u{1b}', '\u{7}']), "{all}");
    }
    asked.says("]0;owned");
}

#[test]
fn what_a_command_line_names_wrongly_is_its_mistake() {
    let bench = Bench::new(WORKLOAD, READINGS);
    std::fs::create_dir(bench.path("rows")).unwrap();
    for (name, text) in [
        ("bad.toml", "title = 5\n"),
        ("rows.txt", "room;value\nfern;5\n"),
        ("rows.parquet", "PAR1"),
        ("rows/one.csv", "room,value\nfern,5\n"),
        ("t.sql", "CREATE TABLE t (a int PRIMARY KEY);\n"),
    ] {
        std::fs::write(bench.path(name), text).unwrap();
    }
    for (arguments, message) in [
        (
            &["run", "w.toml", "--designs", "clickhouse"][..],
            "no engine is called",
        ),
        (
            &["run", "w.toml", "--designs", "parquet?codec=gzip"],
            "codec=gzip",
        ),
        (
            &["run", "w.toml", "--designs", "parqet"],
            "no engine is called `parqet`; did you mean `parquet`?",
        ),
        (
            &["run", "w.toml", "--designs", "parquet?compression=zstd"],
            "sort=time, partition=time",
        ),
        (
            &["run", "readings.csv"],
            "readings.csv is a file of rows, no workload: `bakeoff init readings.csv --out NEW.toml` writes one",
        ),
        (
            &["propose", "readings.csv"],
            "is a file of rows, no workload",
        ),
        (
            &["verify", "readings.csv"],
            "is a file of rows, no workload",
        ),
        (
            &["drive", "rows.txt"],
            "rows.txt is not TOML, and so not a workload",
        ),
        (
            &["sweep", "rows.txt"],
            "if it has rows: `bakeoff init rows.txt --out NEW.toml` writes one for it",
        ),
        (&["generate", "rows.parquet"], "is a file of rows"),
        (
            &["run", "t.sql"],
            "t.sql is a file of statements, no workload",
        ),
        (
            &["verify", "postgres://me:hunter2@db1/shop"],
            "`bakeoff init ADDRESS --out NEW.toml` writes one for it",
        ),
        (
            &["run", "rows"],
            "rows is a folder of data files, no workload",
        ),
        (&["init", "w.toml"], "w.toml is a workload already"),
        (&["run", "w.toml", "--prices", "none.toml"], "none.toml"),
        (&["run", "w.toml", "--prices", "bad.toml"], "bad.toml"),
        (
            &["run", "w.toml", "--postgres", "mysql://db"],
            "--postgres is not a URL",
        ),
        (
            &["sweep", "w.toml", "--designs", "clickhouse"],
            "no engine is called",
        ),
    ] {
        bench.bakeoff(arguments).expect(2).says(message);
    }
    assert!(!bench.path("runs").exists());
    let help = bench.bakeoff(&["--help"]).expect(0);
    help.says("2 the command line, or something it names,");
}

#[test]
fn drive_says_what_it_is_for() {
    let mix = "\n[mix]\n[[mix.operations]]\nname = \"read\"\naction = \"read-row\"\nweight = 100\n";
    let bench = Bench::new(&format!("{WORKLOAD}{mix}"), READINGS);
    let ended = bench
        .bakeoff(&["drive", "w.toml", "--design", "parquet"])
        .expect(2);
    ended.says(
        "design parquet: `bakeoff drive` is for Cassandra, PostgreSQL and TimescaleDB, and parquet has no point \
         operations",
    );
}
