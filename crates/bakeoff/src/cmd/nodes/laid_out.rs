//! Lines with a label and a cell for each server, laid out in columns, and what is missing of them.

use std::fmt::{Display, Write};

use bakeoff_engines::nodes::Missing;

use crate::terminal::on_one_line;

/// What stands for a figure that a server does not have.
const NONE: &str = "–";

/// A line of a table.
pub struct Row {
    pub label: String,
    /// A cell for each server.
    pub cells: Vec<Option<String>>,
}

/// Lays lines out in columns. A figure that no server has takes no line, and a line without cells is a title.
pub fn laid_out(rows: &[Row]) -> String {
    let has_any = |row: &&Row| row.cells.is_empty() || row.cells.iter().any(Option::is_some);
    let rows: Vec<&Row> = rows.iter().filter(has_any).collect();
    let cell = |row: &Row, place: usize| {
        let cell = row.cells.get(place).cloned().flatten();
        cell.map_or_else(|| NONE.to_owned(), |text| on_one_line(&text))
    };
    let length = |text: &str| text.chars().count();
    let columns = rows
        .iter()
        .map(|row| row.cells.len())
        .max()
        .unwrap_or_default();
    // A title is wider than its column and has nothing beside it.
    let labels = rows.iter().filter(|row| !row.cells.is_empty());
    let first = labels
        .map(|row| length(&on_one_line(&row.label)))
        .max()
        .unwrap_or_default();
    let widths: Vec<usize> = (0..columns)
        .map(|place| {
            let filled = rows.iter().filter(|row| !row.cells.is_empty());
            filled
                .map(|row| length(&cell(row, place)))
                .max()
                .unwrap_or_default()
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = format!("{:<first$}", on_one_line(&row.label));
        for (place, width) in widths.iter().copied().enumerate().take(row.cells.len()) {
            let _ = write!(line, "  {:>width$}", cell(row, place));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Lists what is missing with its reason, once for all servers that share it, of addresses with what they lack.
pub fn missing(servers: &[(&str, &[Missing])]) -> Vec<String> {
    let all = servers.iter().flat_map(|(_, missing)| missing.iter());
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for missing in all {
        let known = reasons
            .iter_mut()
            .find(|(reason, _)| *reason == missing.reason);
        match known {
            Some((_, figures)) if figures.contains(&missing.figure.as_str()) => {}
            Some((_, figures)) => figures.push(missing.figure.as_str()),
            None => reasons.push((missing.reason.as_str(), vec![missing.figure.as_str()])),
        }
    }
    let in_words = |(reason, figures): &(&str, Vec<&str>)| {
        let has_it = |missing: &[Missing]| missing.iter().any(|m| m.reason == *reason);
        let of = servers.iter().filter(|(_, missing)| has_it(missing));
        let of: Vec<&str> = of.map(|(address, _)| *address).collect();
        let of = if of.len() == servers.len() {
            String::new()
        } else {
            format!(" of {}", of.join(", "))
        };
        on_one_line(&format!("{}{of}: {reason}", figures.join(", ")))
    };
    reasons.iter().map(in_words).collect()
}

/// Lists lines below a title, after an empty line; nothing if there are none.
pub fn list(title: &str, lines: &[impl Display]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{title}:\n");
    text.extend(lines.iter().map(|line| format!("  {line}\n")));
    text
}
