//! The SQL of queries that are operations of a load, with parameters drawn for each operation.

use bakeoff_driver::drive::Call;
use bakeoff_workload::{ParameterValues, Query, Stream, Value, Version, Workload};

use super::rows::Rows;

/// Number that separates the random stream of parameters from other streams of the same operation.
const STREAM: u64 = 0x7175_6572_7900;

/// Maximum number of rows that are drawn for each of several distinct values.
const DRAWS_PER_VALUE: u32 = 20;

/// The queries of a workload in the SQL of an engine.
pub struct QueryTexts {
    /// Name of the engine, for which a query may have SQL of its own.
    engine: String,
    queries: Vec<Query>,
    seed: u64,
    /// Formats a value as a literal of that SQL.
    literal: fn(&Value) -> String,
}

impl QueryTexts {
    pub fn new(engine: &str, workload: &Workload, literal: fn(&Value) -> String) -> Self {
        QueryTexts {
            engine: engine.to_owned(),
            queries: workload.queries.clone(),
            seed: workload.seed,
            literal,
        }
    }

    /// Binds the parameters of a query, which are a pure function of the seed and the operation's
    /// number, or values of the drawn row if they are columns.
    pub fn sql(&self, query: usize, call: &Call, rows: &Rows) -> String {
        let query = &self.queries[query];
        let mut drawn: Vec<(String, String)> = Vec::new();
        for (number, parameter) in query.parameters.iter().enumerate() {
            let stream = Stream::new(&[self.seed, STREAM, call.number, number as u64]);
            let literals = literals(&parameter.values, stream, call.row, (rows, self.literal));
            drawn.extend(parameter.placeholders().into_iter().zip(literals));
        }
        query.bind(&self.engine, &drawn)
    }
}

/// Returns the literals of a parameter for an operation on a row, at whose time a window begins.
fn literals(
    values: &ParameterValues,
    mut stream: Stream,
    row: u64,
    (rows, literal): (&Rows, fn(&Value) -> String),
) -> Vec<String> {
    let value = |name: &str, row| match rows.table.column_index(name) {
        Some(column) => rows.values.value(column, row, Version::First),
        None => Value::Null,
    };
    match values {
        ParameterValues::Uniform { from, to } => {
            let count = to.abs_diff(*from).saturating_add(1);
            let number = from.wrapping_add_unsigned(stream.below(count));
            vec![number.to_string()]
        }
        ParameterValues::UniformReal { from, to } => {
            vec![literal(&Value::Double(stream.between(*from, *to)))]
        }
        ParameterValues::Choice(choice) => {
            vec![choice[stream.below(choice.len() as u64) as usize].clone()]
        }
        ParameterValues::Column(name) => vec![literal(&value(name, row))],
        ParameterValues::Distinct { column, count } => {
            let mut list = vec![literal(&value(column, row))];
            for _ in 0..count.saturating_mul(DRAWS_PER_VALUE) {
                if list.len() >= *count as usize {
                    break;
                }
                let other = literal(&value(column, rows.any(&mut stream)));
                if !list.contains(&other) {
                    list.push(other);
                }
            }
            vec![list.join(", ")]
        }
        ParameterValues::Window {
            column,
            milliseconds,
        } => match value(column, row) {
            Value::Timestamp(begin) => {
                let end = begin.saturating_add_unsigned(*milliseconds);
                [begin, end]
                    .map(|time| literal(&Value::Timestamp(time)))
                    .into()
            }
            _ => vec!["NULL".to_owned(); 2],
        },
    }
}
