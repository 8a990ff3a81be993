//! Tests bad questions in workload files: their parameters, functions and tolerances.

use super::workload_file::{GOOD, error, parse};

#[test]
fn queries_and_parameters() {
    assert_eq!(
        error("${s}\"", "${series}\""),
        "w/my-test.toml:16:48: the query has no parameter `series`; there are `s`"
    );
    assert_eq!(
        error("${s}\"", "'a'\""),
        "w/my-test.toml:17:16: parameter `s` is never used; write ${s} in the SQL"
    );
    assert_eq!(
        error("{ column = \"series\" }", "{ column = \"serie\" }"),
        "w/my-test.toml:17:31: column `serie` is not in the table; did you mean `series`?"
    );
    assert_eq!(
        error("{ column = \"series\" }", "{ uniform = [9, 1] }"),
        "w/my-test.toml:17:32: `uniform` ends before it begins; did you mean [1, 9]?"
    );
    assert_eq!(
        error("{ column = \"series\" }", "{ uniform = [0.5, -1] }"),
        "w/my-test.toml:17:32: `uniform` ends before it begins; did you mean [-1, 0.5]?"
    );
    for bounds in [
        "[1]",
        "[0, inf]",
        "[-1.7e308, 1.7e308]",
        "[\"a\", \"b\"]",
        "[1, 2, 3]",
    ] {
        let error = error(
            "{ column = \"series\" }",
            &format!("{{ uniform = {bounds} }}"),
        );
        assert!(
            error.contains("17:32: `uniform` has two numbers"),
            "{error}"
        );
    }
    assert!(
        error("{ column = \"series\" }", "{ choice = [] }").ends_with("`choice` has no values")
    );
    assert!(
        error("{ column = \"series\" }", "{}")
            .contains("17:20: say what the parameter is drawn from")
    );
    assert_eq!(
        error(
            "[scale]",
            "[[queries]]\nname = \"Q\"\nsql = \"SELECT 1\"\n[scale]"
        ),
        "w/my-test.toml:19:8: there is another query `q`; names are unique"
    );
    assert!(error("name = \"q\"", "name = \"load\"").contains("15:8: `load` has another meaning"));
    assert!(
        error("sql = ", "expect = { answer = [[1, 2], [3]] }\nsql = ")
            .contains("16:30: this row of the answer has 1 cells")
    );
    assert!(
        error("sql = ", "expect = { rows = 0, answer = [[1]] }\nsql = ")
            .contains("`rows` is 0, but has to be at least 1")
    );
    assert!(
        error("sql = ", "expect = { answer = [[1]] }\nsql = ")
            .contains("16:10: a query with parameters has no single answer")
    );
}

#[test]
fn windows_and_lists() {
    let parameter = |text: &str| {
        let sql = GOOD.replacen("= ${s}\"", "IN (${s}) AND time < ${s.end}\"", 1);
        parse(&sql.replacen("{ column = \"series\" }", text, 1)).unwrap_err()
    };
    assert_eq!(
        parameter("{ window = \"12h\" }"),
        "w/my-test.toml:16:50: the query has no parameter `s`; there are `s.begin`, `s.end`"
    );
    assert_eq!(
        parameter("{ column = \"series\", distinct = 8 }"),
        "w/my-test.toml:16:67: the query has no parameter `s.end`; there are `s`"
    );
    for (text, message) in [
        (
            "{ distinct = 8 }",
            "17:33: `distinct` is for values of a column",
        ),
        (
            "{ window = \"1h\", distinct = 8 }",
            "17:48: `distinct` is for values of a column",
        ),
        (
            "{ column = \"series\", distinct = 0 }",
            "17:52: `distinct` is 0, but has to be from 1",
        ),
        (
            "{ window = \"soon\" }",
            "17:31: `window` is `soon`, which is not a duration",
        ),
        (
            "{ window = \"1us\" }",
            "17:31: `window` is `1us`, but has to be whole milliseconds",
        ),
        (
            "{ window = \"0s\" }",
            "17:31: `window` is `0s`, but has to be whole milliseconds",
        ),
        (
            "{ window = \"1h\", column = \"series\" }",
            "17:46: column `series` is not a timestamp, so it has no windows",
        ),
        (
            "{ window = \"1h\", uniform = [1, 2] }",
            "17:20: say what the parameter is drawn from",
        ),
    ] {
        let error = parameter(text);
        assert!(error.contains(message), "{text}: {error}");
    }
    assert_eq!(
        error("{ column = \"series\" }", "{ window = \"1h\" }"),
        "w/my-test.toml:16:48: the query has no parameter `s`; there are `s.begin`, `s.end`"
    );
    let unused = error(
        "= ${s}\"\nparameters = { s = { column = \"series\" }",
        "= 'a'\"\nparameters = { s = { window = \"1h\" }",
    );
    assert!(
        unused.ends_with("write ${s.begin} and ${s.end} in the SQL"),
        "{unused}"
    );
    let window = |columns: &str| {
        let file = GOOD.replacen("value = \"double\"", columns, 1);
        let file = file.replacen("= ${s}", "= ${s.end}", 1);
        parse(&file.replacen("{ column = \"series\" }", "{ window = \"1h\" }", 1))
    };
    assert!(window("value = \"double\"").is_ok());
    assert!(window("late = \"timestamp\"").unwrap_err().ends_with(
        "17:31: the table has the timestamp columns `time`, `late`; say which one with `column`"
    ));
}

/// Returns the good file with this expression asked for, and a tolerance where there is one.
fn asking(expression: &str, tolerance: &str) -> String {
    let with_tolerance = format!("parameters = {{ s = {{ column = \"series\" }} }}\n{tolerance}");
    GOOD.replace("avg(value)", expression).replace(
        "parameters = { s = { column = \"series\" } }",
        &with_tolerance,
    )
}

#[test]
fn approximate_functions_need_a_tolerance() {
    let approximate = [
        ("approx_distinct(value)", "count(DISTINCT"),
        ("max(value), Approx_Median (value)", "median(...)"),
        (
            "approx_percentile_cont(0.5) WITHIN GROUP (ORDER BY value)",
            "percentile_cont",
        ),
    ];
    for (expression, instead) in approximate {
        let refused = parse(&asking(expression, "")).unwrap_err();
        assert!(
            refused.contains(instead) && refused.contains("tolerance = \"2%\""),
            "{refused}"
        );
        let accepted = parse(&asking(expression, "tolerance = \"2%\"")).unwrap();
        assert_eq!(accepted.queries[0].tolerance, Some(0.02));
    }
    assert_eq!(parse(GOOD).unwrap().queries[0].tolerance, None);
}

#[test]
fn functions_without_a_right_answer_are_refused_where_they_are() {
    let unstable = [
        ("random()", "another value each time"),
        ("current_date", "another value each time"),
        ("first_value(value)", "first_value(... ORDER BY ...)"),
        ("array_agg(abs(value))", "ORDER BY"),
        (
            "sum(last_value(value) OVER (PARTITION BY series))",
            "ORDER BY",
        ),
    ];
    for (expression, why) in unstable {
        let refused = parse(&asking(expression, "tolerance = \"2%\"")).unwrap_err();
        assert!(refused.contains(why), "{refused}");
    }
    let refused = parse(&asking("now()", "")).unwrap_err();
    assert!(
        refused.starts_with("w/my-test.toml:16:15: `now`"),
        "{refused}"
    );
}

#[test]
fn stable_functions_and_names_of_others_are_no_functions_to_refuse() {
    let stable = [
        "last_value(value ORDER BY time)",
        "first_value(value) OVER (ORDER BY time)",
        "max(value) AS random",
        "max(t.now)",
        "'now() or random()'",
        "max(value) -- random()\n",
        "max(value) /* now() */",
        "uuid",
    ];
    for expression in stable {
        let expression = expression.replace('\n', "\\n");
        assert!(parse(&asking(&expression, "")).is_ok(), "{expression}");
    }
}

#[test]
fn a_tolerance_is_a_percentage_up_to_half() {
    for wrong in ["0%", "51%", "-1%", "0.02", "two", "NaN%"] {
        let refused =
            parse(&asking("avg(value)", &format!("tolerance = \"{wrong}\""))).unwrap_err();
        assert!(refused.contains("above 0% and at most 50%"), "{refused}");
    }
    assert!(parse(&asking("avg(value)", "tolerance = \"50%\"")).is_ok());
}
