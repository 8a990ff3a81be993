//! Finds out whether the numbers of a file have a decimal comma.

use super::is_time;
use super::thousands::around;
use crate::infer::Asked;
use crate::infer::evidence::{Decimals, Evidence};
use crate::infer::rows::FileRows;
use crate::{DecimalMark, ThousandsMark};

/// Returns what says that the numbers of a file have a decimal comma: the user, or a column whose numbers have no other
/// form, where no column has numbers with a decimal point, or commas that are unmistakably before three digits. Numbers
/// in lines of JSON have a point unless the user says otherwise.
pub fn comma(
    names: &[String],
    rows: &FileRows,
    evidence: &[Evidence],
    asked: &Asked,
) -> Option<String> {
    match asked.decimal {
        Some(DecimalMark::Comma) => return Some("as --decimal says".to_owned()),
        Some(DecimalMark::Point) => return None,
        None => {}
    }
    if !rows.has_delimiter() || asked.thousands == Some(ThousandsMark::Comma) {
        return None;
    }
    let around = around(rows, asked);
    let mut found = None;
    for ((name, written), evidence) in names.iter().zip(&rows.names).zip(evidence) {
        let is_time = is_time(name, written, asked);
        let thousands = evidence.thousands(is_time, around);
        if thousands.is_some_and(|(mark, ..)| mark == ThousandsMark::Comma) {
            return None;
        }
        match evidence.decimals(is_time) {
            Decimals::Point => return None,
            Decimals::Comma(line, value) if found.is_none() => {
                found = Some(if value.contains(',') {
                    format!("as `{value}` of `{name}` in line {line} has one")
                } else {
                    format!(
                        "since the points of `{value}` of `{name}` in line {line} are before three digits"
                    )
                });
            }
            Decimals::Comma(..) | Decimals::Either => {}
        }
    }
    found
}

/// Says that a decimal comma was found, unless the user says that there is one.
pub fn note(comma: Option<&String>, asked: &Asked) -> Option<String> {
    let why = comma.filter(|_| asked.decimal.is_none())?;
    Some(format!(
        "the numbers of this file have a decimal comma, {why}, and a point or space before three digits if anything; if \
         its comma is something else, say --decimal ."
    ))
}
