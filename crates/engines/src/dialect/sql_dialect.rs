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

    /// Returns whether nulls come elsewhere than for DataFusion, which has them last in ascending order and first in
    /// descending order, where nothing is said.
    pub fn has_nulls_elsewhere(self) -> bool {
        matches!(
            self,
            SqlDialect::DuckdbAlone | SqlDialect::Spark | SqlDialect::Sqlite
        )
    }

    /// Returns whether a cast of a floating-point number to a whole one rounds it, and does not cut its decimals off.
    pub fn rounds_casts(self) -> bool {
        matches!(
            self,
            SqlDialect::Postgres | SqlDialect::Duckdb | SqlDialect::DuckdbAlone
        )
    }

    /// Returns whether a number with a point and without an exponent is a decimal that is rounded twice where it
    /// becomes a double. PostgreSQL and Spark have decimals as well, and round them once.
    pub fn rounds_decimals(self) -> bool {
        matches!(self, SqlDialect::Duckdb | SqlDialect::DuckdbAlone)
    }

    /// Returns whether it has `DISTINCT ON`.
    pub fn has_distinct_on(self) -> bool {
        !matches!(self, SqlDialect::Spark | SqlDialect::Sqlite)
    }

    /// Returns the operator that divides whole numbers to whole numbers, if it is not `/`.
    pub fn whole_division(self) -> Option<&'static str> {
        match self {
            SqlDialect::DuckdbAlone => Some("//"),
            SqlDialect::Spark => Some("div"),
            _ => None,
        }
    }
}
