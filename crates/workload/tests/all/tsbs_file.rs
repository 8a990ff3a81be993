//! Tests `generator = "devops"` and `"iot"` in workload files.

use std::path::Path;

use bakeoff_workload::{Data, Generator, Workload, source};

fn parse(data: &str) -> Result<Workload, String> {
    let text =
        format!("title = \"Test\"\n[[queries]]\nname = \"q\"\nsql = \"SELECT 1\"\n[data]\n{data}");
    Workload::parse(&text, Path::new("w.toml")).map_err(|error| error.to_string())
}

fn error(data: &str) -> String {
    parse(data).unwrap_err()
}

#[test]
fn defaults_are_100_sources_every_10_seconds_for_ever() {
    let said = |data: &str| match parse(data).unwrap().data {
        Data::Generator(generator) => generator.to_string(),
        other => format!("{other:?}"),
    };
    assert_eq!(
        said("generator = \"devops\""),
        "devops: cpu of 100 hosts every 10s"
    );
    assert_eq!(
        said("generator = \"iot\""),
        "iot: readings of 100 trucks every 10s"
    );
    assert_eq!(
        said("generator = \"devops\"\nhosts = 4000\ndays = 3\nmeasurement = \"redis\""),
        "devops: redis of 4000 hosts every 10s for 3 days"
    );
    assert_eq!(
        said("generator = \"iot\"\ntrucks = 1\ndays = 1\ninterval = \"500ms\""),
        "iot: readings of 1 trucks every 500ms for 1 day"
    );
    assert_eq!(Generator::Gdelt.to_string(), "gdelt");
}

#[test]
fn tables_are_kept_by_host_and_truck_and_may_get_another_key() {
    let table = parse("generator = \"devops\"").unwrap().table;
    assert_eq!(table.name, "cpu");
    assert_eq!(table.key().collect::<Vec<_>>(), ["hostname", "time"]);
    assert_eq!(table.columns.len(), 21);
    let table = parse("generator = \"iot\"\nmeasurement = \"diagnostics\"")
        .unwrap()
        .table;
    assert_eq!(table.name, "diagnostics");
    assert_eq!(table.key().collect::<Vec<_>>(), ["name", "time"]);

    let by_region = "generator = \"devops\"\n[table]\npartition_key = [\"region\", \"hostname\"]\norder_key = [\"time\"]";
    let by_region = parse(by_region).unwrap();
    let rows = source::open(&by_region, None).unwrap();
    assert_eq!(rows.schema(), by_region.table.schema());
    assert!(!rows.may_repeat_keys());
    assert_eq!(
        rows.read(0, 10)
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .rows
            .num_rows(),
        10
    );
    // Nearly one in a hundred rows lacks a tag, so these are no key.
    let by_fleet = "generator = \"iot\"\n[table]\npartition_key = [\"fleet\"]\norder_key = [\"name\", \"time\"]";
    let rows = source::open(&parse(by_fleet).unwrap(), None).unwrap();
    let failed = rows.read(0, 10_000).unwrap().next().unwrap();
    let message = failed.unwrap_err().to_string();
    assert!(
        message.contains("the table's key does not work"),
        "{message}"
    );
}

#[test]
fn impossible_options_are_refused_where_they_stand() {
    let devops = |options: &str| error(&format!("generator = \"devops\"\n{options}"));
    assert_eq!(
        devops("hosts = 0"),
        "w.toml:7:9: `hosts` is 0, but has to be from 1 to 1000000"
    );
    assert_eq!(
        devops("hosts = 5_000_000_000"),
        "w.toml:7:9: `hosts` is 5000000000, but has to be from 1 to 1000000"
    );
    assert_eq!(
        error("generator = \"iot\"\ntrucks = -1"),
        "w.toml:7:10: `trucks` is -1, but has to be from 1 to 1000000"
    );
    for interval in ["0s", "10us", "1ms 1us", "2days"] {
        assert_eq!(
            devops(&format!("interval = \"{interval}\"")),
            format!(
                "w.toml:7:12: `interval` is `{interval}`, but has to be whole milliseconds from 1ms to 1day"
            )
        );
    }
    assert!(
        devops("interval = \"soon\"")
            .starts_with("w.toml:7:12: `interval` is `soon`, which is not a duration"),
    );
    assert_eq!(
        devops("days = 0"),
        "w.toml:7:8: `days` is 0, but has to be from 1 to 2916096 until the year 9999 ends"
    );
    assert_eq!(
        devops("interval = \"1ms\"\ndays = 13_000"),
        "w.toml:8:8: `days` is 13000, but has to be from 1 to 12725 at this interval, of which there are 1099511627776"
    );
    assert_eq!(
        devops("measurement = \"postgres\""),
        "w.toml:7:15: unknown measurement `postgres`; did you mean `postgresl`?"
    );
    assert_eq!(
        error("generator = \"iot\"\nmeasurement = \"cpu\""),
        "w.toml:7:15: unknown measurement `cpu`; there are `readings`, `diagnostics`"
    );
}

#[test]
fn options_of_other_generators_are_refused() {
    assert_eq!(
        error("generator = \"iot\"\nhosts = 5"),
        "w.toml:7:9: `hosts` needs `generator = \"devops\"`"
    );
    assert_eq!(
        error("generator = \"sensor\"\ninterval = \"1s\""),
        "w.toml:7:12: `interval` needs `generator = \"devops\"` or `generator = \"iot\"`"
    );
    assert_eq!(
        error("file = \"x.csv\"\ndays = 5"),
        "w.toml:7:8: `days` needs `generator = \"devops\"` or `generator = \"iot\"`"
    );
    assert_eq!(
        error("generator = \"devops\"\nsensors = 5"),
        "w.toml:7:11: `sensors` needs `generator = \"sensor\"`"
    );
    assert_eq!(
        error("generator = \"devop\""),
        "w.toml:6:13: unknown generator `devop`; did you mean `devops`?"
    );
}
