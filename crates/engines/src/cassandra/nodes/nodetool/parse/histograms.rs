//! The table that `tablehistograms` prints. Cassandra 4.0 to 5.0 print the same columns, 3.11 in another order.
//! Whatever else there is is named, and no figure.

use super::figure;
use crate::cassandra::nodes::figures::TableName;
use crate::cassandra::nodes::printed::{Histograms, Percentiles};

#[cfg(test)]
mod tests;

/// First word of the line with the names of the columns.
const HEADING: &str = "Percentile ";
/// Columns that are known, in the order of Cassandra 4.0 and later.
const COLUMNS: [&str; 5] = [
    "Read Latency",
    "Write Latency",
    "SSTables",
    "Partition Size",
    "Cell Count",
];
/// Units of the columns that have one, which is the same order in all versions.
const UNITS: [&str; 3] = ["(micros)", "(micros)", "(bytes)"];
/// What follows the name of a table in the line above.
const TITLE: &str = " histograms";
/// Beginning of what is printed for a number beyond the largest bucket, which is the largest whole number of Java, and
/// how many digits follow: versions of Java round it in different ways.
const BEYOND: &str = "922337203685477";
const ROUNDED: usize = 4;
/// What is printed for a number that is not known.
const UNKNOWN: &str = "NaN";
/// Most lines that are looked at: a table has ten, after some for people.
const MOST_LINES: usize = 1_000;
/// Most characters of a text that a message shows.
const SHOWN: usize = 60;

/// Parses what is printed of one table. Its columns are found by their names.
///
/// # Errors
/// Says what is not understood of it.
pub fn histograms(text: &str, name: &TableName) -> Result<Histograms, String> {
    let lines: Vec<&str> = text.lines().take(MOST_LINES).collect();
    check_title(&lines, name)?;
    let mut lines = lines.into_iter().skip_while(|line| !is_heading(line));
    let Some(heading) = lines.next() else {
        let first = text.lines().map(str::trim).find(|line| !line.is_empty());
        return Err(match first {
            Some(line) => format!(
                "not understood: it printed `{}` where the table of tablehistograms was expected",
                shown(line)
            ),
            None => {
                "not understood: it printed nothing where the table of tablehistograms was expected"
                    .to_owned()
            }
        });
    };
    let columns = columns(heading)?;
    check_units(lines.next().unwrap_or_default())?;
    let rows: Vec<Vec<&str>> = lines
        .take_while(|line| !line.trim().is_empty())
        .map(cells)
        .collect();
    let table = Printed { columns, rows };
    Ok(Histograms {
        read_micros: table.percentiles("Read Latency")?,
        write_micros: table.percentiles("Write Latency")?,
        sstables_per_read: table.percentiles("SSTables")?,
        partition_bytes: table.percentiles("Partition Size")?,
        cells_per_partition: table.percentiles("Cell Count")?,
    })
}

/// The cells of the table.
struct Printed<'a> {
    columns: Vec<&'a str>,
    rows: Vec<Vec<&'a str>>,
}

impl Printed<'_> {
    fn percentiles(&self, column: &str) -> Result<Percentiles, String> {
        Ok(Percentiles {
            p50: self.number("50%", column)?,
            p95: self.number("95%", column)?,
            p99: self.number("99%", column)?,
            max: self.number("Max", column)?,
        })
    }

    fn number(&self, row: &str, column: &str) -> Result<Option<f64>, String> {
        let place = self.columns.iter().position(|name| *name == column);
        let place = place.ok_or_else(|| not_understood(&format!("has no column `{column}`")))?;
        let mut rows = self.rows.iter();
        let cells = rows.find(|cells| cells.first() == Some(&row));
        let cells = cells.ok_or_else(|| not_understood(&format!("has no row `{row}`")))?;
        if cells.len() != COLUMNS.len() + 1 {
            let numbers = cells.len().saturating_sub(1);
            let told = format!(
                "has {numbers} numbers in the row `{row}`, not {}",
                COLUMNS.len()
            );
            return Err(not_understood(&told));
        }
        let cell = cells[place + 1];
        figure(cell).map_err(|()| {
            let told = format!(
                "has `{}` in the row `{row}`, which is no number",
                shown(cell)
            );
            not_understood(&told)
        })
    }
}

/// Divides a row into cells. A number beyond the largest bucket is not known, and is wider than its column, so that
/// nothing is between it and the one before.
fn cells(line: &str) -> Vec<&str> {
    let mut cells = Vec::new();
    for (place, part) in line.split(BEYOND).enumerate() {
        let mut rest = part;
        if place > 0 {
            cells.push(UNKNOWN);
            rest = part.get(ROUNDED..).unwrap_or_default();
        }
        cells.extend(rest.split_whitespace());
    }
    cells
}

/// Checks that the table is of the one that was asked for, and the only one. Without a title nothing says otherwise.
fn check_title(lines: &[&str], name: &TableName) -> Result<(), String> {
    let is_title = |title: &&str| title.contains('/') && !title.contains(char::is_whitespace);
    let titles = { lines.iter() }
        .filter_map(|line| line.trim().strip_suffix(TITLE))
        .filter(is_title);
    let own = format!("{}/{}", name.keyspace, name.table);
    let mut others = titles.filter(|title| *title != own);
    if let Some(title) = others.next() {
        let told = format!("is of `{}`, not of {name}", shown(title));
        return Err(not_understood(&told));
    }
    match lines.iter().filter(|line| is_heading(line)).count() {
        0 | 1 => Ok(()),
        several => Err(not_understood(&format!("has {several} tables, not one"))),
    }
}

fn is_heading(line: &str) -> bool {
    line.starts_with(HEADING)
}

/// Reads the names of the columns, all of which have to be known: a new one would move numbers.
fn columns(heading: &str) -> Result<Vec<&str>, String> {
    // Names have single blanks, and are two or more apart.
    let names = heading.split("  ").map(str::trim);
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).skip(1).collect();
    if let Some(unknown) = names.iter().find(|name| !COLUMNS.contains(name)) {
        let told = format!(
            "has a column `{}`, which no known version has",
            shown(unknown)
        );
        return Err(not_understood(&told));
    }
    if let Some(missing) = COLUMNS.iter().find(|name| !names.contains(name)) {
        return Err(not_understood(&format!("has no column `{missing}`")));
    }
    if names.len() != COLUMNS.len() {
        return Err(not_understood("has a column twice"));
    }
    Ok(names)
}

fn check_units(line: &str) -> Result<(), String> {
    let units: Vec<&str> = line.split_whitespace().collect();
    if units == UNITS {
        return Ok(());
    }
    let told = format!(
        "has the units `{}`, not `{}`",
        shown(&units.join(" ")),
        UNITS.join(" ")
    );
    Err(not_understood(&told))
}

/// Says what is not understood, and of which versions the form is known.
fn not_understood(told: &str) -> String {
    format!(
        "not understood: the table of tablehistograms {told}; the form of Cassandra 4.0, 4.1 and 5.0 is known"
    )
}

/// Shortens a text for a message.
fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}
