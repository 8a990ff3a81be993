//! Settling of tables: flushing, and compaction where nodetool is available.

use std::time::{Duration, Instant};

use bakeoff_driver::DesignError;
use bakeoff_workload::DesignId;

use super::deployment::Deployment;
use super::keyspace;
use super::on_nodes::OnNodes;
use super::relations::Relation;
use crate::settings::Settings;
use crate::{Context, EngineError};

/// Time that an existing cluster gets to flush tables by their setting. A build without optimisation, as for tests,
/// has small tables, which are flushed soon after their period.
const FLUSH_WAIT: Duration = if cfg!(debug_assertions) {
    Duration::from_secs(4)
} else {
    Duration::from_secs(10)
};
/// Period of flushes by the setting of a table, in milliseconds.
const FLUSH_PERIOD_MS: u32 = 2_000;

/// Name of the setting.
const SETTING: &str = "settle";
/// Its word for tables that are only flushed.
const FLUSH: &str = "flush";

/// How tables are brought to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Settling {
    /// They are flushed and then compacted.
    #[default]
    Compact,
    /// They are flushed, and have the SSTables that this leaves.
    Flush,
}

impl Settling {
    /// Takes the setting `settle` of a design.
    ///
    /// # Errors
    /// Fails for a word that is none of its values.
    pub fn take(settings: &mut Settings<'_>) -> Result<Settling, EngineError> {
        Ok(match settings.word(SETTING, &["compact", FLUSH])? {
            Some(FLUSH) => Settling::Flush,
            _ => Settling::Compact,
        })
    }
}

/// Returns that `settle=flush` of a design has no effect, if its tables are on a cluster that Bakeoff did not start and
/// has no nodetool of.
pub fn flush_without_effect(id: &DesignId, context: &Context) -> Option<String> {
    let flushes = id.settings.get(SETTING).is_some_and(|word| word == FLUSH);
    let options = &context.options.cassandra;
    (flushes && options.cluster.is_some() && options.nodetool.is_none()).then(|| {
        format!(
            "design {id}: settle=flush has no effect: tables of a cluster that Bakeoff did not start are compacted \
             with --nodetool only"
        )
    })
}

/// Flushes tables and views of a keyspace, compacts them unless they are to be flushed only, and describes how it
/// did so.
pub async fn settle(
    deployment: &Deployment,
    keyspace: &str,
    relations: &[Relation],
    settling: Settling,
) -> Result<String, DesignError> {
    let Some(nodes) = OnNodes::of(deployment) else {
        return flush_by_setting(deployment, keyspace, relations).await;
    };
    deployment.flush_once(&nodes, keyspace).await?;
    if settling == Settling::Flush {
        return Ok("flushed by nodetool; not compacted, as settle=flush says".to_owned());
    }
    let names: Vec<&str> = relations.iter().map(|r| r.name.as_str()).collect();
    // It returns when it has compacted everything. How many SSTables that leaves depends on the
    // table's compaction strategy; the footprint has their number.
    nodes.compact(keyspace, &names).await?;
    Ok("flushed, then compacted by nodetool".to_owned())
}

/// Changes the options of a table that is at rest by a statement, and writes all of its SSTables anew with them.
/// Returns how long that took.
pub async fn alter(
    deployment: &Deployment,
    keyspace: &str,
    table: &str,
    statement: &str,
) -> Result<Duration, DesignError> {
    let Some(nodes) = OnNodes::of(deployment) else {
        let why = "alter= needs nodetool, to write SSTables anew: leave it out";
        return Err(DesignError(why.to_owned()));
    };
    let began = Instant::now();
    keyspace::execute(&deployment.session, statement).await?;
    nodes.rewrite(keyspace, table).await?;
    deployment.at_rest.lock().await.statistics.clear();
    Ok(began.elapsed())
}

/// Returns the command that writes a table anew, for a dry run.
pub fn rewrite_command(keyspace: &str, table: &str) -> String {
    format!("nodetool upgradesstables -a {keyspace} {table}")
}

/// Lists the commands or statements that settle tables, for a dry run.
pub fn settle_statements(
    has_nodetool: bool,
    keyspace: &str,
    relations: &[Relation],
    settling: Settling,
) -> Vec<String> {
    if has_nodetool {
        let mut commands = vec![format!("nodetool flush {keyspace}")];
        if settling == Settling::Compact {
            let names: Vec<&str> = relations.iter().map(|r| r.name.as_str()).collect();
            commands.push(format!("nodetool compact {keyspace} {}", names.join(" ")));
        }
        return commands;
    }
    let mut statements = Vec::new();
    for period in [FLUSH_PERIOD_MS, 0] {
        for relation in relations {
            statements.push(flush_period_statement(keyspace, relation, period));
        }
    }
    statements
}

fn flush_period_statement(keyspace: &str, relation: &Relation, period_ms: u32) -> String {
    let (kind, name) = (relation.kind(), &relation.name);
    format!("ALTER {kind} {keyspace}.{name} WITH memtable_flush_period_in_ms = {period_ms}")
}

/// Flushes tables of an existing cluster by their own setting; without nodetool, nothing can make
/// the cluster compact them.
async fn flush_by_setting(
    deployment: &Deployment,
    keyspace: &str,
    relations: &[Relation],
) -> Result<String, DesignError> {
    let flushed = flush_periodically(deployment, keyspace, relations).await;
    let restored = deployment.restore().await;
    flushed.and(restored)?;
    Ok("flushed by memtable_flush_period_in_ms; not compacted: that needs --nodetool".to_owned())
}

async fn flush_periodically(
    deployment: &Deployment,
    keyspace: &str,
    relations: &[Relation],
) -> Result<(), EngineError> {
    for relation in relations {
        // Noted before the statement is sent, which may take effect even if its answer is lost.
        deployment.restore_later(flush_period_statement(keyspace, relation, 0));
        let cql = flush_period_statement(keyspace, relation, FLUSH_PERIOD_MS);
        keyspace::execute(&deployment.session, &cql).await?;
    }
    tokio::time::sleep(FLUSH_WAIT).await;
    Ok(())
}

impl Deployment {
    /// Flushes all tables of a keyspace unless nothing was written since the last flush.
    ///
    /// A call of nodetool takes about a second, and tables are settled one after another when all
    /// of them are loaded.
    async fn flush_once(&self, nodes: &OnNodes<'_>, keyspace: &str) -> Result<(), DesignError> {
        let mut at_rest = self.at_rest.lock().await;
        // The caller compacts next, which changes the statistics.
        at_rest.statistics.clear();
        if !at_rest.flushed.contains(keyspace) {
            nodes.flush(keyspace).await?;
            at_rest.flushed.insert(keyspace.to_owned());
        }
        Ok(())
    }

    /// Keeps a statement that resets a setting, to be sent even if the next step is interrupted.
    fn restore_later(&self, statement: String) {
        self.pending_restores().push(statement);
    }

    /// Resets the settings that were changed temporarily.
    ///
    /// # Errors
    /// Returns the last failure; statements that failed are sent again by the next call.
    pub async fn restore(&self) -> Result<(), EngineError> {
        let mut restored = Ok(());
        let statements = self.pending_restores().clone();
        for statement in statements {
            match keyspace::execute(&self.session, &statement).await {
                Ok(()) => self.pending_restores().retain(|kept| *kept != statement),
                Err(error) => restored = Err(error),
            }
        }
        restored
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cassandra::cluster::connect::Cluster;

    #[test]
    fn a_design_is_compacted_unless_it_says_otherwise() {
        let taken = |id: &str| {
            let id: DesignId = id.parse().unwrap();
            let mut settings = Settings::new(&id, "settle=compact|flush").unwrap();
            Settling::take(&mut settings).map_err(|error| error.0)
        };
        assert_eq!(taken("cassandra/wide"), Ok(Settling::Compact));
        assert_eq!(
            taken("cassandra/wide?settle=compact"),
            Ok(Settling::Compact)
        );
        assert_eq!(taken("cassandra/wide?settle=flush"), Ok(Settling::Flush));
        let error = taken("cassandra/wide?settle=never").unwrap_err();
        assert!(
            error.contains("settle=never is not one of compact, flush"),
            "{error}"
        );
    }

    #[test]
    fn a_cluster_of_the_user_is_not_compacted_without_nodetool_whatever_a_design_says() {
        let mut context = Context::of_test("/run");
        let without = |id: &str, context: &Context| {
            let id: DesignId = id.parse().unwrap();
            flush_without_effect(&id, context)
        };
        assert_eq!(without("cassandra/wide?settle=flush", &context), None);
        context.options.cassandra.cluster = Some(Cluster::default());
        let why = without("cassandra/wide?settle=flush", &context).unwrap();
        assert!(why.contains("settle=flush has no effect"), "{why}");
        assert_eq!(without("cassandra/wide", &context), None);
        assert_eq!(without("cassandra/wide?settle=compact", &context), None);
        context.options.cassandra.nodetool = Some("ssh {host} nodetool".parse().unwrap());
        assert_eq!(without("cassandra/wide?settle=flush", &context), None);
    }

    #[test]
    fn a_dry_run_shows_how_tables_and_views_are_settled() {
        let view = Relation {
            name: "v".to_owned(),
            is_view: true,
        };
        let relations = [Relation::table("t"), view];
        assert_eq!(
            settle_statements(true, "ks", &relations, Settling::Compact),
            ["nodetool flush ks", "nodetool compact ks t v"]
        );
        assert_eq!(
            settle_statements(true, "ks", &relations, Settling::Flush),
            ["nodetool flush ks"]
        );
        assert_eq!(
            settle_statements(false, "ks", &relations, Settling::Compact),
            [
                "ALTER TABLE ks.t WITH memtable_flush_period_in_ms = 2000",
                "ALTER MATERIALIZED VIEW ks.v WITH memtable_flush_period_in_ms = 2000",
                "ALTER TABLE ks.t WITH memtable_flush_period_in_ms = 0",
                "ALTER MATERIALIZED VIEW ks.v WITH memtable_flush_period_in_ms = 0",
            ]
        );
    }
}
