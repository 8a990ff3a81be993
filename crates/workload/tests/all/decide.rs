//! `[decide]` and `[scale.grows]`: what they mean, and what is wrong with them.

use std::path::Path;

use bakeoff_workload::{Decide, LimitOf, Minimise, Workload};

const GOOD: &str = r#"
designs = ["cassandra/wide?bucket=1d", "parquet"]
[table]
name = "t"
partition_key = ["series"]
order_key = ["time"]
columns = { series = "text", time = "timestamp", value = "double" }
[data]
file = "rows.csv"
[[queries]]
name = "month"
sql = "SELECT avg(value) FROM t"
[[queries]]
name = "usa"
sql = "SELECT max(value) FROM t"
[[queries]]
name = "top"
sql = "SELECT min(value) FROM t"
[decide]
minimise = "month"
weights = { Month = 30, usa = 10 }
limits = ["month p99 < 50ms", "load > 20k rows/s", "storage < 1.5TiB", "usa <= 2s"]
same_within = "10%"
baseline = "cassandra/wide?bucket=1d"
[scale]
rows = 10
full_rows = 1200
[scale.grows]
series = 40
time = 3
[concurrent]
permutations = 1000
"#;

fn parse(text: &str) -> Result<Workload, String> {
    Workload::parse(text, Path::new("w/mine.toml")).map_err(|error| error.to_string())
}

/// The error after replacing `from` in the good file.
fn error(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "the good file has no {from}");
    parse(&GOOD.replacen(from, to, 1)).unwrap_err()
}

/// The good file without its rule and its axes.
fn without_a_rule() -> &'static str {
    GOOD.split_once("[decide]").unwrap().0
}

#[test]
fn a_rule_is_read_with_its_shares_and_limits() {
    let decide = parse(GOOD).unwrap().decide;
    assert!(decide.is_stated && decide.has_weights);
    assert_eq!(decide.minimise, Minimise::Month);
    assert_eq!(decide.weights, [0.75, 0.25, 0.0]);
    assert_eq!(decide.same_within, 0.1);
    let baseline = decide.baseline.map(|design| design.to_string());
    assert_eq!(baseline.as_deref(), Some("cassandra/wide?bucket=1d"));
    let bounds: Vec<f64> = decide.limits.iter().map(|limit| limit.bound).collect();
    assert_eq!(bounds, [0.05, 20_000.0, 1.5 * (1u64 << 40) as f64, 2.0]);
    let quantile = |limit: usize| match &decide.limits[limit].of {
        LimitOf::Query { name, quantile } => (name.clone(), *quantile),
        other => panic!("{other:?}"),
    };
    assert_eq!(quantile(0), ("month".to_owned(), Some(0.99)));
    assert_eq!(quantile(3), ("usa".to_owned(), None));
    assert_eq!(decide.limits[1].of, LimitOf::Load);
    assert_eq!(decide.limits[1].text, "load > 20k rows/s");
}

#[test]
fn without_a_rule_the_shortest_answers_win_and_all_queries_count_alike() {
    let workload = parse(without_a_rule()).unwrap();
    assert_eq!(workload.decide, Decide::unless_stated(3));
    assert!(!workload.decide.is_stated);
    assert_eq!(workload.decide.minimise, Minimise::Time);
    assert_eq!(workload.decide.weights, [1.0 / 3.0; 3]);
    assert_eq!(workload.decide.same_within, Decide::SAME_WITHIN);
    assert_eq!(workload.scale.grows, None);
}

#[test]
fn a_rule_may_leave_everything_out() {
    let decide = parse(&format!("{}[decide]\n", without_a_rule()))
        .unwrap()
        .decide;
    let expected = Decide {
        is_stated: true,
        ..Decide::unless_stated(3)
    };
    assert_eq!(decide, expected);
}

#[test]
fn objectives_that_there_are_not() {
    assert_eq!(
        error("minimise = \"month\"", "minimise = \"storag\""),
        "w/mine.toml:20:12: `storag` cannot be minimised; did you mean `storage`?"
    );
    assert_eq!(
        error("minimise = \"month\"", "minimise = \"joy\""),
        "w/mine.toml:20:12: `joy` cannot be minimised; there are `month`, `storage`, `time`, `load`"
    );
    assert_eq!(
        error("minimise", "minimize"),
        "w/mine.toml:20:1: unknown key `minimize`; did you mean `minimise`?"
    );
}

#[test]
fn weights_of_unknown_queries_and_weights_that_are_none() {
    assert_eq!(
        error("usa = 10", "uza = 10"),
        "w/mine.toml:21:25: there is no query `uza` to give a weight to; did you mean `usa`?"
    );
    assert_eq!(
        error("usa = 10", "everything = 10"),
        "w/mine.toml:21:25: there is no query `everything` to give a weight to; there are `month`, \
         `usa`, `top`"
    );
    assert_eq!(
        error("usa = 10", "usa = 0"),
        "w/mine.toml:21:31: the weight of `usa` is 0, but has to be above 0; leave the query out, \
         and it does not count"
    );
    assert!(error("usa = 10", "usa = -2.5").contains("the weight of `usa` is -2.5, but has to"));
    for no_number in ["nan", "inf"] {
        let message = error("usa = 10", &format!("usa = {no_number}"));
        assert!(message.contains("has to be above 0"), "{message}");
    }
    assert!(error("usa = 10", "MONTH = 10").contains("has a weight already"));
    assert!(error("{ Month = 30, usa = 10 }", "{}").contains("no query has a weight; write"));
    assert!(error("usa = 10", "usa = \"10\"").contains("expected"));
}

#[test]
fn limits_on_what_there_is_not() {
    assert_eq!(
        error("usa <= 2s", "uza <= 2s"),
        "w/mine.toml:22:73: `uza` is not measured, so it cannot have a limit; did you \
         mean `usa`?"
    );
    assert!(
        error("usa <= 2s", "happiness < 2s")
            .contains("cannot have a limit; there are `month`, `usa`, `top`, `storage`, `load`")
    );
}

#[test]
fn limits_that_are_none() {
    let form = "write a limit as `storage < 2TiB`, `load > 20k rows/s` or `QUERY < 50ms`";
    for none in ["usa", "", "usa = 2s", "< 2s", "usa <"] {
        let message = error("usa <= 2s", none);
        assert!(
            message.ends_with(&format!("is not a limit; {form}")),
            "{message}"
        );
    }
    assert!(error("usa <= 2s", "usa p99 fast < 2s").contains("`fast` is superfluous in the limit"));
    assert!(error("storage < 1.5TiB", "storage p99 < 2TiB").contains("`p99` is superfluous"));
}

#[test]
fn limits_with_wrong_units_quantiles_and_directions() {
    let cases = [
        (
            "usa <= 2s",
            "usa < 2",
            "`2` in the limit `usa < 2` has to be a time above 0 with its unit",
        ),
        ("usa <= 2s", "usa < 2GiB", "has to be a time above 0"),
        ("usa <= 2s", "usa < 0ms", "has to be a time above 0"),
        (
            "1.5TiB",
            "1.5TB",
            "`1.5TB` in the limit `storage < 1.5TB` has to be a size above 0 in B",
        ),
        ("1.5TiB", "-1TiB", "has to be a size above 0"),
        (
            "20k rows/s",
            "20k",
            "has to be a rate above 0 in rows/s: load > 20k rows/s",
        ),
        ("20k rows/s", "nan rows/s", "has to be a rate above 0"),
        (
            "month p99",
            "month p100",
            "`p100` in the limit `month p100 < 50ms` is not a quantile",
        ),
        ("month p99", "month max", "`max` in the limit"),
        (
            "storage <",
            "storage >",
            "the limit on `storage` is a maximum: storage < 1.5TiB",
        ),
        (
            "load >",
            "load <",
            "the limit on `load` is a minimum: load > 20k rows/s",
        ),
        (
            "usa <=",
            "usa >=",
            "the limit on `usa` is a maximum: usa < 2s",
        ),
        (
            "usa <= 2s",
            "month p99 < 20ms",
            "limits the same figure as `month p99 < 50ms`",
        ),
    ];
    for (from, to, expected) in cases {
        let message = error(from, to);
        assert!(message.starts_with("w/mine.toml:22:"), "{message}");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn quantiles_that_no_clients_show() {
    let start = "w/mine.toml:22:11: the limit `month p99 < 50ms` cannot be judged: ";
    let median = ", or limit the median, which is that of the rounds";
    assert_eq!(
        error("[concurrent]\npermutations = 1000\n", ""),
        format!(
            "{start}rounds are too few for a quantile, which is that of several clients; add \
             [concurrent] with permutations = 1000{median}"
        )
    );
    assert_eq!(
        error("permutations = 1000", "permutations = 999"),
        format!(
            "{start}it needs 1000 answers, and [concurrent] has 999 permutations, each with one; set \
             permutations = 1000{median}"
        )
    );
    let message = error("p99", "p99.99");
    let most = "it needs 100000 answers, and clients give at most 10000; limit a lower quantile";
    assert!(message.contains(most), "{message}");
}

#[test]
fn p50_is_the_median_and_needs_no_clients() {
    let limit = |statistic: &str| {
        let text = GOOD.replace("permutations = 1000", "clients = 2");
        let workload = parse(&text.replace("month p99", statistic)).unwrap();
        workload.decide.limits[0].of.clone()
    };
    for median in ["month p50", "month median", "month"] {
        let of = LimitOf::Query {
            name: "month".to_owned(),
            quantile: None,
        };
        assert_eq!(limit(median), of);
    }
}

#[test]
fn shares_below_which_designs_are_the_same() {
    for wrong in ["5", "-1%", "100%", "few%", "nan%"] {
        let message = error("\"10%\"", &format!("\"{wrong}\""));
        let expected = format!(
            "w/mine.toml:23:15: `same_within` is `{wrong}`, but has to be a percentage from 0% to \
             below 100%: same_within = \"5%\""
        );
        assert_eq!(message, expected);
    }
    let exact = GOOD.replace("\"10%\"", "\"0 %\"");
    assert_eq!(parse(&exact).unwrap().decide.same_within, 0.0);
}

#[test]
fn a_baseline_is_one_of_the_designs() {
    let baseline = "baseline = \"cassandra/wide?bucket=1d\"";
    assert_eq!(
        error(baseline, "baseline = \"parqet\""),
        "w/mine.toml:24:12: the baseline `parqet` is not among the `designs`, so it would not be \
         measured; did you mean `parquet`?"
    );
    assert!(error(baseline, "baseline = \"a b\"").contains("`a b` is not a design id"));
    let designs = "designs = [\"cassandra/wide?bucket=1d\", \"parquet\"]\n";
    let of_the_command_line = GOOD.replace(designs, "");
    assert!(
        parse(&of_the_command_line)
            .unwrap()
            .decide
            .baseline
            .is_some()
    );
}

#[test]
fn a_rule_needs_queries() {
    let only_a_mix = r#"
[table]
name = "t"
partition_key = ["series"]
columns = { series = "text", value = "double" }
[data]
file = "rows.csv"
[mix]
operations = [{ action = "read-row", weight = 100 }]
[decide]
"#;
    assert_eq!(
        parse(only_a_mix).unwrap_err(),
        "w/mine.toml:10:1: [decide] chooses a design by the workload's [[queries]], and there are \
         none; add some, or leave [decide] out"
    );
}

#[test]
fn axes_are_factors_of_the_rows() {
    let grows = parse(GOOD).unwrap().scale.grows.unwrap();
    assert_eq!((grows.series, grows.time), (40.0, 3.0));
    let along_one = GOOD.replace("series = 40\ntime = 3", "time = 120");
    let grows = parse(&along_one).unwrap().scale.grows.unwrap();
    assert_eq!((grows.series, grows.time), (1.0, 120.0));
}

#[test]
fn what_the_measured_rows_have_less_of_is_time() {
    let scale = parse(GOOD).unwrap().scale;
    let from = |rows| {
        let growth = scale.growth_from(rows).unwrap();
        (growth.series, growth.time)
    };
    assert_eq!(from(10), (40.0, 3.0));
    assert_eq!(from(5), (40.0, 6.0));
    assert_eq!(from(60), (40.0, 0.5));
    assert_eq!(
        parse(without_a_rule())
            .unwrap()
            .scale
            .growth_from(5)
            .map(|g| g.time),
        None
    );
}

#[test]
fn data_that_are_set_larger_grow_less() {
    let text = "title = 'x'\n[data]\ngenerator = 'devops'\nhosts = 100\ndays = 1\n\
        [scale]\nrows = 864_000\nfull_rows = 103_680_000\n[scale.grows]\nseries = 40\ntime = 3\n\
        [[queries]]\nname = 'q'\nsql = 'SELECT count(*) AS n FROM cpu'\n";
    let set = ["hosts=400".to_owned(), "days=3".to_owned()];
    let set = Workload::parse_with(text, Path::new("w.toml"), &set).unwrap();
    let growth = set.scale.growth_from(set.scale.default_rows).unwrap();
    assert_eq!((growth.series, growth.time), (10.0, 1.0));
}

#[test]
fn axes_that_do_not_fit() {
    assert_eq!(
        error("series = 40", "series = 4"),
        "w/mine.toml:28:1: the axes grow 4 × 3 = 12 times, but `full_rows`, 1200, are 120 times the \
         10 `rows`; correct either"
    );
    assert_eq!(
        error("series = 40", "series = 0.5"),
        "w/mine.toml:29:10: `series` is 0.5, but has to be at least 1: how many times larger it is \
         at full scale"
    );
    assert!(error("time = 3", "time = nan").contains("`time` is NaN, but has to be at least 1"));
    assert!(error("series = 40\ntime = 3", "").contains("[scale.grows] names no axis; write"));
    assert_eq!(
        error("time = 3", "tiem = 3"),
        "w/mine.toml:30:1: unknown key `tiem`; did you mean `time`?"
    );
    let by_number = GOOD.replace("time = \"timestamp\"", "time = \"bigint\"");
    assert!(
        parse(&by_number).is_ok(),
        "an order key is as good as a time"
    );
    let unordered = by_number.replace("order_key = [\"time\"]", "order_key = []");
    assert_eq!(
        parse(&unordered).unwrap_err(),
        "w/mine.toml:30:8: the table has neither an order key that is a time or a whole number nor a \
         column of type `timestamp`, so it cannot grow in `time`; name `series`"
    );
}
