//! Values of an order key on the command line.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use bakeoff_engines::tables::{Definition, Kind};

use crate::cmd::choice::parse_time;

/// In the units of the first order key.
pub fn of_order_key(text: &str, table: &Definition) -> Result<i64> {
    let first = table.order_key.first();
    let column = first.and_then(|name| table.columns.iter().find(|c| c.name == *name));
    let Some(column) = column else {
        bail!("the table has no order key, and so no buckets");
    };
    let value = match column.kind {
        Kind::Int | Kind::Bigint => text.parse().ok(),
        kind => time(text).and_then(|time| in_units(time, kind)),
    };
    match (value, column.kind) {
        (Some(value), _) => Ok(value),
        (None, Kind::Int | Kind::Bigint) => {
            bail!(
                "`{text}` is not a whole number, as the order key `{}` is",
                column.name
            )
        }
        (None, Kind::Timestamp | Kind::Nanotime | Kind::Date) => bail!(
            "`{text}` is not a time such as 2026-01-31T12:00:00Z or 2026-01-31, in UTC, which the \
             order key `{}` is",
            column.name
        ),
        (None, _) => bail!(
            "the order key `{}` is no time, and the table has no buckets",
            column.name
        ),
    }
}

fn time(text: &str) -> Option<SystemTime> {
    const DATE_CHARACTERS: usize = "2026-01-31".len();
    match text.len() == DATE_CHARACTERS && text.contains('-') {
        true => parse_time(&format!("{text}T00:00:00Z")).ok(),
        false => parse_time(text).ok(),
    }
}

fn in_units(time: SystemTime, kind: Kind) -> Option<i64> {
    const DAY_SECONDS: u64 = 24 * 60 * 60;
    // Times before 1970 cannot be written as the ones after it.
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    match kind {
        Kind::Timestamp => i64::try_from(since.as_millis()).ok(),
        Kind::Nanotime => i64::try_from(since.as_nanos()).ok(),
        Kind::Date => i64::try_from(since.as_secs() / DAY_SECONDS).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroI64;

    use bakeoff_engines::tables::{Column, Profile};

    use super::*;

    fn ordered_by(kind: Kind) -> Definition {
        Definition {
            columns: vec![Column {
                name: "at".to_owned(),
                kind,
            }],
            partition_key: Vec::new(),
            order_key: vec!["at".to_owned()],
            bucket: NonZeroI64::new(1),
            shards: 1,
            profile: Profile::Fast,
            chunk_rows: 1,
        }
    }

    #[test]
    fn times_are_in_units_of_the_order_key() {
        let value = |text, kind| of_order_key(text, &ordered_by(kind)).ok();
        let noon = "1970-01-02T12:00:00Z";
        assert_eq!(value(noon, Kind::Timestamp), Some(129_600_000));
        assert_eq!(value(noon, Kind::Nanotime), Some(129_600_000_000_000));
        assert_eq!(value(noon, Kind::Date), Some(1));
        assert_eq!(value("1970-01-03", Kind::Date), Some(2));
        assert_eq!(value("-7", Kind::Bigint), Some(-7));
        assert_eq!(value(noon, Kind::Bigint), None);
        assert_eq!(value("soon", Kind::Timestamp), None);
        assert_eq!(value(noon, Kind::Text), None);
    }
}
