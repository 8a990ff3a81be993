//! Rows that go on beyond those of a file, as `--grow` says.

use std::path::Path;

use anyhow::{Result, anyhow};
use bakeoff_report::units;
use bakeoff_workload::infer::{Grown, Inferred};
use bakeoff_workload::{Error, SampleSize, Workload, source};

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
        "`{words}` makes {} rows of the {} in the file{}",
        units::count(rows),
        units::count(there),
        further_series(&workload)
    ));
    if let Some(grown) = &mut found.grown {
        grown.rows = rows;
    }
    Ok(())
}

/// Says behind the number of rows which series there are more of, by the columns that tell them apart; nothing if there
/// are as many as before.
fn further_series(workload: &Workload) -> String {
    let grown = workload.scale_sample.and_then(|scaled| scaled.series);
    let more = match grown {
        Some(SampleSize::Times(times)) => format!("{times} times as many"),
        Some(SampleSize::Series(series)) => format!("{} different", units::count(series)),
        _ => return String::new(),
    };
    let table = &workload.table;
    let columns = table.series_columns().into_iter();
    let names: Vec<String> = columns
        .map(|index| format!("`{}`", table.columns[index].name))
        .collect();
    let of = if names.len() > 1 {
        "combinations of "
    } else {
        ""
    };
    format!(", with {more} {of}{}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_whose_series_become_more_are_named() {
        let told = |key: &str, grow: &str| {
            let text = format!(
                r#"
                title = "Trips"
                designs = ["memory"]
                [table]
                name = "trips"
                partition_key = [{key}]
                order_key = ["time"]
                [table.columns]
                vendor = "int"
                kind = "text"
                time = "timestamp"
                [data]
                file = "trips.csv"
                grow = "{grow}"
                [[queries]]
                name = "number"
                sql = "SELECT count(*) AS n FROM trips"
                [scale]
                rows = 10
                full_rows = 10
                "#
            );
            further_series(&Workload::parse(&text, Path::new("trips.toml")).unwrap())
        };
        let (one, two) = ("\"vendor\"", "\"kind\", \"vendor\"");
        for (key, grow, expected) in [
            (one, "five years", ""),
            (
                one,
                "five years, sensors x50",
                ", with 50 times as many `vendor`",
            ),
            (
                one,
                "2.5 times the vendors",
                ", with 2.5 times as many `vendor`",
            ),
            (one, "5000 sensors", ", with 5,000 different `vendor`"),
            (
                two,
                "series x50",
                ", with 50 times as many combinations of `kind`, `vendor`",
            ),
        ] {
            assert_eq!(told(key, grow), expected, "{grow}");
        }
    }
}
