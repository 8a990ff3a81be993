//! What the user should know of a file before anything else.

use super::{AS_STORED, SeenColumn, SeenColumns};
use crate::ColumnType;
use crate::infer::Asked;
use crate::infer::evidence::{is_not_a_number, shown_word};
use crate::infer::rows::FileRows;

/// Returns what was found of the first lines: whether they are rows, or are skipped.
pub fn on_lines(rows: &FileRows, asked: &Asked) -> Vec<String> {
    let mut notes = Vec::new();
    if rows.skip_lines > 0 && asked.skip_lines.is_none() {
        let lines = match rows.skip_lines {
            1 => "the first line is".to_owned(),
            several => format!("the first {several} lines are"),
        };
        notes.push(format!(
            "{lines} skipped, as a title before the line that names the columns; if there is none, say --skip-lines 0"
        ));
    }
    match rows.lines_after_names {
        0 => {}
        1 => notes.push(
            "the line after the one that names the columns is skipped, since it has units"
                .to_owned(),
        ),
        lines => notes.push(format!(
            "the {lines} lines after the one that names the columns are skipped, since they have units or other words \
             where all rows have numbers"
        )),
    }
    if rows.no_header && asked.header.is_none() {
        notes.push(
            "the first line has values, so it is taken as a row and the columns are numbered; if it names them, say \
             --header"
                .to_owned(),
        );
    }
    notes
}

/// Returns what the user should know of the columns.
pub fn on_columns(seen: &SeenColumns, has_delimiter: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if let ([column], [], true) = (&seen.columns[..], &seen.left_out[..], has_delimiter) {
        notes.push(format!(
            "`{}` is the only column; if a line has several fields, say what separates them with --delimiter CHARACTER, \
             or --delimiter spaces",
            column.name
        ));
    }
    let ambiguous = seen.columns.iter().filter(|column| {
        let time = column.decision.time.as_ref();
        let is_odd = time.is_some_and(|time| time.odd.twice > 0 || time.odd.never > 0);
        let is_none = column.decision.lacks_year || column.decision.may_be_times;
        is_none || is_odd || time.is_some_and(|time| time.or.is_some())
    });
    notes.extend(ambiguous.map(|column| format!("column `{}`: {}", column.name, column.why())));
    notes.extend(since_1970(seen));
    for column in seen.columns.iter().filter(|_| has_delimiter) {
        let quoted = column.evidence.quoted_after_spaces;
        if quoted > 0 {
            notes.push(format!(
                "column `{}`: {quoted} values have spaces before their quotes, so that both stay a part of them: \
                 remove the spaces between the fields of the file",
                column.name
            ));
        }
    }
    notes.extend(not_numbers(seen));
    notes.extend(on_offsets(seen));
    let is_text = |column: &&SeenColumn| column.decision.kind == ColumnType::Text;
    for column in seen.columns.iter().filter(is_text) {
        let lost = seen.null.iter().filter_map(|(word, _)| {
            let times = column.evidence.words.get(word)?;
            Some(format!("{times} are {}", shown_word(word)))
        });
        let lost: Vec<String> = lost.collect();
        if !lost.is_empty() && column.evidence.values > 0 {
            notes.push(format!(
                "text column `{}`: {}, which is read as null, too",
                column.name,
                lost.join(", ")
            ));
        }
    }
    notes
}

/// Says of which zone the days of times are that have offsets from UTC, in one note for all columns.
fn on_offsets(seen: &SeenColumns) -> Option<String> {
    let (names, about): (Vec<String>, Vec<String>) = { seen.columns.iter() }
        .filter_map(|column| {
            let about = format!("{}; {}", column.offsets()?, column.days()?);
            Some((format!("`{}`", column.name), about))
        })
        .unzip();
    let about = about.first()?;
    let columns = if names.len() > 1 { "columns" } else { "column" };
    Some(format!("{columns} {}: {about}", names.join(", ")))
}

/// Says that words which are numbers, too, such as NaN, stand for no value.
fn not_numbers(seen: &SeenColumns) -> Option<String> {
    let words = seen.null.iter().filter(|(word, _)| is_not_a_number(word));
    let words: Vec<String> = words
        .map(|(word, times)| format!("{times} `{word}`"))
        .collect();
    (!words.is_empty()).then(|| {
        format!(
            "{}: read as null, since a mean with NaN is NaN; to keep it as a number take it out of `null` in [data], or \
             say all other words for null with --null",
            words.join(", ")
        )
    })
}

/// Says which columns may be times since 1970, if no column has times.
fn since_1970(seen: &SeenColumns) -> Vec<String> {
    let mut columns = seen.columns.iter();
    if columns.any(|column| column.decision.kind == ColumnType::Timestamp) {
        return Vec::new();
    }
    let are_numbers = |column: &&SeenColumn| {
        let kind = column.decision.kind;
        // The types of a file that has some stay what they are.
        kind.is_number() && column.decision.why != AS_STORED
    };
    let found = seen.columns.iter().filter(are_numbers).filter_map(|column| {
        let format = column.evidence.since_1970()?;
        Some(format!(
            "column `{0}`: its numbers may be times since 1970 ({1}): --time {0} makes them times",
            column.name,
            format.written()
        ))
    });
    found.collect()
}
