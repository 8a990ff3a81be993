//! Draws the times of one query, fastest first.

use bakeoff_stats::{DesignSummary, QuerySummary, Summary};

use super::bars::{Bar, Value, bars};
use super::palette::Palette;
use crate::compare::figure::{self, Figure};
use crate::compare::to_best;
use crate::units;

/// Draws the chart, or returns `None` if no design has a time for the query.
pub fn query_bars(summary: &Summary, query: &str) -> Option<String> {
    let palette = Palette::by_engine(summary);
    let ranking = figure::ranking(&summary.designs, query);
    let rows: Vec<Bar> = ranking
        .into_iter()
        .map(|(d, q)| bar(summary, d, q, &palette))
        .collect();
    let times = summary
        .designs
        .iter()
        .filter_map(|design| design.query(query)?.time.as_ref());
    let intervals = to_best::interval_heading(times).to_lowercase();
    let title = format!("Median time of query {query} by design, with {intervals}s");
    bars(&title, &rows, |seconds| {
        units::trimmed(&units::duration(seconds))
    })
}

fn bar(summary: &Summary, design: &DesignSummary, query: &QuerySummary, palette: &Palette) -> Bar {
    let (text, value) = match Figure::new(design, query) {
        Figure::Failed(why) => (why.to_owned(), None),
        Figure::NotMeasured => ("not measured".to_owned(), None),
        Figure::Time { time, query } => {
            let factor = to_best::short(summary, design, query).map(|f| format!(" · {f}"));
            let text = units::duration(time.median) + &factor.unwrap_or_default();
            let whisker = (time.observations > 1).then_some((time.low, time.high));
            (
                text,
                Some(Value {
                    value: time.median,
                    whisker,
                }),
            )
        }
    };
    Bar {
        label: design.info.id.clone(),
        class: palette.class(&design.info),
        text,
        value,
        failed: !design.is_right(),
    }
}
