//! Defines the options that ask a report for nodes and money.

use anyhow::{Result, anyhow};
use bakeoff_driver::drive::Shard;
use bakeoff_stats::per_node::Wanted;
use clap::Args;

use crate::cmd::options::choice::parse_rate;
use crate::cmd::options::prices::PriceOptions;
use crate::exit::Misuse;

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

    /// Returns whether any of the options is given.
    pub fn is_given(&self) -> bool {
        self.has_need() || self.prices.is_given()
    }

    /// Checks that the options are not of one process of several, which does a part of the rate of all nodes.
    ///
    /// # Errors
    /// Fails with a misuse for a shard with a rate that is needed, or with prices.
    pub fn check_shard(&self, shard: Shard) -> Result<()> {
        if shard.is_whole() || !self.is_given() {
            return Ok(());
        }
        Err(Misuse::new(anyhow!(
            "--shard {shard}: --need and --prices are for the rate of all nodes, of which a shard does its own part: \
             leave them out here, join the folders of all shards with `bakeoff merge`, and ask `bakeoff report`"
        ))
        .into())
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
