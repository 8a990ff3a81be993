//! Options of questions that several clients ask at the same time.

use std::time::Duration;

use bakeoff_workload::{Concurrent, Workload};
use clap::Args;

use crate::cmd::options::choice::parse_duration_to_a_day;

#[derive(Args, Debug)]
pub struct ConcurrentOptions {
    /// Clients that ask at the same time, after the rounds [default: those of the workload's
    /// [concurrent], none without]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Concurrent::CLIENTS_AT_MOST)))]
    concurrent_clients: Option<u32>,

    /// The longest that they ask each design
    #[arg(long, value_name = "DURATION", value_parser = parse_duration_to_a_day)]
    concurrent_for: Option<Duration>,

    /// Ask one question after another only, whatever the workload says
    #[arg(long, conflicts_with_all = ["concurrent_clients", "concurrent_for"])]
    no_concurrent: bool,
}

impl ConcurrentOptions {
    /// Returns what the workload says, as far as no option says otherwise; an option alone is enough.
    pub fn plan(&self, workload: &Workload) -> Option<Concurrent> {
        if self.no_concurrent {
            return None;
        }
        let asked = self.concurrent_clients.is_some() || self.concurrent_for.is_some();
        let plan = workload.concurrent.or(asked.then(Concurrent::default))?;
        Some(Concurrent {
            clients: self.concurrent_clients.unwrap_or(plan.clients),
            limit: self.concurrent_for.unwrap_or(plan.limit),
            ..plan
        })
    }
}
