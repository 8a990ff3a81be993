//! `bakeoff init`: workloads of files in unusual forms are measured as they were written.

use crate::support::{Bench, READINGS, WORKLOAD, of_kind};

/// Measures a workload in designs without a server, and checks that all answers are right.
#[track_caller]
fn measure(bench: &Bench, workload: &str) {
    let out = workload.trim_end_matches(".toml");
    let designs = "parquet,local/columnar,memory";
    let run = ["run", workload, "--designs", designs, "--rounds", "3"];
    bench
        .bakeoff(&[&run[..], &["--out", out]].concat())
        .expect(0);
    let records = bench.journal(out);
    assert!(of_kind(&records, "answered").count() >= 9);
    for record in of_kind(&records, "answered") {
        assert_eq!(record["outcome"]["outcome"], "right", "{record}");
    }
}

/// Returns the lines that `bakeoff generate` writes of a workload.
#[track_caller]
fn lines(bench: &Bench, workload: &str) -> Vec<String> {
    let generate = ["generate", workload, "--rows", "all"];
    let rows = bench.bakeoff(&generate).expect(0).stdout;
    rows.lines().map(str::to_owned).collect()
}

fn bench(text: &str) -> Bench {
    let bench = Bench::new(WORKLOAD, READINGS);
    std::fs::write(bench.path("x.csv"), text).unwrap();
    bench
}

#[test]
fn a_file_of_one_series_is_measured() {
    let mut text = "time,value\n".to_owned();
    for row in 0..400 {
        let (day, hour) = (1 + row / 24, row % 24);
        text.push_str(&format!("2024-01-{day:02}T{hour:02}:00:00Z,{row}.5\n"));
    }
    let bench = bench(&text);
    let init = bench.bakeoff(&["init", "x.csv", "--out", "x.toml"]);
    init.expect(0)
        .says("400 rows, 2 columns, key (series, time)")
        .says("all are one series, and column `series` with `all` in every row is added")
        .says("say --key COLUMN");
    let written = std::fs::read_to_string(bench.path("x.toml")).unwrap();
    let design = "\"cassandra/wide?bucket=365d\"";
    assert!(written.contains(design), "{written}");
    let dry_run = ["run", "x.toml", "--rows", "10000", "--dry-run"];
    bench.bakeoff(&dry_run).expect(0).says("Nothing is touched");
    measure(&bench, "x.toml");
    let rows = lines(&bench, "x.toml");
    assert_eq!((rows.len(), rows[0].as_str()), (401, "series,time,value"));
    assert_eq!(rows[1], "all,2024-01-01T00:00:00Z,0.5");
}

#[test]
fn a_file_with_two_lines_between_names_and_rows_is_measured() {
    let mut text = "Name,Vac,Pso,Paco,CEC_hybrid\n".to_owned();
    text.push_str("Units,V,W,W,\n[0],inv_snl_ac_voltage,inv_snl_pso,inv_snl_paco,inv_cec_hybrid\n");
    for row in 0..60 {
        let (maker, vac) = (["ABB", "SMA"][row % 2], [208, 240][row / 2 % 2]);
        text.push_str(&format!(
            "{maker}: MICRO-{row} [{vac}V],{vac},{row}.25,{},N\n",
            250 + row
        ));
    }
    let bench = bench(&text);
    let init = bench.bakeoff(&["init", "x.csv", "--out", "x.toml"]);
    init.expect(0)
        .says("60 rows, 5 columns, key (name)")
        .says("note: the 2 lines after the one that names the columns are skipped");
    measure(&bench, "x.toml");
    let rows = lines(&bench, "x.toml");
    assert_eq!(rows.len(), 61);
    assert_eq!(rows[1], "ABB: MICRO-0 [208V],208,0.25,250,N");
}

#[test]
fn numbers_with_signs_are_measured_as_numbers() {
    let mut text = "time,room,share,price\n".to_owned();
    for row in 0..300 {
        let (room, hour, minute) = (["a", "b"][row % 2], row / 120, row / 2 % 60);
        text.push_str(&format!(
            "2024-01-01T{hour:02}:{minute:02}:00Z,{room},{}%,\"$1,{row:03}.50\"\n",
            row % 100
        ));
    }
    let bench = bench(&text);
    let init = bench.bakeoff(&["init", "x.csv", "--out", "x.toml"]);
    init.expect(0).says("key (room, time)");
    let written = std::fs::read_to_string(bench.path("x.toml")).unwrap();
    let signs = "[data.signs]\nshare = \"%\"\nprice = \"$,\"\n";
    assert!(written.contains(signs), "{written}");
    measure(&bench, "x.toml");
    let rows = lines(&bench, "x.toml");
    assert_eq!(rows[2], "2024-01-01T00:00:00Z,b,1,1001.5");
}

#[test]
fn times_in_two_columns_are_measured_as_one_and_their_bad_rows_are_set_aside() {
    let mut text = "Date;Time;CO\n".to_owned();
    for row in 0..400 {
        let (day, hour) = (10 + row / 24, row % 24);
        text.push_str(&format!("{day}/03/2004;{hour:02}.00.00;{row}\n"));
    }
    text.push_str("27/03/2004;;1\n27/03/2004;24.00.00;2\n");
    let bench = bench(&text);
    let init = bench.bakeoff(&["init", "x.csv", "--out", "x.toml"]);
    init.expect(0)
        .says("key (series, date_time)")
        .says("`Date` and `Time` together are the time `date_time`");
    measure(&bench, "x.toml");
    let rows = lines(&bench, "x.toml");
    assert_eq!(rows[1], "all,2004-03-10T00:00:00Z,0");
    assert_eq!(rows.len(), 402);
    assert_eq!(rows[401], "all,2004-03-28T00:00:00Z,2");
}

#[test]
fn times_without_a_year_are_measured_as_text_and_with_their_year_as_times() {
    let mut text = "date,delay,origin,destination\n".to_owned();
    for row in 0..300 {
        let (day, minute) = (1 + row / 60, row / 3 % 60);
        let (origin, destination) = (["a", "b", "c"][row % 3], ["x", "y"][row % 2]);
        text.push_str(&format!(
            "01{day:02}00{minute:02},{row},{origin},{destination}\n"
        ));
    }
    let bench = bench(&text);
    let as_text = bench.bakeoff(&["init", "x.csv", "--out", "text.toml"]);
    as_text
        .expect(0)
        .says("key (origin, date)")
        .says("note: column `date`: month, day, hour and minute without a year");
    let format = ["--time-format", "date=%m%d%H%M of 2001"];
    let init = ["init", "x.csv", "--out", "times.toml"];
    let as_times = bench.bakeoff(&[&init[..], &format].concat());
    as_times.expect(0).says("key (origin, date)");
    for (workload, first) in [
        ("text.toml", "01010000,0,a,x"),
        ("times.toml", "2001-01-01T00:00:00Z,0,a,x"),
    ] {
        measure(&bench, workload);
        assert_eq!(lines(&bench, workload)[1], first);
    }
    for (format, words) in [
        ("date", "it is a column and a form"),
        ("date=%H:%M", "does not say a year"),
        ("delay=%m%d of 2001", "values have this form"),
    ] {
        let mistaken = bench.bakeoff(&["init", "x.csv", "--time-format", format]);
        mistaken.expect(2).says(words);
    }
}

#[test]
fn a_file_with_decimal_commas_is_measured() {
    let mut text = "Station;Zeit;Temperatur;Energie\n".to_owned();
    for row in 0..400 {
        let station = ["Nord", "West"][row % 2];
        let (day, hour) = (1 + row / 2 / 24, row / 2 % 24);
        text.push_str(&format!(
            "{station};{day:02}.01.2024 {hour:02}:00;{},5;1.{row:03},25\n",
            row / 10
        ));
    }
    let bench = bench(&text);
    let init = ["init", "x.csv", "--out", "x.toml"];
    bench
        .bakeoff(&init)
        .expect(0)
        .says("note: the numbers of this file have a decimal comma, as `0,5` of `temperatur` in line 2 has one");
    let workload = std::fs::read_to_string(bench.path("x.toml")).unwrap();
    assert!(workload.contains("decimal = \",\""), "{workload}");
    let lines = lines(&bench, "x.toml");
    assert_eq!(lines.len(), 401);
    assert!(lines[400].ends_with(",39.5,1399.25"), "{}", lines[400]);
    measure(&bench, "x.toml");
    let text = ["init", "x.csv", "--decimal", "."];
    let ended = bench.bakeoff(&text).expect(0);
    assert!(
        ended.stdout.contains("temperatur = \"text\""),
        "{}",
        ended.stdout
    );
}

#[test]
fn a_file_with_times_of_a_zone_is_measured() {
    let mut text = "meter,time,energy\n".to_owned();
    for row in 0..400 {
        let (meter, day, hour) = (["a", "b"][row % 2], 20 + row / 2 / 24, row / 2 % 24);
        text.push_str(&format!("{meter},{day}.07.2024 {hour:02}:00,{row}.5\n"));
    }
    // Parquet would hold both rows of this key, and columnar tables the last one.
    text.push_str("a,20.07.2024 00:00,7.5\n");
    let bench = bench(&text);
    let init = [
        "init",
        "x.csv",
        "--zone",
        "Europe/Berlin",
        "--out",
        "x.toml",
    ];
    let told = "note: 1 of 401 rows has a key (meter, time) that an earlier row has: set aside (repeated_keys)";
    bench.bakeoff(&init).expect(0).says(told);
    let lines = lines(&bench, "x.toml");
    assert_eq!(lines.len(), 401);
    // In summer clocks there are two hours ahead of UTC.
    assert!(lines[1].contains("2024-07-19T22:00:00"), "{}", lines[1]);
    measure(&bench, "x.toml");
    let aside = std::fs::read_to_string(bench.path("x/bad-rows.csv")).unwrap();
    let reason = "402,its key is that of an earlier row,a,20.07.2024 00:00,7.5";
    assert_eq!(aside.lines().nth(1), Some(reason), "{aside}");
    assert_eq!(of_kind(&bench.journal("x"), "duplicate-keys").count(), 0);
}

#[test]
fn a_file_with_commas_before_each_three_digits_is_measured() {
    let mut text = "Z\u{e4}hler,time,visitors\n".to_owned();
    for row in 0..400 {
        let (place, day, hour) = (["n", "s"][row % 2], 1 + row / 2 / 24, row / 2 % 24);
        let visitors = match row {
            ..20 => row.to_string(),
            _ => format!("\"{row},{row:03}\""),
        };
        text.push_str(&format!(
            "{place},2024-01-{day:02} {hour:02}:00,{visitors}\n"
        ));
    }
    let bench = bench(&text);
    let init = ["init", "x.csv", "--out", "x.toml"];
    bench
        .bakeoff(&init)
        .expect(0)
        .says("400 rows, 3 columns, key (zahler, time)")
        .says("note: numbers of this file have commas before each three digits, as `20,020` of `visitors`");
    let workload = std::fs::read_to_string(bench.path("x.toml")).unwrap();
    assert!(workload.contains("thousands = \",\" # "), "{workload}");
    assert!(workload.contains("visitors = \"int\""), "{workload}");
    let lines = lines(&bench, "x.toml");
    assert_eq!(lines.len(), 401);
    assert!(lines[400].ends_with(",399399"), "{}", lines[400]);
    measure(&bench, "x.toml");
    let as_decimals = ["init", "x.csv", "--decimal", ","];
    let ended = bench.bakeoff(&as_decimals).expect(0);
    assert!(
        ended.stdout.contains("visitors = \"double\""),
        "{}",
        ended.stdout
    );
    for command in ["init", "decide"] {
        let same = [command, "x.csv", "--thousands", "."];
        bench
            .bakeoff(&same)
            .expect(2)
            .says("--thousands .: numbers have a decimal point, so that points");
    }
    let typed = ["init", "t.parquet", "--thousands", ","];
    std::fs::write(bench.path("t.parquet"), "PAR1").unwrap();
    bench
        .bakeoff(&typed)
        .expect(2)
        .says("--thousands and --zone are for files of text");
}
