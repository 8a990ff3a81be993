//! The only list of engines.

use bakeoff_workload::DesignId;

use crate::cassandra::Cassandra;
use crate::dry::Dry;
use crate::local::Local;
use crate::memory::Memory;
use crate::parquet::ParquetFiles;
use crate::postgres::Flavour;
use crate::{Engine, EngineError};

/// Every engine that Bakeoff knows. A new one is a folder beside this file and a line here.
pub static ENGINES: &[&dyn Engine] = &[
    &Cassandra,
    &Flavour::Postgres,
    &Flavour::Timescale,
    &Local,
    &ParquetFiles,
    &Memory,
    &Dry,
];

/// The engine of a design.
pub fn engine(id: &DesignId) -> Result<&'static dyn Engine, EngineError> {
    ENGINES
        .iter()
        .find(|e| e.name() == id.engine)
        .copied()
        .ok_or_else(|| {
            let names: Vec<_> = ENGINES.iter().map(|e| e.name()).collect();
            EngineError(format!(
                "no engine is called `{}`; there are {}",
                id.engine,
                names.join(", ")
            ))
        })
}
