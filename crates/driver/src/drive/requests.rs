//! How unevenly the operations of a load are distributed over the partitions of a design.

use bakeoff_stats::drive::KeyShares;
use bakeoff_workload::{Action, RowValues};

use super::Plan;
use super::calls::Calls;
use crate::DesignError;
use crate::partitions::{PartitionCounter, PartitionKey};

/// Number of operations that are looked at: the first ones of the plan.
const LOOKED_AT: usize = 100_000;
/// Number of rows whose values are in memory at a time.
const AT_A_TIME: usize = 10_000;

/// Counts by partition the first operations that a load is going to send. Queries are none of them, since they
/// have no row. Returns `None` if there are no others.
///
/// # Errors
/// If the key is not one of the table's.
pub fn requested(
    plan: &Plan,
    values: &dyn RowValues,
    key: PartitionKey,
) -> Result<Option<KeyShares>, DesignError> {
    // All threads together send what one thread would.
    let alone = Plan {
        threads: 1,
        ..plan.clone()
    };
    let end = values.rows().unwrap_or(u64::MAX);
    let mut calls = Calls::new(&alone, 0);
    let mut counter = PartitionCounter::new(key);
    let mut rows = Vec::with_capacity(AT_A_TIME);
    for _ in 0..LOOKED_AT {
        if calls.are_over() {
            break;
        }
        let call = calls.next();
        let action = &plan.mix.operations[call.operation].action;
        if !matches!(action, Action::Query { .. }) && call.row < end {
            rows.push(call.row);
        }
        if rows.len() == AT_A_TIME {
            counter.add_rows(values, &rows)?;
            rows.clear();
        }
    }
    counter.add_rows(values, &rows)?;
    Ok(counter.shares())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use bakeoff_workload::{ColumnType, Keys, Mix, Operation, Value, Version};

    use super::*;
    use crate::drive::{Schedule, Shard};

    /// Rows of ten sensors in turn.
    struct TenSensors;

    impl RowValues for TenSensors {
        fn value(&self, _: usize, row: u64, _: Version) -> Value {
            Value::Bigint((row % 10) as i64)
        }

        fn rows(&self) -> Option<u64> {
            Some(1_000)
        }

        fn keys_repeat(&self, _: u64, _: bool) -> bool {
            false
        }

        fn row_of(&self, _: &[Value]) -> Option<u64> {
            None
        }

        fn next_in_partition(&self, _: u64) -> Option<u64> {
            None
        }

        fn previous_in_partition(&self, _: u64) -> Option<u64> {
            None
        }
    }

    fn shares(operations: &[(Action, Keys)]) -> Option<KeyShares> {
        let operation = |(action, keys): &(Action, Keys)| Operation {
            name: "operation".to_owned(),
            weight: 1.0 / operations.len() as f64,
            action: action.clone(),
            keys: *keys,
            consistency: None,
            ttl_seconds: None,
            batch: 1,
        };
        let plan = Plan {
            mix: Arc::new(Mix {
                operations: operations.iter().map(operation).collect(),
                schema: Vec::new(),
                populate: Vec::new(),
                background: Vec::new(),
            }),
            seed: 3,
            ordinal: 0,
            rows: 1_000,
            new_rows: Vec::new(),
            shard: Shard::WHOLE,
            threads: 4,
            in_flight: 4,
            schedule: Schedule::ClosedLoop,
            duration: Duration::from_secs(1),
            drain_limit: Duration::from_secs(1),
            retries: 0,
            start_at: None,
        };
        let key = PartitionKey {
            columns: vec![(0, ColumnType::Bigint)],
            bucket: None,
            words: "sensor".to_owned(),
        };
        requested(&plan, &TenSensors, key).unwrap()
    }

    #[test]
    fn even_keys_are_asked_for_evenly_and_zipf_not() {
        let even = shares(&[(Action::ReadRow, Keys::Uniform)]).unwrap();
        assert_eq!((even.counted, even.keys), (100_000, 10));
        assert!((even.first - 0.1).abs() < 0.01, "{even:?}");
        let few = shares(&[(Action::ReadRow, Keys::Zipf { exponent: 0.99 })]).unwrap();
        assert!(few.first > 1.5 * even.first, "{few:?}");
    }

    #[test]
    fn queries_and_rows_that_there_are_not_do_not_count() {
        let query = Action::Query { query: 0 };
        let half = shares(&[
            (Action::ReadRow, Keys::Uniform),
            (query.clone(), Keys::Uniform),
        ]);
        let counted = half.unwrap().counted;
        assert!(counted.abs_diff(50_000) < 2_000, "{counted}");
        assert_eq!(shares(&[(query, Keys::Uniform)]), None);
        // The source ends with the loaded rows.
        assert_eq!(shares(&[(Action::Insert, Keys::New)]), None);
    }
}
