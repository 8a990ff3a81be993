//! Dictionaries: each different value once, and a code for each row.
//!
//! A null is one of the values, so that no bit per row is needed for nulls. Values are sorted, nulls
//! first, since neighbouring texts with equal beginnings compress well.

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, GenericByteArray, PrimitiveArray, UInt32Array,
};
use arrow::compute::{sort_to_indices, take};
use arrow::datatypes::{ByteArrayType, Float32Type, Float64Type, Int32Type, Int64Type};
use vortex_array::IntoArray;
use vortex_buffer::Buffer;
use xxhash_rust::xxh3::xxh3_64;

use super::vortex::Vortex;
use crate::Kind;
use crate::meta::column_stats::mixed;

/// The dictionary of a column.
pub(super) struct Dictionary {
    /// The position of each row's value, in as few bytes as possible.
    pub codes_of_rows: Vortex,
    pub values: ArrayRef,
}

/// Returns the dictionary of a column, unless it has more different values than `most`.
pub(super) fn dictionary(kind: Kind, array: &ArrayRef, most: usize) -> Option<Dictionary> {
    let first_rows = match kind {
        Kind::Boolean => {
            let values = array.as_boolean();
            FirstRows::new(array, most, |row| u64::from(values.value(row)), mixed)
        }
        Kind::Int | Kind::Date => {
            primitives::<Int32Type>(array, most, |value| u64::from(value as u32))
        }
        Kind::Bigint | Kind::Timestamp | Kind::Nanotime => {
            primitives::<Int64Type>(array, most, |value| value as u64)
        }
        Kind::Float => primitives::<Float32Type>(array, most, |value| value.to_bits().into()),
        Kind::Double => primitives::<Float64Type>(array, most, f64::to_bits),
        Kind::Text => byte_values(array, most, array.as_string::<i32>()),
        Kind::Blob => byte_values(array, most, array.as_binary::<i32>()),
    }?;
    first_rows.sorted(array)
}

fn primitives<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    most: usize,
    bits: impl Fn(T::Native) -> u64,
) -> Option<FirstRows> {
    let values: &PrimitiveArray<T> = array.as_primitive();
    FirstRows::new(array, most, |row| bits(values.value(row)), mixed)
}

fn byte_values<T: ByteArrayType>(
    array: &ArrayRef,
    most: usize,
    values: &GenericByteArray<T>,
) -> Option<FirstRows>
where
    T::Native: AsRef<[u8]>,
{
    let key = |row| -> &[u8] { values.value(row).as_ref() };
    FirstRows::new(array, most, key, xxh3_64)
}

/// The different values of a column, each by the row in which it comes first.
struct FirstRows {
    firsts: Vec<u32>,
    /// The position of each row's value in `firsts`.
    codes: Vec<u32>,
}

impl FirstRows {
    fn new<K: Copy + PartialEq>(
        array: &ArrayRef,
        most: usize,
        key: impl Fn(usize) -> K,
        hash: impl Fn(K) -> u64,
    ) -> Option<FirstRows> {
        let mut table = Table::new(most);
        let mut codes = Vec::with_capacity(array.len());
        let mut null: Option<u32> = None;
        let mut previous: Option<(K, u32)> = None;
        let nulls = array.nulls();
        for row in 0..array.len() {
            if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                let code = match null {
                    Some(code) => code,
                    None => table.add(row)?,
                };
                null = Some(code);
                codes.push(code);
                continue;
            }
            let key_of_row = key(row);
            let code = match previous {
                Some((same, code)) if same == key_of_row => code,
                _ => table.find_or_add(hash(key_of_row), row, |first| key(first) == key_of_row)?,
            };
            previous = Some((key_of_row, code));
            codes.push(code);
        }
        let firsts = table.firsts;
        Some(FirstRows { firsts, codes })
    }

    fn sorted(self, array: &ArrayRef) -> Option<Dictionary> {
        let unsorted = take(array, &UInt32Array::from(self.firsts), None).ok()?;
        let order = sort_to_indices(&unsorted, None, None).ok()?;
        let mut ranks = vec![0; order.len()];
        for (rank, position) in (0_u32..).zip(order.values()) {
            *ranks.get_mut(*position as usize)? = rank;
        }
        let mut codes = self.codes;
        for code in &mut codes {
            *code = *ranks.get(*code as usize)?;
        }
        Some(Dictionary {
            codes_of_rows: narrowed(codes, order.len()),
            values: take(&unsorted, &order, None).ok()?,
        })
    }
}

fn narrowed(codes: Vec<u32>, values: usize) -> Vortex {
    if values <= 1 << u8::BITS {
        return Buffer::from_iter(codes.iter().map(|code| *code as u8)).into_array();
    }
    if values <= 1 << u16::BITS {
        return Buffer::from_iter(codes.iter().map(|code| *code as u16)).into_array();
    }
    Buffer::from(codes).into_array()
}

/// A hash table with open addressing, which has the position of each value.
struct Table {
    /// The position in `firsts` plus 1, or 0. There are at least twice as many slots as values.
    slots: Vec<u32>,
    firsts: Vec<u32>,
    most: usize,
}

impl Table {
    fn new(most: usize) -> Self {
        Table {
            slots: vec![0; (2 * most.max(8)).next_power_of_two()],
            firsts: Vec::new(),
            most,
        }
    }

    fn add(&mut self, row: usize) -> Option<u32> {
        if self.firsts.len() >= self.most {
            return None;
        }
        let position = u32::try_from(self.firsts.len()).ok()?;
        self.firsts.push(u32::try_from(row).ok()?);
        Some(position)
    }

    fn find_or_add(
        &mut self,
        hash: u64,
        row: usize,
        is_first: impl Fn(usize) -> bool,
    ) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let Some(position) = self.slots.get(slot)?.checked_sub(1) else {
                let position = self.add(row)?;
                *self.slots.get_mut(slot)? = position + 1;
                return Some(position);
            };
            if is_first(*self.firsts.get(position as usize)? as usize) {
                return Some(position);
            }
            slot = (slot + 1) & mask;
        }
    }
}
