//! A statement with the values of one of the times that it is sent.

use scylla::serialize::SerializationError;
use scylla::serialize::row::{RowSerializationContext, SerializeRow};
use scylla::serialize::writers::RowWriter;
use scylla::statement::prepared::PreparedStatement;

use crate::cassandra::drive::cells::Cells;
use crate::cassandra::read::request::Request;

/// What is sent at one of the times.
pub struct Sending {
    pub statement: PreparedStatement,
    pub values: Values,
    pub cql: String,
    /// Which request of a question it is; `None` for a statement of its own.
    pub of: Option<String>,
}

/// The values of a statement.
pub enum Values {
    /// Those of a row of a mix; none for a SELECT.
    Cells(Cells),
    /// Those of a request of a question.
    Request(Request),
}

impl SerializeRow for Values {
    fn serialize(
        &self,
        context: &RowSerializationContext<'_>,
        writer: &mut RowWriter<'_>,
    ) -> Result<(), SerializationError> {
        match self {
            Values::Cells(cells) => cells.serialize(context, writer),
            Values::Request(request) => request.serialize(context, writer),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Values::Cells(cells) => cells.is_empty(),
            Values::Request(request) => request.is_empty(),
        }
    }
}
