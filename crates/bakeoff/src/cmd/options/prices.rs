//! Defines the option that gives prices to a report.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use bakeoff_stats::Prices;
use bakeoff_workload::PriceList;
use clap::Args;

use crate::cmd::completions;
use crate::cmd::options::data::choose;
use crate::exit::Misuse;
use crate::shipped::{Chosen, PRICES, Shipped};

#[derive(Args, Debug)]
pub struct PriceOptions {
    /// Price list, a file (TOML) or one that comes with Bakeoff (study-2018); the report then also
    /// shows costs
    #[arg(long, value_name = "FILE|NAME", add = completions::prices())]
    prices: Option<PathBuf>,
}

impl PriceOptions {
    /// Returns whether a list is named.
    pub fn is_given(&self) -> bool {
        self.prices.is_some()
    }

    /// Returns the list that is named.
    pub fn list(&self) -> Option<&Path> {
        self.prices.as_deref()
    }

    /// Reads and checks the list; `None` where none is named.
    ///
    /// # Errors
    /// Fails with a misuse if there is no such list, or it is invalid.
    pub fn read(&self) -> Result<Option<Prices>> {
        let Some(asked) = &self.prices else {
            return Ok(None);
        };
        let list = match choose(&PRICES, asked)? {
            Chosen::Shipped(Shipped { name, text }) => PriceList::parse(text, Path::new(name))?,
            Chosen::File { hint } => {
                PriceList::read(asked).map_err(|error| Misuse::new(anyhow!("{error}{hint}")))?
            }
        };
        Ok(Some(Prices {
            title: list.title,
            currency: list.currency,
            machine_cores: list.machine_cores,
            machine_month: list.machine_month,
            storage_gib_month: list.storage_gib_month,
        }))
    }
}
