//! What is traced: a SELECT as somebody wrote it, or a read of a mix or a question as its design sends it.

use std::ops::Range;
use std::sync::Arc;

use bakeoff_workload::{Consistency, DesignId, SelectedTable, Workload, suggestion};
use scylla::client::session::Session;

use super::error::TraceError;
use super::question::TracedQuestion;
use crate::cassandra::drive::cells::Cells;
use crate::cassandra::drive::plan::{OperationPlan, Statement, Work};
use crate::cassandra::drive::statements::{Prepared, prepare};
use crate::cassandra::layout::CassandraLayout;
use crate::cassandra::names::ENGINE;
use crate::cassandra::request::DesignRequest;
use crate::drive::rows::Rows;
use crate::{Context, EngineError, TargetOptions};

/// Rows of a page of a SELECT, which is the default of drivers.
const PAGE_ROWS: u32 = 5000;

/// What is traced.
#[derive(Clone)]
pub enum Traceable {
    Select(TracedSelect),
    Read(Arc<TracedRead>),
    Question(Arc<TracedQuestion>),
}

/// One SELECT of CQL without markers.
#[derive(Debug, Clone)]
pub struct TracedSelect {
    pub cql: String,
    /// Keyspace of the table, if the statement does not name it.
    pub keyspace: Option<String>,
    /// The table that the statement reads.
    pub table: SelectedTable,
}

impl TracedSelect {
    /// Returns the keyspace of the table.
    ///
    /// # Errors
    /// Says that nothing names it.
    pub fn table_keyspace(&self) -> Result<&str, TraceError> {
        let table = &self.table;
        let keyspace = table.keyspace.as_deref().or(self.keyspace.as_deref());
        keyspace.ok_or_else(|| {
            TraceError::Asked(format!(
                "the statement does not say in which keyspace {0} is: write FROM KEYSPACE.{0}, or give --table \
                 KEYSPACE.{0}",
                table.name
            ))
        })
    }
}

/// An operation of a mix that reads rows by one statement, on a table that is there and loaded.
pub struct TracedRead {
    plan: OperationPlan,
    statement: Statement,
    rows: Rows,
    /// Numbers of the rows that are in the table.
    loaded: Range<u64>,
    keyspace: String,
    table: String,
}

impl TracedRead {
    /// Plans an operation of a workload's mix. The table is in the keyspace of the context.
    ///
    /// # Errors
    /// Fails if the design or the operation is not one that reads rows of Cassandra by one statement.
    pub fn new(
        design: &DesignId,
        workload: &Workload,
        context: &Context,
        options: &TargetOptions,
        operation: &str,
    ) -> Result<Self, TraceError> {
        if design.engine != ENGINE {
            return Err(TraceError::Asked(format!(
                "design {design}: only designs of {ENGINE} are traced"
            )));
        }
        let asked = |error: EngineError| TraceError::Asked(error.0);
        let layout = CassandraLayout::from_id(design).map_err(asked)?;
        layout.check_operations(design).map_err(asked)?;
        let request = DesignRequest::new(design, workload, context).map_err(asked)?;
        let (table, plans) = layout.operations(&request, &options.mix).map_err(asked)?;
        let Some(plan) = plans.iter().find(|plan| plan.name == operation) else {
            let known = plans.iter().map(|plan| plan.name.as_str());
            let hint = suggestion(operation, known);
            return Err(TraceError::Asked(format!(
                "the mix has no operation `{operation}`{hint}"
            )));
        };
        let (Work::Read(read), Some(table)) = (&plan.work, table) else {
            return Err(TraceError::Asked(format!(
                "operation `{operation}` is no read by one statement of the design, and nothing else is traced: a \
                 trace changes no rows"
            )));
        };
        if options.loaded.is_empty() {
            return Err(TraceError::Asked("there are no rows to read".to_owned()));
        }
        Ok(TracedRead {
            statement: read.statement.clone(),
            plan: plan.clone(),
            rows: Rows::from_layout(&table, options),
            loaded: options.loaded.clone(),
            keyspace: request.keyspace.name.clone(),
            table: table.name,
        })
    }

    pub(super) fn keyspace(&self) -> &str {
        &self.keyspace
    }

    pub(super) fn table(&self) -> &str {
        &self.table
    }

    /// Returns the statement, with a `?` for each value of a row.
    pub(super) fn cql(&self) -> &str {
        &self.statement.cql
    }

    /// Prepares the statement.
    pub(super) async fn prepared(
        &self,
        session: &Session,
        level: Consistency,
    ) -> Result<Prepared, TraceError> {
        let (name, table) = (&self.plan.name, &self.rows.table);
        let prepared = prepare(session, name, &self.statement, Some(level), table).await;
        prepared.map_err(|error| TraceError::Failed(error.0))
    }

    /// Makes the values of one of several times, of rows that are spread evenly over all.
    pub(super) fn values(&self, prepared: &Prepared, time: u32, times: u32) -> Cells {
        let rows = u128::from(self.loaded.end - self.loaded.start);
        let share = rows * u128::from(time) / u128::from(times.max(1));
        // A share of a 64-bit number is one.
        let row = self.loaded.start + u64::try_from(share).unwrap_or(0);
        let mut cells = Cells::default();
        self.rows.encode(&prepared.binds, row, &mut cells);
        cells
    }
}

impl Traceable {
    /// Returns the keyspace of the table, unless the statement names it.
    pub(super) fn keyspace(&self) -> Option<String> {
        match self {
            Traceable::Select(select) => select.keyspace.clone(),
            Traceable::Read(_) | Traceable::Question(_) => None,
        }
    }

    /// Returns the consistency level unless another one is asked for.
    pub(super) fn level(&self) -> Consistency {
        match self {
            Traceable::Select(_) => Consistency::LocalOne,
            Traceable::Read(read) => read.plan.consistency.unwrap_or(Consistency::LocalOne),
            Traceable::Question(question) => question.level(),
        }
    }

    /// Returns the largest number of rows of a page unless another one is asked for.
    pub(super) fn page_rows(&self) -> u32 {
        match self {
            Traceable::Select(_) => PAGE_ROWS,
            Traceable::Read(read) => u32::try_from(read.rows.page_rows).unwrap_or(PAGE_ROWS),
            Traceable::Question(question) => {
                u32::try_from(question.page_rows()).unwrap_or(PAGE_ROWS)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::selected_table;

    use super::*;

    #[test]
    fn the_keyspace_of_a_select_is_its_own_or_the_one_that_is_named() {
        let select = |cql: &str, keyspace: Option<&str>| TracedSelect {
            cql: cql.to_owned(),
            keyspace: keyspace.map(str::to_owned),
            table: selected_table(cql).unwrap(),
        };
        for (cql, named) in [
            ("SELECT * FROM ks.t", None),
            ("SELECT * FROM t", Some("ks")),
            ("SELECT * FROM ks.t", Some("ks")),
        ] {
            assert_eq!(select(cql, named).table_keyspace().unwrap(), "ks", "{cql}");
        }
        let nowhere = select("SELECT * FROM t", None);
        let error = nowhere.table_keyspace().unwrap_err().to_string();
        assert!(error.contains("FROM KEYSPACE.t"), "{error}");
    }
}
