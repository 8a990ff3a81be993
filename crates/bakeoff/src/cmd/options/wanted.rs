//! Defines the options that ask a report for nodes and money.

use anyhow::Result;
use bakeoff_stats::per_node::Wanted;
use clap::Args;

use crate::cmd::options::choice::parse_rate;
use crate::cmd::options::prices::PriceOptions;

#[derive(Args, Debug)]
pub struct WantedOptions {
    #[command(flatten)]
    prices: PriceOptions,

    /// Rows inserted, answers or operations a second that are needed, for example 500k; the report then says how
    /// many nodes that takes, in proportion to those that were measured
    #[arg(long, value_name = "RATE", value_parser = parse_rate, allow_negative_numbers = true)]
    need: Option<f64>,
}

impl WantedOptions {
    /// Returns whether a rate is needed.
    pub fn has_need(&self) -> bool {
        self.need.is_some()
    }

    /// Reads and checks the price list, if one is named.
    ///
    /// # Errors
    /// Fails with a misuse if there is no such list, or it is invalid.
    pub fn read(&self) -> Result<Wanted> {
        Ok(Wanted {
            prices: self.prices.read()?,
            need: self.need,
        })
    }
}
