//! `bakeoff table drop-before`: what it would remove, and removing it.

use std::collections::BTreeSet;
use std::num::NonZeroI64;

use anyhow::{Result, anyhow};
use arrow::array::Int64Array;
use arrow::compute::cast;
use arrow::util::display::array_value_to_string;
use bakeoff_engines::tables::{Access, Columnar, Definition, Part, Selection};
use bakeoff_report::units;
use clap::Args;

use super::{Target, time};
use crate::cmd::to_cli_error;
use crate::exit::Misuse;
use crate::progress::Progress;

#[derive(Args, Debug)]
pub struct DropBefore {
    #[command(flatten)]
    pub(super) target: Target,
    /// For example 2026-01-31 or 2026-01-31T12:00:00Z; a number if the order key is one
    #[arg(value_name = "TIME", allow_negative_numbers = true)]
    time: String,
    /// Do not ask
    #[arg(long)]
    pub(super) yes: bool,
    /// Say what would be removed, and remove nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Remove the buckets even if no row of the table remains
    #[arg(long)]
    allow_empty: bool,
}

impl DropBefore {
    /// Returns what would be removed, after checking that something remains if it has to.
    pub async fn look(&self) -> Result<Removal> {
        let progress = Progress::begin("opening the table");
        let table = self.target.open(Access::Read, &progress).await?;
        progress.finish();
        self.removal(&table, self.value(&table)?).await
    }

    /// Removes the buckets, and says which.
    pub async fn carry_out(&self, progress: &Progress) -> Result<String> {
        let table = self.target.open(Access::Write, progress).await?;
        let before = self.value(&table)?;
        let removal = self.removal(&table, before).await?;
        let dropped = table.drop_before(before).await;
        dropped.map_err(|error| to_cli_error(error.into()))?;
        Ok(format!("dropped {}", self.in_words(&removal)))
    }

    /// Describes a removal: `2 of 5 buckets, 127,066 of 196,149 rows, 2026-01-01 to 2026-01-15`.
    pub fn in_words(&self, removal: &Removal) -> String {
        let about = match &removal.times {
            Some(times) => format!(", {times}"),
            None => format!(": none ends at or before {}", self.time),
        };
        format!("{removal}{about}")
    }

    fn value(&self, table: &Columnar) -> Result<i64> {
        let value = time::parse_order_key(&self.time, table.definition());
        Ok(value.map_err(Misuse::new)?)
    }

    async fn removal(&self, table: &Columnar, before: i64) -> Result<Removal> {
        let Some(width) = table.definition().bucket else {
            let message = "the table has no buckets that could be dropped: it was made without a \
                           bucket width";
            return Err(Misuse::new(anyhow!(message)).into());
        };
        let view = table.overview(&Selection::default()).await;
        let view = view.map_err(|error| to_cli_error(error.into()))?;
        let removal = Removal::new(&view.parts, table.definition(), width, before)?;
        if removal.leaves_nothing() && !self.allow_empty {
            return Err(Misuse::new(anyhow!(
                "all rows of {} are in buckets that end at or before {}, so that none would remain: {}; \
                 correct the time, or say that this is wanted with --allow-empty",
                self.target.table,
                self.time,
                self.in_words(&removal)
            ))
            .into());
        }
        Ok(removal)
    }
}

/// The buckets that are removed, and all of them.
#[derive(Debug, PartialEq, Eq)]
pub struct Removal {
    buckets: u64,
    of_buckets: u64,
    rows: Rows,
    of_rows: Rows,
    /// From when to when the removed buckets reach, in words, if there are any.
    times: Option<String>,
}

/// A number of rows, which is the highest possible one if some of them may be versions of one row.
#[derive(Debug, Default, PartialEq, Eq)]
struct Rows {
    number: u64,
    at_most: bool,
}

impl Rows {
    fn add(&mut self, part: &Part) {
        match part.exact() {
            Some(chunk) => self.number += u64::from(chunk.live_rows()),
            None => {
                self.number += part.rows_at_most();
                self.at_most = true;
            }
        }
    }
}

impl Removal {
    fn new(parts: &[Part], table: &Definition, width: NonZeroI64, before: i64) -> Result<Removal> {
        let end = |bucket: i64| bucket.saturating_add(1).saturating_mul(width.get());
        let (mut rows, mut of_rows) = (Rows::default(), Rows::default());
        let (mut removed, mut all) = (BTreeSet::new(), BTreeSet::new());
        for part in parts {
            all.insert(part.place.bucket);
            of_rows.add(part);
            if end(part.place.bucket) <= before {
                removed.insert(part.place.bucket);
                rows.add(part);
            }
        }
        let times = match (removed.first(), removed.last()) {
            (Some(first), Some(last)) => Some(format!(
                "{} to {}",
                shown(first.saturating_mul(width.get()), table)?,
                shown(end(*last), table)?
            )),
            _ => None,
        };
        Ok(Removal {
            buckets: removed.len() as u64,
            of_buckets: all.len() as u64,
            rows,
            of_rows,
            times,
        })
    }

    pub fn is_nothing(&self) -> bool {
        self.buckets == 0
    }

    fn leaves_nothing(&self) -> bool {
        self.buckets > 0 && self.buckets == self.of_buckets
    }
}

impl std::fmt::Display for Removal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at_most = |rows: &Rows| if rows.at_most { "at most " } else { "" };
        write!(
            f,
            "{} of {}, {}{} of {}{}",
            units::count(self.buckets),
            units::plural(self.of_buckets, "bucket", "buckets"),
            at_most(&self.rows),
            units::count(self.rows.number),
            at_most(&self.of_rows),
            units::plural(self.of_rows.number, "row", "rows"),
        )
    }
}

/// Writes a value of the first order key, a time without what is zero at its end.
fn shown(value: i64, table: &Definition) -> Result<String> {
    let Some(column) = table.first_order_index() else {
        return Ok(value.to_string());
    };
    let value = cast(
        &Int64Array::from(vec![value]),
        &table.columns[column].kind.data_type(),
    )?;
    let written = array_value_to_string(&value, 0)?;
    Ok(written.trim_end_matches("T00:00:00").to_owned())
}
