//! Checks how a data file is continued: `scale_sample` and `grow` of `[data]`.

mod words;

use super::number;
use super::text::{Text, suggestion};
use crate::{Result, SampleAxis, SampleSize, ScaleSample, Table, wire};

const AXES: [&str; 2] = ["series", "time"];

/// Returns how the data file is continued, if the workload says that it is.
pub fn check(document: Text<'_>, data: &wire::Data, table: &Table) -> Result<Option<ScaleSample>> {
    let (scaled, span, key) = match (&data.scale_sample, &data.grow) {
        (None, None) => return Ok(None),
        (Some(_), Some(grow)) => {
            let message =
                "`scale_sample` and `grow` both say how many rows there are; keep one of them";
            return Err(document.error(grow.span(), message));
        }
        (Some(written), None) => {
            let scaled = by_rows(document, written.get_ref())?;
            (scaled, written.span(), "scale_sample")
        }
        (None, Some(written)) => {
            let scaled = words::parse(written.get_ref(), table)
                .map_err(|message| document.error(written.span(), message))?;
            (scaled, written.span(), "grow")
        }
    };
    if data.file.is_none() && data.files.is_none() && data.requires.is_none() {
        let message = format!(
            "`{key}` makes rows beyond those of a file; it needs `file`, `files` or \
             `requires = \"--data\"`"
        );
        return Err(document.error(span, message));
    }
    if scaled.time.is_some() && table.time_column().is_none() {
        let message = "the table has neither an order key that is a time or a whole number nor a column of \
                       type `timestamp`, so its rows cannot go on in time; let them grow along \"series\"";
        return Err(document.error(span, message));
    }
    Ok(Some(scaled))
}

fn by_rows(document: Text<'_>, written: &wire::ScaleSample) -> Result<ScaleSample> {
    let along = match written.along.get_ref().as_str() {
        "series" => SampleAxis::Series,
        "time" => SampleAxis::Time,
        other => {
            let hint = suggestion(other, AXES);
            let message = format!("`{other}` is no axis along which a table grows{hint}");
            return Err(document.error(written.along.span(), message));
        }
    };
    let rows = number::at_least(document, Some(&written.rows), "rows", 1)?;
    Ok(ScaleSample::along(
        along,
        SampleSize::Rows(rows.unwrap_or(1)),
    ))
}

/// Returns the number of rows that the workload names, which is then the default number of a run.
pub fn rows(scaled: Option<&ScaleSample>) -> Option<u64> {
    let scaled = scaled?;
    let mut sizes = [scaled.series, scaled.time].into_iter().flatten();
    sizes.find_map(|to| match to {
        SampleSize::Rows(rows) => Some(rows),
        _ => None,
    })
}
