//! Finds out whether the numbers of a file have a decimal comma.

use super::thousands::around;
use super::{SeenColumns, is_time};
use crate::infer::Asked;
use crate::infer::evidence::{Decimals, Evidence};
use crate::infer::rows::FileRows;
use crate::{ColumnType, DecimalMark, ThousandsMark};

/// Returns what says that the numbers of a file have a decimal comma: the user, or a column whose numbers have no other
/// form, where no column has numbers with a decimal point, or commas that are unmistakably before three digits. Points
/// before three digits each are decimal ones, too, unless a number such as `1.234,50` shows that they are not. Numbers
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
    let (mut has_both, mut has_points) = (false, false);
    for ((name, written), evidence) in names.iter().zip(&rows.names).zip(evidence) {
        let is_time = is_time(name, written, asked);
        let thousands = evidence.thousands(is_time, around);
        if thousands.is_some_and(|(mark, ..)| mark == ThousandsMark::Comma) {
            return None;
        }
        match evidence.decimals(is_time) {
            Decimals::Point => return None,
            Decimals::RatherPoint => has_points = true,
            Decimals::Comma(line, value) => {
                has_both |= evidence.has_points_and_commas();
                found.get_or_insert_with(|| {
                    if value.contains(',') {
                        format!("as `{value}` of `{name}` in line {line} has one")
                    } else {
                        format!(
                            "since the points of `{value}` of `{name}` in line {line} are before three digits"
                        )
                    }
                });
            }
            Decimals::Either => {}
        }
    }
    found.filter(|_| has_both || !has_points)
}

/// Says which columns have a point that may be before thousands as well, in a file that may be written so: one with
/// semicolons between its fields, or with a decimal comma in some column.
pub fn note_on_points(seen: &SeenColumns, rows: &FileRows, asked: &Asked) -> Option<String> {
    let is_said = asked.decimal.is_some() || asked.thousands.is_some();
    let is_known = seen.decimal_comma.is_some() || seen.thousands.is_some();
    if is_said || is_known || rows.kinds().is_some() {
        return None;
    }
    let has_commas = { seen.columns.iter() }.any(|column| column.evidence.has_decimal_commas());
    if !has_commas && rows.delimiter != Some(b';') {
        return None;
    }
    let columns = seen.columns.iter().filter(|column| {
        let is_double = column.decision.kind == ColumnType::Double;
        is_double && column.evidence.has_three_digits_behind_points()
    });
    let names: Vec<String> = columns.map(|column| format!("`{}`", column.name)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "{}: each number has a point and three digits behind it, which are read as decimals; if the point is \
             before thousands, say --decimal ,",
            names.join(", ")
        )
    })
}

/// Says that a decimal comma was found, unless the user says that there is one.
pub fn note(comma: Option<&String>, asked: &Asked) -> Option<String> {
    let why = comma.filter(|_| asked.decimal.is_none())?;
    Some(format!(
        "the numbers of this file have a decimal comma, {why}, and a point or space before three digits if anything; if \
         its comma is something else, say --decimal ."
    ))
}
