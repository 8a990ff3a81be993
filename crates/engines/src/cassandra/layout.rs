//! The layouts of Cassandra, and the dispatch of every call to the room of a layout.

use std::sync::Arc;

use bakeoff_driver::Design;
use bakeoff_servers::cassandra::Release;
use bakeoff_stats::DesignInfo;
use bakeoff_workload::{DesignId, Mix, Workload};

use super::as_written::{self, AsWrittenDesign};
use super::cluster::deployment::Deployment;
use super::columnar::{self, ColumnarDesign};
use super::drive::plan::OperationPlan;
use super::read::reading::makes_functions;
use super::request::DesignRequest;
use super::rows::key::KEY;
use super::rows::layout::{Shape, TableLayout, batch_bytes_of};
use super::rows::{self, RowsDesign, entries};
use super::series::{self, SeriesDesign};
use super::write::batches;
use crate::settings::COLUMNS;
use crate::{Context, EngineError, Layout};

/// The layout that a design id names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CassandraLayout {
    /// Keeps the workload's rows as rows of one CQL table.
    Rows(Shape),
    /// Keeps a partition for each key, metric and day.
    Series,
    /// Keeps chunks of encoded columns.
    Columnar,
    /// Uses the tables that the workload file's own statements create.
    AsWritten,
}

/// All layouts in the order of `bakeoff list`.
static LAYOUTS: [Layout; 7] = [
    entries::NARROW,
    entries::WIDE,
    entries::BLOB,
    entries::COMPACT,
    series::LAYOUT,
    columnar::LAYOUT,
    as_written::LAYOUT,
];

/// The same layouts in Cassandra 4.1.
static LAYOUTS_4: [Layout; 7] = [
    entries::NARROW_4,
    entries::WIDE_4,
    entries::BLOB_4,
    entries::COMPACT_4,
    series::LAYOUT_4,
    Layout {
        name: "cassandra-4/columnar",
        ..columnar::LAYOUT
    },
    Layout {
        name: "cassandra-4/as-written",
        ..as_written::LAYOUT
    },
];

/// Lists the layouts of a release.
pub fn layouts(release: Release) -> &'static [Layout] {
    match release {
        Release::Four => &LAYOUTS_4,
        Release::Five => &LAYOUTS,
    }
}

impl CassandraLayout {
    /// Reads the layout that a design id names.
    ///
    /// # Errors
    /// Fails for an unknown name, and lists the layouts that exist.
    pub fn from_id(id: &DesignId) -> Result<Self, EngineError> {
        match id.layout.as_deref().unwrap_or_default() {
            "series" => Ok(CassandraLayout::Series),
            "columnar" => Ok(CassandraLayout::Columnar),
            "as-written" => Ok(CassandraLayout::AsWritten),
            name => Shape::from_id(id)
                .map(CassandraLayout::Rows)
                .ok_or_else(|| unknown(id, name)),
        }
    }

    /// Checks that this layout supports the operations of a mix.
    pub fn check_operations(self, id: &DesignId) -> Result<(), EngineError> {
        // An operation is one statement, and would leave the second table as it is.
        if let (CassandraLayout::Rows(_), Some(setting)) = (self, second_table(id)) {
            return Err(EngineError(format!(
                "design {id}: single operations under load write no second table: drive view= or index= \
                 instead of {setting}="
            )));
        }
        match self {
            CassandraLayout::Rows(_) if id.settings.contains_key(COLUMNS) => {
                Err(EngineError(format!(
                    "design {id}: single operations under load write whole rows: leave {COLUMNS}= out"
                )))
            }
            CassandraLayout::Rows(_) if id.settings.contains_key(KEY) => Err(EngineError(format!(
                "design {id}: the operations of a mix find rows by the workload's key: leave {KEY}= out"
            ))),
            CassandraLayout::Rows(_) if has_short_names(id) => Err(EngineError(format!(
                "design {id}: the operations of a mix use the workload's names of columns: leave names=short out"
            ))),
            CassandraLayout::Rows(_) if id.settings.contains_key("summary") => {
                Err(EngineError(format!(
                    "design {id}: single operations under load write no summary table: leave summary= out"
                )))
            }
            CassandraLayout::Rows(_) if id.settings.contains_key("consistency") => {
                Err(EngineError(format!(
                    "design {id}: operations of a mix have the level of --consistency, or of \
                     `consistency` in [mix]: leave consistency= out"
                )))
            }
            CassandraLayout::Rows(_) | CassandraLayout::AsWritten => Ok(()),
            CassandraLayout::Series | CassandraLayout::Columnar => Err(no_operations(id)),
        }
    }

    /// Returns the reason why a workload cannot use this layout, if there is one.
    ///
    /// A workload with `schema` statements creates its own tables, which is what
    /// `cassandra/as-written` needs and every other layout excludes.
    pub fn unfit(self, id: &DesignId, workload: &Workload) -> Option<String> {
        let mix = workload.mix.as_ref();
        let has_schema = mix.is_some_and(|mix| !mix.schema.is_empty());
        let needs_schema = self == CassandraLayout::AsWritten;
        if needs_schema && !has_schema {
            return Some(format!(
                "`{id}` is for workloads whose own statements make the tables: `schema` in [mix]"
            ));
        }
        if has_schema && !needs_schema {
            return Some(format!(
                "this workload's own statements make its tables, so `{id}` cannot; write \
                 {}/as-written",
                id.engine
            ));
        }
        None
    }

    /// Returns whether many workers can insert batches of rows at the same time.
    pub fn takes_inserts(self) -> bool {
        self != CassandraLayout::AsWritten
    }

    /// Returns how batches of rows of any partitions are written, if the layout has such ones.
    pub fn over_any(self, id: &DesignId) -> Option<(String, String)> {
        match self {
            CassandraLayout::Rows(_) | CassandraLayout::Series => {
                Some(batches::setting_over_any(batch_bytes_of(id)))
            }
            CassandraLayout::Columnar | CassandraLayout::AsWritten => None,
        }
    }

    /// Returns whether Bakeoff names the tables, so that a design can have several.
    pub fn names_its_tables(self) -> bool {
        self != CassandraLayout::AsWritten
    }

    /// Describes every statement that a design will send, without touching anything.
    pub fn describe(self, request: &DesignRequest<'_>) -> Result<DesignInfo, EngineError> {
        match self {
            CassandraLayout::Rows(shape) => rows::describe(request, shape),
            CassandraLayout::Series => series::describe(request),
            CassandraLayout::Columnar => columnar::describe(request),
            CassandraLayout::AsWritten => as_written::describe(request),
        }
    }

    /// Makes a design in a keyspace that has been claimed.
    pub fn design(
        self,
        request: &DesignRequest<'_>,
        deployment: Arc<Deployment>,
    ) -> Result<Box<dyn Design>, EngineError> {
        Ok(match self {
            CassandraLayout::Rows(shape) => Box::new(RowsDesign::new(request, shape, deployment)?),
            CassandraLayout::Series => Box::new(SeriesDesign::new(request, deployment)?),
            CassandraLayout::Columnar => Box::new(ColumnarDesign::new(request, deployment)?),
            CassandraLayout::AsWritten => Box::new(AsWrittenDesign::new(request, deployment)?),
        })
    }

    /// Plans the operations of a mix, and returns the layout of the table with them unless the
    /// workload's own statements create it.
    ///
    /// # Errors
    /// Fails if the layout has no statement for an action, or does not support operations at all.
    pub fn operations(
        self,
        request: &DesignRequest<'_>,
        mix: &Mix,
    ) -> Result<(Option<TableLayout>, Vec<OperationPlan>), EngineError> {
        let DesignRequest { id, keyspace, .. } = request;
        match self {
            CassandraLayout::Rows(shape) => {
                let layout = rows::table_layout(request, shape)?;
                let plans = rows::operations::plan_operations(id, &layout, &keyspace.name, mix)?;
                Ok((Some(layout), plans))
            }
            CassandraLayout::AsWritten => {
                let table = &request.workload.table;
                let plans = as_written::plan::plan_written(id, &keyspace.name, table, mix)?;
                Ok((None, plans))
            }
            CassandraLayout::Series | CassandraLayout::Columnar => Err(no_operations(id)),
        }
    }
}

/// Returns the setting of a design that has Bakeoff write further tables, if it has one.
fn second_table(id: &DesignId) -> Option<&'static str> {
    let mut settings = ["table_by", "index_table"].into_iter();
    settings.find(|name| id.settings.contains_key(*name))
}

/// Checks that a design can be measured by a run in a keyspace that stays: that all of its tables can be dropped by
/// their names, and that it reads at the level of the run, since the copies there are not known before.
///
/// # Errors
/// Fails for a layout that makes further tables, and for a design with functions or another consistency level.
pub fn check_own_tables(id: &DesignId, context: &Context) -> Result<(), EngineError> {
    let options = &context.options.cassandra;
    if !options.owns_tables || options.keyspace.is_none() {
        return Ok(());
    }
    let is_of_rows = matches!(CassandraLayout::from_id(id)?, CassandraLayout::Rows(_));
    if is_of_rows && !makes_functions(id) && !id.settings.contains_key("consistency") {
        return Ok(());
    }
    Err(EngineError(format!(
        "design {id}: a run in a --keyspace that stays takes tables of rows only (narrow, wide, blob, compact, without \
         aggregate=java and consistency=): leave this design out with --designs, or leave --keyspace out"
    )))
}

/// Returns why a design does not take over the settings of a table that exists, if they were asked for.
pub fn settings_not_taken(id: &DesignId, context: &Context) -> Option<String> {
    let taken = context.options.cassandra.settings_of.as_ref()?;
    let takes = matches!(CassandraLayout::from_id(id), Ok(CassandraLayout::Rows(_)));
    (!takes).then(|| {
        format!(
            "design {id}: it keeps its own settings, since only tables of rows (narrow, wide, blob, compact) take over \
             those of {}",
            taken.table
        )
    })
}

/// Returns how many rows a design writes for each row of the table.
pub fn writes_of_row(id: &DesignId) -> u32 {
    match second_table(id) {
        Some(_) => 2,
        None => 1,
    }
}

/// Returns whether a design gives columns other names than the workload.
fn has_short_names(id: &DesignId) -> bool {
    let names = id.settings.get("names");
    names.is_some_and(|names| names.eq_ignore_ascii_case("short"))
}

fn no_operations(id: &DesignId) -> EngineError {
    EngineError(format!(
        "design {id}: {} tables do not support single operations under load yet; drive another \
         layout of cassandra",
        id.layout.as_deref().unwrap_or_default()
    ))
}

fn unknown(id: &DesignId, name: &str) -> EngineError {
    let names: Vec<&str> = LAYOUTS.iter().map(short_name).collect();
    EngineError(format!(
        "design {id}: {} has no layout `{name}`; there are {}",
        id.engine,
        names.join(", ")
    ))
}

/// Returns the name of a layout without its engine.
fn short_name(layout: &Layout) -> &'static str {
    layout.name.rsplit('/').next().unwrap_or(layout.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_layout_is_read_as_a_different_one() {
        let of = |layouts: &[Layout]| {
            let mut all = Vec::new();
            for layout in layouts {
                let read = CassandraLayout::from_id(&layout.name.parse().unwrap()).unwrap();
                assert!(!all.contains(&read), "{read:?}");
                all.push(read);
            }
            all
        };
        assert_eq!(of(layouts(Release::Four)), of(layouts(Release::Five)));
    }

    #[test]
    fn a_layout_that_does_not_exist_is_refused_with_those_that_do() {
        for (id, engine, name) in [
            ("cassandra/tall", "cassandra", "tall"),
            ("cassandra", "cassandra", ""),
            ("cassandra-4/tall", "cassandra-4", "tall"),
        ] {
            let error = CassandraLayout::from_id(&id.parse().unwrap())
                .unwrap_err()
                .0;
            let expected = format!(
                "design {id}: {engine} has no layout `{name}`; there are narrow, wide, blob, \
                 compact, series, columnar, as-written"
            );
            assert_eq!(error, expected);
        }
    }
}
