//! Scans of whole tables that have fewer partitions than the scan has threads.

use std::sync::atomic::Ordering;

use super::CassandraTable;
use crate::cassandra::read::decode::Decoder;
use crate::cassandra::read::key_value::KeyValue;
use crate::cassandra::read::partition_key::PartitionKey;
use crate::cassandra::read::pushdown::Pushdown;
use crate::cassandra::read::reading::ServerAggregate;
use crate::cassandra::read::split::OrderKey;

impl CassandraTable {
    /// Returns the keys of all partitions if there are fewer than threads, which token ranges would leave idle:
    /// partitions that are asked for by their keys are read by ranges of the order key.
    ///
    /// A scan that reads the whole key needs no keys before, since it splits what it finds to be large. Where the
    /// keys cannot be told, the table is read by token ranges.
    pub(super) async fn few_partitions(
        &self,
        projection: &[usize],
        pushdown: &Pushdown,
        threads: usize,
    ) -> Option<Vec<Vec<KeyValue>>> {
        let wants_all_rows = pushdown.partitions.is_none()
            && pushdown.conditions.is_empty()
            && pushdown.indexed.is_empty();
        // Otherwise a design's setting says that one statement is for the whole table.
        let is_divided = matches!(
            self.table.reading.aggregate,
            None | Some(ServerAggregate::Ranges)
        );
        if !wants_all_rows || !is_divided || self.has_many_partitions.load(Ordering::Relaxed) {
            return None;
        }
        let order_key = OrderKey::new(&self.table, pushdown)?;
        let number = |name: &String| {
            let mut columns = self.table.columns.iter();
            columns.position(|column| column.name == *name)
        };
        let key = self.table.partition_key.iter().map(number);
        let key: Vec<usize> = key.collect::<Option<_>>()?;
        let order = number(&order_key.column)?;
        let reads_whole_key = { key.iter().chain([&order]) }.all(|c| projection.contains(c));
        if reads_whole_key {
            return None;
        }
        let partition_key = PartitionKey::new(&self.table, &key)?;
        let decoder = Decoder::new(&self.table, &key).ok()?;
        // CQL tells partitions apart only by columns of their key.
        if !decoder.selected_for_rows().is_empty() {
            return None;
        }
        let found = partition_key.first(&self.statements, &decoder, threads);
        let keys = found.await.ok()??;
        if keys.len() >= threads {
            self.has_many_partitions.store(true, Ordering::Relaxed);
            return None;
        }
        (!keys.is_empty()).then_some(keys)
    }
}
