//! `bakeoff init`: messy files become workloads that are accepted as they are, or say what to mend.

use crate::support::{Bench, READINGS, WORKLOAD, of_kind};

fn bench(file: &str, text: &str) -> Bench {
    let bench = Bench::new(WORKLOAD, READINGS);
    std::fs::write(bench.path(file), text).unwrap();
    bench
}

/// Readings with words for null, a row without its key, a date without signs, and headers with spaces.
fn flights() -> String {
    let mut text = "Airport Name,Flight Date,Cost: Total $,Speed\n".to_owned();
    for row in 0..300 {
        let airport = ["north", "south", "east"][row % 3];
        let (month, day) = (1 + row / 3 / 28, 1 + row / 3 % 28);
        let speed = if row % 10 == 0 {
            "NA".to_owned()
        } else {
            row.to_string()
        };
        text.push_str(&format!(
            "{airport},1990{month:02}{day:02},{row}.5,{speed}\n"
        ));
    }
    text + ",19910101,1.5,3\n"
}

#[test]
fn a_messy_file_is_measured_by_the_workload_that_init_writes() {
    let bench = bench("flights.csv", &flights());
    let init = bench
        .bakeoff(&["init", "flights.csv", "--out", "f.toml"])
        .expect(0);
    init.says("301 rows, 4 columns, key (airport_name, flight_date)")
        .says("note: 1 row does not fit or lacks its key; it is set aside")
        .says("next: bakeoff run f.toml --dry-run");
    let local = [
        "--designs",
        "parquet,local/columnar,memory",
        "--rounds",
        "3",
    ];
    let run = ["run", "f.toml", "--rows", "10000", "--out", "out"];
    bench
        .bakeoff(&[&run[..], &["--dry-run"]].concat())
        .expect(0)
        .says("timescale/hypertable?chunk=");
    assert!(!bench.path("out").exists(), "a dry run touches nothing");
    let ended = bench.bakeoff(&[&run[..], &local].concat()).expect(0);
    ended.says("1 of 301 rows cannot be read or lack their key (line 302: column `airport_name`");
    let records = bench.journal("out");
    assert!(of_kind(&records, "answered").count() >= 9);
    for record in of_kind(&records, "answered") {
        assert_eq!(record["outcome"]["outcome"], "right", "{record}");
    }
    let bad = std::fs::read_to_string(bench.path("out/bad-rows.csv")).unwrap();
    let lines: Vec<&str> = bad.lines().collect();
    assert_eq!(
        lines[0],
        "line,reason,Airport Name,Flight Date,Cost: Total $,Speed"
    );
    assert!(
        lines[1].starts_with("302,") && lines[1].ends_with(",,19910101,1.5,3"),
        "{bad}"
    );
    assert_eq!(lines.len(), 2);
}

#[test]
fn what_init_writes_is_accepted_for_files_of_every_kind() {
    let wide: Vec<String> = (0..10_000).map(|number| format!("c{number}")).collect();
    let wide = format!("{}\n{}\n", wide.join(","), vec!["1"; 10_000].join(","));
    for (file, text) in [
        (
            "na.csv",
            "name,time,value\na,2024-01-01,NA\na,2024-01-02,1.5\n",
        ),
        (
            "backslash.csv",
            "name,time,value\na,2024-01-01,\\N\na,2024-01-02,1\n",
        ),
        (
            "dash.csv",
            "name,time,value\na,2024-01-01,-\na,2024-01-02,1\n",
        ),
        (
            "quoted.csv",
            "name,time,note\na,2024-01-01,\"x\ny, z\"\nb,2024-01-01,\"\"\"\"\n",
        ),
        (
            "semi.csv",
            "name;time;value\na;2024-01-01;1,5\nb;2024-01-01;2,5\n",
        ),
        (
            "headless.csv",
            "a,2024-01-01 03:04,1\na,2024-01-02 03:04,2\n",
        ),
        (
            "spaces.csv",
            "My Name,The Time,order\na,2024-01-01,1\na,2024-01-02,2\n",
        ),
        ("untimed.csv", "id,size\n1,5\n2,5\n3,6\n"),
        (
            "zones.csv",
            "name,time\na,2024-01-01T00:00:00Z\na,2024-01-01T01:00:00+02:00\n",
        ),
        ("one.csv", "name,time,value\na,2024-01-01,1\n"),
        ("series.csv", "time,value\n2024-01-01,1.5\n2024-01-02,2.5\n"),
        ("gap.csv", "name,time,gap\na,2024-01-01,\na,2024-01-02,\n"),
        (
            "mark.csv",
            "\u{feff}name,time\r\na,2024-01-01\r\na,2024-01-02\r\n",
        ),
        (
            "days.csv",
            "name,day,value\na,03/29/1958,1\na,03/30/1958,2\n",
        ),
        (
            "epoch.csv",
            "name,ts,value\na,1700000000,1\na,1700000060,2\n",
        ),
        ("counts.csv", "n,time\na,2024-01-01\na,2024-01-02\n"),
        (
            "blank.csv",
            "name,time,value\na,2024-01-01,  \na,2024-01-02,1\n",
        ),
        ("parts.csv", "name,ts\na,1700000000000.5\na,1700000060000\n"),
        ("wide.csv", wide.as_str()),
        (
            "lines.jsonl",
            "{\"name\":\"a\",\"time\":\"2024-01-01\",\"x\":{}}\n{\"name\":\"a\",\"time\":\"2024-01-02\"}\n",
        ),
        (
            "title.csv",
            "Station 7,,\nname,time,value\na,2024-01-01,1\na,2024-01-02,2\n",
        ),
        (
            "sprint.csv",
            "Name, Country, Time\n\"Bolt\", \"JAM, KGN\", 9.58\n\"Gay\", \"USA\", 9.69\n",
        ),
        (
            "words.dat",
            "name time        value\na    2024-01-01  1\na    2024-01-02 12\n",
        ),
    ] {
        let bench = bench(file, text);
        bench
            .bakeoff(&["init", file, "--out", "new.toml"])
            .expect(0);
        let run = ["run", "new.toml", "--rows", "10000", "--dry-run"];
        bench.bakeoff(&run).expect(0).says("Nothing is touched");
    }
}

#[test]
fn mistakes_name_the_option_or_what_to_mend() {
    let text = "name,time,value\na,2024-01-01,1\na,2024-01-02,2\n";
    for (arguments, code, words) in [
        (
            vec!["init", "x.csv", "--time", "tyme"],
            2,
            "--time tyme: the file has no such column",
        ),
        (
            vec!["init", "x.csv", "--key", "nam"],
            2,
            "did you mean `name`?",
        ),
        (
            vec!["init", "x.csv", "--question", "SELECT nothing FROM x"],
            2,
            "nothing",
        ),
        (vec!["init", "y.csv"], 1, "y.csv"),
        (
            vec!["init", "x.csv", "--delimiter", "xx"],
            2,
            "cannot separate fields",
        ),
        (
            vec!["init", "x.csv", "--out", "w.toml"],
            1,
            "already exists",
        ),
        (
            vec!["init", "x.csv", "--out", "nodir/x.toml"],
            1,
            "cannot write nodir/x.toml: there is no folder nodir",
        ),
    ] {
        let bench = bench("x.csv", text);
        bench.bakeoff(&arguments).expect(code).says(words);
    }
    let many = ["init", "x.csv", "--skip-lines", "5"];
    bench("x.csv", text)
        .bakeoff(&many)
        .expect(1)
        .says("it has only 3 of the 5 lines that are skipped");
    for (option, value, words) in [
        ("--zone", "Berlin", "`Berlin` is no time zone"),
        ("--decimal", ";", "`;` is before no decimals"),
    ] {
        let wrong = ["init", "x.csv", option, value];
        bench("x.csv", text).bakeoff(&wrong).expect(2).says(words);
    }
    let both = ["init", "x.csv", "--header", "--no-header"];
    bench("x.csv", text)
        .bakeoff(&both)
        .expect(2)
        .says("cannot be used with");
    let twice = bench("x.csv", "value,Value\n1,2\n");
    let ended = twice.bakeoff(&["init", "x.csv"]).expect(1);
    ended.says("columns 1 and 2 are both called `value`");
    let unnamed = bench("x.csv", "a,b\nx,y\nx,y\n");
    unnamed
        .bakeoff(&["init", "x.csv"])
        .expect(1)
        .says("--key COLUMN");
}

#[test]
fn questions_of_a_file_are_asked_of_the_table_by_the_name_that_they_give_it() {
    let bench = bench("x.csv", "name,time,value\na,2024-01-01,1\na,2024-01-02,2\n");
    let questions = "-- name: Highest Value\nSELECT max(value) AS m FROM Readings;\n\
                     SELECT count(*) AS n FROM readings";
    std::fs::write(bench.path("q.sql"), questions).unwrap();
    let init = ["init", "x.csv", "--questions", "q.sql", "--out", "new.toml"];
    bench.bakeoff(&init).expect(0);
    let text = std::fs::read_to_string(bench.path("new.toml")).unwrap();
    for words in [
        "name = \"readings\"",
        "name = \"highest_value\"",
        "name = \"question_2\"",
    ] {
        assert!(text.contains(words), "`{words}` is not in {text}");
    }
    let run = ["run", "new.toml", "--rows", "2", "--dry-run"];
    bench.bakeoff(&run).expect(0).says("highest_value: SELECT");
    std::fs::write(bench.path("q.sql"), "SELECT max(speed) AS m FROM readings").unwrap();
    let init = ["init", "x.csv", "--questions", "q.sql"];
    let ended = bench.bakeoff(&init).expect(2);
    ended.says("--questions q.sql: query question_1: there is no column `speed`");
    assert!(!ended.stderr.contains(".toml"), "{}", ended.stderr);
}

#[test]
fn a_folder_of_lines_of_json_is_measured() {
    let bench = bench("x.csv", "");
    std::fs::create_dir(bench.path("days")).unwrap();
    for day in 1..4 {
        let line = |row: usize| {
            let (room, hour) = (["a", "b"][row % 2], row / 2);
            let time = format!("2024-01-{day:02}T{hour:02}:00:00Z");
            format!("{{\"room\":\"{room}\",\"time\":\"{time}\",\"heat\":{row}.5,\"tags\":[]}}\n")
        };
        let lines: String = (0..24).map(line).collect();
        let name = format!("days/{day}.jsonl");
        std::fs::write(bench.path(&name), lines + "broken\n").unwrap();
    }
    let init = bench.bakeoff(&["init", "days", "--out", "days.toml"]);
    init.expect(0)
        .says("days: 75 rows, 3 columns, key (room, time)")
        .says("note: left out: `tags`, which is a list in line 1")
        .says("at most 3 rows do not fit");
    let run = [
        "run",
        "days.toml",
        "--out",
        "out",
        "--designs",
        "parquet,memory",
    ];
    let ended = bench.bakeoff(&[&run[..], &["--rounds", "3"]].concat());
    ended
        .expect(0)
        .says("3 of 75 rows cannot be read")
        .says("1.jsonl, line 25: not a JSON object");
    std::fs::write(bench.path("days/4.csv"), "room,time\n").unwrap();
    let mixed = bench.bakeoff(&["init", "days"]);
    mixed
        .expect(1)
        .says("4.csv: it is another kind of file than");
}

#[test]
fn columns_without_names_are_left_out_and_told() {
    let text = "name,time,value,,\na,2024-01-01,1,x,y\na,2024-01-02,2,x,y\n";
    let bench = bench("x.csv", text);
    let init = bench.bakeoff(&["init", "x.csv", "--out", "new.toml"]);
    init.expect(0)
        .says("2 rows, 3 columns")
        .says("note: left out: column 4, which has no name")
        .says("note: left out: column 5, which has no name");
    // The next command can be pasted into a shell.
    bench
        .bakeoff(&["init", "x.csv", "--out", "it's new.toml"])
        .expect(0)
        .says("wrote it's new.toml; next: bakeoff run 'it'\\''s new.toml' --dry-run");
}

#[test]
fn without_out_the_workload_goes_to_the_standard_output() {
    let bench = bench("x.csv", "name,time,value\na,2024-01-01,-\na,2024-01-02,2\n");
    let shown = bench
        .bakeoff(&["init", "x.csv", "--null", "-,none"])
        .expect(0);
    assert!(
        shown.stdout.starts_with("# Rows of x.csv"),
        "{}",
        shown.stdout
    );
    assert!(shown.stdout.contains("null = [\"-\"]"), "{}", shown.stdout);
    let asked = [
        "init",
        "x.csv",
        "--question",
        "SELECT max(time) AS newest FROM x",
    ];
    let shown = bench.bakeoff(&asked).expect(0);
    assert_eq!(shown.stdout.matches("[[queries]]").count(), 1);
}

#[test]
fn too_many_bad_rows_are_refused_before_anything_is_written() {
    let bad = format!("{READINGS},2024-01-01T00:00:00,1\n");
    let allowed = WORKLOAD.replace(
        "file = \"readings.csv\"",
        "file = \"readings.csv\"\nbad_rows = \"5%\"",
    );
    let bench = Bench::new(&allowed, &bad);
    let run = ["run", "w.toml", "--rounds", "3", "--out", "out"];
    let ended = bench.bakeoff(&run).expect(1);
    ended
        .says("1 of 5 rows cannot be read")
        .says("line 6: column `series`: no value");
    assert!(!bench.path("out").exists());
}

#[test]
fn a_sample_grows_as_words_say_without_a_workload_being_edited() {
    let rows = |day: usize| format!("a,2024-01-{day:02},{day}\nb,2024-01-{day:02},-{day}\n");
    let rows: String = (1..=10).map(rows).collect();
    let bench = bench("x.csv", &format!("sensor,time,value\n{rows}"));
    let init =
        |words: &str, out: &str| bench.bakeoff(&["init", "x.csv", "--grow", words, "--out", out]);
    for (words, rows, shown, series) in [
        ("100 days", 200, "200", "in the file\n"),
        ("sensors x50", 1_000, "1,000", "50 times as many `sensor`"),
        ("5 sensors", 50, "50", "5 different `sensor`"),
        (
            "20 sensors for 15 days",
            300,
            "300",
            "20 different `sensor`",
        ),
    ] {
        let out = format!("{rows}.toml");
        let told = format!("`{words}` makes {shown} rows of the 20 in the file");
        init(words, &out).expect(0).says(&told).says(series);
        let text = std::fs::read_to_string(bench.path(&out)).unwrap();
        let full = format!("full_rows = {rows} # that there will be");
        assert!(text.contains(&full), "{text}");
        let run = ["run", &out, "--dry-run"];
        bench.bakeoff(&run).expect(0);
        let generate = ["generate", &out, "--rows", "all"];
        let rows_of_it = bench.bakeoff(&generate).expect(0).stdout;
        assert_eq!(rows_of_it.lines().count(), rows + 1);
    }
    for (words, told) in [
        (
            "20 senors",
            "--grow: `20 senors` does not say how far the sample grows: `senors` is not known",
        ),
        (
            "two days",
            "--grow two days: the sample of table x is to grow to",
        ),
    ] {
        init(words, "none.toml").expect(2).says(told);
        assert!(!bench.path("none.toml").exists());
    }
    std::fs::write(
        bench.path("s.sql"),
        "CREATE TABLE x (sensor text, time timestamp, PRIMARY KEY (sensor, time))",
    )
    .unwrap();
    bench
        .bakeoff(&["init", "s.sql", "--grow", "three years"])
        .expect(2)
        .says("--grow is for a sample of rows");
    bench
        .bakeoff(&["decide", "w.toml", "--grow", "three years"])
        .expect(2)
        .says("--grow is for a data file, and w.toml is a workload");
}
