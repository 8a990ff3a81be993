//! What a command says of a table for which it has written a workload.

use std::path::Path;

use bakeoff_report::units::plural;
use bakeoff_workload::infer::Inferred;

use crate::stderr::print_line;

/// Columns that are left out and that the terminal names, at most.
const MOST_NOTES: usize = 3;

/// Prints what was found of a file, and what the user should look at.
pub fn tell(file: &Path, found: &Inferred) {
    let key: Vec<&str> = { found.partition_key.iter().chain(&found.order_key) }
        .map(String::as_str)
        .collect();
    let (of, [row, rows]) = match &found.origin {
        Some(origin) => (origin.name.clone(), ["sampled row", "sampled rows"]),
        None => (file.display().to_string(), ["row", "rows"]),
    };
    let rows = match &found.made {
        None => plural(found.rows, row, rows),
        Some(_) => "no rows".to_owned(),
    };
    let in_file = { found.columns.iter() }.filter(|column| column.constant.is_none());
    print_line(format_args!(
        "{of}: {rows}, {}, key ({})",
        plural(in_file.count() as u64, "column", "columns"),
        key.join(", ")
    ));
    if found.made.is_some() {
        print_line(format_args!(
            "note: its rows are made by guesses, which [data.columns] has: put in better ones, or name real rows with \
             --data FILE"
        ));
    }
    for note in found.notes.iter().cloned().chain(found.repeated_keys()) {
        print_line(format_args!("note: {note}"));
    }
    for left_out in found.left_out.iter().take(MOST_NOTES) {
        print_line(format_args!("note: left out: {left_out}"));
    }
    if found.left_out.len() > MOST_NOTES {
        print_line(format_args!(
            "note: left out: {} more, which [table.columns] names",
            found.left_out.len() - MOST_NOTES
        ));
    }
    if found.bad_rows > 0 && !found.is_typed {
        match found.bad_rows {
            1 => print_line(format_args!(
                "note: 1 row does not fit or lacks its key; it is set aside (bad_rows)"
            )),
            rows => print_line(format_args!(
                "note: at most {rows} rows do not fit or lack their key; they are set aside (bad_rows)"
            )),
        }
    }
}
