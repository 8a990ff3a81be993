//! Chains and nesting are counted, lists are not, and no input is too hostile to be counted.

use super::*;

/// Operators or parentheses of hostile input.
const MANY: usize = 100_000;

fn is_too_deep(sql: &str) -> bool {
    too_deep(&words(sql).unwrap()).is_some()
}

#[test]
fn chains_and_nesting_are_counted_and_lists_are_not() {
    for (begin, part, end) in [
        ("SELECT ", "a + ", "a FROM t"),
        ("SELECT a FROM t WHERE a = 1", " OR a = 1", ""),
        ("SELECT a FROM t", " UNION ALL SELECT a, b FROM t", ""),
        ("SELECT a FROM t", " MINUS SELECT a FROM t", ""),
        ("", "EXPLAIN ", "SELECT a FROM t"),
        ("SELECT a FROM t a", ", t a", ""),
        // Tables behind a name that is an operator elsewhere, and behind what may be a product.
        ("SELECT zone FROM t a", ", t a", ""),
        ("SELECT DISTINCT ON (a) * FROM t a", ", t a", ""),
        ("FROM t a", ", t a", ""),
        ("SELECT a FROM (FROM t a", ", t a", ")"),
        ("SELECT a FROM t", " JOIN t ON a = 1", ""),
        ("SELECT ", "f(", "a FROM t"),
        ("CREATE TABLE t (a int, b ", "ARRAY<", "int)"),
        ("CREATE TABLE t (a int, b int", "[]", ")"),
        ("SELECT a ", "::int", " FROM t"),
        ("SELECT ", "CASE WHEN b THEN 1 ELSE ", "a FROM t"),
        ("SELECT ", "NOT ", "a FROM t"),
        ("SELECT ", "- ", "1 FROM t"),
        ("SELECT a", " IN (1)", " FROM t"),
        ("SELECT a", " IS DISTINCT FROM a", " FROM t"),
        ("SELECT a", " BETWEEN 1 AND 2", " FROM t"),
        ("SELECT f() OVER ()", " + f() OVER ()", " FROM t"),
        (
            "SELECT f() WITHIN GROUP (ORDER BY a)",
            " + f() WITHIN GROUP (ORDER BY a)",
            " FROM t",
        ),
        ("SELECT a[1]", ".b", " FROM t"),
        ("SELECT a", " + [1, 2][1]", " FROM t"),
        ("SELECT CAST(a AS ", "STRUCT<x int, y ", "int) FROM t"),
        (
            "WITH a AS (SELECT 1)",
            ", a AS (SELECT b FROM a)",
            " SELECT 1",
        ),
        // Names that are words of SQL elsewhere.
        ("SELECT 1", " + order", " FROM t"),
        ("SELECT 1", " + where", " FROM t"),
        ("SELECT 1", " + or", " FROM t"),
        ("SELECT 1", " * from", " FROM t"),
        ("SELECT a", " OR on", " FROM t"),
        ("SELECT array", " < 1 > array", " FROM t"),
    ] {
        let of = |number: usize| format!("{begin}{}{end}", part.repeat(number));
        assert!(!is_too_deep(&of(30)), "{part}");
        assert!(is_too_deep(&of(MOST + 1)), "{part}");
        assert!(is_too_deep(&of(5_000)), "{part}");
    }
    for (begin, part, end) in [
        ("SELECT a FROM t WHERE a IN (1", ", -1", ")"),
        ("SELECT a", ", round(a) + 1, b = 2", " FROM t"),
        ("SELECT a", ", a * 2 AS b", " FROM t GROUP BY a"),
        ("SELECT a IS NOT DISTINCT FROM b", ", a", " FROM t"),
        (
            "WITH p AS (VALUES (1, 'a')",
            ", (2, 'b')",
            ") SELECT a FROM t",
        ),
        (
            "SELECT CASE a WHEN 1 THEN 2",
            " WHEN 3 THEN 4",
            " END FROM t",
        ),
        ("CREATE TABLE t (a int", ", b int DEFAULT (1)::int", ")"),
        ("CREATE TABLE t (a int", ", b ARRAY<int>", ")"),
    ] {
        let sql = format!("{begin}{}{end}", part.repeat(10_000));
        assert!(!is_too_deep(&sql), "{part}");
    }
}

#[test]
fn conditions_count_once_however_many_operators_they_have() {
    let chain = |part: &str, number: usize| {
        let conditions = vec![part; number].join(" OR ");
        format!("SELECT a FROM t WHERE {conditions} ORDER BY a")
    };
    for (part, within) in [
        // Besides the ORs: the operators of the deepest condition, with those in parentheses.
        ("a = 1", 1),
        ("t.a = 1 AND b <> 2", 3),
        ("(a = 1 AND b = 2)", 3),
        ("a BETWEEN 1 AND 2", 2),
        ("a IN (1, 2)", 2),
    ] {
        assert!(!is_too_deep(&chain(part, 201)), "200 ORs of {part}");
        assert!(!is_too_deep(&chain(part, MOST + 1 - within)), "{part}");
        assert!(is_too_deep(&chain(part, MOST + 2 - within)), "{part}");
    }
}

#[test]
fn parentheses_that_match_and_that_do_not_are_counted() {
    for (open, close) in [
        ("(", ")"),
        ("f(", ")"),
        ("(SELECT ", ")"),
        ("[", "]"),
        ("CASE WHEN a THEN ", " END"),
        ("(CASE ", ")"),
    ] {
        let nested =
            |number: usize| format!("SELECT {}1{}", open.repeat(number), close.repeat(number));
        assert!(!is_too_deep(&nested(50)), "{open}");
        assert!(is_too_deep(&nested(MANY)), "{open}");
    }
    assert!(is_too_deep(&format!("SELECT {}", "(".repeat(MANY))));
    // What closes nothing is no nesting: a parser stops at the first one.
    assert!(!is_too_deep(&format!("SELECT 1 {}", ")".repeat(MANY))));
}

#[test]
fn a_complaint_says_what_was_found_and_what_to_write() {
    let long = format!("SELECT a FROM t WHERE a = 1{}", " OR a = 1".repeat(MANY));
    let why = complaint(&long).unwrap();
    assert!(
        why.starts_with("it has about 100001 operators")
            && why.contains("at most 250 are read")
            && why.contains("a IN (1, 2, 3) in place of a = 1 OR"),
        "{why}"
    );
    assert_eq!(complaint("SELECT a FROM t WHERE a = 1 OR b = 'c'"), None);
}

#[test]
fn what_cannot_be_divided_into_tokens_never_reaches_a_parser() {
    let chain = " OR a = 1".repeat(5_000);
    // The parser's own tokens have an end here.
    let parameter = complaint(&format!("SELECT a FROM t WHERE a = 1{chain} OR a = ${{b"));
    assert!(parameter.unwrap().contains("does not end"));
    // There they have none, which the parser says before it reads any of them.
    for quote in ["'", "\"", "/*", "`"] {
        let open = format!("SELECT a FROM t WHERE a = 1{chain} OR a = {quote}b");
        assert_eq!(complaint(&open), None, "{quote}");
        assert!(
            Tokenizer::new(&GenericDialect {}, &open)
                .tokenize()
                .is_err(),
            "{quote}"
        );
    }
}

#[test]
fn what_the_parser_does_not_follow_is_refused_before_it_is_parsed() {
    for (open, close) in [
        ("(", ")"),
        ("f(", ")"),
        ("ARRAY[", "]"),
        ("CASE WHEN a THEN ", " END"),
    ] {
        let nested =
            |number: usize| format!("SELECT {}1{}", open.repeat(number), close.repeat(number));
        assert_eq!(complaint(&nested(DEEPEST)), None, "{open}");
        let why = complaint(&nested(DEEPEST + 1)).unwrap();
        assert!(
            why.starts_with("it is nested too deeply: at most 47 parentheses")
                && why.contains("leave out parentheses that change nothing"),
            "{why}"
        );
        // One after the other they are not nested.
        let each = format!("{open}1{close}, ").repeat(200);
        assert_eq!(complaint(&format!("SELECT {each}2")), None, "{open}");
    }
}
