//! The dialects of SQL that engines speak.

/// A dialect of SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlDialect {
    /// That of a workload's queries.
    Datafusion,
    /// That of PostgreSQL and TimescaleDB.
    Postgres,
    /// That of DuckDB with a function `date_bin`, which tables of the engine `duckdb` have beside them.
    Duckdb,
    /// That of DuckDB itself.
    DuckdbAlone,
    Spark,
    Sqlite,
}

impl SqlDialect {
    /// Returns the name of the system whose dialect it is.
    pub fn system(self) -> &'static str {
        match self {
            SqlDialect::Datafusion => "DataFusion",
            SqlDialect::Postgres => "PostgreSQL",
            SqlDialect::Duckdb | SqlDialect::DuckdbAlone => "DuckDB",
            SqlDialect::Spark => "Spark",
            SqlDialect::Sqlite => "SQLite",
        }
    }

    /// Returns whether nulls come first in ascending order where nothing else is said, and last in descending order.
    pub fn has_nulls_first(self) -> bool {
        matches!(self, SqlDialect::Spark | SqlDialect::Sqlite)
    }
}
