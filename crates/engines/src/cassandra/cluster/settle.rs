//! Bringing tables to rest: flushed, and compacted where we may.

use std::time::Duration;

use bakeoff_driver::DesignError;
use bakeoff_servers::cassandra::Nodes;

use super::deployment::Deployment;
use super::footprint::nodetool;
use super::keyspace;
use super::relations::Relation;
use crate::EngineError;

/// How long a cluster that is not ours gets to flush by itself.
const FLUSH_WAIT: Duration = Duration::from_secs(10);
/// How often a table that is flushed by its own setting is flushed, in milliseconds.
const FLUSH_PERIOD_MS: u32 = 2_000;

/// Flushes and compacts tables and views of a keyspace, and says how.
pub async fn settle(
    deployment: &Deployment,
    keyspace: &str,
    relations: &[Relation],
) -> Result<String, DesignError> {
    match &deployment.server {
        Some(server) => {
            deployment.flush_once(server, keyspace).await?;
            let names = relations.iter().map(|relation| relation.name.as_str());
            let compact: Vec<&str> = ["compact", keyspace].into_iter().chain(names).collect();
            nodetool(server, &compact).await?;
            Ok("flushed, then compacted into one SSTable by nodetool".to_owned())
        }
        None => flush_by_setting(deployment, keyspace, relations).await,
    }
}

/// What settling does, for a dry run.
pub fn settle_statements(ours: bool, keyspace: &str, relations: &[Relation]) -> Vec<String> {
    if ours {
        let names: Vec<&str> = relations.iter().map(|r| r.name.as_str()).collect();
        return vec![
            format!("nodetool flush {keyspace}"),
            format!("nodetool compact {keyspace} {}", names.join(" ")),
        ];
    }
    let all_to = |period| {
        let one = move |relation| flush_period_statement(keyspace, relation, period);
        relations.iter().map(one)
    };
    all_to(FLUSH_PERIOD_MS).chain(all_to(0)).collect()
}

fn flush_period_statement(keyspace: &str, relation: &Relation, period_ms: u32) -> String {
    let (kind, name) = (relation.kind(), &relation.name);
    format!("ALTER {kind} {keyspace}.{name} WITH memtable_flush_period_in_ms = {period_ms}")
}

/// A cluster that we did not start offers no nodetool: its own setting makes it flush our tables,
/// and nothing makes it compact.
async fn flush_by_setting(
    deployment: &Deployment,
    keyspace: &str,
    relations: &[Relation],
) -> Result<String, DesignError> {
    let flushing = async {
        for relation in relations {
            // First, since nobody knows what a statement did whose answer is lost.
            deployment.to_restore(flush_period_statement(keyspace, relation, 0));
            let cql = flush_period_statement(keyspace, relation, FLUSH_PERIOD_MS);
            keyspace::execute(&deployment.session, &cql).await?;
        }
        tokio::time::sleep(FLUSH_WAIT).await;
        Ok::<(), EngineError>(())
    };
    let flushed = flushing.await;
    let restored = deployment.restore().await;
    flushed.and(restored)?;
    Ok("flushed by memtable_flush_period_in_ms; not compacted: that needs nodetool".to_owned())
}

impl Deployment {
    /// Flushes all tables of a keyspace, once for what was written: a call of nodetool costs about
    /// a second, and the driver settles tables when all of them are loaded.
    async fn flush_once(&self, server: &Nodes, keyspace: &str) -> Result<(), DesignError> {
        let mut at_rest = self.at_rest.lock().await;
        // Compaction follows.
        at_rest.statistics = None;
        if !at_rest.flushed {
            nodetool(server, &["flush", keyspace]).await?;
            at_rest.flushed = true;
        }
        Ok(())
    }

    /// Keeps a statement that puts a setting back, to be sent even if what comes next is
    /// interrupted.
    fn to_restore(&self, statement: String) {
        self.restoring().push(statement);
    }

    /// Puts back what was set for a while.
    ///
    /// # Errors
    /// The last one; what failed is tried again the next time.
    pub async fn restore(&self) -> Result<(), EngineError> {
        let mut restored = Ok(());
        let statements = self.restoring().clone();
        for statement in statements {
            match keyspace::execute(&self.session, &statement).await {
                Ok(()) => self.restoring().retain(|kept| *kept != statement),
                Err(error) => restored = Err(error),
            }
        }
        restored
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dry_run_tells_what_settling_does_to_tables_and_to_views() {
        let view = Relation {
            name: "v".to_owned(),
            is_view: true,
        };
        let relations = [Relation::table("t"), view];
        assert_eq!(
            settle_statements(true, "ks", &relations),
            ["nodetool flush ks", "nodetool compact ks t v"]
        );
        assert_eq!(
            settle_statements(false, "ks", &relations),
            [
                "ALTER TABLE ks.t WITH memtable_flush_period_in_ms = 2000",
                "ALTER MATERIALIZED VIEW ks.v WITH memtable_flush_period_in_ms = 2000",
                "ALTER TABLE ks.t WITH memtable_flush_period_in_ms = 0",
                "ALTER MATERIALIZED VIEW ks.v WITH memtable_flush_period_in_ms = 0",
            ]
        );
    }
}
