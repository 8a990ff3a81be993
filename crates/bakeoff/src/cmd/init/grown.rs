//! Rows that go on beyond those of a file, as `--grow` says.

use std::path::Path;

use anyhow::{Result, anyhow};
use bakeoff_report::units;
use bakeoff_workload::infer::{Grown, Inferred};
use bakeoff_workload::{Error, Workload, source};

use super::checked::{check_found, designs};
use crate::exit::Misuse;

/// Lets the rows of a file go on as far as `words` say, and finds out how many there then are. `named` is the file as
/// the workload at `path` names it.
///
/// # Errors
/// Fails with a misuse if the words are not known, or the rows cannot go on so.
pub fn grow(found: &mut Inferred, words: &str, named: &str, path: &Path) -> Result<()> {
    check_found(found)?;
    let there = found.rows;
    found.grown = Some(Grown {
        words: words.to_owned(),
        rows: 0,
    });
    let text = found.workload(named, &designs(found), &[]);
    let told = |error: Error| -> anyhow::Error {
        match error {
            Error::Workload { message, .. } => Misuse::new(anyhow!("--grow: {message}")).into(),
            Error::Usage(message) => Misuse::new(anyhow!("--grow {words}: {message}")).into(),
            error => error.into(),
        }
    };
    let workload = Workload::parse(&text, path).map_err(told)?;
    let source = source::open(&workload, None).map_err(told)?;
    let rows = source.known_rows().unwrap_or(there);
    found.notes.push(format!(
        "`{words}` makes {} rows of the {} in the file",
        units::count(rows),
        units::count(there)
    ));
    if let Some(grown) = &mut found.grown {
        grown.rows = rows;
    }
    Ok(())
}
