//! Values in CQL's wire format, encoded for statements.

use bakeoff_workload::Value;
use scylla::serialize::SerializationError;
use scylla::serialize::row::{RowSerializationContext, SerializeRow};
use scylla::serialize::writers::RowWriter;

use crate::drive::values::date_to_wire;

/// Length field of a null.
const NULL: i32 = -1;
/// Length field of an unset value, which leaves the column unchanged.
const UNSET: i32 = -2;

/// The values for the markers of one statement in one buffer, each as its length and its bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Cells {
    bytes: Vec<u8>,
    count: usize,
}

impl Cells {
    /// Makes an empty buffer with room for a number of bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Cells {
            bytes: Vec::with_capacity(bytes),
            count: 0,
        }
    }

    /// Returns the length of the buffer, as a capacity for the next one.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the number of bytes of the values, without their lengths.
    pub fn value_bytes(&self) -> u64 {
        (self.bytes.len() - 4 * self.count) as u64
    }

    /// Appends a value.
    pub fn push(&mut self, value: &Value) {
        match value {
            Value::Null => self.push_length(NULL),
            Value::Boolean(v) => self.push_bytes(&[u8::from(*v)]),
            Value::Int(v) => self.push_bytes(&v.to_be_bytes()),
            Value::Date(v) => self.push_bytes(&date_to_wire(*v)),
            Value::Bigint(v) | Value::Timestamp(v) => self.push_bytes(&v.to_be_bytes()),
            Value::Float(v) => self.push_bytes(&v.to_be_bytes()),
            Value::Double(v) => self.push_bytes(&v.to_be_bytes()),
            Value::Text(v) => self.push_bytes(v.as_bytes()),
            Value::Uuid(v) => self.push_bytes(v.as_bytes()),
            Value::Blob(v) => self.push_bytes(v),
        }
    }

    /// Appends a value like [`Cells::push`], but a null as unset, which writes no tombstone.
    pub fn push_or_unset(&mut self, value: &Value) {
        match value {
            Value::Null => self.push_length(UNSET),
            value => self.push(value),
        }
    }

    /// Appends a value that is encoded already.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        // A value of 2 GiB does not fit into a frame, and the server refuses it.
        self.push_length(i32::try_from(bytes.len()).unwrap_or(i32::MAX));
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends a value that is encoded already, or a null.
    pub fn push_bytes_or_null(&mut self, bytes: Option<&[u8]>) {
        match bytes {
            Some(bytes) => self.push_bytes(bytes),
            None => self.push_length(NULL),
        }
    }

    /// Appends a set or list with one element, or null instead of a collection with a null.
    pub fn push_element(&mut self, value: &Value) {
        if *value == Value::Null {
            return self.push_length(NULL);
        }
        let start = self.bytes.len();
        self.push_length(0);
        let elements = 1_i32;
        self.bytes.extend_from_slice(&elements.to_be_bytes());
        self.push(value);
        // The element is part of this cell, not a cell itself.
        self.count -= 1;
        let length = i32::try_from(self.bytes.len() - start - 4).unwrap_or(i32::MAX);
        self.bytes[start..start + 4].copy_from_slice(&length.to_be_bytes());
    }

    /// Appends all values of another buffer.
    pub fn append(&mut self, more: &Cells) {
        self.bytes.extend_from_slice(&more.bytes);
        self.count += more.count;
    }

    fn push_length(&mut self, length: i32) {
        self.bytes.extend_from_slice(&length.to_be_bytes());
        self.count += 1;
    }

    /// Returns the number of values.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns all values as they are in a request.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Iterates over the values.
    pub fn iter(&self) -> CellIterator<'_> {
        CellIterator::new(&self.bytes)
    }
}

/// A value in CQL's wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell<'a> {
    Unset,
    Null,
    Value(&'a [u8]),
}

/// An iterator over consecutive cells, which ends at one that is cut off.
#[derive(Debug, Clone)]
pub struct CellIterator<'a>(&'a [u8]);

impl<'a> CellIterator<'a> {
    pub fn new(cells: &'a [u8]) -> Self {
        CellIterator(cells)
    }
}

impl<'a> Iterator for CellIterator<'a> {
    type Item = Cell<'a>;

    fn next(&mut self) -> Option<Cell<'a>> {
        let (length, rest) = self.0.split_first_chunk()?;
        let cell = match i32::from_be_bytes(*length) {
            UNSET => Cell::Unset,
            NULL => Cell::Null,
            length => {
                let (value, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
                self.0 = after;
                return Some(Cell::Value(value));
            }
        };
        self.0 = rest;
        Some(cell)
    }
}

impl SerializeRow for Cells {
    fn serialize(
        &self,
        _: &RowSerializationContext<'_>,
        writer: &mut RowWriter<'_>,
    ) -> Result<(), SerializationError> {
        for cell in self.iter() {
            let out = writer.make_cell_writer();
            match cell {
                Cell::Unset => out.set_unset(),
                Cell::Null => out.set_null(),
                Cell::Value(bytes) => out.set_value(bytes).map_err(SerializationError::new)?,
            };
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::{ColumnType, uuids};

    use super::*;
    use crate::drive::values::{is_on_wire, read};

    fn value(cell: Cell<'_>) -> Option<&[u8]> {
        match cell {
            Cell::Value(bytes) => Some(bytes),
            Cell::Null | Cell::Unset => None,
        }
    }

    fn every_value() -> Vec<(ColumnType, Value)> {
        vec![
            (ColumnType::Boolean, Value::Boolean(true)),
            (ColumnType::Int, Value::Int(-5)),
            (ColumnType::Bigint, Value::Bigint(i64::MIN)),
            (ColumnType::Timestamp, Value::Timestamp(1_700_000_000_123)),
            (ColumnType::Date, Value::Date(-1)),
            (ColumnType::Float, Value::Float(-1.5e-30)),
            (ColumnType::Double, Value::Double(-1.5e-300)),
            (ColumnType::Text, Value::Text("日本 ü".to_owned())),
            (ColumnType::Text, Value::Text(String::new())),
            (ColumnType::Uuid, Value::Uuid(uuids::numbered(1))),
            (ColumnType::Blob, Value::Blob(vec![0, 255])),
            (ColumnType::Int, Value::Null),
        ]
    }

    #[test]
    fn every_value_comes_back_from_its_cell_and_is_no_other() {
        let mut cells = Cells::default();
        for (_, value) in every_value() {
            cells.push(&value);
        }
        for ((kind, wanted), cell) in every_value().into_iter().zip(cells.iter()) {
            assert_eq!(read(kind, value(cell)), Some(wanted.clone()));
            assert!(is_on_wire(&wanted, value(cell)), "{wanted:?}");
            for (_, other) in every_value().into_iter().filter(|(_, v)| *v != wanted) {
                assert!(!is_on_wire(&other, value(cell)), "{other:?} is {wanted:?}");
            }
        }
        assert_eq!(cells.iter().count(), every_value().len());
        assert_eq!(cells.value_bytes(), 1 + 4 + 8 + 8 + 4 + 4 + 8 + 9 + 16 + 2);
    }

    #[test]
    fn a_collection_has_one_element() {
        let mut cells = Cells::default();
        cells.push_element(&Value::Text("ab".to_owned()));
        cells.push_element(&Value::Null);
        let all: Vec<_> = cells.iter().collect();
        let set = [0, 0, 0, 1, 0, 0, 0, 2, b'a', b'b'];
        assert_eq!(all, [Cell::Value(&set), Cell::Null]);
        assert_eq!(cells.value_bytes(), 10);
    }

    #[test]
    fn a_null_is_a_tombstone_or_nothing() {
        let mut cells = Cells::default();
        cells.push(&Value::Null);
        cells.push_or_unset(&Value::Null);
        cells.push_or_unset(&Value::Boolean(false));
        let all: Vec<_> = cells.iter().collect();
        assert_eq!(all, [Cell::Null, Cell::Unset, Cell::Value(&[0])]);
    }
}
