//! How times are written that the user says.

use std::collections::BTreeMap;

use crate::check::suggestion;
use crate::infer::Asked;
use crate::infer::evidence::{Decision, Evidence};
use crate::infer::rows::FileRows;
use crate::{ColumnType, Error, Result, TimeFormat};

/// Returns the forms of times that the user says, by the number of their column.
///
/// # Errors
/// There is no such column, which the error says with the option.
pub fn said_formats(
    names: &[String],
    rows: &FileRows,
    asked: &Asked,
) -> Result<BTreeMap<usize, TimeFormat>> {
    let mut said = BTreeMap::new();
    for (called, format) in &asked.formats {
        let lower = called.trim().to_lowercase();
        let mut both = names.iter().zip(&rows.names);
        let place = both
            .position(|(name, written)| *name == lower || written.trim().to_lowercase() == lower);
        let Some(place) = place else {
            let hint = suggestion(&lower, names.iter().map(String::as_str));
            return Err(Error::Usage(format!(
                "--time-format {called}: the file has no such column{hint}"
            )));
        };
        said.insert(place, format.clone());
    }
    Ok(said)
}

/// Checks that a column has times of the form that the user says.
pub fn check_said(
    called: &str,
    format: &TimeFormat,
    evidence: &Evidence,
    decision: &Decision,
) -> Result<()> {
    if decision.kind == ColumnType::Timestamp {
        return Ok(());
    }
    let fitting = evidence.times_fitting();
    let of_short_year = evidence
        .first_text()
        .and_then(|(line, value)| Some((line, value, format.with_short_year(value)?)));
    let why = if decision.may_be_times && fitting * 2 > evidence.values {
        decision.why.clone()
    } else if let Some((line, value, short)) = of_short_year {
        format!(
            "`{value}` in line {line} has a year of two digits, for which it is {}",
            short.written()
        )
    } else {
        let values = evidence.values;
        format!(
            "only {fitting} of its {values} values have this form: say another one, or leave it out"
        )
    };
    Err(Error::Usage(format!(
        "--time-format {}={}: {why}",
        called.trim(),
        format.written()
    )))
}
