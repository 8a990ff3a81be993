//! The request for a design, and the statements that all layouts have in common.

use bakeoff_servers::cassandra::Release;
use bakeoff_stats::{DesignInfo, READ_LEVEL};
use bakeoff_workload::{Consistency, DesignId, Mix, Workload};

use super::Cassandra;
use super::cluster::keyspace::{Keyspace, Owner};
use super::cluster::relations::Relation;
use super::cluster::settle::{self, Settling};
use super::cluster::shared;
use super::names::in_keyspace;
use super::options::CassandraOptions;
use super::release::{check_options, lacking, release_of};
use crate::{Context, Engine, EngineError};

/// Setting of a design that has another number of copies than the run.
const REPLICATION: &str = "replication";

/// A design id together with the workload and the keyspace of its rows.
pub struct DesignRequest<'a> {
    pub id: &'a DesignId,
    pub workload: &'a Workload,
    pub context: &'a Context,
    pub keyspace: Keyspace,
}

impl<'a> DesignRequest<'a> {
    /// Resolves the keyspace of a design.
    ///
    /// # Errors
    /// Fails if the requested name is not a valid keyspace name, or the design's release of Cassandra lacks
    /// something that it needs.
    pub fn new(
        id: &'a DesignId,
        workload: &'a Workload,
        context: &'a Context,
    ) -> Result<Self, EngineError> {
        check_options(release_of(id), &context.options.cassandra)?;
        if let Some(lacking) = lacking(id, workload) {
            return Err(EngineError(format!("design {id}: {lacking}")));
        }
        let keyspace = Keyspace::new(&workload.name, context)?;
        // The layout says what is wrong with one that is no number.
        let copies = id
            .settings
            .get(REPLICATION)
            .and_then(|text| text.parse().ok());
        let keyspace = match copies {
            Some(_) if keyspace.owner == Owner::Shared => {
                return Err(EngineError(format!(
                    "design {id}: {REPLICATION}= needs a separate keyspace: leave it out, or leave --keyspace out"
                )));
            }
            Some(copies) => keyspace.with_copies(&workload.name, copies),
            None => keyspace,
        };
        Ok(DesignRequest {
            id,
            workload,
            context,
            keyspace,
        })
    }

    /// Returns the id of the design that has the table: this one's, or that of another one whose table it reads.
    pub fn table_id(&self) -> DesignId {
        self.context.options.shared_tables.holder(self.id)
    }

    /// Returns the options of the cluster.
    pub fn options(&self) -> &CassandraOptions {
        &self.context.options.cassandra
    }

    /// Returns the text that identifies tables of this run, or of this workload, in a shared keyspace.
    pub fn maker(&self) -> String {
        let run = self.keyspace.tables_of.clone();
        run.unwrap_or_else(|| shared::maker(self.workload))
    }

    /// Returns the statement that notes this workload as the maker of a table in a shared keyspace.
    pub fn claim_statement(&self, table: &str) -> Option<String> {
        self.keyspace.table_statement(table, &self.maker())
    }

    /// Returns the statements that set a chosen consistency level and create the keyspace.
    pub fn opening_statements(&self, default: Consistency) -> Vec<String> {
        let level = self.consistency_statement(default);
        level
            .into_iter()
            .chain(self.keyspace.statements())
            .collect()
    }

    /// Returns the statement that sets the consistency level, if one was chosen.
    pub fn consistency_statement(&self, default: Consistency) -> Option<String> {
        self.options().replication.statement(default)
    }

    /// Returns the consistency level of reads as a setting for reports, if anything about copies was chosen:
    /// the design's own, or else that of the run or a default.
    pub fn read_setting(
        &self,
        own: Option<Consistency>,
        default: Consistency,
    ) -> Option<(String, String)> {
        let replication = self.options().replication;
        if own.is_none() && !replication.is_chosen() {
            return None;
        }
        let level = own.or(replication.consistency).unwrap_or(default);
        Some((READ_LEVEL.to_owned(), level.to_string()))
    }

    /// Returns the statements that bring tables to rest after loading.
    pub fn settle_statements(&self, relations: &[Relation], settling: Settling) -> Vec<String> {
        let options = self.options();
        let has_nodetool = options.cluster.is_none() || options.nodetool.is_some();
        settle::settle_statements(has_nodetool, &self.keyspace.name, relations, settling)
    }

    /// Returns the statements that run alongside the operations of a mix.
    pub fn background_statements(&self, mix: &Mix) -> impl Iterator<Item = String> {
        let statements = mix.background.iter().flat_map(|b| &b.statements);
        statements.map(|cql| in_keyspace(cql, &self.keyspace.name))
    }

    /// Returns the statement that drops the run's own keyspace at its end on an existing cluster.
    pub fn drop_statement(&self) -> Option<String> {
        let is_dropped = self.options().cluster.is_some() && self.keyspace.owner != Owner::Shared;
        is_dropped.then(|| self.keyspace.drop_statement())
    }

    /// Returns the description of the design for reports and dry runs.
    pub fn info(&self, settings: Vec<(String, String)>, statements: Vec<String>) -> DesignInfo {
        let engine = match release_of(self.id) {
            Release::Four => Cassandra::FOUR,
            Release::Five => Cassandra::FIVE,
        };
        let shared = &self.context.options.shared_tables;
        DesignInfo {
            table_of: shared.table_of(self.id).map(|of| of.to_string()),
            ..engine.info_of(self.id, settings, statements)
        }
    }
}
