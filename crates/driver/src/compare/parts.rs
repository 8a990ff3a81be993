//! Rows of smaller tables that hold a share of the series and of the time, and what the rows of a run
//! have of both.

use std::collections::BTreeMap;
use std::sync::Arc;

use bakeoff_stats::{Axes, Instance, InstanceKind};
use bakeoff_workload::source::{Part, Survey};
use bakeoff_workload::{Growth, ParameterValues, Query, Table, Workload};

use super::context::{Context, RunError};

/// Sources of the smaller tables, by what their series and time are divided by.
pub type Parts = BTreeMap<(u32, u32), Arc<Part>>;

/// Surveys the first `rows` rows.
pub async fn survey(run: &Context<'_>, rows: u64) -> Result<Survey, RunError> {
    let (source, table) = (run.source.clone(), run.workload.table.clone());
    blocking(move || Ok(Survey::of(source.as_ref(), &table, rows)?)).await
}

/// Makes the sources of these tables, and counts their rows. One that would have no rows, or as many as one
/// that is larger, is left out: it would show nothing.
pub async fn chosen(
    run: &Context<'_>,
    survey: &Survey,
    divided: Vec<(u32, u32)>,
    rows: u64,
) -> Result<Parts, RunError> {
    let mut parts = Parts::new();
    for shares in divided {
        let part = part(run, survey, shares, None).await?;
        let is_new = part.rows() > 0 && part.rows() < rows;
        if is_new && !has_same(&parts, shares, part.rows()) {
            parts.insert(shares, Arc::new(part));
        }
    }
    Ok(parts)
}

/// Returns whether a table that differs along the same axes has as many rows: a half and a quarter of two
/// series are both one of them.
fn has_same(parts: &Parts, shares: (u32, u32), rows: u64) -> bool {
    let axes = |(series, time): (u32, u32)| (series > 1, time > 1);
    let mut alike = { parts.iter() }.filter(|(known, _)| axes(**known) == axes(shares));
    alike.any(|(_, part)| part.rows() == rows)
}

/// Makes the sources of tables that an earlier process chose.
pub async fn known(
    run: &Context<'_>,
    instances: &[Instance],
    rows: u64,
) -> Result<Parts, RunError> {
    let mut parts = Parts::new();
    let mut surveyed = None;
    for instance in instances {
        let InstanceKind::Part {
            series,
            time,
            rows: its,
        } = instance.kind
        else {
            continue;
        };
        if parts.contains_key(&(series, time)) {
            continue;
        }
        let survey = match surveyed.take() {
            Some(survey) => survey,
            None => survey(run, rows).await?,
        };
        let part = part(run, &survey, (series, time), Some(its)).await?;
        parts.insert((series, time), Arc::new(part));
        surveyed = Some(survey);
    }
    Ok(parts)
}

async fn part(
    run: &Context<'_>,
    survey: &Survey,
    shares: (u32, u32),
    rows: Option<u64>,
) -> Result<Part, RunError> {
    let (source, table) = (run.source.clone(), run.workload.table.clone());
    let survey = survey.clone();
    blocking(move || Ok(Part::of(source, &table, &survey, shares, rows)?)).await
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RunError> + Send + 'static,
) -> Result<T, RunError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| RunError::Reader(error.to_string()))?
}

/// Returns what a run has of both axes, for its record.
pub fn axes(workload: &Workload, survey: &Survey, growth: Growth) -> Axes {
    let length = survey.length();
    let windows = workload.queries.iter().filter_map(|query| {
        let window = window(query, &workload.table)?;
        Some((query.name.clone(), window as f64 / length? as f64))
    });
    Axes {
        series: survey.series(),
        time: length,
        to_full: (growth.series, growth.time),
        windows: windows.collect(),
    }
}

/// Returns the milliseconds of the window that a query is about, if it has both of its ends.
fn window(query: &Query, table: &Table) -> Option<u64> {
    let time = table.time_column().map(|index| &table.columns[index].name);
    query.parameters.iter().find_map(|parameter| {
        let ParameterValues::Window {
            column,
            milliseconds,
        } = &parameter.values
        else {
            return None;
        };
        let is_bound = |placeholder: &String| query.sql.contains(&format!("${{{placeholder}}}"));
        let has_both = parameter.placeholders().iter().all(is_bound);
        (has_both && Some(column) == time).then_some(*milliseconds)
    })
}
