//! What a scan knows of the requests by which Cassandra would aggregate its rows.

use super::java::JavaFunctions;
use super::request::Request;
use super::split::OrderKey;

/// The requests that together reach the rows of an aggregation, and the part of their statement
/// behind what is selected.
#[derive(Debug, Clone)]
pub struct Aggregation {
    /// `FROM` and what follows it.
    pub from: String,
    /// User-defined aggregates that compute it; `None` for those that Cassandra has.
    pub java: Option<JavaFunctions>,
    /// The requests of each DataFusion partition.
    pub partitions: Vec<Vec<Request>>,
    /// How each request, which is for one partition of the table, is divided.
    pub division: Option<Division>,
}

/// How a partition is divided by ranges of its order key that are aggregated at the same time.
#[derive(Debug, Clone)]
pub struct Division {
    pub order_key: OrderKey,
    /// Statement that reads the least order key of a partition.
    pub least: String,
    /// Statement that reads the greatest order key of a partition.
    pub greatest: String,
    /// Number of requests that are sent at the same time.
    pub at_once: usize,
}
