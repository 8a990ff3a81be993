//! Draws what several clients got that asked one query at a time: mean response times and answers per
//! second by design.

use std::cmp::Ordering;

use bakeoff_stats::{AgainstBest, ConcurrentFigures, DesignSummary, Estimate, Summary};

use super::bars::{Bar, Value, bars};
use super::palette::Palette;
use crate::compare::to_best;
use crate::units;

/// Draws the mean response times of a query, shortest first. Returns `None` if it was not asked alone.
pub fn client_time_bars(summary: &Summary, query: &str) -> Option<String> {
    let chart = Chart {
        figure: |figures| figures.mean_of_turns,
        order: |a, b| a.total_cmp(&b),
        show: units::duration,
        tick: |seconds| units::trimmed(&units::duration(seconds)),
    };
    let compared = |design: &str| summary.concurrent.as_ref()?.design(query, design);
    chart.draw(summary, query, "Mean response time", compared)
}

/// Draws the answers per second to a query, most first. Returns `None` if it was not asked alone.
pub fn client_rate_bars(summary: &Summary, query: &str) -> Option<String> {
    let chart = Chart {
        figure: |figures| figures.rate_of_turns,
        order: |a, b| b.total_cmp(&a),
        show: |rate| format!("{}/s", units::rate(rate)),
        tick: |rate| units::trimmed(&units::rate(rate)),
    };
    let compared = |design: &str| summary.concurrent.as_ref()?.rate_of(query, design);
    chart.draw(summary, query, "Answers a second", compared)
}

/// What a chart shows of each design, and how.
struct Chart {
    figure: fn(&ConcurrentFigures) -> Option<Estimate>,
    order: fn(f64, f64) -> Ordering,
    show: fn(f64) -> String,
    tick: fn(f64) -> String,
}

impl Chart {
    fn draw<'a>(
        &self,
        summary: &'a Summary,
        query: &str,
        what: &str,
        compared: impl Fn(&str) -> Option<&'a AgainstBest>,
    ) -> Option<String> {
        let palette = Palette::by_engine(summary);
        let figures = |design: &'a DesignSummary| {
            let asked = design.concurrent.as_ref()?;
            let alone = Some(asked).filter(|asked| asked.one_query_at_a_time)?;
            Some((design, (self.figure)(alone.query(query)?)))
        };
        let mut asked: Vec<_> = summary.designs.iter().filter_map(figures).collect();
        asked.sort_by(|(_, a), (_, b)| match (a, b) {
            (Some(a), Some(b)) => (self.order)(a.median, b.median),
            // Designs without an answer come last.
            (a, b) => b.is_some().cmp(&a.is_some()),
        });
        let estimates = asked.iter().filter_map(|(_, figure)| figure.as_ref());
        let intervals = to_best::interval_heading(estimates).to_lowercase();
        let title =
            format!("{what} of query {query} by design: medians of the turns, with {intervals}s");
        let bar = |(design, figure): &(&DesignSummary, Option<Estimate>)| Bar {
            label: design.info.id.clone(),
            class: palette.class(&design.info),
            text: self.text(*figure, compared(&design.info.id)),
            value: figure.map(|figure| Value {
                value: figure.median,
                whisker: (figure.observations > 1).then_some((figure.low, figure.high)),
            }),
            failed: !design.is_right(),
        };
        let rows: Vec<Bar> = asked.iter().map(bar).collect();
        bars(&title, &rows, self.tick)
    }

    fn text(&self, figure: Option<Estimate>, compared: Option<&AgainstBest>) -> String {
        let Some(figure) = figure else {
            return "no right answer".to_owned();
        };
        let ratio = compared.map(|compared| format!(" · {}", to_best::in_short(compared)));
        (self.show)(figure.median) + &ratio.unwrap_or_default()
    }
}
