//! Options about machines and their prices.

use anyhow::{Result, anyhow};
use bakeoff_report::growth;
use bakeoff_stats::{Cost, Demand, Summary};
use clap::Args;

use super::amount::amount;
use crate::cmd::options::choice::parse_rate;
use crate::cmd::options::prices::PriceOptions;
use crate::exit::Misuse;

#[derive(Args)]
pub struct MachineOptions {
    /// Cores of a machine: says how many machines each design needs [default: those of the price list]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    machine_cores: Option<u32>,

    /// Size of a machine's disk, for example 2TiB [default: as large as it takes]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    disk: Option<f64>,

    /// Questions a second, in the shares of the workload's weights [default: as the workload says]
    #[arg(long, value_name = "RATE", value_parser = parse_rate, allow_negative_numbers = true)]
    questions: Option<f64>,

    /// Rows a second that are inserted [default: as the workload says]
    #[arg(long, value_name = "RATE", value_parser = parse_rate, allow_negative_numbers = true)]
    inserts: Option<f64>,

    /// Machines that there are: says of which designs they are enough
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    nodes: Option<u32>,

    #[command(flatten)]
    prices: PriceOptions,
}

impl MachineOptions {
    /// Returns whether machines or their prices are asked for.
    pub fn are_asked(&self) -> bool {
        let sizes = self.machine_cores.is_some() || self.disk.is_some() || self.nodes.is_some();
        sizes || self.questions.is_some() || self.inserts.is_some() || self.prices.is_given()
    }

    /// Renders the machines of each design, and with prices what a month costs.
    ///
    /// # Errors
    /// A misuse where options contradict each other or say too little.
    pub fn render(&self, summary: &Summary, rows: u64, copies: u32, json: bool) -> Result<String> {
        let prices = self.prices.read()?;
        let cores = self
            .machine_cores
            .or(prices.as_ref().map(|prices| prices.machine_cores));
        let of_scale = Demand::of_scale(summary, cores.unwrap_or(summary.header.machine.cores));
        let demand = Demand {
            rows,
            copies,
            questions: self.questions.or(of_scale.questions),
            inserts: self.inserts.or(of_scale.inserts),
            disk: self.disk,
            nodes: self.nodes,
            ..of_scale
        };
        self.check(&demand, prices.is_some())?;
        match prices {
            Some(prices) => {
                let cost = Cost::new(summary, prices, demand);
                if json {
                    return Ok(growth::cost_json(&cost)?);
                }
                Ok(growth::render_cost(summary, &cost))
            }
            None if json => Ok(growth::machines_json(summary, &demand)?),
            None => Ok(growth::render_machines(summary, &demand)),
        }
    }

    fn check(&self, demand: &Demand, has_prices: bool) -> Result<()> {
        if let Some(nodes) = demand.nodes
            && demand.copies > nodes
        {
            let told = anyhow!(
                "--nodes {nodes} machines cannot hold {} copies; give at least as many, or fewer \
                 --copies",
                demand.copies
            );
            return Err(Misuse::new(told).into());
        }
        if !has_prices && !demand.has_rates() {
            let told = anyhow!(
                "nothing says how much is asked of the machines; give --questions or --inserts, or \
                 questions_per_second and rows_per_second in [scale] of the workload"
            );
            return Err(Misuse::new(told).into());
        }
        Ok(())
    }
}

/// Reads a size such as `500GiB`, `2TiB` or `1.5TB`.
fn parse_size(text: &str) -> Result<f64, String> {
    const UNITS: [(&str, f64); 8] = [
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("TiB", 1_099_511_627_776.0),
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
    ];
    let told = || "not a size with its unit such as 500GiB or 2TiB".to_owned();
    amount(text, &UNITS).ok_or_else(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("2 TiB"), Ok(2_199_023_255_552.0));
        assert_eq!(parse_size("1.5TB"), Ok(1.5e12));
        for text in ["0GiB", "-1GiB", "500", "GiB", "", "infGiB", "5XB"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
