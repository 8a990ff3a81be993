//! Queries of the workload file as operations of a load.
//!
//! They are asked as in a comparison, each in a transaction that only reads, on connections of their own, but their
//! answers are only counted: rows change while a query runs, so that the right answer is not known.

use std::sync::Arc;
use std::time::Duration;

use bakeoff_driver::drive::{Call, Failure};
use bakeoff_stats::FailureKind;
use bakeoff_workload::{Action, DesignId, Mix, Value, Workload};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_postgres::Client;

use crate::dialect::{SqlDialect, translated};
use crate::drive::query_texts::QueryTexts;
use crate::drive::rows::Rows;
use crate::nulls::with_nulls;
use crate::postgres::asking::Asking;
use crate::postgres::connect::{PostgresServer, reason};
use crate::postgres::{inserts, query};
use crate::{EngineError, sql_check};

/// Pause after a failed connection, without which a load would try again as fast as it can.
const RECONNECT_AFTER: Duration = Duration::from_millis(500);

/// The size of a query's answer.
pub struct Counted {
    pub rows: u64,
    pub bytes: u64,
}

/// The queries of a workload on the connections of one worker thread.
pub struct Queries {
    texts: QueryTexts,
    asking: Arc<Asking>,
    /// Connections that are free. The others have a query, or are made as good as new.
    free: Arc<Semaphore>,
}

impl Queries {
    /// Opens so many connections with these settings, on each of which one query is asked at a time.
    ///
    /// # Errors
    /// Fails if the server takes no connection.
    pub async fn open(
        server: PostgresServer,
        settings: &str,
        texts: QueryTexts,
        connections: usize,
    ) -> Result<Self, EngineError> {
        let asking = Asking::new(server, settings);
        asking.open(connections).await?;
        Ok(Queries {
            texts,
            asking: Arc::new(asking),
            free: Arc::new(Semaphore::new(connections)),
        })
    }

    /// Returns the SQL of a query for an operation, before its time begins.
    ///
    /// # Errors
    /// Fails if it is no query that only reads, since parameters have become part of the text.
    pub fn sql(&self, query: usize, call: &Call, rows: &Rows) -> Result<String, String> {
        only_reading(self.texts.sql(query, call, rows))
    }

    /// Asks a query once a connection is free, and counts the rows and bytes of its answer.
    pub async fn ask(&self, name: &str, sql: &str) -> Result<Counted, Failure> {
        let failed =
            |kind, why: String| Failure::new(kind, format!("{name}: `{}`: {why}", sql.trim()));
        let free = self.free.clone().acquire_owned().await;
        let free = free.map_err(|error| failed(FailureKind::Connection, error.to_string()))?;
        let client = match self.asking.take().await {
            Ok(client) => client,
            Err(error) => {
                tokio::time::sleep(RECONNECT_AFTER).await;
                return Err(failed(FailureKind::Connection, error.0));
            }
        };
        let counting = async {
            match query::count(&client, sql).await {
                // The connection has its answer, is not to be cancelled, and can be made as good as new.
                Err(error) if error.as_db_error().is_some() => Ok(Err(error)),
                counted => counted.map(Ok),
            }
        };
        let counted = query::cancelled_on_failure(self.asking.server(), &client, counting).await;
        let counted = match counted {
            Ok(answer) => {
                self.put_back(client, free);
                answer
            }
            Err(error) => Err(error),
        };
        let (rows, bytes) =
            counted.map_err(|error| failed(inserts::kind(error.code()), reason(&error)))?;
        Ok(Counted { rows, bytes })
    }

    /// Makes a connection as good as new after an answer. Until then it is not free.
    fn put_back(&self, client: Client, free: OwnedSemaphorePermit) {
        self.asking.put_back(client);
        let asking = self.asking.clone();
        tokio::spawn(async move {
            asking.reset_one().await;
            drop(free);
        });
    }
}

/// Returns SQL if it is one query that only reads, or else what it is.
fn only_reading(sql: String) -> Result<String, String> {
    match sql_check::complaint(&sql) {
        None => Ok(sql),
        Some(complaint) => Err(format!("`{}`: {complaint}", sql.trim())),
    }
}

/// Returns a workload whose queries are in the SQL of PostgreSQL, as far as operations of its mix ask them.
///
/// # Errors
/// Fails for a query that PostgreSQL cannot answer, or that would do more than read.
pub fn in_postgres(id: &DesignId, workload: &Workload, mix: &Mix) -> Result<Workload, EngineError> {
    let mut workload = workload.clone();
    for operation in &mix.operations {
        let Action::Query { query } = operation.action else {
            continue;
        };
        let failed = |why: String| {
            EngineError(format!(
                "design {id}: operation `{}`: {why}",
                operation.name
            ))
        };
        let Workload { table, queries, .. } = &mut workload;
        let query = &mut queries[query];
        let design = id.to_string();
        // A text of its own stays as it is.
        if query.sql_for(&design) == query.sql {
            let sql = translated(SqlDialect::Postgres, table, &query.sql);
            let sql = sql.map_err(|lacking| failed(lacks(&id.engine, &lacking.why)))?;
            let of_engine = sql.map(|sql| (id.engine.clone(), sql));
            query.engine_sql.extend(of_engine);
        }
        let sql = with_nulls(query, query.sql_for(&design));
        if let Some(complaint) = sql_check::complaint(&sql) {
            return Err(failed(complaint));
        }
    }
    Ok(workload)
}

/// Says what PostgreSQL lacks, and what to write.
fn lacks(engine: &str, why: &str) -> String {
    format!(
        "PostgreSQL {why}; give the query a separate text: engine_sql = {{ {engine} = \"SELECT ...\" }}"
    )
}

/// Formats a value as a literal of PostgreSQL's SQL.
pub fn literal(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Boolean(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Bigint(v) => v.to_string(),
        // The same number as a double, since queries compare a float as one.
        Value::Float(v) => literal(&Value::Double(f64::from(*v))),
        Value::Double(v) => format!("CAST('{v:?}' AS DOUBLE PRECISION)"),
        Value::Text(v) => format!("'{}'", v.replace('\'', "''")),
        Value::Uuid(v) => format!("'{v}'"),
        Value::Timestamp(v) => {
            format!("(TIMESTAMP 'epoch' + INTERVAL '1 millisecond' * ({v}))")
        }
        Value::Blob(v) => {
            let hex: String = v.iter().map(|b| format!("{b:02x}")).collect();
            format!("CAST('\\x{hex}' AS BYTEA)")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_value_has_a_literal() {
        for (value, expected) in [
            (Value::Null, "NULL"),
            (Value::Boolean(true), "true"),
            (Value::Int(-5), "-5"),
            (Value::Float(0.5), "CAST('0.5' AS DOUBLE PRECISION)"),
            (
                Value::Float(0.1),
                "CAST('0.10000000149011612' AS DOUBLE PRECISION)",
            ),
            (Value::Double(f64::NAN), "CAST('NaN' AS DOUBLE PRECISION)"),
            (Value::Double(1e300), "CAST('1e300' AS DOUBLE PRECISION)"),
            (Value::Text("it's".to_owned()), "'it''s'"),
            (
                Value::Timestamp(-1),
                "(TIMESTAMP 'epoch' + INTERVAL '1 millisecond' * (-1))",
            ),
            (Value::Blob(vec![0, 255]), "CAST('\\x00ff' AS BYTEA)"),
        ] {
            assert_eq!(literal(&value), expected);
            let sql = format!("SELECT {}", literal(&value));
            assert_eq!(sql_check::complaint(&sql), None);
        }
    }

    #[test]
    fn what_would_do_more_than_read_is_not_asked() {
        let read = "SELECT 'a''; DELETE FROM readings'".to_owned();
        assert_eq!(only_reading(read.clone()), Ok(read));
        let error = only_reading("SELECT 'a'; DELETE FROM readings".to_owned()).unwrap_err();
        assert!(error.starts_with("`SELECT 'a'; DELETE"), "{error}");
    }

    #[test]
    fn a_query_is_asked_in_the_sql_of_the_design() {
        let text = r#"
title = "t"
[table]
name = "readings"
columns = { sensor = "text", time = "bigint" }
partition_key = ["sensor"]
order_key = ["time"]
[data]
generator = "columns"
[data.columns]
sensor = { sequence = { cycle = 5 } }
time = { sequence = { every = 5 } }
[scale]
rows = 10
[[queries]]
name = "rows"
sql = "SELECT count(*) AS n FROM readings"
[queries.engine_sql]
postgres = "SELECT count(*) AS of_postgres FROM readings"
timescale = "DELETE FROM readings"
[mix]
[[mix.operations]]
name = "asked"
action = "query"
query = "rows"
weight = 100
"#;
        let workload = Workload::parse(text, Path::new("w.toml")).unwrap();
        let mix = workload.mix.clone().unwrap();
        let id: DesignId = "postgres/plain".parse().unwrap();
        let translated = in_postgres(&id, &workload, &mix).unwrap();
        let sql = translated.queries[0].sql_for("postgres/plain");
        assert!(sql.contains("of_postgres"), "{sql}");
        let id: DesignId = "timescale/hypertable?chunk=5".parse().unwrap();
        let error = in_postgres(&id, &workload, &mix).unwrap_err().0;
        let start = "design timescale/hypertable?chunk=5: operation `asked`: ";
        assert!(error.starts_with(start), "{error}");
    }
}
