//! The engines of the releases of Cassandra, and what the older one lacks of what designs and workloads ask for.

mod cql;

use bakeoff_servers::cassandra::Release;
use bakeoff_workload::{Action, DesignId, Mix, Workload};

use super::names::{ENGINE, ENGINE_4};
use super::options::CassandraOptions;
use crate::EngineError;

/// Beginning of the compaction setting that names the unified strategy.
const UNIFIED: &str = "ucs";
/// End of the index setting that names the kind which each release has.
const HIDDEN_TABLE: &str = ":2i";

/// Layouts that have the setting `compaction`.
const COMPACTED: [&str; 5] = ["narrow", "wide", "blob", "compact", "series"];
/// Layouts that have the setting `index`.
const INDEXED: [&str; 2] = ["narrow", "wide"];

/// Returns the release of the engine that a design id names.
pub fn release_of(id: &DesignId) -> Release {
    if id.engine == ENGINE_4 {
        Release::Four
    } else {
        Release::Five
    }
}

/// Returns the name of a release's engine.
pub fn engine_of(release: Release) -> &'static str {
    match release {
        Release::Four => ENGINE_4,
        Release::Five => ENGINE,
    }
}

/// Checks that a release can be had with these options: the older one is always a single server of our own.
///
/// # Errors
/// Fails for an existing cluster, whose version is not ours to choose, and for several nodes.
pub fn check_options(release: Release, options: &CassandraOptions) -> Result<(), EngineError> {
    if release == Release::Five {
        return Ok(());
    }
    let leave_out = format!("leave out its designs, as with --designs '{ENGINE}/*'");
    if let Some(cluster) = &options.cluster {
        return Err(EngineError(format!(
            "{ENGINE_4} is a Cassandra {release} that Bakeoff starts itself, and the Cassandra at {} has the \
             version that it has: leave out --cassandra, or {leave_out}",
            cluster.address
        )));
    }
    if options.replication.nodes > 1 {
        return Err(EngineError(format!(
            "{ENGINE_4} is a single node of Cassandra {release}: leave out --nodes, or {leave_out}"
        )));
    }
    Ok(())
}

/// Returns what a design or its workload asks for that the design's release lacks, as a sentence, or `None` if
/// there is nothing of that kind.
pub fn lacking(id: &DesignId, workload: &Workload) -> Option<String> {
    let release = release_of(id);
    if release == Release::Five {
        return None;
    }
    let lacks = |what: &str, remedy: &str| {
        format!("{what} is new in Cassandra 5.0, and {release} lacks it: {remedy}")
    };
    // A setting that the layout does not have is refused as such.
    let setting = |name: &str, layouts: &[&str]| {
        let layout = id.layout.as_deref().unwrap_or_default();
        let value = id.settings.get(name).filter(|_| layouts.contains(&layout));
        value.map(|value| value.to_ascii_lowercase())
    };
    if setting("compaction", &COMPACTED).is_some_and(|value| value.starts_with(UNIFIED)) {
        return Some(lacks("compaction=UCS", "write STCS, LCS or TWCS"));
    }
    if setting("index", &INDEXED).is_some_and(|value| !value.ends_with(HIDDEN_TABLE)) {
        let written = id.settings.get("index").map(String::as_str);
        let columns = written.unwrap_or_default().split(':').next();
        let columns = columns.unwrap_or_default();
        let remedy = format!("write index={columns}{HIDDEN_TABLE}");
        return Some(lacks("a storage-attached index", &remedy));
    }
    let one_of_both = format!("leave it out, or the designs of {ENGINE_4}");
    let mut keys = workload.server.cassandra.iter().map(|(key, _)| key);
    if let Some(key) = keys.find(|key| !release.has_key(key)) {
        let what = format!("`{key}` of [server.cassandra]");
        return Some(lacks(&what, &one_of_both));
    }
    let word = statements(workload.mix.as_ref()?).find_map(cql::new_in_five)?;
    Some(lacks(
        &format!("`{word}` in a statement of [mix]"),
        &one_of_both,
    ))
}

/// Returns the statements that a mix has in CQL.
fn statements(mix: &Mix) -> impl Iterator<Item = &str> {
    let operations = mix.operations.iter();
    let operations = operations.filter_map(|operation| match &operation.action {
        Action::Cql(operation) => Some(operation),
        _ => None,
    });
    let asked =
        operations.flat_map(|operation| operation.statements.iter().chain(&operation.otherwise));
    let prepared = asked.chain(&mix.populate);
    let prepared = prepared.map(|statement| statement.cql.as_str());
    let background = mix.background.iter();
    let background = background.flat_map(|background| &background.statements);
    let others = mix.schema.iter().chain(background);
    others.map(String::as_str).chain(prepared)
}

#[cfg(test)]
mod tests;
