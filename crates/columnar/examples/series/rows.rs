//! The series as rows of a CQL table.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::stream::{self, StreamExt, TryStreamExt};
use scylla::client::session::Session;
use scylla::statement::batch::{Batch, BatchType};
use scylla::statement::prepared::PreparedStatement;

use crate::Result;
use crate::points::{Points, SENSOR, value};
use crate::server::KEYSPACE;

/// The number of rows in an unlogged batch of one partition: larger ones are not faster.
const BATCH_ROWS: u64 = 100;

/// The number of batches that are under way at the same time.
const IN_FLIGHT: usize = 32;

pub struct CqlTable {
    session: Arc<Session>,
    points: Points,
    insert: PreparedStatement,
    average: PreparedStatement,
    average_of_range: PreparedStatement,
    values: PreparedStatement,
}

impl CqlTable {
    pub async fn create(session: &Arc<Session>, points: Points) -> Result<Self> {
        let table = format!("{KEYSPACE}.sensor");
        let create = format!(
            "CREATE TABLE {table} (sensor_id int, time bigint, value double, \
             PRIMARY KEY (sensor_id, time))"
        );
        session.query_unpaged(create, ()).await?;
        let prepare = async |cql: String| session.prepare(cql).await;
        let average = format!("SELECT avg(value) FROM {table} WHERE sensor_id = ?");
        let range = "AND time >= ? AND time <= ?";
        let values = format!("SELECT value FROM {table} WHERE sensor_id = ? {range}");
        let insert = format!("INSERT INTO {table} (sensor_id, time, value) VALUES (?, ?, ?)");
        Ok(CqlTable {
            session: Arc::clone(session),
            points,
            insert: prepare(insert).await?,
            average_of_range: prepare(format!("{average} {range}")).await?,
            average: prepare(average).await?,
            values: prepare(values).await?,
        })
    }

    pub async fn load(&self) -> Result<Duration> {
        let began = Instant::now();
        let last = self.points.rows;
        let batches = (1..=last).step_by(BATCH_ROWS as usize);
        stream::iter(batches)
            .map(|first| self.insert(first..(first + BATCH_ROWS).min(last + 1)))
            .buffer_unordered(IN_FLIGHT)
            .try_collect::<()>()
            .await?;
        Ok(began.elapsed())
    }

    async fn insert(&self, times: std::ops::Range<u64>) -> Result<()> {
        let mut batch = Batch::new(BatchType::Unlogged);
        let mut values = Vec::with_capacity(BATCH_ROWS as usize);
        for time in times {
            batch.append_statement(self.insert.clone());
            values.push((SENSOR, time as i64, value(time)));
        }
        self.session.batch(&batch, values).await?;
        Ok(())
    }

    /// Returns the average that Cassandra computes.
    pub async fn average(&self, range: Option<(i64, i64)>) -> Result<f64> {
        let answer = match range {
            None => self.session.execute_unpaged(&self.average, (SENSOR,)).await,
            Some((low, high)) => {
                let values = (SENSOR, low, high);
                self.session
                    .execute_unpaged(&self.average_of_range, values)
                    .await
            }
        };
        let rows = answer?.into_rows_result()?;
        Ok(rows.single_row::<(f64,)>()?.0)
    }

    /// Returns the sum of the values with these times, all of which are read.
    pub async fn values(&self, (low, high): (i64, i64)) -> Result<f64> {
        let answer = self
            .session
            .execute_unpaged(&self.values, (SENSOR, low, high))
            .await?;
        let rows = answer.into_rows_result()?;
        let mut sum = 0.0;
        for row in rows.rows::<(f64,)>()? {
            sum += row?.0;
        }
        Ok(sum)
    }
}
