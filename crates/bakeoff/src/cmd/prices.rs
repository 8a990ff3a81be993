//! Prices for a report.

use std::path::PathBuf;

use anyhow::Result;
use bakeoff_stats::Prices;
use bakeoff_workload::PriceList;
use clap::Args;

#[derive(Args, Debug)]
pub struct PriceOptions {
    /// Price list (TOML): the report also says what the figures cost
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
}

impl PriceOptions {
    /// Reads and checks the list; `None` where none is named.
    pub fn read(&self) -> Result<Option<Prices>> {
        let Some(path) = &self.prices else {
            return Ok(None);
        };
        let list = PriceList::read(path)?;
        Ok(Some(Prices {
            title: list.title,
            currency: list.currency,
            machine_cores: list.machine_cores,
            machine_month: list.machine_month,
            storage_gib_month: list.storage_gib_month,
        }))
    }
}
