//! Tests options of the generator from the command line.

use std::path::Path;

use bakeoff_workload::{Data, Generator, IotMeasurement, Workload, source};

const FILE: &str = "title = 'x'
[data]
generator = 'devops'
days = 1
[[queries]]
name = 'q'
sql = 'SELECT 1'
expect = { rows = 10, answer = [[1]] }
[scale]
rows = 864_000
full_rows = 10_000_000
";

fn parse(file: &str, settings: &[&str]) -> Result<Workload, String> {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    Workload::parse_with(file, Path::new("w/x.toml"), &settings).map_err(|e| e.to_string())
}

#[test]
fn options_replace_those_of_the_file_and_all_rows_are_the_default() {
    let workload = parse(FILE, &["hosts=4000", "days=3", "interval=10s"]).unwrap();
    let Data::Generator(generator) = &workload.data else {
        panic!("{:?}", workload.data);
    };
    assert_eq!(
        generator.to_string(),
        "devops: cpu of 4000 hosts every 10s for 3 days"
    );
    assert_eq!(workload.scale.default_rows, 103_680_000);
    assert_eq!(workload.scale.full_rows, 103_680_000);
    let small = parse(FILE, &["hosts=7", "measurement=mem"]).unwrap();
    assert_eq!(
        (small.scale.default_rows, small.scale.full_rows),
        (7 * 8640, 10_000_000)
    );
    assert_eq!(small.table.name, "mem");
}

#[test]
fn what_is_set_is_in_the_text_and_the_files_answers_are_not_expected() {
    let own = parse(FILE, &[]).unwrap();
    assert!(own.queries[0].expect.is_some());
    let set = parse(FILE, &["hosts=7"]).unwrap();
    assert!(set.queries[0].expect.is_none());
    assert_eq!(set.text, format!("{FILE}\n# --set hosts=7"));
    let error = set.error_at(&set.queries[0], 1, 8, "no").to_string();
    assert_eq!(error, "w/x.toml:7:15: no");
}

#[test]
fn an_answer_over_more_rows_than_a_generator_makes_is_never_right() {
    let all = "expect = { answer = [[1]] }";
    let first = |rows: u32| format!("expect = {{ rows = {rows}, answer = [[1]] }}");
    let with = |generator: &str, expect: &str| {
        let file = FILE.replace("generator = 'devops'\ndays = 1", generator);
        parse(&file.replace(&first(10), expect), &[])
    };
    let devops = "generator = 'devops'\nhosts = 2\ninterval = '12h'\ndays = 1";
    with(devops, all).unwrap();
    with(devops, &first(4)).unwrap();
    assert_eq!(
        with(devops, &first(5)).unwrap_err(),
        "w/x.toml:10:19: the generator makes 4 rows and no more"
    );
    with("generator = 'sensor'", &first(5)).unwrap();
    let endless = with("generator = 'sensor'", all).unwrap_err();
    assert!(
        endless.starts_with("w/x.toml:7:10: the generator makes rows without end"),
        "{endless}"
    );
}

/// Tests `iot`, whose rows may be lost, so that their number is not simply that of the readings.
#[test]
fn trucks_bring_as_many_rows_as_arrive() {
    let iot = FILE.replace("devops", "iot");
    let workload = parse(&iot, &["trucks=3", "measurement=diagnostics"]).unwrap();
    let source = source::open(&workload, None).unwrap();
    assert_eq!(Some(workload.scale.default_rows), source.known_rows());
    let is_diagnostics = |data: &Data| {
        matches!(data, Data::Generator(Generator::Iot { measurement, .. })
            if *measurement == IotMeasurement::Diagnostics)
    };
    assert!(is_diagnostics(&workload.data));
}

#[test]
fn a_generator_without_end_keeps_the_rows_of_the_file() {
    let endless = FILE.replace("days = 1\n", "");
    assert_eq!(
        parse(&endless, &["hosts=7"]).unwrap().scale.default_rows,
        864_000
    );
    let sensors = endless.replace("devops", "sensor");
    assert_eq!(
        parse(&sensors, &["sensors=7"]).unwrap().scale.default_rows,
        864_000
    );
}

#[test]
fn what_cannot_be_set_is_refused_by_its_flag() {
    for (settings, message) in [
        (
            &["hosts"][..],
            "--set hosts: write KEY=VALUE, for example --set hosts=4000",
        ),
        (
            &["hosts="],
            "--set hosts=: write KEY=VALUE, for example --set hosts=4000",
        ),
        (
            &["host=1"],
            "--set host=1: `host` cannot be set here; did you mean `hosts`?",
        ),
        (
            &["file=x.csv"],
            "--set file=x.csv: `file` cannot be set here; there are `days`, `hosts`, `interval`, \
             `measurement`, `sensors`, `trucks`",
        ),
        (
            &["days=2", "hosts=0"],
            "--set hosts=0: `hosts` is 0, but has to be from 1 to 1000000",
        ),
        (
            &["hosts=many"],
            "--set hosts=many: expected a whole number, found string \"many\"",
        ),
        (
            &["interval=5"],
            "--set interval=5: expected a string, found integer `5`",
        ),
        (
            &["measurement=gpu"],
            "--set measurement=gpu: unknown measurement `gpu`; did you mean `cpu`?",
        ),
        (
            &["trucks=9"],
            "--set trucks=9: `trucks` needs `generator = \"iot\"`",
        ),
    ] {
        assert_eq!(parse(FILE, settings).unwrap_err(), message);
    }
    let twice = parse(FILE, &["hosts=1", "hosts=2"]).unwrap_err();
    assert!(twice.starts_with("--set hosts=2: "), "{twice}");
}

#[test]
fn the_files_own_mistakes_keep_their_place() {
    let broken = FILE.replace("name = 'q'", "name = 'load'");
    let error = parse(&broken, &["hosts=7"]).unwrap_err();
    assert!(error.starts_with("w/x.toml:6:8: "), "{error}");
}
