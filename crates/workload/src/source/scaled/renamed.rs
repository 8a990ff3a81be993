//! A column whose values are new in each copy, such as the names of series.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringArray, StringBuilder};
use arrow::datatypes::{Int32Type, Int64Type};

use super::names::Names;
use super::spread::{hashes, numbers};
use crate::{ColumnType, Stream, uuids};

/// Values of a column, each with another one in each copy.
pub struct Renamed {
    kind: ColumnType,
    /// Number of the value at each place.
    codes: Vec<u32>,
    new: New,
}

enum New {
    Texts(Names),
    /// UUIDs that are made of those of the sample with this seed.
    Uuids(u64),
    /// Numbers after the largest one, as far apart as those of the sample are.
    Numbers {
        largest: i64,
        count: u64,
        stride: u64,
        stream: Stream,
    },
}

impl Renamed {
    /// Makes new values for up to `copies` copies; `None` if the column has neither texts, UUIDs nor whole numbers.
    pub fn of(
        column: &ArrayRef,
        kind: ColumnType,
        copies: u64,
        stream: &Stream,
    ) -> Option<Renamed> {
        let mut codes_of: HashMap<u64, u32> = HashMap::new();
        let (mut codes, mut first_places) = (Vec::with_capacity(column.len()), Vec::new());
        for (place, hash) in hashes(column, kind).into_iter().enumerate() {
            let Some(hash) = hash else {
                codes.push(0);
                continue;
            };
            let code = *codes_of.entry(hash).or_insert_with(|| {
                first_places.push(place);
                (first_places.len() - 1) as u32
            });
            codes.push(code);
        }
        let new = match kind {
            ColumnType::Text => {
                let cells = column.as_string::<i32>();
                let texts: Vec<&str> = first_places.iter().map(|at| cells.value(*at)).collect();
                New::Texts(Names::new(&texts, copies, stream.clone().next_u64()))
            }
            ColumnType::Uuid => New::Uuids(stream.clone().next_u64()),
            ColumnType::Int => {
                let cells = column.as_primitive::<Int32Type>();
                let values = first_places.iter().map(|at| i64::from(cells.value(*at)));
                New::numbers(values.collect(), stream)?
            }
            ColumnType::Bigint => {
                let cells = column.as_primitive::<Int64Type>();
                let values = first_places.iter().map(|at| cells.value(*at));
                New::numbers(values.collect(), stream)?
            }
            _ => return None,
        };
        Some(Renamed { kind, codes, new })
    }

    /// Returns whether the values of so many copies fit into the column's type.
    pub fn fits(&self, copies: u64) -> bool {
        let New::Numbers { count, .. } = &self.new else {
            return true;
        };
        let last = u32::try_from(count - 1).unwrap_or(u32::MAX);
        match (copies.max(1), self.kind) {
            (copies, ColumnType::Int) => self
                .number(last, copies)
                .is_some_and(|n| i32::try_from(n).is_ok()),
            (copies, _) => self.number(last, copies).is_some(),
        }
    }

    /// Returns values of copies: in place of those of `column`, which were taken from these places.
    pub fn apply(&self, column: &ArrayRef, places: &[u32], copies: &[u64]) -> ArrayRef {
        let number = |row: usize| match copies[row] {
            0 => None,
            copy => self.number(self.codes[places[row] as usize], copy),
        };
        match (&self.new, self.kind) {
            (New::Texts(names), _) => {
                let cells = column.as_string::<i32>();
                let (mut out, mut text) = (StringBuilder::new(), String::new());
                for row in 0..cells.len() {
                    if cells.is_null(row) {
                        out.append_null();
                    } else if copies[row] == 0 {
                        out.append_value(cells.value(row));
                    } else {
                        text.clear();
                        let code = self.codes[places[row] as usize];
                        names.append(code as usize, copies[row], &mut text);
                        out.append_value(&text);
                    }
                }
                Arc::new(out.finish())
            }
            (New::Uuids(seed), _) => {
                let cells = column.as_string::<i32>().iter().enumerate();
                let uuids = cells.map(|(row, cell)| {
                    let cell = cell?;
                    Some(match copies[row] {
                        0 => cell.to_owned(),
                        copy => uuids::renamed(cell, copy, *seed).to_string(),
                    })
                });
                Arc::new(uuids.collect::<StringArray>())
            }
            (New::Numbers { .. }, ColumnType::Int) => numbers::<Int32Type>(column, |row, value| {
                let number = number(row).and_then(|number| i32::try_from(number).ok());
                number.unwrap_or(value)
            }),
            (New::Numbers { .. }, _) => {
                numbers::<Int64Type>(column, |row, value| number(row).unwrap_or(value))
            }
        }
    }

    /// Returns the number of a copy, from 1 on, in place of a number of the sample.
    fn number(&self, code: u32, copy: u64) -> Option<i64> {
        let New::Numbers {
            largest,
            count,
            stride,
            stream,
        } = &self.new
        else {
            return None;
        };
        let place = { (copy - 1).checked_mul(*count) }?.checked_add(u64::from(code))?;
        let distance = place.checked_mul(*stride)?;
        let distance = distance.checked_add(1 + stream.and(place).below(*stride))?;
        largest.checked_add(i64::try_from(distance).ok()?)
    }
}

impl New {
    fn numbers(values: Vec<i64>, stream: &Stream) -> Option<New> {
        let (least, largest) = (*values.iter().min()?, *values.iter().max()?);
        let count = values.len() as u64;
        let stride = largest.abs_diff(least) / (count - 1).max(1);
        Some(New::Numbers {
            largest,
            count,
            stride: stride.max(1),
            stream: stream.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use arrow::array::Int32Array;

    use super::*;

    #[test]
    fn numbers_go_on_beyond_the_largest_and_never_meet() {
        let column: ArrayRef = Arc::new(Int32Array::from(vec![10, 10, 40, 20]));
        let renamed = Renamed::of(&column, ColumnType::Int, 3, &Stream::new(&[1])).unwrap();
        let mut seen = HashSet::from([10, 20, 40]);
        for copy in 0..4_u64 {
            let made = renamed.apply(&column, &[0, 1, 2, 3], &[copy; 4]);
            let made = made.as_primitive::<Int32Type>().values().to_vec();
            assert_eq!(made[0], made[1], "one series stays one");
            if copy == 0 {
                assert_eq!(made, [10, 10, 40, 20]);
            } else {
                assert!({ made[1..].iter() }.all(|value| *value > 40 && seen.insert(*value)));
            }
        }
        assert!(renamed.fits(1_000) && !renamed.fits(1 << 40));
    }

    #[test]
    fn uuids_become_others_in_each_copy_and_nulls_stay() {
        let uuids: Vec<String> = (0..2).map(|n| uuids::numbered(n).to_string()).collect();
        let cells = vec![Some(uuids[0].as_str()), None, Some(uuids[1].as_str())];
        let column: ArrayRef = Arc::new(StringArray::from(cells));
        let renamed = Renamed::of(&column, ColumnType::Uuid, 2, &Stream::new(&[1])).unwrap();
        let mut seen = HashSet::new();
        for copy in 0..3_u64 {
            let made = renamed.apply(&column, &[0, 1, 2], &[copy; 3]);
            let made = made.as_string::<i32>();
            assert!(made.is_null(1));
            for row in [0, 2] {
                assert!(uuids::parsed(made.value(row)).is_some());
                assert!(seen.insert(made.value(row).to_owned()));
            }
        }
        assert!(uuids.iter().all(|uuid| seen.contains(uuid)));
    }

    #[test]
    fn texts_are_renamed_and_nulls_stay() {
        let column: ArrayRef = Arc::new(StringArray::from(vec![Some("s1"), None, Some("s2")]));
        let renamed = Renamed::of(&column, ColumnType::Text, 1, &Stream::new(&[1])).unwrap();
        let made = renamed.apply(&column, &[0, 1, 2], &[1; 3]);
        let made: Vec<Option<&str>> = made.as_string::<i32>().iter().collect();
        assert_eq!(made, [Some("s3"), None, Some("s4")]);
    }
}
