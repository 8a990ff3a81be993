//! Draws the speeds of full scans by the number of columns that they read, with a line for each design and one for a speed
//! in inverse proportion to it.

use bakeoff_stats::{ScanSpeed, ScanSpeeds};

use super::log_lines::{LogLines, of_designs};
use crate::units;

/// Draws the chart of these designs, or returns `None` if there are none.
pub fn column_lines(designs: &[&ScanSpeeds<'_>]) -> Option<String> {
    let columns = |scan: &ScanSpeed<'_>| f64::from(scan.columns);
    let scans = || { designs.iter() }.flat_map(|of| &of.scans);
    let numbers = || scans().map(columns);
    let (fewest, most) = (
        numbers().min_by(f64::total_cmp)?,
        numbers().max_by(f64::total_cmp)?,
    );
    let of_fewest = scans().filter(|scan| columns(scan) <= fewest);
    let fastest = { of_fewest.map(|scan| scan.rows_per_second) }.max_by(f64::total_cmp)?;
    let points = |of: &ScanSpeeds<'_>| -> Vec<(f64, f64)> {
        let scans = of.scans.iter();
        scans
            .map(|scan| (columns(scan), scan.rows_per_second))
            .collect()
    };
    let description: Vec<String> = designs.iter().map(|of| in_words(of)).collect();
    let chart = LogLines {
        title: "Rows scanned a second by the number of columns that a query reads, a line for each design",
        description: description.join(" "),
        below: "columns read, both axes logarithmic",
        most: None,
        number: |columns| units::trimmed(&units::amount(columns)),
        figure: units::rate,
        lines: of_designs(designs.iter().map(|of| (&of.design.info, points(of)))),
        expected: Some([(fewest, fastest), (most, fastest * fewest / most)]),
    };
    chart.svg()
}

/// Says the speed of each number of columns of a design.
fn in_words(of: &ScanSpeeds<'_>) -> String {
    let scans: Vec<String> = { of.scans.iter() }
        .map(|scan| {
            let rate = units::rate(scan.rows_per_second);
            let columns = units::plural(scan.columns.into(), "column", "columns");
            format!("{rate} rows/s with {columns}")
        })
        .collect();
    format!("{}: {}.", of.design.info.id, scans.join(", "))
}
