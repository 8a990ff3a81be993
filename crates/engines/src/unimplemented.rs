//! What DataFusion's parser reads and its planner does not have, in words and with what to write instead. Its own
//! messages show how the parser holds a query in memory.

/// How a message of the planner begins, before the name of what it lacks.
const BEGINNINGS: [&str; 4] = [
    "Unsupported JOIN operator ",
    "Unsupported ast node in sqltorel: ",
    "Unsupported ast node ",
    "Unsupported binary operator: ",
];
/// How the message about a type begins, before its name, and what may follow.
const TYPE: &str = "Unsupported SQL type ";
const WITH_DIGITS: &str = "(precision/scale not supported) ";

/// Names of what is lacking, or beginnings of whole messages, with what it is in SQL and what to write.
const LACKING: [(&str, &str, &str); 22] = [
    (
        "Anti",
        "ANTI JOIN",
        "write LEFT ANTI JOIN, or WHERE NOT EXISTS (SELECT ...)",
    ),
    (
        "Semi",
        "SEMI JOIN",
        "write LEFT SEMI JOIN, or WHERE EXISTS (SELECT ...)",
    ),
    (
        "AsOf",
        "ASOF JOIN",
        "join on both times, and keep the newest row by row_number() OVER (PARTITION BY ... ORDER BY ...)",
    ),
    (
        "CrossApply",
        "CROSS APPLY",
        "write CROSS JOIN LATERAL (SELECT ...), which has to aggregate, or JOIN",
    ),
    (
        "OuterApply",
        "OUTER APPLY",
        "write LEFT JOIN LATERAL (SELECT ...) ON true, which has to aggregate, or LEFT JOIN",
    ),
    ("StraightJoin", "STRAIGHT_JOIN", "write JOIN"),
    ("CrossJoin", "CROSS JOIN with ON or USING", "write JOIN"),
    (
        "Pivot",
        "PIVOT",
        "write sum(x) FILTER (WHERE name = 'a') AS a for each of its columns",
    ),
    (
        "Unpivot",
        "UNPIVOT",
        "write a SELECT for each of its columns, with UNION ALL between them",
    ),
    (
        "MatchRecognize",
        "MATCH_RECOGNIZE",
        "compare a row with those around it by lag(x) OVER (...) and lead(x) OVER (...)",
    ),
    ("RLike", "REGEXP and RLIKE", "write text ~ 'pattern'"),
    (
        "Collate",
        "COLLATE",
        "leave it out: texts are in the order of their bytes",
    ),
    ("MatchAgainst", "MATCH ... AGAINST", "write LIKE or ILIKE"),
    ("Convert", "CONVERT", "write CAST(x AS type)"),
    (
        "Overlaps",
        "OVERLAPS",
        "write begin_1 < end_2 AND begin_2 < end_1",
    ),
    ("TOP", "TOP", "write LIMIT at the end, behind ORDER BY"),
    ("FETCH", "FETCH", "write LIMIT"),
    ("LATERAL VIEWS", "LATERAL VIEW", "write unnest(...)"),
    ("CLUSTER BY", "CLUSTER BY", "write ORDER BY"),
    ("SORT BY", "SORT BY", "write ORDER BY"),
    (
        "Could not plan array literal",
        "arrays such as [1, 2]",
        "write IN (1, 2), or VALUES (1), (2)",
    ),
    (
        "Physical plan does not support logical expression OuterReferenceColumn",
        "way to run a subquery that asks for the row around it and does not aggregate",
        "write JOIN",
    ),
];

/// Says in words what DataFusion's message says that it does not have.
pub fn words(message: &str) -> String {
    if let Some(kind) = message.strip_prefix(TYPE) {
        if kind.trim().eq_ignore_ascii_case("uuid") {
            let instead = "leave the cast out: a uuid is compared with its text, in lower case and with hyphens";
            return format!("DataFusion has no type `UUID`: {instead}");
        }
        return format!(
            "DataFusion has no type `{}`: cast to one that it has, such as TEXT, BIGINT or DOUBLE",
            without_dump(kind.trim_start_matches(WITH_DIGITS))
        );
    }
    let named = BEGINNINGS
        .iter()
        .find_map(|beginning| message.strip_prefix(beginning));
    if let Some(name) = named.map(first_word) {
        let known = LACKING.iter().find(|(known, _, _)| *known == name);
        return match known {
            Some((_, what, instead)) => format!("DataFusion has no {what}: {instead}"),
            None => format!(
                "DataFusion does not have what its parser calls {name}: write the query without it"
            ),
        };
    }
    let known = LACKING
        .iter()
        .find(|(known, _, _)| message.starts_with(known));
    match known {
        Some((_, what, instead)) => format!("DataFusion has no {what}: {instead}"),
        None => format!("DataFusion cannot do this: {}", without_dump(message)),
    }
}

/// Leaves out what shows how the parser holds a query in memory.
pub fn without_dump(message: &str) -> &str {
    if message.contains("Span(") {
        message.split(':').next().unwrap_or_default().trim()
    } else {
        message.trim()
    }
}

fn first_word(text: &str) -> &str {
    let end = text.find(|sign: char| !sign.is_ascii_alphanumeric());
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::SessionContext;

    use crate::complaint::from_planner;

    /// What is said of a query about a table `t` with the columns `a` and `b`.
    async fn said(sql: &str) -> String {
        let session = SessionContext::new();
        let made = "CREATE TABLE t AS SELECT 1 AS a, 'b' AS b";
        session.sql(made).await.unwrap();
        let planned = session.state().create_logical_plan(sql).await;
        let error = planned.expect_err(sql);
        from_planner(&error, |_, _| String::new(), |_| String::new()).message
    }

    #[tokio::test]
    async fn what_is_lacking_is_said_in_words_with_what_to_write() {
        for (sql, words) in [
            (
                "SELECT 1 FROM t ANTI JOIN t AS u ON t.a = u.a",
                "DataFusion has no ANTI JOIN: write LEFT ANTI JOIN",
            ),
            (
                "SELECT 1 FROM t SEMI JOIN t AS u ON t.a = u.a",
                "WHERE EXISTS (SELECT ...)",
            ),
            (
                "SELECT 1 FROM t NATURAL ANTI JOIN t AS u",
                "WHERE NOT EXISTS (SELECT ...)",
            ),
            (
                "SELECT 1 FROM t CROSS APPLY (SELECT 1) AS u",
                "no CROSS APPLY: write CROSS JOIN LATERAL",
            ),
            (
                "SELECT 1 FROM t ASOF JOIN t AS u MATCH_CONDITION (t.a >= u.a) ON t.b = u.b",
                "no ASOF JOIN: join on both times",
            ),
            (
                "SELECT 1 FROM t PIVOT (sum(a) FOR b IN ('b'))",
                "no PIVOT: write sum(x) FILTER",
            ),
            (
                "SELECT 1 FROM t UNPIVOT (v FOR n IN (a))",
                "no UNPIVOT: write a SELECT for each",
            ),
            (
                "SELECT 1 FROM t WHERE b REGEXP 'b'",
                "no REGEXP and RLIKE: write text ~ 'pattern'",
            ),
            ("SELECT b COLLATE \"C\" FROM t", "no COLLATE: leave it out"),
            ("SELECT [1, 2] FROM t", "no arrays such as [1, 2]: write IN"),
            ("SELECT TOP 3 a FROM t", "no TOP: write LIMIT at the end"),
            (
                "SELECT a FROM t CLUSTER BY a",
                "no CLUSTER BY: write ORDER BY",
            ),
            (
                "SELECT a FROM t FETCH FIRST 2 ROWS ONLY",
                "no FETCH: write LIMIT",
            ),
            ("SELECT year(a) FROM t", "write extract(year FROM t)"),
            (
                "SELECT a::geometry FROM t",
                "has no type `geometry`: cast to one",
            ),
            ("SELECT a::double(5, 2) FROM t", "has no type `DOUBLE(5"),
            (
                "SELECT a FROM t WHERE b = '6a1f'::uuid",
                "no type `UUID`: leave the cast out: a uuid is compared with its text",
            ),
            (
                "SELECT a FROM t WHERE b = CAST('6a1f' AS UUID)",
                "leave the cast out",
            ),
            (
                "SELECT a FROM t WHERE b = UUID '6a1f'",
                "leave the cast out",
            ),
            (
                "SELECT 1; SELECT 2",
                "DataFusion cannot do this: The context currently only supports a single",
            ),
        ] {
            let said = said(sql).await;
            assert!(said.contains(words), "{sql}: {said}");
            assert!(!said.contains("Span("), "{sql}: {said}");
        }
    }

    #[test]
    fn what_is_not_known_is_named_without_its_place_in_memory() {
        assert_eq!(
            super::words("Unsupported ast node in sqltorel: Odd { a: Ident { span: Span(1) } }"),
            "DataFusion does not have what its parser calls Odd: write the query without it"
        );
        assert_eq!(
            super::words("Map not supported by ExprPlanner: [Ident { span: Span(1) }]"),
            "DataFusion cannot do this: Map not supported by ExprPlanner"
        );
        let outer = "Physical plan does not support logical expression OuterReferenceColumn(Field { name: \"a\" })";
        assert_eq!(
            super::words(outer),
            "DataFusion has no way to run a subquery that asks for the row around it and does not aggregate: write JOIN"
        );
    }
}
