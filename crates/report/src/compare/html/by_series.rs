//! Times by the number of series, where a run has tables with a share of them.

use bakeoff_stats::Summary;

use super::drawn::charts_of_queries;
use crate::chart::{designs_by_series, series_lines};

const HINT: &str = "Medians of the tables of each design that have a share of the series, which are partition keys, \
                    and all rows of each. Dashed: in proportion to the number of series, from the fastest of the \
                    fewest.";

/// Renders the section; it is empty for a run whose tables all have the same series.
pub fn of_run(summary: &Summary) -> String {
    let designs = designs_by_series(summary);
    charts_of_queries(
        "By the number of series",
        summary,
        &designs,
        series_lines,
        HINT,
    )
}
