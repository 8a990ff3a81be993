//! Reads values of an order key from the command line.

use anyhow::{Result, bail};
use arrow::array::{Array, AsArray, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use bakeoff_engines::tables::{Definition, Kind};

/// Reads a value in the units of the first order key.
pub fn parse_order_key(text: &str, table: &Definition) -> Result<i64> {
    let first = table.order_key.first();
    let column = first.and_then(|name| table.columns.iter().find(|c| c.name == *name));
    let Some(column) = column else {
        bail!("the table has no order key, and so no buckets");
    };
    let name = &column.name;
    match column.kind {
        Kind::Int | Kind::Bigint => match text.parse() {
            Ok(value) => Ok(value),
            Err(_) => bail!("`{text}` is not a whole number, as the order key `{name}` is"),
        },
        kind @ (Kind::Timestamp | Kind::Nanotime | Kind::Date) => match in_units(text, kind) {
            Some(value) => Ok(value),
            None => bail!(
                "`{text}` is not a time such as 2026-01-31T12:00:00Z or 2026-01-31, in UTC, which \
                 the order key `{name}` is"
            ),
        },
        _ => bail!(
            "the order key `{name}` is neither a time nor a number, so the table has no buckets"
        ),
    }
}

/// Reads a time in the units of its kind, rounded down. A bare number is refused, since its unit is unclear.
fn in_units(text: &str, kind: Kind) -> Option<i64> {
    let text = text.trim();
    if !text.contains('-') || text.parse::<f64>().is_ok() {
        return None;
    }
    let time = cast(&StringArray::from(vec![text]), &kind.data_type()).ok()?;
    let units = cast(&time, &DataType::Int64).ok()?;
    let units = units.as_primitive::<Int64Type>();
    units.is_valid(0).then(|| units.value(0))
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
        let value = |text, kind| parse_order_key(text, &ordered_by(kind)).ok();
        let noon = "1970-01-02T12:00:00Z";
        assert_eq!(value(noon, Kind::Timestamp), Some(129_600_000));
        assert_eq!(value(noon, Kind::Nanotime), Some(129_600_000_000_000));
        assert_eq!(value(noon, Kind::Date), Some(1));
        assert_eq!(value("1970-01-03", Kind::Date), Some(2));
        assert_eq!(value("-7", Kind::Bigint), Some(-7));
        assert_eq!(value(noon, Kind::Bigint), None);
        assert_eq!(value("soon", Kind::Timestamp), None);
        assert_eq!(value("1969-12-31T23:59:59.5Z", Kind::Timestamp), Some(-500));
        assert_eq!(value("1969-12-31T23:00:00", Kind::Date), Some(-1));
        let with_zone = "1970-01-02T13:00:00+01:00";
        assert_eq!(value(with_zone, Kind::Timestamp), Some(129_600_000));
        assert!(value("9999-12-31", Kind::Timestamp).is_some());
        for number in ["20260131", "1700000000", "0", "-7", "1e3"] {
            for kind in [Kind::Timestamp, Kind::Nanotime, Kind::Date] {
                assert_eq!(value(number, kind), None, "{number}");
            }
        }
        assert_eq!(value(noon, Kind::Text), None);
    }
}
