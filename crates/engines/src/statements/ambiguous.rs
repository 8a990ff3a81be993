//! What engines take for different things, so that their answers to one question would differ, and clauses about which
//! DataFusion's planner says nothing that helps.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Fetch, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    LimitClause, Query, Value, Visit, Visitor,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;

use super::parse;

/// Functions that write a time as a text.
const FORMATTING: [&str; 2] = ["to_char", "date_format"];
/// Formats of a length of time, in which no part has a sign before it.
const OF_LENGTHS: [&str; 2] = ["pretty", "iso8601"];

/// Something in a query that is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ambiguity {
    /// The word at which it is in the query.
    pub word: &'static str,
    /// What is wrong with it, and what to write.
    pub why: String,
}

/// Returns the first thing in a query that engines take for different things, or that DataFusion lacks. What is no SQL
/// has none.
pub fn ambiguity(sql: &str) -> Option<Ambiguity> {
    let statements = parse::statements(&GenericDialect {}, sql).ok()?;
    match statements.visit(&mut Search) {
        ControlFlow::Break(found) => Some(found),
        ControlFlow::Continue(()) => None,
    }
}

/// A look for such a thing, which ends at the first one.
struct Search;

impl Visitor for Search {
    type Break = Ambiguity;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Ambiguity> {
        let limits_groups = match &query.limit_clause {
            Some(LimitClause::LimitOffset { limit_by, .. }) => !limit_by.is_empty(),
            _ => false,
        };
        if limits_groups {
            return end(
                "limit",
                "DataFusion has no LIMIT ... BY: write row_number() OVER (PARTITION BY ... ORDER BY ...) AS place in \
                 a subquery, and WHERE place <= 1 around it",
            );
        }
        match &query.fetch {
            Some(Fetch {
                with_ties: true, ..
            }) => end(
                "fetch",
                "DataFusion has no FETCH ... WITH TIES: write rank() OVER (ORDER BY ...) AS place in a subquery, and \
                 WHERE place <= 2 around it",
            ),
            Some(Fetch { percent: true, .. }) => end(
                "fetch",
                "DataFusion has no FETCH ... PERCENT: write LIMIT and a number of rows, or row_number() OVER (ORDER \
                 BY ...) AS place and count(*) OVER () AS n in a subquery, and WHERE place <= 0.1 * n around it",
            ),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Ambiguity> {
        match expr {
            Expr::SimilarTo { .. } => end(
                "similar",
                "SIMILAR TO has other patterns in DataFusion, which are regular expressions that match anywhere, than \
                 in other engines: write LIKE, or regexp_like(text, '^(a|b)$')",
            ),
            Expr::BinaryOp {
                op: BinaryOperator::BitwiseXor,
                ..
            } => end(
                "^",
                "^ is XOR in DataFusion and Spark, and a power in PostgreSQL and DuckDB: write power(a, b), or for \
                 XOR (a | b) - (a & b)",
            ),
            Expr::Function(function) => match without_signs(function) {
                Some(found) => ControlFlow::Break(found),
                None => ControlFlow::Continue(()),
            },
            _ => ControlFlow::Continue(()),
        }
    }
}

fn end(word: &'static str, why: &str) -> ControlFlow<Ambiguity> {
    let why = why.to_owned();
    ControlFlow::Break(Ambiguity { word, why })
}

/// Refuses a format of other systems, which has no sign of DataFusion's in it and would be the answer itself.
fn without_signs(function: &Function) -> Option<Ambiguity> {
    let called = function.name.to_string().to_lowercase();
    let word = FORMATTING.into_iter().find(|name| *name == called)?;
    let FunctionArguments::List(list) = &function.args else {
        return None;
    };
    let [
        _,
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(format))),
    ] = list.args.as_slice()
    else {
        return None;
    };
    let Value::SingleQuotedString(format) = &format.value else {
        return None;
    };
    let is_of_length = OF_LENGTHS
        .iter()
        .any(|name| format.eq_ignore_ascii_case(name));
    (!format.contains('%') && !is_of_length).then(|| Ambiguity {
        word,
        why: format!(
            "`{word}` has the formats of strftime in DataFusion, and '{format}' has no % in it, so that it would be \
             the answer itself: write {word}(t, '%Y-%m-%d %H:%M:%S'), or date_trunc('day', t), which PostgreSQL and \
             Spark have as well"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_engines_take_for_different_things_is_refused_with_what_to_write() {
        for (sql, word, instead) in [
            (
                "SELECT a FROM t WHERE b SIMILAR TO 'a%'",
                "similar",
                "write LIKE, or regexp_like(",
            ),
            (
                "SELECT a FROM t WHERE a = 1 AND b NOT SIMILAR TO '(a|b)'",
                "similar",
                "write LIKE",
            ),
            (
                "SELECT (a + 1) ^ 2 AS n FROM t",
                "^",
                "write power(a, b), or for XOR (a | b) - (a & b)",
            ),
            (
                "SELECT a FROM (SELECT a FROM t WHERE a ^ b > 3) AS s",
                "^",
                "write power",
            ),
            (
                "SELECT to_char(t, 'YYYY-MM-DD') FROM t",
                "to_char",
                "write to_char(t, '%Y-%m-%d",
            ),
            (
                "SELECT Date_Format(t, 'yyyy') FROM t",
                "date_format",
                "write date_format(t, '%Y",
            ),
            (
                "SELECT a FROM t ORDER BY a LIMIT 1 BY host",
                "limit",
                "write row_number() OVER",
            ),
            (
                "SELECT a FROM t ORDER BY a FETCH FIRST 2 ROWS WITH TIES",
                "fetch",
                "write rank() OVER",
            ),
            (
                "SELECT a FROM t ORDER BY a FETCH FIRST 10 PERCENT ROWS ONLY",
                "fetch",
                "write LIMIT and a number",
            ),
        ] {
            let found = ambiguity(sql).unwrap_or_else(|| panic!("{sql} is taken"));
            assert_eq!(found.word, word, "{sql}");
            assert!(found.why.contains(instead), "{sql}: {}", found.why);
        }
    }

    #[test]
    fn what_means_the_same_everywhere_is_taken() {
        for sql in [
            "SELECT a FROM t WHERE b LIKE 'a^%' AND b ~ '^a' AND regexp_like(b, '^a$') ORDER BY a LIMIT 3",
            "SELECT power(a, 2), (a | b) - (a & b), a XOR b FROM t",
            "SELECT to_char(t, '%Y'), to_char(t, b), to_char(a - b, 'pretty'), concat(b, 'YYYY') FROM t",
            "SELECT a FROM t ORDER BY a FETCH FIRST 2 ROWS ONLY",
            "SELECT similar, fetch FROM t",
            "a ^ b is no SQL",
        ] {
            assert_eq!(ambiguity(sql), None, "{sql}");
        }
    }
}
