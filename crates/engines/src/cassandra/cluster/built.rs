//! Waiting until secondary indexes are built, which Cassandra does in the background on each node.

use std::sync::Arc;
use std::time::Duration;

use bakeoff_driver::DesignError;
use scylla::client::session::Session;
use scylla::cluster::Node;
use tokio::time::Instant;

use super::one_node::for_node;
use crate::cassandra::rows::indexes::{IndexKind, Indexes};

/// Time limit for all nodes to build the indexes of a table.
const BUILD_WAIT: Duration = Duration::from_secs(600);
/// Interval at which nodes are asked.
const POLL: Duration = Duration::from_millis(200);

/// Query for the state of a storage-attached index on the node that answers.
const STORAGE_ATTACHED: &str = "SELECT is_queryable, is_building FROM system_views.sai_column_indexes \
                                WHERE keyspace_name = ? AND index_name = ?";
/// Query for the name of an index that the answering node has built; its `table_name` is a keyspace.
const HIDDEN_TABLE: &str =
    "SELECT index_name FROM system.\"IndexInfo\" WHERE table_name = ? AND index_name = ?";

/// The state of an index on one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Built,
    Building,
    /// Is not known to the node, or not built and not being built any more.
    Missing,
}

impl State {
    /// Reads the state of a storage-attached index from its row of the system view: whether it can be queried,
    /// and whether it is being built.
    fn of_storage_attached(row: Option<(bool, bool)>) -> Self {
        match row {
            Some((true, false)) => State::Built,
            Some((_, true)) => State::Building,
            Some((false, false)) | None => State::Missing,
        }
    }

    /// Reads the state of an index in a hidden table, of which Cassandra tells only that it is built.
    fn of_hidden_table(row: Option<(String,)>) -> Self {
        match row {
            Some(_) => State::Built,
            None => State::Building,
        }
    }
}

/// Waits until every node answers queries by the indexes of a table.
///
/// # Errors
/// Names an index that is still not built after ten minutes, and its node.
pub async fn wait(
    session: &Session,
    keyspace: &str,
    table: &str,
    indexes: &Indexes,
) -> Result<(), DesignError> {
    let deadline = Instant::now() + BUILD_WAIT;
    let nodes = session.get_cluster_state().get_nodes_info().to_vec();
    for name in indexes.names(table) {
        for node in &nodes {
            let ask = || state(session, node, keyspace, &name, indexes.kind);
            match until_built(deadline, ask).await? {
                State::Built => {}
                state => return Err(not_built(&name, node, state)),
            }
        }
    }
    Ok(())
}

/// Asks for the state of an index until it is built or the deadline has passed, and returns the last one.
async fn until_built<F>(deadline: Instant, mut ask: impl FnMut() -> F) -> Result<State, DesignError>
where
    F: Future<Output = Result<State, DesignError>>,
{
    loop {
        let state = ask().await?;
        if state == State::Built || Instant::now() > deadline {
            return Ok(state);
        }
        tokio::time::sleep(POLL).await;
    }
}

fn not_built(index: &str, node: &Node, state: State) -> DesignError {
    DesignError(why_not_built(index, &node.address.to_string(), state))
}

/// Says what to do about an index that is not built.
fn why_not_built(index: &str, node: &str, state: State) -> String {
    let minutes = BUILD_WAIT.as_secs() / 60;
    let what = match state {
        State::Built | State::Building => {
            "is still being built: wait until `nodetool compactionstats` shows no build of it"
        }
        State::Missing => "cannot be queried: look for its name in the log of that Cassandra",
    };
    format!("index {index} on {node} {what}, then repeat the command ({minutes} min waited)")
}

async fn state(
    session: &Session,
    node: &Arc<Node>,
    keyspace: &str,
    index: &str,
    kind: IndexKind,
) -> Result<State, DesignError> {
    let cql = match kind {
        IndexKind::StorageAttached => STORAGE_ATTACHED,
        IndexKind::HiddenTable => HIDDEN_TABLE,
    };
    let failed = |e: &dyn std::fmt::Display| {
        let node = node.address;
        DesignError(format!(
            "asking {node} whether index {index} is built failed: {e}"
        ))
    };
    let statement = for_node(cql, node.host_id);
    let reply = session.query_unpaged(statement, (keyspace, index)).await;
    let rows = reply.map_err(|e| failed(&e))?.into_rows_result();
    let rows = rows.map_err(|e| failed(&e))?;
    match kind {
        IndexKind::StorageAttached => {
            let row = rows.maybe_first_row::<(bool, bool)>();
            row.map(State::of_storage_attached).map_err(|e| failed(&e))
        }
        IndexKind::HiddenTable => {
            let row = rows.maybe_first_row::<(String,)>();
            row.map(State::of_hidden_table).map_err(|e| failed(&e))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_built_when_it_answers_queries_and_no_build_is_left() {
        for (row, state) in [
            (None, State::Missing),
            (Some((false, false)), State::Missing),
            (Some((false, true)), State::Building),
            (Some((true, true)), State::Building),
            (Some((true, false)), State::Built),
        ] {
            assert_eq!(State::of_storage_attached(row), state, "{row:?}");
        }
        let built = Some(("wide_index_1".to_owned(),));
        assert_eq!(State::of_hidden_table(built), State::Built);
        assert_eq!(State::of_hidden_table(None), State::Building);
    }

    /// Waits for an index that is built after some time, and returns its last state and how long the wait was.
    async fn waited(building: Duration) -> (State, Duration) {
        let began = Instant::now();
        let ask = || async move {
            Ok(if began.elapsed() < building {
                State::Building
            } else {
                State::Built
            })
        };
        let state = until_built(began + BUILD_WAIT, ask).await.unwrap();
        (state, began.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn an_index_that_is_still_being_built_is_waited_for_up_to_a_limit() {
        let second = Duration::from_secs(1);
        let (state, took) = waited(90 * second).await;
        assert_eq!(state, State::Built);
        assert!((90 * second..91 * second).contains(&took), "{took:?}");
        let (state, took) = waited(2 * BUILD_WAIT).await;
        assert_eq!(state, State::Building);
        assert!(
            (BUILD_WAIT..BUILD_WAIT + second).contains(&took),
            "{took:?}"
        );
    }

    #[test]
    fn what_is_not_built_is_named_with_what_to_do() {
        for (state, what) in [
            (State::Building, "nodetool compactionstats"),
            (State::Missing, "in the log of that Cassandra"),
        ] {
            let why = why_not_built("wide_index_1", "10.0.0.7:9042", state);
            assert!(
                why.starts_with("index wide_index_1 on 10.0.0.7:9042 "),
                "{why}"
            );
            assert!(why.contains(what), "{why}");
            assert!(why.ends_with("(10 min waited)"), "{why}");
        }
    }
}
