//! A design as it is asked for, and the statements that every layout sends around its own.

use bakeoff_stats::DesignInfo;
use bakeoff_workload::{Consistency, DesignId, Mix, Workload};

use super::Cassandra;
use super::cluster::keyspace::{Keyspace, Owner};
use super::cluster::relations::Relation;
use super::cluster::{settle, shared};
use super::names::in_keyspace;
use super::options::CassandraOptions;
use crate::{Context, Engine, EngineError};

/// A design id with the workload whose rows the design holds, and where it holds them.
pub struct DesignRequest<'a> {
    pub id: &'a DesignId,
    pub workload: &'a Workload,
    pub context: &'a Context,
    pub keyspace: Keyspace,
}

impl<'a> DesignRequest<'a> {
    /// # Errors
    /// If no keyspace can have the name that was asked for.
    pub fn new(
        id: &'a DesignId,
        workload: &'a Workload,
        context: &'a Context,
    ) -> Result<Self, EngineError> {
        let keyspace = Keyspace::of(&workload.name, context)?;
        Ok(DesignRequest {
            id,
            workload,
            context,
            keyspace,
        })
    }

    /// What was asked of the cluster.
    pub fn options(&self) -> &CassandraOptions {
        &self.context.options.cassandra
    }

    /// The mark that tells tables of this workload from those of others in a shared keyspace.
    pub fn maker(&self) -> String {
        shared::maker(self.workload)
    }

    /// Statements that say whose a table is, where others share the keyspace.
    pub fn claiming(&self, table: &str) -> Option<String> {
        self.keyspace.table_statement(table, &self.maker())
    }

    /// The consistency level where it was chosen, and the statements that make the keyspace.
    pub fn opening(&self, default: Consistency) -> Vec<String> {
        let level = self.level(default);
        level
            .into_iter()
            .chain(self.keyspace.statements())
            .collect()
    }

    /// The consistency level of all statements, where it was chosen.
    pub fn level(&self, default: Consistency) -> Option<String> {
        self.options().replication.statement(default)
    }

    /// Statements that bring tables to rest after they were loaded.
    pub fn settling(&self, relations: &[Relation]) -> Vec<String> {
        let is_ours = self.options().cluster.is_none();
        settle::settle_statements(is_ours, &self.keyspace.name, relations)
    }

    /// Statements that run alongside the operations of a mix.
    pub fn background(&self, mix: &Mix) -> impl Iterator<Item = String> {
        let statements = mix.background.iter().flat_map(|b| &b.statements);
        statements.map(|cql| in_keyspace(cql, &self.keyspace.name))
    }

    /// The statement that drops the keyspace at the end of a run on a cluster that we did not start.
    pub fn dropping(&self) -> Option<String> {
        let ends_here = self.options().cluster.is_some() && self.keyspace.owner != Owner::Shared;
        ends_here.then(|| self.keyspace.drop_statement())
    }

    /// The description of the design, for reports and dry runs.
    pub fn info(&self, settings: Vec<(String, String)>, statements: Vec<String>) -> DesignInfo {
        Cassandra.info_of(self.id, settings, statements)
    }
}
