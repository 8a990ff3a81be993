//! Rows of which nothing is known but that they have one sensor.

use bakeoff_workload::{RowValues, Value, Version};

/// All rows are of one sensor.
pub struct SameSensor;

impl RowValues for SameSensor {
    fn value(&self, _: usize, _: u64, _: Version) -> Value {
        Value::Int(0)
    }

    fn rows(&self) -> Option<u64> {
        None
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
