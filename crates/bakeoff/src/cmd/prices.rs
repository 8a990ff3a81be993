//! Prices for a report.

use std::path::PathBuf;

use anyhow::Result;
use bakeoff_stats::Prices;
use bakeoff_workload::PriceList;
use clap::Args;

use crate::exit::Misuse;

#[derive(Args, Debug)]
pub struct PriceOptions {
    /// Price list (TOML): the report also says what the figures cost
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
}

impl PriceOptions {
    /// Reads and checks the list; `None` where none is named.
    ///
    /// # Errors
    /// A misuse where there is no such list, or it says what cannot be.
    pub fn read(&self) -> Result<Option<Prices>> {
        let Some(path) = &self.prices else {
            return Ok(None);
        };
        let list = PriceList::read(path).map_err(|error| Misuse::of(error.into()))?;
        Ok(Some(Prices {
            title: list.title,
            currency: list.currency,
            machine_cores: list.machine_cores,
            machine_month: list.machine_month,
            storage_gib_month: list.storage_gib_month,
        }))
    }
}
