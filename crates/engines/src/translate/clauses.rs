//! Clauses of a query that DataFusion has and other systems lack.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{Select, SelectItem, Visit, Visitor};
use datafusion::sql::sqlparser::dialect::GenericDialect;

use crate::dialect::SqlDialect;
use crate::statements::parse;

/// A clause that a system lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clause {
    /// The word that it begins with.
    pub word: &'static str,
    /// What users call it.
    pub name: &'static str,
    /// What to write in its place, which the system understands as DataFusion does.
    pub instead: &'static str,
}

const QUALIFY: Clause = Clause {
    word: "qualify",
    name: "QUALIFY",
    instead: "write the query as a subquery, and the condition as WHERE around it",
};
const EXCEPT: Clause = Clause {
    word: "except",
    name: "* EXCEPT (...)",
    instead: "name the columns",
};
const EXCEPT_BESIDE_EXCLUDE: Clause = Clause {
    instead: "write * EXCLUDE (...)",
    ..EXCEPT
};
const EXCLUDE: Clause = Clause {
    word: "exclude",
    name: "* EXCLUDE (...)",
    instead: "name the columns",
};

/// Returns the first clause of a query that a dialect lacks. What is no SQL has none.
pub fn lacking(dialect: SqlDialect, sql: &str) -> Option<Clause> {
    if dialect == SqlDialect::Datafusion {
        return None;
    }
    let statements = parse::statements(&GenericDialect {}, sql).ok()?;
    match statements.visit(&mut Clauses { dialect }) {
        ControlFlow::Break(clause) => Some(clause),
        ControlFlow::Continue(()) => None,
    }
}

/// A look for such a clause, which ends at the first one.
struct Clauses {
    dialect: SqlDialect,
}

impl Visitor for Clauses {
    type Break = Clause;

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Clause> {
        let is_duckdb = matches!(self.dialect, SqlDialect::Duckdb | SqlDialect::DuckdbAlone);
        for item in &select.projection {
            let (SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options)) = item
            else {
                continue;
            };
            if options.opt_except.is_some() {
                return ControlFlow::Break(if is_duckdb {
                    EXCEPT_BESIDE_EXCLUDE
                } else {
                    EXCEPT
                });
            }
            if options.opt_exclude.is_some() && !is_duckdb {
                return ControlFlow::Break(EXCLUDE);
            }
        }
        if select.qualify.is_some() && !is_duckdb {
            return ControlFlow::Break(QUALIFY);
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::SqlDialect::{Datafusion, Duckdb, DuckdbAlone, Postgres, Spark, Sqlite};
    use super::*;

    const QUALIFIED: &str =
        "SELECT a FROM t WHERE b > 1 QUALIFY row_number() OVER (PARTITION BY a ORDER BY c) = 1";

    #[test]
    fn what_a_dialect_lacks_is_found_wherever_it_is() {
        let within = format!("SELECT count(*) AS n FROM ({QUALIFIED}) AS s");
        for (sql, of_duckdb, of_others) in [
            (QUALIFIED, None, QUALIFY),
            (within.as_str(), None, QUALIFY),
            (
                "SELECT * EXCEPT (a, b) FROM t",
                Some(EXCEPT_BESIDE_EXCLUDE),
                EXCEPT,
            ),
            (
                "WITH s AS (SELECT t.* EXCEPT (a) FROM t) SELECT b FROM s",
                Some(EXCEPT_BESIDE_EXCLUDE),
                EXCEPT,
            ),
            ("SELECT * EXCLUDE (a) FROM t", None, EXCLUDE),
            (
                "SELECT b FROM t UNION ALL SELECT * EXCLUDE (a) FROM t",
                None,
                EXCLUDE,
            ),
        ] {
            for dialect in [Duckdb, DuckdbAlone] {
                assert_eq!(lacking(dialect, sql), of_duckdb, "{sql}");
            }
            for dialect in [Postgres, Spark, Sqlite] {
                assert_eq!(lacking(dialect, sql), Some(of_others), "{sql}");
            }
            assert_eq!(lacking(Datafusion, sql), None, "{sql}");
        }
    }

    #[test]
    fn other_queries_are_taken() {
        for sql in [
            "SELECT * FROM t WHERE qualify = 1 AND t.exclude > 2",
            "SELECT a FROM t EXCEPT SELECT a FROM u",
            "SELECT t.*, count(*) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS n FROM t",
            "SELECT a AS \"except\" FROM t -- QUALIFY",
            "this is no SQL",
        ] {
            for dialect in [Postgres, Duckdb, Spark, Sqlite] {
                assert_eq!(lacking(dialect, sql), None, "{sql}");
            }
        }
    }
}
