//! The partition that a row of a scan of the whole table is in, and the tokens behind it.

use arrow::record_batch::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::Expr;
use scylla::response::query_result::QueryRowsResult;

use super::decode::Decoder;
use super::failures::explained;
use super::key_value::{KeyValue, key_value};
use super::readable::ReadTable;
use super::request::Request;
use super::statements::Statements;

/// The partition key of a table in the rows of a scan that reads all of its columns.
#[derive(Debug)]
pub struct PartitionKey {
    table: ReadTable,
    /// Place of each column in the rows.
    places: Vec<usize>,
    /// Statement that reads the token of a partition.
    token: String,
    /// Statement that reads the keys of up to two partitions with tokens in a range.
    in_range: String,
}

/// What comes behind a partition in a scan of a token range.
#[derive(Debug, PartialEq)]
pub struct Behind {
    /// The request for it; `None` if the partition has the last token of the range.
    pub request: Option<Request>,
}

impl PartitionKey {
    /// Returns the partition key of a table in rows that have these columns of it, or `None` if they
    /// lack a part of the key.
    pub fn new(table: &ReadTable, projection: &[usize]) -> Option<PartitionKey> {
        // A bucket is not among the columns of a row.
        if table.bucket.is_some() {
            return None;
        }
        let place = |name: &String| {
            let is_it = |column: &usize| table.columns[*column].name == *name;
            projection.iter().position(is_it)
        };
        let places = table.partition_key.iter().map(place);
        let columns = table.token_columns();
        let (key, from) = (table.names.quoted_list(&columns), table.quoted_name());
        let equal: Vec<String> = columns
            .iter()
            .map(|c| format!("{} = ?", table.names.quoted(c)))
            .collect();
        Some(PartitionKey {
            places: places.collect::<Option<_>>()?,
            token: format!(
                "SELECT token({key}) FROM {from} WHERE {} LIMIT 1",
                equal.join(" AND ")
            ),
            in_range: format!(
                "SELECT DISTINCT {key} FROM {from} WHERE token({key}) > ? AND token({key}) <= ? LIMIT 2"
            ),
            table: table.clone(),
        })
    }

    /// Returns the key of the partition that a row is in, or `None` if it has a type of which values are
    /// not bound.
    pub fn of(&self, batch: &RecordBatch, row: usize) -> Option<Vec<KeyValue>> {
        let columns = self.places.iter().zip(&self.table.partition_key);
        let value = |(place, name): (&usize, &String)| {
            let value = ScalarValue::try_from_array(batch.column(*place), row).ok()?;
            key_value(&self.table, name, &Expr::Literal(value, None))
        };
        columns.map(value).collect()
    }

    /// Returns the keys of the first partitions of the table, at most `most` of them, or `None` if one has a type
    /// of which values are not bound. `decoder` is that of the key's columns alone.
    ///
    /// # Errors
    /// The errors of the driver.
    pub async fn first(
        &self,
        statements: &Statements,
        decoder: &Decoder,
        most: usize,
    ) -> Result<Option<Vec<Vec<KeyValue>>>> {
        let (key, from) = (decoder.selection(), self.table.quoted_name());
        let cql = format!("SELECT DISTINCT {key} FROM {from} LIMIT {most}");
        let found = rows(statements, &cql, &Request::new(Vec::new())).await?;
        let batch = decoder.decode(&found)?;
        let rows = 0..batch.num_rows();
        Ok(rows.map(|row| self.of(&batch, row)).collect())
    }

    /// Returns what comes behind a partition in the token range of a request. It is `None` if that
    /// cannot be told: if another partition has the same token, or this one is gone.
    ///
    /// # Errors
    /// The errors of the driver.
    pub async fn behind(
        &self,
        statements: &Statements,
        partition: &[KeyValue],
        request: &Request,
    ) -> Result<Option<Behind>> {
        let of_partition = Request::new(partition.to_vec());
        let found = rows(statements, &self.token, &of_partition).await?;
        let token = found.maybe_first_row::<(i64,)>().map_err(failed)?;
        let Some((token,)) = token else {
            return Ok(None);
        };
        // No partition has the least token.
        let Some(before) = token.checked_sub(1) else {
            return Ok(None);
        };
        let at_token = Request::new([before, token].map(KeyValue::Bigint).into());
        if rows(statements, &self.in_range, &at_token)
            .await?
            .rows_num()
            != 1
        {
            return Ok(None);
        }
        Ok(behind(request, token))
    }
}

/// Returns what comes behind a token in the range of a request, or `None` if the token is not in it.
fn behind(request: &Request, token: i64) -> Option<Behind> {
    let [KeyValue::Bigint(after), KeyValue::Bigint(to)] = request.values.as_slice() else {
        return None;
    };
    if token <= *after || token > *to {
        return None;
    }
    let rest = (token < *to).then(|| Request {
        values: [token, *to].map(KeyValue::Bigint).into(),
        replicas: request.replicas.clone(),
    });
    Some(Behind { request: rest })
}

async fn rows(statements: &Statements, cql: &str, request: &Request) -> Result<QueryRowsResult> {
    let statement = statements.prepare(cql).await.map_err(failed)?;
    let session = &statements.session;
    let result = session.execute_unpaged(&statement, request).await;
    let result = result.map_err(|error| failed(explained(&error)))?;
    result.into_rows_result().map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> DataFusionError {
    let message = format!("Cassandra: reading keys of large partitions failed: {error}");
    DataFusionError::External(message.into())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Float64Array, Int32Array, StringArray};

    use super::*;
    use crate::cassandra::read::readable::{CqlKind, ReadColumn};

    fn table(kinds: &[(&str, CqlKind)], key: &[&str]) -> ReadTable {
        let column = |(name, kind): &(&str, CqlKind)| ReadColumn {
            name: (*name).to_owned(),
            kind: *kind,
        };
        ReadTable {
            keyspace: "ks".to_owned(),
            name: "t".to_owned(),
            columns: kinds.iter().map(column).collect(),
            partition_key: key.iter().map(|name| (*name).to_owned()).collect(),
            ..ReadTable::default()
        }
    }

    #[test]
    fn the_key_of_a_row_is_found_wherever_its_columns_are() {
        let kinds = [
            ("a", CqlKind::Text),
            ("b", CqlKind::Int),
            ("v", CqlKind::Int),
        ];
        let table = table(&kinds, &["a", "b"]);
        assert!(PartitionKey::new(&table, &[0, 2]).is_none());
        let key = PartitionKey::new(&table, &[1, 2, 0]).unwrap();
        let numbers = || Arc::new(Int32Array::from(vec![7, 8])) as ArrayRef;
        let texts = Arc::new(StringArray::from(vec!["x", ""])) as ArrayRef;
        let rows = [("b", numbers()), ("v", numbers()), ("a", texts)];
        let rows = RecordBatch::try_from_iter(rows).unwrap();
        let of =
            |text: &str, number| Some(vec![KeyValue::Text(text.into()), KeyValue::Int(number)]);
        assert_eq!(key.of(&rows, 0), of("x", 7));
        assert_eq!(key.of(&rows, 1), of("", 8));
        assert_eq!(
            key.token,
            "SELECT token(\"a\", \"b\") FROM \"ks\".\"t\" WHERE \"a\" = ? AND \"b\" = ? LIMIT 1"
        );
    }

    #[test]
    fn keys_that_cannot_be_bound_are_not_told_apart() {
        let table = table(&[("a", CqlKind::Double)], &["a"]);
        let key = PartitionKey::new(&table, &[0]).unwrap();
        let column = Arc::new(Float64Array::from(vec![1.0])) as ArrayRef;
        let rows = RecordBatch::try_from_iter([("a", column)]).unwrap();
        assert_eq!(key.of(&rows, 0), None);
    }

    #[test]
    fn a_range_goes_on_behind_a_token_that_is_in_it() {
        let range = |after, to| Request::new([after, to].map(KeyValue::Bigint).into());
        let request = range(-5, 9);
        let goes_on = |request| Some(Behind { request });
        assert_eq!(behind(&request, 0), goes_on(Some(range(0, 9))));
        assert_eq!(behind(&request, -4), goes_on(Some(range(-4, 9))));
        assert_eq!(behind(&request, 9), goes_on(None));
        assert_eq!(behind(&request, -5), None);
        assert_eq!(behind(&request, 10), None);
        assert_eq!(behind(&Request::new(vec![KeyValue::Bigint(1)]), 1), None);
    }
}
