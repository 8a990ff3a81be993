//! The engines `cassandra` and `cassandra-4`: CQL tables in several layouts, on an existing cluster or on one
//! that is started for the run.

mod adoption;
mod as_written;
mod cluster;
mod column_names;
mod columnar;
pub mod declared;
pub mod diagnose;
pub mod drive;
mod layout;
pub mod live;
pub mod made;
mod names;
pub mod nodes;
mod options;
mod propose;
mod read;
mod release;
mod request;
mod rows;
mod series;
mod settings_of;
mod stored_options;
pub mod table_copy;
mod table_of_design;
mod table_place;
pub mod trace;
mod write;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bakeoff_driver::Design;
use bakeoff_driver::drive::Target;
use bakeoff_servers::cassandra::{Release, ServerOptions};
use bakeoff_servers::survey::{self, Survey};
use bakeoff_stats::{DesignInfo, EngineInfo};
use bakeoff_workload::{DesignId, Workload};

use crate::adoption::{AdoptedRows, Adoption};
use crate::advice::{Advice, Facts, Finds};
use crate::key_values::KeyValues;
use crate::settings::COLUMNS;
use crate::stored_columns::Stored;
use crate::{
    Context, Engine, EngineError, EngineOptions, Layout, NewTable, OptionGroup, Running,
    TargetOptions,
};
pub use cluster::connect::Cluster;
pub use cluster::consistency::in_driver;
use cluster::deployment::Deployment;
use cluster::keyspace::Keyspace;
pub use cluster::replication::Replication;
pub(crate) use cluster::server::own_server;
pub use cluster::server::settings_not_applied;
use cluster::settle::flush_without_effect;
use drive::{CassandraTarget, Parts};
use layout::CassandraLayout;
pub use names::{is_system_keyspace, quoted};
pub use options::CassandraOptions;
pub use read::any_table::{AnyReading, open_table, read_as_text};
pub(crate) use read::reading::{consistency_setting, take_consistency};
pub use read::scan::{REQUESTS, REQUESTS_DONE};
use release::{engine_of, release_of};
use request::DesignRequest;
use rows::key::KEY;
use rows::layout::TableLayout;
use rows::storage::alter::ALTER;
pub use settings_of::TableSettings;
pub use table_place::{place, wide_id};

/// The engine of a release of Cassandra, before it is started.
pub struct Cassandra(Release);

impl Cassandra {
    /// Cassandra 5.0, which is the engine `cassandra`.
    pub const FIVE: Cassandra = Cassandra(Release::Five);
    /// Cassandra 4.1, which is the engine `cassandra-4`.
    pub const FOUR: Cassandra = Cassandra(Release::Four);
}

#[async_trait]
impl Engine for Cassandra {
    fn name(&self) -> &'static str {
        engine_of(self.0)
    }

    fn layouts(&self) -> &'static [Layout] {
        layout::layouts(self.0)
    }

    fn to_begin_with(&self, table: &NewTable) -> Vec<String> {
        let is_usual = matches!(self.0, Release::Five);
        if !is_usual || table.is_wide() {
            return Vec::new();
        }
        let rows = if table.is_ordered { "wide" } else { "narrow" };
        // One partition for all rows would grow without end.
        let bucket = table
            .step_of_one_series
            .and_then(propose::bucket_of_one_series);
        let bucket = bucket.map_or(String::new(), |width| format!("?bucket={width}"));
        [format!("{rows}{bucket}"), "columnar".to_owned()]
            .map(|layout| format!("{}/{layout}", self.name()))
            .to_vec()
    }

    fn advise(&self, facts: &Facts) -> Vec<Advice> {
        match self.0 {
            Release::Five => propose::advise(facts),
            Release::Four => Vec::new(),
        }
    }

    fn finds(&self, id: &DesignId) -> Option<Finds> {
        propose::finds(id)
    }

    fn has_server(&self) -> bool {
        true
    }

    fn check_operations(&self, id: &DesignId) -> Result<(), EngineError> {
        CassandraLayout::from_id(id)?.check_operations(id)
    }

    fn answers_sql(&self, id: &DesignId) -> bool {
        !matches!(CassandraLayout::from_id(id), Ok(CassandraLayout::AsWritten))
    }

    fn unfit(&self, id: &DesignId, workload: &Workload) -> Option<String> {
        let misfit = CassandraLayout::from_id(id).ok()?.unfit(id, workload);
        misfit.or_else(|| release::lacking(id, workload))
    }

    fn without_effect(&self, id: &DesignId, context: &Context) -> Option<String> {
        let not_cached = rows::storage::rows_not_cached(id, context);
        not_cached
            .or_else(|| flush_without_effect(id, context))
            .or_else(|| layout::settings_not_taken(id, context))
    }

    fn option_groups(&self, _id: &DesignId) -> &'static [OptionGroup] {
        &[OptionGroup::Cassandra, OptionGroup::Profile]
    }

    fn writes_of_row(&self, id: &DesignId) -> u32 {
        layout::writes_of_row(id)
    }

    fn require(&self, id: &DesignId, options: &mut EngineOptions) {
        options.cassandra.functions |= read::reading::makes_functions(id);
    }

    fn own_cassandra(&self, _id: &DesignId, context: &Context) -> Option<(ServerOptions, u8)> {
        own_server(self.0, context)
    }

    fn would_touch(&self, context: &Context) -> Option<String> {
        Some(context.options.cassandra.would_touch(self.0))
    }

    fn takes_instances(&self, id: &DesignId) -> bool {
        CassandraLayout::from_id(id).is_ok_and(CassandraLayout::names_its_tables)
    }

    fn table_id(&self, id: &DesignId) -> Option<DesignId> {
        table_of_design::table_id(id)
    }

    fn takes_inserts(&self, id: &DesignId) -> bool {
        // A sweep has no slices, by which rows of a summary table are told apart, its batches are whole rows, and
        // nothing is loaded that could be altered.
        !id.settings.contains_key("summary")
            && !id.settings.contains_key(ALTER)
            // Batches of a sweep are of partitions by the workload's key.
            && !id.settings.contains_key(KEY)
            && !id.settings.contains_key(COLUMNS)
            && CassandraLayout::from_id(id).map_or(true, CassandraLayout::takes_inserts)
    }

    fn shares_tables(&self) -> bool {
        true
    }

    fn over_any(&self, id: &DesignId) -> Option<(String, String)> {
        CassandraLayout::from_id(id).ok()?.over_any(id)
    }

    fn over_any_refused(&self, id: &DesignId, context: &Context) -> Option<String> {
        rows::layout::refused_over_any(id, context)
    }

    async fn survey(&self) -> Survey {
        survey::cassandra_of(self.0).await
    }

    fn describe(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<DesignInfo, EngineError> {
        layout::check_own_tables(id, context)?;
        let stored = Stored::of(id, workload)?;
        let request = DesignRequest::new(id, stored.workload(), context)?;
        let info = CassandraLayout::from_id(id)?.describe(&request)?;
        Ok(stored.described(info))
    }

    fn adoption(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
        _rows: &AdoptedRows<'_>,
    ) -> Result<Adoption, EngineError> {
        let stored = Stored::of(id, workload)?;
        adoption::of(id, stored.workload(), context)
    }

    async fn check(&self, context: &Context) -> Result<(), EngineError> {
        Deployment::check(self.0, context).await
    }

    fn key_values(
        &self,
        id: &DesignId,
        workload: &Workload,
    ) -> Result<Option<KeyValues>, EngineError> {
        let CassandraLayout::Rows(shape) = CassandraLayout::from_id(id)? else {
            return Ok(None);
        };
        if !id.settings.contains_key(KEY) {
            return Ok(None);
        }
        let stored = Stored::of(id, workload)?;
        let layout = TableLayout::new(id, shape, &stored.workload().table, false)?;
        Ok(layout.key_values)
    }

    fn fetches_first(&self, context: &Context) -> Option<&'static str> {
        Deployment::fetches_first(self.0, context)
    }

    async fn start(&self, context: &Context) -> Result<Box<dyn Running>, EngineError> {
        let running = RunningCassandra::start(self.0, context).await?;
        Ok(Box::new(running))
    }
}

/// A Cassandra that this command is connected to.
pub struct RunningCassandra(Arc<Deployment>);

impl RunningCassandra {
    /// Starts a Cassandra of that release unless a cluster was named, and connects to it.
    pub async fn start(release: Release, context: &Context) -> Result<Self, EngineError> {
        let deployment = Deployment::start(release, context).await?;
        Ok(RunningCassandra(Arc::new(deployment)))
    }

    /// Returns the address and credentials that others can connect with.
    pub fn cluster(&self) -> &Cluster {
        &self.0.cluster
    }
}

#[async_trait]
impl Running for RunningCassandra {
    fn info(&self) -> EngineInfo {
        self.0.info.clone()
    }

    fn remark(&self) -> Option<String> {
        self.0.remark()
    }

    async fn design(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<Box<dyn Design>, EngineError> {
        let info = Cassandra(release_of(id)).describe(id, workload, context)?;
        let stored = Stored::of(id, workload)?;
        let request = DesignRequest::new(id, stored.workload(), context)?;
        self.0.claim(&request.keyspace).await?;
        let design = CassandraLayout::from_id(id)?.design(&request, self.0.clone())?;
        Ok(stored.over(design, info))
    }

    async fn target(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
        options: &TargetOptions,
    ) -> Result<Box<dyn Target>, EngineError> {
        let request = DesignRequest::new(id, workload, context)?;
        let layout = CassandraLayout::from_id(id)?;
        let (table, plans) = layout.operations(&request, &options.mix)?;
        self.0.claim(&request.keyspace).await?;
        Ok(Box::new(CassandraTarget::new(Parts {
            deployment: self.0.clone(),
            design: layout.design(&request, self.0.clone())?,
            keyspace: request.keyspace.name,
            layout: table,
            plans,
            workload: workload.clone(),
            options: options.clone(),
            threads: context.threads,
        })))
    }

    async fn announce_tables(
        &self,
        workload: &Workload,
        context: &Context,
        start: &str,
    ) -> Result<(), EngineError> {
        let keyspace = Keyspace::new(&workload.name, context)?;
        keyspace.announce(&self.0.session, start).await
    }

    async fn wait_for_tables(
        &self,
        workload: &Workload,
        context: &Context,
        start: &str,
        patience: Duration,
    ) -> Result<(), EngineError> {
        let keyspace = Keyspace::new(&workload.name, context)?;
        let session = &self.0.session;
        keyspace.wait_for_tables(session, start, patience).await
    }

    async fn leave_note(
        &self,
        workload: &Workload,
        context: &Context,
        name: &str,
        text: &str,
    ) -> Result<(), EngineError> {
        let keyspace = Keyspace::new(&workload.name, context)?;
        keyspace.leave_note(&self.0.session, name, text).await
    }

    async fn find_note(
        &self,
        workload: &Workload,
        context: &Context,
        name: &str,
    ) -> Result<Option<String>, EngineError> {
        let keyspace = Keyspace::new(&workload.name, context)?;
        keyspace.read_note(&self.0.session, name).await
    }

    async fn finish(self: Box<Self>, keep: bool) -> Result<(), EngineError> {
        Deployment::finish(self.0, keep).await
    }
}
