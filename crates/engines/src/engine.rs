//! The traits of engines: to be listed and checked, to be started, and to make designs.

mod running;

use async_trait::async_trait;
use bakeoff_servers::cassandra::ServerOptions;
use bakeoff_servers::survey::Survey;
use bakeoff_stats::{DesignInfo, Role};
use bakeoff_workload::{DesignId, Table, Workload};

use crate::adoption::{AdoptedRows, Adoption};
use crate::advice::{Advice, Facts, Finds};
use crate::dialect::SqlDialect;
use crate::key_values::KeyValues;
use crate::ranges::Ranges;
use crate::value_folders::ValueFolders;
use crate::{Context, DriveRequest, EngineError, EngineOptions, OptionGroup};
pub use running::{Running, TargetOptions};

/// A layout of an engine, for `bakeoff list`.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// The name, which is the part of a design id before `?`.
    pub name: &'static str,
    /// A description of the layout in one line.
    pub what: &'static str,
    /// The settings as `name=value|value`.
    pub settings: &'static str,
}

/// A table for which a new workload is written.
#[derive(Debug, Clone, Copy)]
pub struct NewTable {
    pub columns: usize,
    /// Whether rows of a partition key have an order.
    pub is_ordered: bool,
    /// The days from the first row to the last, if rows are ordered by a time first.
    pub days: Option<u64>,
    /// The milliseconds from one row to the next, on average, if all rows have one partition key and are ordered by a
    /// time first.
    pub step_of_one_series: Option<f64>,
}

impl NewTable {
    /// Most columns that servers take without trouble.
    const FEW_COLUMNS: usize = 200;

    /// Returns whether it has more columns than servers take without trouble.
    pub fn is_wide(&self) -> bool {
        self.columns > NewTable::FEW_COLUMNS
    }
}

/// A system that stores or computes.
#[async_trait]
pub trait Engine: Send + Sync {
    fn name(&self) -> &'static str;

    fn layouts(&self) -> &'static [Layout];

    /// Returns the designs of this engine, by their ids, with which a new workload begins.
    fn to_begin_with(&self, _table: &NewTable) -> Vec<String> {
        Vec::new()
    }

    /// Says by the rules of experts which designs of this engine are worth measuring for a workload, and what is
    /// known to go wrong.
    fn advise(&self, _facts: &Facts) -> Vec<Advice> {
        Vec::new()
    }

    /// Returns by what a design finds rows, for an estimate of what its questions cost; `None` if that is not known, as
    /// where a server computes their answers.
    fn finds(&self, _id: &DesignId) -> Option<Finds> {
        None
    }

    /// Returns what becomes of the rows of its designs: stored, kept in memory, or not stored.
    fn role(&self) -> Role {
        Role::Store
    }

    /// Returns whether it has separate processes, whose CPU time counts in addition to Bakeoff's.
    fn has_server(&self) -> bool {
        false
    }

    /// Describes a design of this engine with its settings and statements.
    fn info_of(
        &self,
        id: &DesignId,
        settings: Vec<(String, String)>,
        statements: Vec<String>,
    ) -> DesignInfo {
        DesignInfo {
            id: id.to_string(),
            engine: self.name().to_owned(),
            role: self.role(),
            server: self.has_server(),
            settings,
            statements,
            unit_rows: None,
            not_asked: Vec::new(),
            stored_by: None,
            table_of: None,
        }
    }

    /// Checks that a design takes the operations of a mix: see [`Running::target`].
    ///
    /// # Errors
    /// Returns the reason why it takes none, and designs that do.
    fn check_operations(&self, id: &DesignId) -> Result<(), EngineError> {
        Err(no_point_operations(id))
    }

    /// Checks that a design of which [`Engine::check_operations`] says that it can be driven takes a mix, with the
    /// options of the command line.
    ///
    /// # Errors
    /// Returns the first thing that it does not do, and what to write instead.
    fn check_drive(&self, _id: &DesignId, _drive: &DriveRequest<'_>) -> Result<(), EngineError> {
        Ok(())
    }

    /// Returns a design that can be driven with a mix: this one, or else the one that is most like it.
    ///
    /// # Errors
    /// Returns the first thing that no such design does.
    fn for_drive(&self, id: &DesignId, drive: &DriveRequest<'_>) -> Result<DesignId, EngineError> {
        self.check_drive(id, drive)?;
        Ok(id.clone())
    }

    /// Returns whether a design answers SQL over the workload's table.
    fn answers_sql(&self, _id: &DesignId) -> bool {
        true
    }

    /// Returns the reason why a design of this engine does not suit a workload, as far as the
    /// workload file shows, or `None` if there is no such reason.
    fn unfit(&self, _id: &DesignId, _workload: &Workload) -> Option<String> {
        None
    }

    /// Returns which setting of a design has no effect with these options, and why, or `None` if there is
    /// none. It is for a warning: the design can be measured.
    fn without_effect(&self, _id: &DesignId, _context: &Context) -> Option<String> {
        None
    }

    /// Returns the groups of options of the command line that a design of this engine uses.
    fn option_groups(&self, _id: &DesignId) -> &'static [OptionGroup] {
        &[]
    }

    /// Returns how many rows a design writes for each row of the table: 2 if it keeps a second table of them.
    fn writes_of_row(&self, _id: &DesignId) -> u32 {
        1
    }

    /// Sets the options that a design needs of a server that is started for it.
    fn require(&self, _id: &DesignId, _options: &mut EngineOptions) {}

    /// Returns the options and the number of nodes of the Cassandra that would be started for a design, and take memory
    /// next to those of other engines; `None` if there is none, or a cluster is named.
    fn own_cassandra(&self, _id: &DesignId, _context: &Context) -> Option<(ServerOptions, u8)> {
        None
    }

    /// Returns what a run would start or reach in addition to its folder: the end of a sentence
    /// that begins with "The run would write to".
    fn would_touch(&self, _context: &Context) -> Option<String> {
        None
    }

    /// Returns the id of a design without the settings that only say how its table is read: designs with the same one
    /// write the same table, in the same way, into the same server. Returns `None` for a design whose table no other
    /// one may read.
    fn table_id(&self, _id: &DesignId) -> Option<DesignId> {
        None
    }

    /// Returns whether a design takes batches of rows from many workers at the same time
    /// ([`bakeoff_driver::Design::inserts`]).
    fn takes_inserts(&self, _id: &DesignId) -> bool {
        false
    }

    /// Returns the setting of a design, with its value, that says how its batches are written where they hold rows
    /// of any partitions ([`bakeoff_driver::Design::inserts_over_any`]); `None` if it has no such batches.
    fn over_any(&self, _id: &DesignId) -> Option<(String, String)> {
        None
    }

    /// Returns why a server refuses batches that hold rows of any partitions of a design, if that is known before it
    /// is started.
    fn over_any_refused(&self, _id: &DesignId, _context: &Context) -> Option<String> {
        None
    }

    /// Returns whether several processes can fill one table of its designs and leave notes for each other
    /// ([`Running::leave_note`]).
    fn shares_tables(&self) -> bool {
        false
    }

    /// Returns whether a design can have several independent tables at the same time.
    fn takes_instances(&self, _id: &DesignId) -> bool {
        true
    }

    /// Returns whether it understands SQL itself, so that it may get SQL that DataFusion cannot plan.
    fn speaks_sql(&self) -> bool {
        false
    }

    /// Returns the dialect into which questions are translated for it, if that is not the one in which they are
    /// written.
    fn dialect(&self) -> Option<SqlDialect> {
        None
    }

    /// Returns why it must not be asked this SQL, which is not only to be right, but to do nothing except
    /// read; `None` if it may. It is asked about SQL that is not planned, as it speaks SQL itself.
    fn complaint_of_sql(&self, _sql: &str) -> Option<String> {
        None
    }

    /// Returns whether a query may have separate SQL under this name, which is that of the engine or
    /// of one of its layouts.
    fn is_place(&self, name: &str) -> bool {
        name == self.name() || self.layouts().iter().any(|layout| layout.name == name)
    }

    /// Surveys what it needs of this machine, without starting anything.
    async fn survey(&self) -> Survey;

    /// Surveys what a single design needs of this machine, without starting anything.
    async fn survey_design(&self, _id: &DesignId) -> Survey {
        self.survey().await
    }

    /// Returns its version if it can be used here, or else what is missing and how to get it.
    async fn availability(&self) -> Result<String, String> {
        let survey = self.survey().await;
        survey.verdict().map(str::to_owned).map_err(str::to_owned)
    }

    /// Returns the settings and the statements of a design, without touching anything.
    ///
    /// # Errors
    /// Fails for a layout, setting or value that does not exist or does not fit the table.
    fn describe(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<DesignInfo, EngineError>;

    /// Says how a design is made and filled with some rows outside of a run, on a server or in a folder of the user's.
    ///
    /// # Errors
    /// The errors of [`Engine::describe`].
    fn adoption(
        &self,
        id: &DesignId,
        _workload: &Workload,
        context: &Context,
        rows: &AdoptedRows<'_>,
    ) -> Result<Adoption, EngineError> {
        let folder = context.folder_of_design(id);
        Ok(Adoption::of_a_run(id, rows, &folder, &context.run_dir))
    }

    /// Checks the needs of [`Engine::start`] without starting anything: programs, memory and disk, or
    /// that the named server answers.
    ///
    /// # Errors
    /// Returns what is missing, and how to get it.
    async fn check(&self, _context: &Context) -> Result<(), EngineError> {
        Ok(())
    }

    /// Checks the needs of a single design that the engine itself does not have, without starting anything.
    ///
    /// # Errors
    /// Returns what is missing, and how to get it.
    async fn check_design(&self, _id: &DesignId, _context: &Context) -> Result<(), EngineError> {
        Ok(())
    }

    /// Returns what [`Engine::start`] has to fetch first, which takes a while, or `None` if everything
    /// is installed.
    fn fetches_first(&self, _context: &Context) -> Option<&'static str> {
        None
    }

    /// Returns the ranges of the order key that each become a separate table, or `None` if the design
    /// has one table.
    ///
    /// # Errors
    /// The errors of [`Engine::describe`].
    fn ranges(&self, _id: &DesignId, _workload: &Workload) -> Result<Option<Ranges>, EngineError> {
        Ok(None)
    }

    /// Returns the folders of a design that each hold the rows with one value of a column, none of them
    /// made yet, or `None` if it has no such folders.
    ///
    /// # Errors
    /// The errors of [`Engine::describe`].
    fn value_folders(
        &self,
        _id: &DesignId,
        _table: &Table,
    ) -> Result<Option<ValueFolders>, EngineError> {
        Ok(None)
    }

    /// Returns the columns of which each row needs a value, since a design has another key than the workload, or `None`
    /// if it has that one.
    ///
    /// # Errors
    /// The errors of [`Engine::describe`].
    fn key_values(
        &self,
        _id: &DesignId,
        _workload: &Workload,
    ) -> Result<Option<KeyValues>, EngineError> {
        Ok(None)
    }

    /// Starts the engine, or connects to one that runs.
    async fn start(&self, context: &Context) -> Result<Box<dyn Running>, EngineError>;
}

fn no_point_operations(id: &DesignId) -> EngineError {
    EngineError(format!(
        "design {id}: `bakeoff drive` is for Cassandra, PostgreSQL and TimescaleDB, and {} has no point operations: \
         choose a design of these with --designs, or dry for the harness alone",
        id.engine
    ))
}
