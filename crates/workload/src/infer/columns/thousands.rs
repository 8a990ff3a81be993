//! Finds out whether the numbers of a file have a mark before each three digits.

use super::is_time;
use crate::infer::Asked;
use crate::infer::evidence::{Around, Evidence};
use crate::infer::rows::FileRows;
use crate::{DecimalMark, Error, NumberForm, Result, TextForm, ThousandsMark};

/// What is before each three digits of the numbers of a file, and what says so.
pub type Thousands = (ThousandsMark, String);

/// Checks that the mark that the user says can be in this file beside that of decimals.
///
/// # Errors
/// It cannot; the error names the option.
pub fn check(rows: &FileRows, asked: &Asked) -> Result<()> {
    let Some(mark) = asked.thousands else {
        return Ok(());
    };
    let option = |why: &str| Error::Usage(format!("--thousands {}: {why}", mark.written()));
    let checked = mark.check(asked.decimal.unwrap_or_default());
    checked.map_err(|why| option(&why))?;
    if mark == ThousandsMark::Space && rows.delimiter == Some(TextForm::SPACES) {
        return Err(option(
            "spaces are between the fields of this file, so that none is in a number: leave it out, or say another \
             --delimiter",
        ));
    }
    Ok(())
}

/// Returns a mark that the user says.
pub fn said(mark: ThousandsMark) -> Thousands {
    (mark, "as --thousands says".to_owned())
}

/// Returns what a file tells of all its numbers.
pub fn around(rows: &FileRows, asked: &Asked) -> Around {
    Around {
        is_divided_by_commas: rows.is_divided_by_commas(),
        has_decimal_point: asked.decimal == Some(DecimalMark::Point),
    }
}

/// Returns what is before each three digits of the numbers of a file with a decimal point: what the user says, or the
/// only mark that some column unmistakably has. A file with types has none.
pub fn thousands(
    names: &[String],
    rows: &FileRows,
    evidence: &[Evidence],
    asked: &Asked,
) -> Option<Thousands> {
    if let Some(mark) = asked.thousands {
        return Some(said(mark));
    }
    if rows.kinds().is_some() {
        return None;
    }
    let around = around(rows, asked);
    let mut found: Option<Thousands> = None;
    for ((name, written), evidence) in names.iter().zip(&rows.names).zip(evidence) {
        let Some((mark, line, value)) = evidence.thousands(is_time(name, written, asked), around)
        else {
            continue;
        };
        match &found {
            Some((other, _)) if *other != mark => return None,
            Some(_) => {}
            None => {
                let why = format!("as `{value}` of `{name}` in line {line} has");
                found = Some((mark, why));
            }
        }
    }
    let (mark, _) = found.as_ref()?;
    let mark = *mark;
    let mut columns = names.iter().zip(&rows.names).zip(evidence);
    let is_against = columns.any(|((name, written), evidence)| {
        let decision = evidence.decide(is_time(name, written, asked));
        let has_commas = decision.signs.as_ref().is_some_and(NumberForm::has_commas);
        match mark {
            ThousandsMark::Comma => evidence.has_decimal_commas() || evidence.lacks_marks(mark),
            _ => has_commas,
        }
    });
    found.filter(|_| !is_against)
}

/// Says which mark was found, unless the user says it.
pub fn note(thousands: Option<&Thousands>, asked: &Asked) -> Option<String> {
    let (mark, why) = thousands.filter(|_| asked.thousands.is_none())?;
    let otherwise = match mark {
        ThousandsMark::Comma => "if they are decimal ones, say --decimal ,",
        _ => "if these are no numbers, take `thousands` out of [data] and make their columns text",
    };
    Some(format!(
        "numbers of this file have {} before each three digits, {why}; {otherwise}",
        mark.described()
    ))
}
