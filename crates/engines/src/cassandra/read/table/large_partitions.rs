//! How scans of a table read partitions that turn out to be large.

use std::sync::Arc;

use datafusion::error::Result;

use super::CassandraTable;
use crate::cassandra::read::decode::Decoder;
use crate::cassandra::read::partition_key::PartitionKey;
use crate::cassandra::read::pushdown::Pushdown;
use crate::cassandra::read::reader::Split;
use crate::cassandra::read::split::OrderKey;

/// Number of requests that a large partition is read by at the same time, for each thread.
const AT_ONCE_PER_THREAD: usize = 2;

impl CassandraTable {
    /// Returns how a partition is split if it turns out to be large, for a scan that sends so many
    /// requests and reads these columns.
    ///
    /// It is split only where threads would have nothing to do otherwise: where fewer partitions than
    /// threads are read, or at the end of a scan of the whole table. The latter reads no further columns
    /// for it, so that it has to read the whole key anyway.
    pub(super) fn split(
        &self,
        decoder: &Decoder,
        projection: &[usize],
        pushdown: &Pushdown,
        requests: usize,
        threads: usize,
    ) -> Result<Option<Split>> {
        let Some(order_key) = OrderKey::new(&self.table, pushdown) else {
            return Ok(None);
        };
        let columns = &self.table.columns;
        let is_order_key = |column: &usize| columns[*column].name == order_key.column;
        let place = projection.iter().position(is_order_key);
        let is_whole_table = pushdown.partitions.is_none();
        let partition_key = if is_whole_table {
            let has_whole_key = place.is_some() && pushdown.conditions.is_empty();
            let key = PartitionKey::new(&self.table, projection).filter(|_| has_whole_key);
            if key.is_none() {
                return Ok(None);
            }
            key
        } else if requests < threads {
            None
        } else {
            return Ok(None);
        };
        let mut opening = projection.to_vec();
        let place = place.unwrap_or_else(|| {
            opening.extend((0..columns.len()).find(is_order_key));
            projection.len()
        });
        let mut opening_decoder = Decoder::new(&self.table, &opening)?;
        if let Some(rows) = &self.expiring_rows {
            opening_decoder = opening_decoder.counting_expiring(&self.table, Arc::clone(rows));
        }
        // In a scan of the whole table, too, each request for a range names its partition.
        let one_partition = Pushdown {
            partitions: Some(Vec::new()),
            ..Pushdown::default()
        };
        let of_partition = if is_whole_table {
            &one_partition
        } else {
            pushdown
        };
        // All readers of a whole table share what is sent at the same time.
        let sharing = if is_whole_table { 1 } else { requests };
        Ok(Some(Split {
            opening: self.select(&opening_decoder, pushdown, ""),
            opening_decoder: Arc::new(opening_decoder),
            partition_key,
            place,
            last_row: self.end_statement(&order_key, of_partition, !order_key.descending),
            range: self.select(decoder, &order_key.restrict(of_partition), ""),
            at_once: at_once(threads, sharing),
            order_key,
        }))
    }
}

/// Returns the number of requests that a large partition is read by at the same time.
pub(super) fn at_once(threads: usize, partitions: usize) -> usize {
    (AT_ONCE_PER_THREAD * threads / partitions.max(1)).max(1)
}
