//! The layouts of tables in Cassandra, and what each of them does.

use std::sync::Arc;

use bakeoff_driver::Design;
use bakeoff_stats::DesignInfo;
use bakeoff_workload::{DesignId, Mix, Workload};

use super::as_written::{self, AsWrittenDesign};
use super::cluster::deployment::Deployment;
use super::columnar::{self, ColumnarDesign};
use super::drive::plan::OperationPlan;
use super::request::DesignRequest;
use super::rows::layout::{Shape, TableLayout};
use super::rows::{self, RowsDesign};
use super::series::{self, SeriesDesign};
use crate::{EngineError, Layout};

/// A layout as the id of a design names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CassandraLayout {
    /// The workload's rows as rows of one CQL table.
    Rows(Shape),
    /// A partition for each key, metric and day.
    Series,
    /// Chunks of encoded columns.
    Columnar,
    /// The tables that statements of the workload file make.
    AsWritten,
}

/// All layouts, in the order of `bakeoff list`.
pub static LAYOUTS: [Layout; 7] = [
    rows::layout::NARROW,
    rows::layout::WIDE,
    rows::layout::BLOB,
    rows::layout::COMPACT,
    series::LAYOUT,
    columnar::LAYOUT,
    as_written::LAYOUT,
];

impl CassandraLayout {
    /// Reads the layout that a design id names.
    ///
    /// # Errors
    /// Lists the layouts if there is none of that name.
    pub fn of(id: &DesignId) -> Result<Self, EngineError> {
        match id.layout.as_deref().unwrap_or_default() {
            "series" => Ok(CassandraLayout::Series),
            "columnar" => Ok(CassandraLayout::Columnar),
            "as-written" => Ok(CassandraLayout::AsWritten),
            name => Shape::of(id)
                .map(CassandraLayout::Rows)
                .ok_or_else(|| unknown(id, name)),
        }
    }

    /// Checks that it takes the operations of a mix.
    pub fn check_operations(self, id: &DesignId) -> Result<(), EngineError> {
        match self {
            CassandraLayout::Rows(_) | CassandraLayout::AsWritten => Ok(()),
            CassandraLayout::Series | CassandraLayout::Columnar => Err(no_operations(id)),
        }
    }

    /// Why it is not for a workload: one that has statements for its tables needs them, and no
    /// other can do without.
    pub fn unfit(self, id: &DesignId, workload: &Workload) -> Option<String> {
        let mix = workload.mix.as_ref();
        let is_written = mix.is_some_and(|mix| !mix.schema.is_empty());
        match (self == CassandraLayout::AsWritten, is_written) {
            (true, false) => Some(format!(
                "`{id}` is for workloads whose own statements make the tables: `schema` in [mix]"
            )),
            (false, true) => Some(format!(
                "the statements of this workload make its tables, so `{id}` cannot; write \
                 cassandra/as-written"
            )),
            _ => None,
        }
    }

    /// Whether it takes batches of rows from many workers at a time.
    pub fn takes_inserts(self) -> bool {
        self != CassandraLayout::AsWritten
    }

    /// Whether its tables have names of ours, so that there can be several of a design.
    pub fn names_its_tables(self) -> bool {
        self != CassandraLayout::AsWritten
    }

    /// Describes what a design will send, statement by statement, without touching anything.
    pub fn describe(self, request: &DesignRequest<'_>) -> Result<DesignInfo, EngineError> {
        match self {
            CassandraLayout::Rows(shape) => rows::describe(request, shape),
            CassandraLayout::Series => series::describe(request),
            CassandraLayout::Columnar => columnar::describe(request),
            CassandraLayout::AsWritten => as_written::describe(request),
        }
    }

    /// Makes a design in a keyspace that is claimed.
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

    /// Plans the operations of a mix. The layout of the table comes with them where it is ours.
    ///
    /// # Errors
    /// If the layout has no statement for an action, or takes no operations at all.
    pub fn operations(
        self,
        request: &DesignRequest<'_>,
        mix: &Mix,
    ) -> Result<(Option<TableLayout>, Vec<OperationPlan>), EngineError> {
        let DesignRequest { id, keyspace, .. } = request;
        match self {
            CassandraLayout::Rows(shape) => {
                let layout = rows::table_layout(request, shape)?;
                let plans = rows::operations::of_layout(id, &layout, &keyspace.name, mix)?;
                Ok((Some(layout), plans))
            }
            CassandraLayout::AsWritten => {
                let table = &request.workload.table;
                let plans = as_written::plan::as_written(id, &keyspace.name, table, mix)?;
                Ok((None, plans))
            }
            CassandraLayout::Series | CassandraLayout::Columnar => Err(no_operations(id)),
        }
    }
}

fn no_operations(id: &DesignId) -> EngineError {
    EngineError(format!(
        "design {id}: {} tables take no single operations under load yet; drive another layout of \
         cassandra",
        id.layout.as_deref().unwrap_or_default()
    ))
}

fn unknown(id: &DesignId, name: &str) -> EngineError {
    let names: Vec<&str> = LAYOUTS.iter().map(short_name).collect();
    EngineError(format!(
        "design {id}: cassandra has no layout `{name}`; there are {}",
        names.join(", ")
    ))
}

/// The name of a layout without its engine.
fn short_name(layout: &Layout) -> &'static str {
    layout.name.rsplit('/').next().unwrap_or(layout.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_that_is_listed_is_read_as_one_of_its_own() {
        let mut all = Vec::new();
        for layout in &LAYOUTS {
            let read = CassandraLayout::of(&layout.name.parse().unwrap()).unwrap();
            assert!(!all.contains(&read), "{read:?}");
            all.push(read);
        }
    }

    #[test]
    fn a_layout_that_does_not_exist_is_refused_with_those_that_do() {
        for (id, name) in [("cassandra/tall", "tall"), ("cassandra", "")] {
            let error = CassandraLayout::of(&id.parse().unwrap()).unwrap_err().0;
            let expected = format!(
                "design {id}: cassandra has no layout `{name}`; there are narrow, wide, blob, \
                 compact, series, columnar, as-written"
            );
            assert_eq!(error, expected);
        }
    }
}
