//! Plans of the operations and tables of a workload that is written in CQL.

use bakeoff_workload::{
    Action, CqlOperation, CqlStatement, CqlValue, DesignId, Mix, Operation, Table, Version,
};

use super::LAYOUT;
use crate::EngineError;
use crate::cassandra::drive::arrays::{ArrayType, Number};
use crate::cassandra::drive::plan::{Bind, OperationPlan, Statement, Work, Written, refused};
use crate::cassandra::names::in_keyspace;
use crate::settings::Settings;

/// Plans the operations of a mix that is written in CQL.
///
/// # Errors
/// Fails for an action that is not, and for settings that apply only to generated statements.
pub fn plan_written(
    id: &DesignId,
    keyspace: &str,
    table: &Table,
    mix: &Mix,
) -> Result<Vec<OperationPlan>, EngineError> {
    let operations = mix.operations.iter();
    operations
        .map(|operation| plan_operation(id, keyspace, table, operation))
        .collect()
}

fn plan_operation(
    id: &DesignId,
    keyspace: &str,
    table: &Table,
    operation: &Operation,
) -> Result<OperationPlan, EngineError> {
    let Action::Cql(cql) = &operation.action else {
        return Err(refused(
            id,
            operation,
            "is not written in CQL, and the design cassandra/as-written generates no statements: \
             write action = \"cql\" with statements = [...], or use another layout such as \
             cassandra/wide",
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
}

fn written(keyspace: &str, table: &Table, cql: &CqlOperation) -> Written {
    let column_number = |name: &String| table.columns.iter().position(|c| c.name == *name);
    Written {
        statements: cql
            .statements
            .iter()
            .map(|s| statement(keyspace, s))
            .collect(),
        otherwise: cql.otherwise.as_ref().map(|s| statement(keyspace, s)),
        expect: cql.expect.iter().filter_map(column_number).collect(),
        expect_row: cql.expect_row,
    }
}

/// Lists the statements that create and fill the tables.
///
/// # Errors
/// Fails if the mix creates no tables, or if a `populate` statement binds more than the first
/// version of columns, which is all that rows have before a load.
pub fn schema(id: &DesignId, mix: &Mix, keyspace: &str) -> Result<Vec<String>, EngineError> {
    let settings = Settings::new(id, LAYOUT.settings)?;
    if mix.schema.is_empty() {
        return Err(settings.error(
            "the workload's [mix] makes no tables: add schema = [\"CREATE TABLE ...\"], or use \
             another layout such as cassandra/wide"
                .to_owned(),
        ));
    }
    let mut bound = mix.populate.iter().flat_map(|statement| &statement.values);
    if !bound.all(is_first_version) {
        return Err(settings.error(
            "a populate statement may bind only columns in their first version".to_owned(),
        ));
    }
    settings.end()?;
    let populate = mix.populate.iter().map(|s| &s.cql);
    let all = mix.schema.iter().chain(populate);
    Ok(all.map(|cql| in_keyspace(cql, keyspace)).collect())
}

fn is_first_version(value: &CqlValue) -> bool {
    matches!(
        value,
        CqlValue::Column {
            second_version: false,
            ..
        } | CqlValue::Doubles {
            second_version: false,
            ..
        } | CqlValue::Item {
            second_version: false,
            ..
        }
    )
}

/// Converts a statement of the workload file, and puts it into a keyspace.
pub fn statement(keyspace: &str, written: &CqlStatement) -> Statement {
    Statement {
        cql: in_keyspace(&written.cql, keyspace),
        binds: written.values.iter().map(bind).collect(),
    }
}

fn bind(value: &CqlValue) -> Bind {
    match value {
        CqlValue::Column {
            column,
            second_version,
        } => Bind::Column(*column, version(*second_version)),
        // Preparing the statement tells the types of its markers.
        CqlValue::Doubles {
            column,
            second_version,
            items,
        } => Bind::Doubles {
            column: *column,
            version: version(*second_version),
            items: *items,
            as_type: ArrayType::Blob,
        },
        CqlValue::Item {
            column,
            second_version,
            item,
        } => Bind::Item {
            column: *column,
            version: version(*second_version),
            item: *item,
            number: Number::Double,
        },
        CqlValue::Result { column, plus } => Bind::Result {
            column: column.clone(),
            plus: *plus,
        },
        CqlValue::Toggle { column, between } => Bind::Toggle {
            column: column.clone(),
            between: between.clone(),
        },
    }
}

fn version(second: bool) -> Version {
    if second {
        Version::Second
    } else {
        Version::First
    }
}
