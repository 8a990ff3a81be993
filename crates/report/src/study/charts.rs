//! Draws the charts of a step.

use bakeoff_stats::Summary;
use bakeoff_stats::drive::{DriveDesign, DriveSummary};
use bakeoff_stats::study::Measured;
use bakeoff_stats::sweep::{SweepDesign, SweepSummary};

use super::Chart;
use crate::chart::{self, Size};

pub fn of(step: &str, measured: &Measured) -> Vec<Chart> {
    let charts = match measured {
        Measured::Run(summary) => of_run(summary),
        Measured::Load(summary) => of_load(summary),
        Measured::Sweep(summary) => of_sweep(summary),
    };
    let named = charts.into_iter().map(|chart| Chart {
        name: file_name(&format!("{step} {}", chart.title)),
        ..chart
    });
    named.collect()
}

fn of_run(summary: &Summary) -> Vec<Chart> {
    let scatter = chart::scatter(summary, Size::Wide).map(|svg| Chart {
        phone: chart::scatter(summary, Size::Phone),
        ..chart("Storage against speed", svg)
    });
    let storage = chart::storage_bars(summary).map(|svg| chart("Storage per row", svg));
    let loading = chart::load_bars(summary).map(|svg| chart("Rows loaded a second", svg));
    let queries = summary.header.queries.iter();
    let times = queries.filter_map(|query| {
        let svg = chart::query_bars(summary, &query.name)?;
        Some(chart(&query.name, svg))
    });
    let first = [scatter, storage, loading];
    first.into_iter().flatten().chain(times).collect()
}

fn of_load(summary: &DriveSummary) -> Vec<Chart> {
    let title = "Operations a second";
    let rates = chart::rate_bars(summary, title, |design: &DriveDesign| design.rate);
    let operations = summary.header.operations.iter().enumerate();
    let p99 = operations.filter_map(|(place, operation)| {
        let svg = chart::p99_bars(summary, place)?;
        Some(chart(
            &format!("{}: response time p99", operation.name),
            svg,
        ))
    });
    let rates = rates.map(|svg| chart(title, svg));
    rates.into_iter().chain(p99).collect()
}

fn of_sweep(summary: &SweepSummary) -> Vec<Chart> {
    let of_design = |design: &SweepDesign| {
        let svg = chart::heat_map(&summary.header, design)?;
        Some(chart(&design.info.id, svg))
    };
    summary.designs.iter().filter_map(of_design).collect()
}

fn chart(title: &str, svg: String) -> Chart {
    Chart {
        name: String::new(),
        title: title.to_owned(),
        svg,
        phone: None,
    }
}

/// Makes a name of a file out of a title.
fn file_name(title: &str) -> String {
    let plain: String = title
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    let words = plain.split('-').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_have_no_other_characters() {
        let name = file_name("inserts timescale/hypertable?chunk=12h");
        assert_eq!(name, "inserts-timescale-hypertable-chunk-12h");
        assert_eq!(file_name("load read: p99 ../x"), "load-read-p99-x");
    }
}
