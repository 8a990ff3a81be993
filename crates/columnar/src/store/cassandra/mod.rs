//! Tables kept in Cassandra.
