//! The ways to parsers of SQL. They go down with what is nested, so that what is nested too deeply is refused before
//! any of them, or where they stop by themselves, and always in words.

use datafusion::common::DFSchema;
use datafusion::error::DataFusionError;
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::sql::parser::{DFParser, Statement as AnyStatement};
use datafusion::sql::sqlparser::ast::Statement;
use datafusion::sql::sqlparser::dialect::Dialect;
use datafusion::sql::sqlparser::parser::{Parser, ParserError};

use super::depth::{self, nested_too_deeply};

/// How often a parser may call itself, which is as often as those of DataFusion's sessions may.
const MOST_CALLS: usize = 50;

/// Why SQL was not parsed.
#[derive(Debug)]
pub enum Unparsed {
    /// It is nested too deeply, or something in it does not end: what is wrong, and what to write.
    Refused(String),
    /// It is no SQL, or a planner found something wrong with it.
    Failed(DataFusionError),
}

/// Parses statements in a dialect.
///
/// # Errors
/// Returns what is wrong with them.
pub fn statements(dialect: &dyn Dialect, sql: &str) -> Result<Vec<Statement>, String> {
    if let Some(complaint) = depth::complaint(sql) {
        return Err(complaint);
    }
    let parser = Parser::new(dialect).with_recursion_limit(MOST_CALLS);
    let parsed = { parser.try_with_sql(sql) }.and_then(|mut parser| parser.parse_statements());
    parsed.map_err(|error| match error {
        ParserError::RecursionLimitExceeded => nested_too_deeply(),
        error => error.to_string(),
    })
}

/// Parses statements of DataFusion.
///
/// # Errors
/// They are no such statements, or nested too deeply.
pub fn any_statements(sql: &str) -> Result<Vec<AnyStatement>, Unparsed> {
    check(sql)?;
    let parsed = DFParser::parse_sql(sql).map_err(unparsed)?;
    Ok(parsed.into_iter().collect())
}

/// Parses one statement of DataFusion.
///
/// # Errors
/// It is no such statement, or nested too deeply.
pub fn statement(state: &SessionState, sql: &str) -> Result<AnyStatement, Unparsed> {
    check(sql)?;
    let dialect = state.config().options().sql_parser.dialect;
    state.sql_to_statement(sql, &dialect).map_err(unparsed)
}

/// Parses and plans one statement of DataFusion.
///
/// # Errors
/// It is no such statement, nested too deeply, or about something that is not there.
pub async fn plan(state: &SessionState, sql: &str) -> Result<LogicalPlan, Unparsed> {
    check(sql)?;
    state.create_logical_plan(sql).await.map_err(unparsed)
}

/// Parses and plans an expression about columns.
///
/// # Errors
/// It is no expression, nested too deeply, or about something that is not there.
pub fn expression(state: &SessionState, sql: &str, columns: &DFSchema) -> Result<Expr, Unparsed> {
    check(sql)?;
    state.create_logical_expr(sql, columns).map_err(unparsed)
}

fn check(sql: &str) -> Result<(), Unparsed> {
    depth::complaint(sql).map_or(Ok(()), |why| Err(Unparsed::Refused(why)))
}

fn unparsed(error: DataFusionError) -> Unparsed {
    match error.find_root() {
        DataFusionError::SQL(why, _) if **why == ParserError::RecursionLimitExceeded => {
            Unparsed::Refused(nested_too_deeply())
        }
        _ => Unparsed::Failed(error),
    }
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::SessionContext;
    use datafusion::sql::sqlparser::dialect::GenericDialect;

    use super::*;

    const WORDS: &str = "it is nested too deeply: at most 47";

    fn nested(open: &str, close: &str, number: usize) -> String {
        format!("{}1{}", open.repeat(number), close.repeat(number))
    }

    fn refused<T>(parsed: Result<T, Unparsed>) -> Option<String> {
        match parsed {
            Err(Unparsed::Refused(why)) => Some(why),
            Err(Unparsed::Failed(error)) => panic!("{error}"),
            Ok(_) => None,
        }
    }

    /// Without optimisation the frames of a parser are so large that a test's own stack ends before the parser stops.
    #[test]
    fn what_a_parser_does_not_follow_is_refused_in_words() {
        let run = || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            runtime.build().unwrap().block_on(refusals());
        };
        let thread = std::thread::Builder::new().stack_size(64 << 20);
        thread.spawn(run).unwrap().join().unwrap();
    }

    async fn refusals() {
        let state = SessionContext::new().state();
        let columns = DFSchema::empty();
        for (open, close, number) in [
            ("(", ")", 60),
            ("abs(", ")", 60),
            ("CASE WHEN true THEN ", " END", 60),
            // The parser itself stops.
            ("(SELECT ", ")", 40),
        ] {
            let value = nested(open, close, number);
            let sql = format!("SELECT {value}");
            let parsed = statements(&GenericDialect {}, &sql);
            let complaints = [
                parsed.err(),
                refused(any_statements(&sql)),
                refused(statement(&state, &sql)),
                refused(plan(&state, &sql).await),
                refused(expression(&state, &value, &columns)),
            ];
            for complaint in complaints {
                let complaint = complaint.unwrap_or_else(|| panic!("{open} is parsed"));
                assert!(complaint.starts_with(WORDS), "{open}: {complaint}");
            }
        }
        let sql = format!("SELECT {}", nested("(", ")", 40));
        assert_eq!(statements(&GenericDialect {}, &sql).unwrap().len(), 1);
        assert_eq!(refused(statement(&state, &sql)), None);
        let sql = format!("SELECT {} AS one", nested("(", ")", 10));
        assert_eq!(refused(plan(&state, &sql).await), None);
    }

    #[tokio::test]
    async fn chains_are_refused_before_they_are_parsed_and_other_errors_are_left() {
        let state = SessionContext::new().state();
        let value = format!("1{}", " + 1".repeat(20_000));
        let sql = format!("SELECT {value}");
        let complaints = [
            statements(&GenericDialect {}, &sql).err(),
            refused(statement(&state, &sql)),
            refused(plan(&state, &sql).await),
            refused(expression(&state, &value, &DFSchema::empty())),
        ];
        for complaint in complaints {
            let complaint = complaint.unwrap_or_default();
            assert!(complaint.starts_with("it has about 20000"), "{complaint}");
        }
        assert!(statements(&GenericDialect {}, "SELECT (").is_err());
        let planned = plan(&state, "SELECT nothing").await;
        assert!(matches!(planned, Err(Unparsed::Failed(_))));
    }
}
