//! Queries of the workload file as operations: asked as a comparison asks them, through
//! DataFusion over the table, but counted only: rows change while they run, so that nobody knows
//! the right answer.

use std::sync::Arc;

use bakeoff_driver::drive::{Call, Done, Failure};
use bakeoff_stats::FailureKind;
use bakeoff_workload::{ParameterValues, Query, Stream, Value, Version, Workload};
use datafusion::prelude::SessionContext;
use tokio::runtime::Handle;

use super::rows::Rows;
use crate::sql;

/// Kind of stream that parameters are drawn from, so that they differ from what else is drawn for
/// the same operation.
const STREAM: u64 = 0x7175_6572_7900;

/// The queries of a workload, on one worker's connections.
pub struct Queries {
    queries: Vec<Query>,
    seed: u64,
    sql: SessionContext,
    /// Where DataFusion computes: on the worker's own thread it would keep others waiting.
    runtime: Handle,
}

/// What an answer was like.
pub struct Counted {
    rows: u64,
    bytes: u64,
}

impl Queries {
    pub fn new(workload: &Workload, sql: SessionContext, runtime: Handle) -> Arc<Self> {
        Arc::new(Queries {
            queries: workload.queries.clone(),
            seed: workload.seed,
            sql,
            runtime,
        })
    }

    /// A query with its parameters: a pure function of the seed and the operation's number, and
    /// the drawn row's values for those that are columns.
    pub fn sql(&self, query: usize, call: &Call, rows: &Rows) -> String {
        let query = &self.queries[query];
        let literal = |number: usize, values: &ParameterValues| {
            let mut stream = Stream::new(&[self.seed, STREAM, call.number, number as u64]);
            match values {
                ParameterValues::Uniform { from, to } => {
                    let count = to.abs_diff(*from).saturating_add(1);
                    from.wrapping_add_unsigned(stream.below(count)).to_string()
                }
                ParameterValues::Choice(choice) => {
                    choice[stream.below(choice.len() as u64) as usize].clone()
                }
                ParameterValues::Column(name) => {
                    let place = rows.table.columns.iter().position(|c| c.name == *name);
                    let value = |column| rows.values.value(column, call.row, Version::First);
                    place.map_or_else(|| "NULL".to_owned(), |column| of_value(&value(column)))
                }
            }
        };
        let parameters = query.parameters.iter().enumerate();
        let drawn: Vec<(String, String)> = parameters
            .map(|(number, p)| (p.name.clone(), literal(number, &p.values)))
            .collect();
        query.bind("cassandra", &drawn)
    }

    pub async fn ask(&self, name: &str, sql: &str) -> Result<Counted, Failure> {
        let rejected = |why: &dyn std::fmt::Display| {
            Failure::new(FailureKind::Rejected, format!("{name}: `{sql}`: {why}"))
        };
        let (context, text) = (self.sql.clone(), sql.to_owned());
        let asked = self
            .runtime
            .spawn(async move { sql::answer(&context, &text).await });
        let answer = asked.await.map_err(|e| rejected(&e))?;
        let answer = answer.map_err(|e| rejected(&e))?;
        let sum = |of: fn(&arrow::record_batch::RecordBatch) -> usize| -> u64 {
            answer.batches.iter().map(|batch| of(batch) as u64).sum()
        };
        Ok(Counted {
            rows: sum(|batch| batch.num_rows()),
            bytes: sum(|batch| batch.get_array_memory_size()),
        })
    }
}

impl Counted {
    pub fn done(&self) -> Done {
        Done {
            rows: self.rows,
            bytes: self.bytes,
            not_applied: false,
        }
    }
}

/// A value as a literal of SQL.
fn of_value(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Boolean(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Bigint(v) => v.to_string(),
        Value::Double(v) if v.is_finite() => format!("{v:?}"),
        Value::Double(v) => format!("CAST('{v}' AS DOUBLE)"),
        Value::Text(v) => format!("'{}'", v.replace('\'', "''")),
        Value::Timestamp(v) => format!("to_timestamp_millis({v})"),
        Value::Blob(v) => {
            let hex: String = v.iter().map(|b| format!("{b:02x}")).collect();
            format!("X'{hex}'")
        }
    }
}
