//! Times by the rows of the table, where a run has tables of several sizes.

use bakeoff_stats::Summary;

use super::drawn::charts_of_queries;
use crate::chart::{grown_designs, rows_lines};

/// Renders the section; it is empty for a run with tables of one size.
pub fn of_run(summary: &Summary) -> String {
    let (designs, hint) = (grown_designs(summary), hint(summary));
    charts_of_queries("As the table grows", summary, &designs, rows_lines, &hint)
}

fn hint(summary: &Summary) -> String {
    let mut hint = "Medians of the tables of each design; both axes are logarithmic.".to_owned();
    let larger = { summary.forecast.iter() }.filter(|f| f.rows > f.measured_rows);
    let mut times = { larger.flat_map(|f| &f.designs) }.flat_map(|design| &design.times);
    if times.any(|time| time.known().is_some()) {
        hint += " Dashed: the forecast for more rows, with its 90% interval at full scale.";
    }
    hint
}
