//! What a design will send, statement by statement, without touching anything.

use bakeoff_columnar::store::cassandra::{making_anew, table_names};
use bakeoff_stats::DesignInfo;
use bakeoff_workload::{Consistency, DesignId, Mix, Workload};

use super::as_written;
use super::cluster::keyspace::{Keyspace, Owner};
use super::cluster::relations::{self, Relation};
use super::cluster::{settle, shared};
use super::drive::plan;
use super::mix_of;
use super::names::{in_keyspace, table_name};
use super::read::statements::PAGE_ROWS;
use super::rows::layout::TableLayout;
use super::rows::operations::of_layout;
use super::series::SeriesLayout;
use super::write::batches;
use crate::columnar::Shape;
use crate::{Context, EngineError};

/// A table of ours.
pub fn layout(
    id: &DesignId,
    workload: &Workload,
    context: &Context,
    keyspace: &Keyspace,
) -> Result<DesignInfo, EngineError> {
    let layout = TableLayout::new(id, &workload.table, context.keys_repeat)?;
    let mut statements = opening(context, keyspace, Consistency::LocalOne);
    statements.extend(keyspace.table_statement(&layout.name, &shared::maker(workload)));
    statements.push(layout.drop_statement(&keyspace.name));
    statements.push(layout.create_statement(&keyspace.name));
    statements.push(layout.insert_statement(&keyspace.name));
    let tables = [Relation::table(layout.name.as_str())];
    statements.extend(settling(context, keyspace, &tables));
    if let Some(mix) = &workload.mix {
        let plans = of_layout(id, &layout, &keyspace.name, mix)?;
        statements.extend(plan::statements(&plans, workload));
        statements.extend(background(mix, keyspace));
    }
    statements.extend(dropping(context, keyspace));
    let mut settings = layout.settings();
    settings.extend(batches::settings(&layout));
    settings.push(("page".to_owned(), format!("{} rows", PAGE_ROWS)));
    Ok(DesignInfo {
        id: id.to_string(),
        engine: "cassandra".to_owned(),
        settings,
        statements,
    })
}

/// The tables of values and of keys.
pub fn series(
    id: &DesignId,
    workload: &Workload,
    context: &Context,
    keyspace: &Keyspace,
) -> Result<DesignInfo, EngineError> {
    let layout = SeriesLayout::new(id, &workload.table, context.keys_repeat)?;
    let mut statements = opening(context, keyspace, Consistency::LocalOne);
    statements.extend(keyspace.table_statement(&layout.values.name, &shared::maker(workload)));
    statements.extend(layout.making_anew(&keyspace.name));
    statements.push(layout.values.insert_statement(&keyspace.name));
    statements.push(layout.update_index(&keyspace.name));
    let tables = layout.table_names().map(Relation::table);
    statements.extend(settling(context, keyspace, &tables));
    statements.extend(dropping(context, keyspace));
    let mut settings = layout.settings();
    settings.extend(batches::settings(&layout.values));
    settings.push(("page".to_owned(), format!("{} rows", PAGE_ROWS)));
    Ok(DesignInfo {
        id: id.to_string(),
        engine: "cassandra".to_owned(),
        settings,
        statements,
    })
}

/// The tables of a workload that is written in CQL.
pub fn as_written(
    id: &DesignId,
    workload: &Workload,
    context: &Context,
    keyspace: &Keyspace,
) -> Result<DesignInfo, EngineError> {
    let mix = mix_of(id, workload)?;
    let plans = as_written::plan::as_written(id, &keyspace.name, &workload.table, mix)?;
    let level = context.replication.statement(Consistency::LocalOne);
    let mut statements: Vec<String> = level.into_iter().collect();
    if keyspace.owner != Owner::Shared {
        statements.push(keyspace.drop_statement());
    }
    statements.extend(keyspace.statements());
    let written = as_written::statements(id, mix, &keyspace.name)?;
    let made = relations::made_by(&written, &keyspace.name);
    statements.extend(written);
    statements.extend(settling(context, keyspace, &made));
    statements.extend(plan::statements(&plans, workload));
    statements.extend(background(mix, keyspace));
    statements.extend(dropping(context, keyspace));
    let writes = format!("single statements, {} in flight", batches::IN_FLIGHT);
    Ok(DesignInfo {
        id: id.to_string(),
        engine: "cassandra".to_owned(),
        settings: vec![
            (
                "statements".to_owned(),
                "as in the workload file".to_owned(),
            ),
            ("writes".to_owned(), writes),
        ],
        statements,
    })
}

/// A columnar table.
pub fn columnar(
    id: &DesignId,
    workload: &Workload,
    context: &Context,
    keyspace: &Keyspace,
) -> Result<DesignInfo, EngineError> {
    let shape = Shape::new(id, &workload.table)?;
    let name = table_name(id);
    let mut statements = opening(context, keyspace, Consistency::LocalQuorum);
    statements.extend(keyspace.table_statement(&name, &shared::maker(workload)));
    let made = making_anew(&keyspace.name, &name);
    statements.extend(made.map_err(|e| EngineError(format!("design {id}: {e}")))?);
    let tables: Vec<Relation> = table_names(&name)
        .into_iter()
        .map(Relation::table)
        .collect();
    statements.extend(settling(context, keyspace, &tables));
    statements.extend(dropping(context, keyspace));
    Ok(DesignInfo {
        id: id.to_string(),
        engine: "cassandra".to_owned(),
        settings: shape.settings(),
        statements,
    })
}

/// What makes the keyspace, and the level of all that follows where it was chosen.
fn opening(context: &Context, keyspace: &Keyspace, default: Consistency) -> Vec<String> {
    let level = context.replication.statement(default);
    level.into_iter().chain(keyspace.statements()).collect()
}

fn settling(context: &Context, keyspace: &Keyspace, relations: &[Relation]) -> Vec<String> {
    settle::settle_statements(context.cluster.is_none(), &keyspace.name, relations)
}

/// What runs beside the operations.
fn background(mix: &Mix, keyspace: &Keyspace) -> impl Iterator<Item = String> {
    let statements = mix.background.iter().flat_map(|b| &b.statements);
    statements.map(|cql| in_keyspace(cql, &keyspace.name))
}

/// How a cluster that we did not start is left.
fn dropping(context: &Context, keyspace: &Keyspace) -> Option<String> {
    let ends_here = context.cluster.is_some() && keyspace.owner != Owner::Shared;
    ends_here.then(|| keyspace.drop_statement())
}
