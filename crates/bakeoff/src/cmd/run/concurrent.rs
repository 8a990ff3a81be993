//! Options of questions that several clients ask at the same time.

use std::time::Duration;

use anyhow::{Result, anyhow};
use bakeoff_workload::{Concurrent, Workload};
use clap::Args;

use crate::cmd::options::choice::parse_duration_to_a_day;
use crate::exit::Misuse;

#[derive(Args, Debug)]
pub struct ConcurrentOptions {
    /// Clients that ask at the same time, after the rounds [default: those of the workload's
    /// [concurrent], none without]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Concurrent::CLIENTS_AT_MOST)))]
    concurrent_clients: Option<u32>,

    /// The same for each node of a design's engine
    #[arg(long, value_name = "N", conflicts_with = "concurrent_clients", value_parser = clap::value_parser!(u32).range(1..=i64::from(Concurrent::CLIENTS_AT_MOST)))]
    concurrent_clients_per_node: Option<u32>,

    /// All clients ask the same query, one query after another, instead of permutations of all of them
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    concurrent_one_query_at_a_time: Option<bool>,

    /// The most sets of parameters with which they ask a query, which otherwise has what the workload says,
    /// or 10
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Concurrent::PARAMETER_SETS_AT_MOST)))]
    concurrent_parameter_sets: Option<u32>,

    /// The longest that they ask each design
    #[arg(long, value_name = "DURATION", value_parser = parse_duration_to_a_day)]
    concurrent_for: Option<Duration>,

    /// Ask one question after another only, whatever the workload says
    #[arg(long, conflicts_with_all = ["concurrent_clients", "concurrent_clients_per_node", "concurrent_one_query_at_a_time", "concurrent_parameter_sets", "concurrent_for"])]
    no_concurrent: bool,
}

impl ConcurrentOptions {
    /// Returns what the workload says, as far as no option says otherwise; an option alone is enough.
    pub fn plan(&self, workload: &Workload) -> Option<Concurrent> {
        if self.no_concurrent {
            return None;
        }
        let clients = self.concurrent_clients.or(self.concurrent_clients_per_node);
        let is_asked_for = clients.is_some()
            || self.concurrent_one_query_at_a_time == Some(true)
            || self.concurrent_parameter_sets.is_some()
            || self.concurrent_for.is_some();
        let plan = { workload.concurrent }.or(is_asked_for.then(Concurrent::default))?;
        let per_node = match clients {
            Some(_) => self.concurrent_clients_per_node.is_some(),
            None => plan.per_node,
        };
        Some(Concurrent {
            clients: clients.unwrap_or(plan.clients),
            per_node,
            one_query_at_a_time: { self.concurrent_one_query_at_a_time }
                .unwrap_or(plan.one_query_at_a_time),
            parameter_sets: self.concurrent_parameter_sets.or(plan.parameter_sets),
            limit: self.concurrent_for.unwrap_or(plan.limit),
            ..plan
        })
    }

    /// Checks the number of clients of a Cassandra of this many nodes. That of a cluster of the user's is
    /// known when it answers.
    ///
    /// # Errors
    /// Fails with a misuse if there would be more clients than may ask.
    pub fn check(&self, workload: &Workload, nodes: u8) -> Result<()> {
        let Some(plan) = self.plan(workload) else {
            return Ok(());
        };
        let (clients, most) = (
            plan.clients_of(u32::from(nodes)),
            Concurrent::CLIENTS_AT_MOST,
        );
        if clients <= most {
            return Ok(());
        }
        Err(Misuse::new(anyhow!(
            "{} clients for each of {nodes} nodes are {clients}, and at most {most} ask at the same time: \
             --concurrent-clients-per-node {}",
            plan.clients,
            most / u32::from(nodes)
        ))
        .into())
    }
}
