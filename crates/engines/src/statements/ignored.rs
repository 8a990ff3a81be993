//! Clauses of a query that DataFusion reads and then leaves out, with which the answer would be another one.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    GroupByExpr, Query, Select, SelectItem, TableFactor, Visit, Visitor,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;

use super::parse;

/// A clause, and what to do instead of writing it.
type Clause = (&'static str, &'static str);

/// Returns why a query would have a wrong answer, since DataFusion leaves a clause of it out. What is no SQL has no
/// complaint here.
pub fn complaint(sql: &str) -> Option<String> {
    let statements = parse::statements(&GenericDialect {}, sql).ok()?;
    match statements.visit(&mut Clauses) {
        ControlFlow::Break((clause, instead)) => Some(format!(
            "DataFusion would leave {clause} out, and answer another question: {instead}"
        )),
        ControlFlow::Continue(()) => None,
    }
}

/// A look for such a clause, which ends at the first one.
struct Clauses;

impl Visitor for Clauses {
    type Break = Clause;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Clause> {
        end_at(&[
            (
                query.for_clause.is_some(),
                ("FOR JSON, XML or BROWSE", "remove it"),
            ),
            (query.settings.is_some(), ("SETTINGS", "remove it")),
            (query.format_clause.is_some(), ("FORMAT", "remove it")),
        ])
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Clause> {
        let has_modifiers = match &select.group_by {
            GroupByExpr::All(modifiers) | GroupByExpr::Expressions(_, modifiers) => {
                !modifiers.is_empty()
            }
        };
        let chooses_names = select.projection.iter().any(|item| match item {
            SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => {
                options.opt_ilike.is_some()
            }
            _ => false,
        });
        end_at(&[
            (select.prewhere.is_some(), ("PREWHERE", "write WHERE")),
            (
                !select.connect_by.is_empty(),
                ("CONNECT BY", "write WITH RECURSIVE"),
            ),
            (
                has_modifiers,
                (
                    "WITH ROLLUP, CUBE or TOTALS",
                    "write GROUP BY ROLLUP (...) or GROUP BY CUBE (...)",
                ),
            ),
            (chooses_names, ("ILIKE behind *", "name the columns")),
        ])
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<Clause> {
        let is_sampled = match table {
            TableFactor::Table { sample, .. } | TableFactor::Derived { sample, .. } => {
                sample.is_some()
            }
            _ => false,
        };
        let sampled = (
            is_sampled,
            (
                "TABLESAMPLE",
                "write a condition that chooses the rows, such as id % 10 = 0",
            ),
        );
        let TableFactor::Table {
            with_hints,
            with_ordinality,
            partitions,
            index_hints,
            ..
        } = table
        else {
            return end_at(&[sampled]);
        };
        end_at(&[
            sampled,
            (*with_ordinality, ("WITH ORDINALITY", "remove it")),
            (
                !partitions.is_empty(),
                ("PARTITION", "write a condition of its rows"),
            ),
            (
                !with_hints.is_empty() || !index_hints.is_empty(),
                ("a hint behind the table", "remove it"),
            ),
        ])
    }
}

/// Ends with the first clause that is there.
fn end_at(clauses: &[(bool, Clause)]) -> ControlFlow<Clause> {
    let first = clauses.iter().find(|(is_there, _)| *is_there);
    match first {
        Some((_, clause)) => ControlFlow::Break(*clause),
        None => ControlFlow::Continue(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_that_would_be_left_out_are_refused() {
        for (sql, clause) in [
            ("SELECT count(*) FROM t PREWHERE a = 3", "PREWHERE"),
            (
                "SELECT count(*) FROM t TABLESAMPLE BERNOULLI (1)",
                "TABLESAMPLE",
            ),
            (
                "SELECT 1 FROM u JOIN (SELECT 1 AS a FROM t TABLESAMPLE SYSTEM (1)) AS s ON u.a = s.a",
                "TABLESAMPLE",
            ),
            (
                "SELECT a, count(*) FROM t GROUP BY a WITH ROLLUP",
                "WITH ROLLUP",
            ),
            (
                "SELECT a, count(*) FROM t GROUP BY a WITH CUBE",
                "WITH ROLLUP",
            ),
            (
                "SELECT a FROM t START WITH a = 1 CONNECT BY PRIOR a = b",
                "CONNECT BY",
            ),
            ("SELECT * ILIKE 'v%' FROM t", "ILIKE"),
            ("SELECT a FROM t WITH (NOLOCK)", "hint"),
            ("SELECT a FROM t PARTITION (p0)", "PARTITION"),
            ("SELECT a FROM t FOR JSON AUTO", "FOR JSON"),
        ] {
            let complaint = complaint(sql).unwrap_or_else(|| panic!("{sql} is taken"));
            assert!(complaint.contains(clause), "{sql}: {complaint}");
        }
    }

    #[test]
    fn other_queries_are_taken() {
        for sql in [
            "SELECT a, count(*) FROM t WHERE b > 1 GROUP BY ROLLUP (a) ORDER BY a LIMIT 3",
            "SELECT * EXCEPT (a) FROM t",
            "WITH s AS (SELECT a FROM t) SELECT s.* FROM s JOIN u ON u.a = s.a",
            "SELECT sample, prewhere, final FROM t AS partition",
            "SELECT date_bin(INTERVAL '1 hour', time) FROM t WHERE time >= $1",
            "this is no SQL",
        ] {
            assert_eq!(complaint(sql), None, "{sql}");
        }
    }
}
