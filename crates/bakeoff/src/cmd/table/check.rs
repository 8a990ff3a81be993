//! Says what a check of a table has found.

use std::fmt::Write;

use bakeoff_engines::tables::{Check, Location};
use bakeoff_report::units;

use crate::exit::Exit;

/// Returns the exit code of a check.
pub fn exit(check: &Check) -> Exit {
    if check.is_sound() {
        Exit::Complete
    } else {
        Exit::Partial
    }
}

/// Describes what a check has found, and what a repair has done.
pub fn describe(location: &Location, check: &Check) -> String {
    let mut text = format!(
        "{location}: {} of {}, and {} outside of chunks\n",
        units::plural(check.chunks, "chunk", "chunks"),
        units::bytes(check.bytes as f64),
        units::plural(check.fresh, "row", "rows"),
    );
    // Writing to a String cannot fail.
    for note in &check.notes {
        let _ = writeln!(text, "note: {note}");
    }
    for damage in &check.damages {
        let _ = writeln!(text, "damaged: {damage}");
        if let Some(repaired) = &damage.repaired {
            let _ = writeln!(text, "repaired: {repaired}");
        }
    }
    text.push_str(&verdict(location, check));
    text
}

fn verdict(location: &Location, check: &Check) -> String {
    let left = check.damages.iter().filter(|d| d.repaired.is_none());
    match (left.count(), check.damages.len(), location) {
        (_, 0, _) => "sound".to_owned(),
        (0, _, _) => "sound again; see above what is lost".to_owned(),
        (left, all, Location::Directory(_)) if left == all => format!(
            "damaged; `bakeoff table check {location} --repair` repairs what can be repaired, and keeps \
             aside what it takes out"
        ),
        _ => "damaged".to_owned(),
    }
}
