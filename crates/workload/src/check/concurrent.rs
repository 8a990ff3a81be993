//! Checks `[concurrent]`: queries that several clients ask at the same time.

use std::time::Duration;

use toml::Spanned;

use super::number;
use super::text::Text;
use crate::{Concurrent, Query, Result, wire};

/// Checks the settings; those that are not given have their defaults.
pub fn check(
    document: Text<'_>,
    wire: &Spanned<wire::Concurrent>,
    queries: &[Query],
) -> Result<Concurrent> {
    if queries.is_empty() {
        let message = "[concurrent] asks the workload's [[queries]], and there are none";
        return Err(document.error(wire.span(), message));
    }
    let (defaults, wire) = (Concurrent::default(), wire.get_ref());
    let up_to = |value: &Option<Spanned<i64>>, key, most| {
        number::up_to(document, value.as_ref(), key, most)
    };
    if let (Some(_), Some(per_node)) = (&wire.clients, &wire.clients_per_node) {
        let message = "`clients` are those of all nodes together, so that one of the two is enough";
        return Err(document.error(per_node.span(), message));
    }
    let most = Concurrent::CLIENTS_AT_MOST;
    let clients = up_to(&wire.clients, "clients", most)?;
    let per_node = up_to(&wire.clients_per_node, "clients_per_node", most)?;
    let most = Concurrent::PERMUTATIONS_AT_MOST;
    let permutations = up_to(&wire.permutations, "permutations", most)?;
    let most = Concurrent::PARAMETER_SETS_AT_MOST;
    let parameter_sets = up_to(&wire.parameter_sets, "parameter_sets", most)?;
    let seconds = up_to(&wire.seconds, "seconds", Concurrent::SECONDS_AT_MOST)?;
    let limit = seconds.map(|seconds| Duration::from_secs(seconds.into()));
    Ok(Concurrent {
        clients: clients.or(per_node).unwrap_or(defaults.clients),
        per_node: per_node.is_some(),
        one_query_at_a_time: { wire.one_query_at_a_time }.unwrap_or(defaults.one_query_at_a_time),
        permutations: permutations.unwrap_or(defaults.permutations),
        parameter_sets,
        limit: limit.unwrap_or(defaults.limit),
    })
}
