//! The statements of a workload that is written in CQL.

use bakeoff_workload::{
    Action, CqlOperation, CqlStatement, CqlValue, DesignId, Mix, Operation, Table, Version,
};

use super::LAYOUT;
use crate::EngineError;
use crate::cassandra::drive::plan::{Bind, OperationPlan, Statement, Work, Written, refused};
use crate::cassandra::names::in_keyspace;
use crate::settings::Settings;

/// The operations of a mix that is written in CQL.
///
/// # Errors
/// For an action that is not, and for settings that only our own statements take.
pub fn as_written(
    id: &DesignId,
    keyspace: &str,
    table: &Table,
    mix: &Mix,
) -> Result<Vec<OperationPlan>, EngineError> {
    let of = |operation: &Operation| {
        let Action::Cql(cql) = &operation.action else {
            return Err(refused(
                id,
                operation,
                "is not written in CQL, and the design cassandra/as-written has no statement of \
                 its own: write action = \"cql\" with statements = [...], or use another layout \
                 such as cassandra/wide",
            ));
        };
        if operation.ttl_seconds.is_some() || operation.batch > 1 {
            return Err(refused(
                id,
                operation,
                "has a ttl or a batch, but its statements are sent as written: write USING TTL or \
                 BEGIN UNLOGGED BATCH into them",
            ));
        }
        Ok(OperationPlan {
            name: operation.name.clone(),
            consistency: operation.consistency,
            work: Work::Written(written(keyspace, table, cql)),
        })
    };
    mix.operations.iter().map(of).collect()
}

fn written(keyspace: &str, table: &Table, cql: &CqlOperation) -> Written {
    let place = |name: &String| table.columns.iter().position(|c| c.name == *name);
    Written {
        statements: cql
            .statements
            .iter()
            .map(|s| statement(keyspace, s))
            .collect(),
        otherwise: cql.otherwise.as_ref().map(|s| statement(keyspace, s)),
        expect: cql.expect.iter().filter_map(place).collect(),
        expect_row: cql.expect_row,
    }
}

/// The statements that make and fill the tables.
///
/// # Errors
/// If the mix has none, or if they bind what rows do not have before the load.
pub fn schema(id: &DesignId, mix: &Mix, keyspace: &str) -> Result<Vec<String>, EngineError> {
    let settings = Settings::new(id, LAYOUT.settings)?;
    if mix.schema.is_empty() {
        return Err(settings.error(
            "the workload's [mix] makes no tables: add schema = [\"CREATE TABLE ...\"], or use \
             another layout such as cassandra/wide"
                .to_owned(),
        ));
    }
    let of_row = |value: &CqlValue| {
        matches!(
            value,
            CqlValue::Column {
                second_version: false,
                ..
            }
        )
    };
    if !mix.populate.iter().all(|s| s.values.iter().all(of_row)) {
        return Err(settings.error(
            "a populate statement binds something else than columns in their first version"
                .to_owned(),
        ));
    }
    settings.end()?;
    let populate = mix.populate.iter().map(|s| &s.cql);
    let all = mix.schema.iter().chain(populate);
    Ok(all.map(|cql| in_keyspace(cql, keyspace)).collect())
}

/// A statement of the workload file, in its keyspace.
pub fn statement(keyspace: &str, written: &CqlStatement) -> Statement {
    let bind = |value: &CqlValue| match value {
        CqlValue::Column {
            column,
            second_version,
        } => Bind::Column(*column, version(*second_version)),
        CqlValue::Result { column, plus } => Bind::Result {
            column: column.clone(),
            plus: *plus,
        },
        CqlValue::Toggle { column, between } => Bind::Toggle {
            column: column.clone(),
            between: between.clone(),
        },
    };
    Statement {
        cql: in_keyspace(&written.cql, keyspace),
        binds: written.values.iter().map(bind).collect(),
    }
}

fn version(second: bool) -> Version {
    if second {
        Version::Second
    } else {
        Version::First
    }
}
