//! The requests by which a table is read: the values that each execution of a statement binds.

use scylla::serialize::SerializationError;
use scylla::serialize::row::{RowSerializationContext, SerializeRow};
use scylla::serialize::writers::RowWriter;

use super::key_value::KeyValue;

/// The values of one execution of the statement, which select a token range or a partition.
#[derive(Debug, Clone, PartialEq)]
pub struct Request(pub Vec<KeyValue>);

impl SerializeRow for Request {
    fn serialize(
        &self,
        _: &RowSerializationContext<'_>,
        writer: &mut RowWriter<'_>,
    ) -> Result<(), SerializationError> {
        for value in &self.0 {
            value.write(writer.make_cell_writer())?;
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
