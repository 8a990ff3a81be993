//! The plan node that reads the rows of a table whose keys an index table has.

use std::fmt::{self, Formatter};
use std::future::ready;
use std::sync::Arc;

use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::Expr;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::EmissionType;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning,
    PlanProperties,
};
use futures::{Stream, StreamExt, TryStreamExt};
use scylla::statement::prepared::PreparedStatement;

use super::decode::Decoder;
use super::failures::explained;
use super::key_value::{KeyValue, key_value};
use super::readable::ReadTable;
use super::request::Request;
use super::statements::Statements;
use crate::cassandra::names::quoted;

/// Number of rows that a question reads by their keys at the same time: as many requests as loading has in flight.
pub const ROWS_AT_ONCE: usize = 128;
/// Number of rows that are passed on together.
const BATCH_ROWS: usize = 1_024;

/// The requests that each read one row of a table, made from rows of an index table.
#[derive(Debug)]
struct RowRequests {
    table: ReadTable,
    /// Columns of the table's key in the rows of the index table, in their order.
    key: Vec<String>,
}

impl RowRequests {
    fn new(table: &ReadTable) -> Self {
        let key = table.partition_key.iter().chain(&table.clustering_key);
        RowRequests {
            table: table.clone(),
            key: key.cloned().collect(),
        }
    }

    /// Returns the statement that reads one row, with what it selects.
    fn statement(&self, selection: &str) -> String {
        let partition = self.table.token_columns().into_iter();
        let columns = partition.chain(self.table.clustering_key.iter().map(String::as_str));
        let equal: Vec<String> = columns.map(|c| format!("{} = ?", quoted(c))).collect();
        format!(
            "SELECT {selection} FROM {} WHERE {}",
            self.table.quoted_name(),
            equal.join(" AND ")
        )
    }

    /// Makes a request for each key.
    ///
    /// # Errors
    /// Fails for a value of a type that is not bound, which the settings of a design exclude.
    fn requests(&self, keys: &RecordBatch) -> Result<Vec<Request>> {
        (0..keys.num_rows())
            .map(|row| self.request(keys, row))
            .collect()
    }

    fn request(&self, keys: &RecordBatch, row: usize) -> Result<Request> {
        let mut values = Vec::with_capacity(self.key.len() + 1);
        for (column, name) in self.key.iter().enumerate() {
            let value = ScalarValue::try_from_array(keys.column(column), row)?;
            let value = key_value(&self.table, name, &Expr::Literal(value, None));
            values.push(value.ok_or_else(|| failed(format!("no key has a value of `{name}`")))?);
        }
        if let Some(bucket) = &self.table.bucket {
            let of_column = self.key.iter().position(|name| *name == bucket.column);
            let number = match of_column.map(|column| &values[column]) {
                Some(KeyValue::Int(v)) => i64::from(*v),
                Some(KeyValue::Bigint(v)) => *v,
                other => return Err(failed(format!("{other:?} is in no bucket"))),
            };
            // The bucket is the last column of the partition key.
            let bucket = KeyValue::Bigint(number.div_euclid(bucket.width));
            values.insert(self.table.partition_key.len(), bucket);
        }
        Ok(Request::new(values))
    }
}

/// The way to the rows of a table by their keys.
#[derive(Debug)]
struct Rows {
    statements: Arc<Statements>,
    requests: RowRequests,
    cql: String,
    decoder: Decoder,
}

impl Rows {
    /// Reads the row of each key, of so many at the same time and in no order.
    fn read(
        self: Arc<Self>,
        keys: SendableRecordBatchStream,
        statement: PreparedStatement,
        at_once: usize,
    ) -> impl Stream<Item = Result<RecordBatch>> {
        let (of_keys, statement) = (Arc::clone(&self), Arc::new(statement));
        let schema = Arc::clone(self.decoder.schema());
        let requests = keys.and_then(move |keys| ready(of_keys.requests.requests(&keys)));
        let requests = requests
            .map_ok(|requests| futures::stream::iter(requests).map(Ok::<_, DataFusionError>));
        requests
            .try_flatten()
            .map_ok(move |request| Arc::clone(&self).row(Arc::clone(&statement), request))
            .try_buffer_unordered(at_once)
            .try_chunks(BATCH_ROWS)
            .map_err(|incomplete| incomplete.1)
            .and_then(move |rows| {
                let rows = concat_batches(&schema, &rows);
                ready(rows.map_err(DataFusionError::from))
            })
    }

    /// Reads one row, which is none if it has expired since its key was read.
    async fn row(
        self: Arc<Self>,
        statement: Arc<PreparedStatement>,
        request: Request,
    ) -> Result<RecordBatch> {
        // In a task of its own, so that all threads decode rows.
        let task = SpawnedTask::spawn(async move {
            let session = &self.statements.session;
            let found = session.execute_unpaged(&statement, &request).await;
            let found = found.map_err(|error| failed(explained(&error)))?;
            let page = found.into_rows_result().map_err(failed)?;
            self.decoder.decode(&page)
        });
        task.join().await.map_err(failed)?
    }
}

/// The plan node that reads the row of each key that its input yields.
#[derive(Debug)]
pub struct RowsByKeyExec {
    /// Scan of the index table, which yields the columns of the table's key.
    keys: Arc<dyn ExecutionPlan>,
    rows: Arc<Rows>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl RowsByKeyExec {
    /// Makes the node for columns of a table, given by their numbers.
    pub fn new(
        keys: Arc<dyn ExecutionPlan>,
        statements: Arc<Statements>,
        table: &ReadTable,
        projection: &[usize],
    ) -> Result<Self> {
        let decoder = Decoder::new(table, projection)?;
        let requests = RowRequests::new(table);
        let rows = Rows {
            statements,
            cql: requests.statement(&decoder.selection()),
            requests,
            decoder,
        };
        Ok(RowsByKeyExec::over(keys, Arc::new(rows)))
    }

    fn over(keys: Arc<dyn ExecutionPlan>, rows: Arc<Rows>) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(rows.decoder.schema())),
            Partitioning::UnknownPartitioning(keys.output_partitioning().partition_count()),
            EmissionType::Incremental,
            keys.boundedness(),
        );
        RowsByKeyExec {
            keys,
            rows,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    /// Returns the number of rows that each partition of the plan reads at the same time.
    fn at_once(&self) -> usize {
        (ROWS_AT_ONCE / self.properties.partitioning.partition_count().max(1)).max(1)
    }
}

impl DisplayAs for RowsByKeyExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "CassandraRowsByKey: cql=[{}], at once={ROWS_AT_ONCE}",
            self.rows.cql
        )
    }
}

impl ExecutionPlan for RowsByKeyExec {
    fn name(&self) -> &str {
        "CassandraRowsByKey"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.keys]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let keys = children.into_iter().next();
        let keys = keys.unwrap_or_else(|| Arc::clone(&self.keys));
        Ok(Arc::new(RowsByKeyExec::over(keys, Arc::clone(&self.rows))))
    }

    /// Rows are read at the same time already, however many partitions there are.
    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let keys = self.keys.execute(partition, context)?;
        let (rows, at_once) = (Arc::clone(&self.rows), self.at_once());
        let reading = async move {
            let statement = rows.statements.prepare(&rows.cql).await.map_err(failed)?;
            Ok::<_, DataFusionError>(rows.read(keys, statement, at_once))
        };
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let batches = futures::stream::once(reading).try_flatten();
        let counted = batches.inspect(move |batch| {
            if let Ok(batch) = batch {
                metrics.record_output(batch.num_rows());
            }
        });
        let schema: SchemaRef = Arc::clone(self.rows.decoder.schema());
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, counted)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

fn failed(error: impl fmt::Display) -> DataFusionError {
    let message = format!("reading a row from Cassandra by its key failed: {error}");
    DataFusionError::External(message.into())
}

#[cfg(test)]
mod tests {
    use arrow::array::{ArrayRef, Int64Array, StringArray, TimestampMillisecondArray};
    use bakeoff_workload::{Column, ColumnType, DesignId, Table};

    use super::*;
    use crate::cassandra::rows::layout::{Shape, TableLayout};

    fn requests(id: &str, order: ColumnType) -> RowRequests {
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
        };
        let table = Table {
            name: "t".to_owned(),
            columns: vec![
                column("time", order),
                column("series", ColumnType::Text),
                column("country", ColumnType::Text),
            ],
            partition_key: vec!["series".to_owned()],
            order_key: vec!["time".to_owned()],
        };
        let id: DesignId = id.parse().unwrap();
        let shape = Shape::from_id(&id).unwrap();
        let mut layout = TableLayout::new(&id, shape, &table, false).unwrap();
        layout.name = "n".to_owned();
        RowRequests::new(&ReadTable::from_layout(&layout, "ks".to_owned()))
    }

    fn keys(times: ArrayRef) -> RecordBatch {
        let series: ArrayRef = Arc::new(StringArray::from(vec!["a", ""]));
        RecordBatch::try_from_iter([("series", series), ("time", times)]).unwrap()
    }

    fn text(value: &str) -> KeyValue {
        KeyValue::Text(value.to_owned())
    }

    #[test]
    fn a_row_is_named_by_its_whole_key_with_the_bucket_behind_the_partition_key() {
        let bucketed = requests(
            "cassandra/wide?bucket=1d&index_table=country",
            ColumnType::Timestamp,
        );
        assert_eq!(
            bucketed.statement("\"country\""),
            r#"SELECT "country" FROM "ks"."n" WHERE "series" = ? AND "bakeoff_bucket" = ? AND "time" = ?"#
        );
        let times = TimestampMillisecondArray::from(vec![-1, 86_400_000]);
        let made = bucketed.requests(&keys(Arc::new(times))).unwrap();
        let bound: Vec<Vec<KeyValue>> = made.into_iter().map(|request| request.values).collect();
        let row = |series: &str, bucket, time| {
            let numbers = [bucket, time].map(KeyValue::Bigint);
            [vec![text(series)], numbers.to_vec()].concat()
        };
        assert_eq!(bound, [row("a", -1, -1), row("", 1, 86_400_000)]);
    }

    #[test]
    fn a_table_with_one_row_in_each_partition_has_no_other_columns_in_its_key() {
        let narrow = requests("cassandra/narrow?index_table=country", ColumnType::Bigint);
        assert_eq!(
            narrow.statement("\"time\""),
            r#"SELECT "time" FROM "ks"."n" WHERE "series" = ? AND "time" = ?"#
        );
        let times = Int64Array::from(vec![7, i64::MIN]);
        let made = narrow.requests(&keys(Arc::new(times))).unwrap();
        assert_eq!(made[0].values, [text("a"), KeyValue::Bigint(7)]);
        assert_eq!(made[1].values, [text(""), KeyValue::Bigint(i64::MIN)]);
    }

    #[test]
    fn a_key_without_a_value_is_an_error() {
        let narrow = requests("cassandra/narrow?index_table=country", ColumnType::Bigint);
        let times = Int64Array::from(vec![Some(7), None]);
        let error = narrow.requests(&keys(Arc::new(times))).unwrap_err();
        assert!(error.to_string().contains("`time`"), "{error}");
    }
}
