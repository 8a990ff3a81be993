//! Tests bad workload files: every error has the position and what was probably meant.

use std::path::Path;

use bakeoff_workload::{ColumnType, Data, ParameterValues, Workload};

pub const GOOD: &str = r#"
title = "Test"
designs = ["cassandra/wide?bucket=1d", "memory"]
[table]
name = "t"
partition_key = ["Series"]
order_key = ["time"]
[table.columns]
Series = "text"
time = "timestamp"
value = "double"
[data]
file = "rows.csv"
[[queries]]
name = "q"
sql = "SELECT avg(value) FROM t WHERE series = ${s}"
parameters = { s = { column = "series" } }
[scale]
rows = 10
[published]
source = "someone"
times = [{ design = "wide", what = "q", figure = "1 s" }]
"#;

pub fn parse(text: &str) -> Result<Workload, String> {
    Workload::parse(text, Path::new("w/my-test.toml")).map_err(|error| error.to_string())
}

/// Returns the error after replacing `from` in the good file.
pub fn error(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "the good file has no {from}");
    parse(&GOOD.replacen(from, to, 1)).unwrap_err()
}

#[test]
fn a_good_file_is_read_with_names_in_lower_case_and_defaults() {
    let workload = parse(GOOD).unwrap();
    assert_eq!(workload.name, "my_test");
    assert_eq!(workload.seed, 1);
    let columns: Vec<_> = workload
        .table
        .columns
        .iter()
        .map(|c| (c.name.as_str(), c.kind))
        .collect();
    let expected = [
        ("series", ColumnType::Text),
        ("time", ColumnType::Timestamp),
        ("value", ColumnType::Double),
    ];
    assert_eq!(columns, expected);
    assert_eq!(workload.table.key().collect::<Vec<_>>(), ["series", "time"]);
    assert_eq!(workload.data, Data::Files(vec!["w/rows.csv".into()]));
    assert!(
        matches!(&workload.queries[0].parameters[0].values, ParameterValues::Column(c) if c == "series")
    );
    let scale = &workload.scale;
    assert_eq!(
        (scale.default_rows, scale.full_rows, scale.replication),
        (10, 10, 3)
    );
    assert_eq!((scale.users, scale.cores), (1, 1));
}

#[test]
fn unknown_keys_and_wrong_types() {
    assert_eq!(
        error("partition_key =", "partition_keys ="),
        "w/my-test.toml:6:1: unknown key `partition_keys`; did you mean `partition_key`?"
    );
    assert_eq!(
        error("rows = 10", "rows = \"10\""),
        "w/my-test.toml:19:8: expected a whole number, found string \"10\""
    );
    assert_eq!(
        error("rows = 10", "speed = 10"),
        "w/my-test.toml:19:1: unknown key `speed`; there are `rows`, `full_rows`, `replication`, `users`, `cores`, `questions_per_second`, `rows_per_second`, `grows`"
    );
    assert_eq!(
        error("[\"Series\"]", "\"Series\""),
        "w/my-test.toml:6:17: expected a list in brackets: [..], found string \"Series\""
    );
    assert_eq!(
        error("sql =", "sqll ="),
        "w/my-test.toml:16:1: unknown key `sqll`; did you mean `sql`?"
    );
    assert_eq!(
        error("name = \"q\"\n", ""),
        "w/my-test.toml:14:1: the key `name` is missing here"
    );
    assert_eq!(
        error("\"memory\"]", "\"memory\""),
        "w/my-test.toml:4:1: missing comma between array elements, expected `,`"
    );
}

#[test]
fn rates_of_production_are_above_nothing() {
    for (written, told) in [
        (
            "questions_per_second = 0",
            "`questions_per_second` is 0, but has to be above 0",
        ),
        (
            "rows_per_second = -2.5",
            "`rows_per_second` is -2.5, but has to be above 0",
        ),
        (
            "rows_per_second = inf",
            "`rows_per_second` is inf, but has to be above 0",
        ),
    ] {
        let found = error("rows = 10", written);
        assert!(found.ends_with(told), "{found}");
    }
}

#[test]
fn columns_and_keys() {
    assert_eq!(
        error("\"double\"", "\"real\""),
        "w/my-test.toml:11:9: unknown type `real`; did you mean `float`? Types are `boolean`, `int`, `bigint`, `float`, `double`, `text`, `uuid`, `timestamp`, `blob`"
    );
    assert_eq!(
        error("\"double\"", "\"money\""),
        "w/my-test.toml:11:9: unknown type `money`; there are `boolean`, `int`, `bigint`, `float`, `double`, `text`, `uuid`, `timestamp`, `blob`"
    );
    assert_eq!(
        error("[\"Series\"]", "[\"sereis\"]"),
        "w/my-test.toml:6:18: key column `sereis` is not in the table; did you mean `series`?"
    );
    assert_eq!(
        error("[\"Series\"]", "[]"),
        "w/my-test.toml:6:17: `partition_key` is empty; name the column that says which rows belong together"
    );
    assert_eq!(
        error("[\"time\"]", "[\"SERIES\"]"),
        "w/my-test.toml:7:14: column `series` is in the key twice"
    );
    assert_eq!(
        error("value =", "SERIES ="),
        "w/my-test.toml:11:1: column `series` appears twice (case is ignored)"
    );
    assert_eq!(
        error("value =", "\"my value\" ="),
        "w/my-test.toml:11:1: column name `my value` has to be a letter followed by letters, digits and _: \
         call it `my_value`, and say `my_value = \"my value\"` in [data.from] if a file has it"
    );
    assert!(
        error("value =", "time =").contains("duplicate key"),
        "{}",
        error("value =", "time =")
    );
}

#[test]
fn data() {
    let exactly_one = "w/my-test.toml:12:1: say where rows come from with exactly one of `generator = \"gdelt\"`, `file = \"rows.csv\"`, `files = [\"1979.zip\", \"1980.zip\"]` and `requires = \"--data\"`";
    assert_eq!(error("file = \"rows.csv\"", ""), exactly_one);
    assert_eq!(
        error("[data]\n", "[data]\ngenerator = \"gdelt\"\n"),
        exactly_one
    );
    assert_eq!(
        error("file = \"rows.csv\"", "generator = \"gdlet\""),
        "w/my-test.toml:13:13: unknown generator `gdlet`; did you mean `gdelt`?"
    );
    assert_eq!(
        error("file = \"rows.csv\"", "generator = \"sensor\"\nsensors = 0"),
        "w/my-test.toml:14:11: `sensors` is 0, but has to be from 1 to 2000000000"
    );
    assert_eq!(
        error("file = \"rows.csv\"", "generator = \"sensor\""),
        "w/my-test.toml:8:1: a generator brings its own columns; leave [table.columns] out"
    );
    assert_eq!(
        error("file = \"rows.csv\"", "requires = \"data\""),
        "w/my-test.toml:13:12: `requires` can only be \"--data\": the command line has to name a data file"
    );
}

#[test]
fn designs_scale_and_published() {
    assert!(
        error("\"memory\"", "\"/wide\"")
            .starts_with("w/my-test.toml:3:40: `/wide` is not a design id")
    );
    assert_eq!(
        error("\"memory\"", "\"cassandra/wide?bucket=1d\""),
        "w/my-test.toml:3:40: design `cassandra/wide?bucket=1d` is listed twice"
    );
    assert_eq!(
        error("rows = 10", "rows = -1"),
        "w/my-test.toml:19:8: `rows` is -1, but has to be at least 1"
    );
    assert_eq!(
        error("rows = 10", "replication = 0"),
        "w/my-test.toml:19:15: `replication` is 0, but has to be from 1 to 4294967295"
    );
    assert!(
        error("rows = 10", "rows = 10\nfull_rows = 9")
            .contains("20:13: `full_rows` is the whole workload")
    );
    assert_eq!(
        error("what = \"q\"", "what = \"laod\""),
        "w/my-test.toml:22:36: nothing here is measured under the name `laod`; did you mean `load`?"
    );
}

#[test]
fn a_generator_may_get_another_key() {
    let text = "title = \"x\"\n[data]\ngenerator = \"sensor\"\n[table]\npartition_key = [\"time\"]\n\
                order_key = [\"sensor_id\"]\n[[queries]]\nname = \"q\"\nsql = \"SELECT 1\"";
    let workload = parse(text).unwrap();
    assert_eq!(
        workload.table.key().collect::<Vec<_>>(),
        ["time", "sensor_id"]
    );
    let source = bakeoff_workload::source::open(&workload, None).unwrap();
    assert_eq!(source.schema(), workload.table.schema());
    assert!(!source.may_repeat_keys());
}

#[test]
fn a_place_in_the_sql_is_a_place_in_the_file() {
    let sql = "sql = \"SELECT avg(value) FROM t WHERE series = ${s}\"";
    let at = |text: &str, line, column| {
        let workload = parse(text).unwrap();
        workload
            .error_at(&workload.queries[0], line, column, "no")
            .to_string()
    };
    assert_eq!(at(GOOD, 1, 8), "w/my-test.toml:16:15: no");
    let several = GOOD.replace(
        sql,
        "sql = \"\"\"\nSELECT 1,\n  \\\"x\\\", y -- ${s}\n\"\"\"",
    );
    assert_eq!(at(&several, 1, 1), "w/my-test.toml:17:1: no");
    assert_eq!(at(&several, 2, 8), "w/my-test.toml:18:10: no");
}

#[test]
fn a_missing_file_is_named() {
    let error = Workload::read(Path::new("no/such.toml"))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("cannot read workload file no/such.toml: "),
        "{error}"
    );
}

#[test]
fn clients_that_ask_at_the_same_time_have_defaults_and_bounds() {
    let section = |keys: &str| GOOD.replace("[scale]", &format!("[concurrent]\n{keys}\n[scale]"));
    let plan = parse(&section("clients = 8")).unwrap().concurrent.unwrap();
    let seconds = plan.limit.as_secs();
    assert_eq!((plan.clients, plan.permutations, seconds), (8, 100, 10));
    assert_eq!(parse(GOOD).unwrap().concurrent, None);
    assert_eq!(
        parse(&section("clients = 0")).unwrap_err(),
        "w/my-test.toml:19:11: `clients` is 0, but has to be from 1 to 256"
    );
    let error = parse(&section("client = 4")).unwrap_err();
    assert!(error.contains("did you mean `clients`?"), "{error}");
    assert!(!plan.per_node && !plan.one_query_at_a_time);
}

#[test]
fn sets_of_parameters_are_given_for_all_queries_and_for_one() {
    let section = |keys: &str| GOOD.replace("[scale]", &format!("[concurrent]\n{keys}\n[scale]"));
    let all = parse(&section("parameter_sets = 1_000")).unwrap();
    assert_eq!(all.concurrent.unwrap().parameter_sets, Some(1_000));
    assert_eq!(all.queries[0].parameter_sets, None);
    let parameters = "parameters = { s = { column = \"series\" } }";
    let of_query = |sets: &str| {
        let with_sets = format!("{parameters}\nparameter_sets = {sets}");
        parse(&GOOD.replace(parameters, &with_sets))
    };
    assert_eq!(
        of_query("500").unwrap().queries[0].parameter_sets,
        Some(500)
    );
    let refused = of_query("0").unwrap_err();
    assert!(
        refused.ends_with("`parameter_sets` is 0, but has to be from 1 to 10000"),
        "{refused}"
    );
    let query = "[[queries]]\nname = \"plain\"\nsql = \"SELECT 1\"\nparameter_sets = 5\n[scale]";
    let refused = parse(&GOOD.replace("[scale]", query)).unwrap_err();
    assert!(refused.contains("has no parameters"), "{refused}");
}

#[test]
fn clients_are_given_per_node_or_in_all_and_may_ask_one_query_at_a_time() {
    let section = |keys: &str| GOOD.replace("[scale]", &format!("[concurrent]\n{keys}\n[scale]"));
    let keys = "clients_per_node = 3\none_query_at_a_time = true";
    let plan = parse(&section(keys)).unwrap().concurrent.unwrap();
    assert_eq!((plan.clients, plan.per_node), (3, true));
    assert!(plan.one_query_at_a_time);
    let both = parse(&section("clients = 4\nclients_per_node = 3")).unwrap_err();
    assert_eq!(
        both,
        "w/my-test.toml:20:20: `clients` are those of all nodes together, so that one of the two is \
         enough"
    );
    assert_eq!(
        parse(&section("clients_per_node = 257")).unwrap_err(),
        "w/my-test.toml:19:20: `clients_per_node` is 257, but has to be from 1 to 256"
    );
}
