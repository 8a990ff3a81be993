//! Answers to the two questions of a run, at production scale.

use super::{DesignSummary, Difference, Summary};
use crate::Estimate;

/// A query that read at least this share of the rows grows with the table.
const SCAN_SHARE: f64 = 0.5;

/// Measured figures extrapolated to the workload's full scale. Everything is extrapolated
/// proportionally from one measured scale; nothing was measured at the full one.
///
/// Designs with failures and yardsticks are left out.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Forecast {
    pub full_rows: u64,
    pub measured_rows: u64,
    /// Forecasts for the designs that finished, smallest first.
    pub storage: Vec<StorageForecast>,
    /// Forecasts for the fastest design of each query.
    pub queries: Vec<QueryForecast>,
}

#[derive(Debug, Clone, serde::Serialize)]
pub struct StorageForecast {
    pub design: String,
    /// Bytes per row of one copy x full rows x replication.
    pub bytes: f64,
}

/// Time of a query at full scale: `expected records x users / (cores x single-core scan speed)`,
/// the formula of the studies.
#[derive(Debug, Clone, serde::Serialize)]
pub struct QueryForecast {
    pub query: String,
    pub design: String,
    /// Time at the measured scale.
    pub measured: Estimate,
    /// Seconds at full scale until every user has an answer.
    pub seconds: f64,
    pub basis: Basis,
    /// Designs that are not shown to be slower than the fastest one of the comparison.
    pub not_slower: Vec<String>,
}

/// Method by which a query's time is extrapolated to full scale. The median always grows in
/// proportion to the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Extrapolates a query that read most of the table, so that its work is spread over all cores:
    /// median x rows / measured rows x users x cores used / cores. The cores used are the measuring
    /// threads, but at most the cores of the machine; with one thread this is the formula of the
    /// studies.
    Scan,
    /// Extrapolates a query that read little of the table, or an unknown amount. More cores serve
    /// more users but do not speed up a single answer, and the rows that it reads seldom grow as
    /// fast as the table, so this is an upper bound: median x rows / measured rows x the greater of
    /// 1 and users x cores used / cores.
    UpperBound,
}

impl Forecast {
    /// Extrapolates the figures of a run. Returns `None` if no row was loaded or no design without
    /// failures has a figure.
    pub fn from_summary(summary: &Summary) -> Option<Forecast> {
        let contenders: Vec<&DesignSummary> = summary.contenders().collect();
        let queries = &summary.header.queries;
        let forecast = Forecast {
            full_rows: summary.header.scale.full_rows,
            measured_rows: summary.rows,
            storage: storage(summary, &contenders),
            queries: queries
                .iter()
                .filter_map(|q| query(summary, &contenders, &q.name))
                .collect(),
        };
        let empty = forecast.storage.is_empty() && forecast.queries.is_empty();
        (summary.rows > 0 && !empty).then_some(forecast)
    }
}

fn storage(summary: &Summary, contenders: &[&DesignSummary]) -> Vec<StorageForecast> {
    let scale = &summary.header.scale;
    let rows_kept = scale.full_rows as f64 * f64::from(scale.replication);
    let mut storage: Vec<StorageForecast> = contenders
        .iter()
        .filter_map(|d| Some((d, d.bytes_per_row?)))
        .map(|(d, bytes)| StorageForecast {
            design: d.info.id.clone(),
            bytes: bytes * rows_kept,
        })
        .collect();
    storage.sort_by(|a, b| a.bytes.total_cmp(&b.bytes));
    storage
}

fn query(summary: &Summary, contenders: &[&DesignSummary], name: &str) -> Option<QueryForecast> {
    let timed: Vec<(&DesignSummary, Estimate)> = contenders
        .iter()
        .filter_map(|d| Some((*d, d.query(name)?.time?)))
        .collect();
    let (fastest, measured) = timed
        .iter()
        .copied()
        .min_by(|a, b| a.1.median.total_cmp(&b.1.median))?;
    let basis = basis(summary, fastest.query(name)?.rows_scanned);
    let is_slower = |id: &str| {
        let compared = summary.comparison.design(name, id);
        compared.is_some_and(|compared| compared.difference == Difference::Slower)
    };
    let others = timed.iter().map(|(design, _)| design.info.id.as_str());
    let not_slower = others
        .filter(|id| *id != fastest.info.id && !is_slower(id))
        .map(str::to_owned)
        .collect();
    Some(QueryForecast {
        query: name.to_owned(),
        design: fastest.info.id.clone(),
        measured,
        seconds: measured.median * growth(summary, basis),
        basis,
        not_slower,
    })
}

fn basis(summary: &Summary, rows_scanned: Option<f64>) -> Basis {
    match rows_scanned {
        Some(rows) if rows >= SCAN_SHARE * summary.rows as f64 => Basis::Scan,
        _ => Basis::UpperBound,
    }
}

/// Returns the factor by which a query takes longer at full scale than measured.
fn growth(summary: &Summary, basis: Basis) -> f64 {
    let header = &summary.header;
    let rows = header.scale.full_rows as f64 / summary.rows.max(1) as f64;
    let (users, cores) = (
        f64::from(header.scale.users),
        f64::from(header.scale.cores.max(1)),
    );
    let cores_used = f64::from(header.threads.min(header.machine.cores).max(1));
    let load = users * cores_used / cores;
    match basis {
        Basis::Scan => rows * load,
        Basis::UpperBound => rows * load.max(1.0),
    }
}

#[cfg(test)]
mod tests;
