//! The only list of engines.

use bakeoff_workload::{DesignId, nearest};

use crate::adbc_engine::Adbc;
use crate::cassandra::Cassandra;
use crate::dry::Dry;
use crate::duckdb::Duckdb;
use crate::local::Local;
use crate::memory::Memory;
use crate::parquet::ParquetFiles;
#[cfg(feature = "postgres")]
use crate::postgres::Flavour;
use crate::spark::Spark;
use crate::{Engine, EngineError};

/// Every engine that Bakeoff knows. A new one is a folder alongside this file and a line here; one
/// behind a cargo feature has a second line for builds without it, so that its name stays known.
pub static ENGINES: &[&dyn Engine] = &[
    &Cassandra::FIVE,
    &Cassandra::FOUR,
    #[cfg(feature = "postgres")]
    &Flavour::Postgres,
    #[cfg(not(feature = "postgres"))]
    &crate::Absent::new("postgres", "postgres"),
    #[cfg(feature = "postgres")]
    &Flavour::Timescale,
    #[cfg(not(feature = "postgres"))]
    &crate::Absent::new("timescale", "postgres"),
    &Duckdb,
    &Spark,
    &Adbc,
    &Local,
    &ParquetFiles,
    &Memory,
    &Dry,
];

/// Returns the engine of a design.
pub fn engine(id: &DesignId) -> Result<&'static dyn Engine, EngineError> {
    ENGINES
        .iter()
        .find(|e| e.name() == id.engine)
        .copied()
        .ok_or_else(|| {
            let names: Vec<_> = ENGINES.iter().map(|e| e.name()).collect();
            let meant = nearest(&id.engine, names.iter().copied())
                .map_or(String::new(), |name| format!("; did you mean `{name}`?"));
            EngineError(format!(
                "no engine is called `{}`{meant}; there are {}",
                id.engine,
                names.join(", ")
            ))
        })
}
