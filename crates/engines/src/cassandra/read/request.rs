//! The requests by which a table is read: the values that each execution of a statement binds.

use std::sync::Arc;

use scylla::policies::load_balancing::LoadBalancingPolicy;
use scylla::serialize::SerializationError;
use scylla::serialize::row::{RowSerializationContext, SerializeRow};
use scylla::serialize::writers::RowWriter;
use scylla::statement::prepared::PreparedStatement;

use super::key_value::KeyValue;
use super::replicas::Replicas;

/// A statement with the requests that it is sent for.
#[derive(Debug, Clone)]
pub struct Sent {
    pub cql: String,
    pub requests: Vec<Request>,
}

/// One execution of the statement, which reads a token range or a partition.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The values that select the rows.
    pub values: Vec<KeyValue>,
    /// The nodes that have the rows of a token range. The driver finds those of a partition by its key.
    pub replicas: Option<Arc<Replicas>>,
}

impl Request {
    /// Makes a request that the driver sends to a node of its choice.
    pub fn new(values: Vec<KeyValue>) -> Request {
        Request {
            values,
            replicas: None,
        }
    }

    /// Returns a statement that the driver sends to a node which has the request's rows.
    pub fn routed(&self, mut statement: PreparedStatement) -> PreparedStatement {
        if let Some(replicas) = &self.replicas {
            let policy: Arc<dyn LoadBalancingPolicy> = replicas.clone();
            statement.set_load_balancing_policy(Some(policy));
        }
        statement
    }
}

impl SerializeRow for Request {
    fn serialize(
        &self,
        _: &RowSerializationContext<'_>,
        writer: &mut RowWriter<'_>,
    ) -> Result<(), SerializationError> {
        for value in &self.values {
            value.write(writer.make_cell_writer())?;
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}
