//! Values in CQL's wire format: encoded for statements, and compared with the cells of replies.

use std::cmp::Ordering;

use bakeoff_workload::{ColumnType, Value};
use scylla::serialize::SerializationError;
use scylla::serialize::row::{RowSerializationContext, SerializeRow};
use scylla::serialize::writers::RowWriter;

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
            Value::Bigint(v) | Value::Timestamp(v) => self.push_bytes(&v.to_be_bytes()),
            Value::Double(v) => self.push_bytes(&v.to_be_bytes()),
            Value::Text(v) => self.push_bytes(v.as_bytes()),
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

/// Returns whether a cell of a reply (big-endian) holds a value.
pub fn is_on_wire(value: &Value, cell: Option<&[u8]>) -> bool {
    match (value, cell) {
        (Value::Int(v), Some(bytes)) => bytes == v.to_be_bytes(),
        (Value::Bigint(v) | Value::Timestamp(v), Some(bytes)) => bytes == v.to_be_bytes(),
        (Value::Double(v), Some(bytes)) => bytes == v.to_be_bytes(),
        (value, cell) => is_equal_without_byte_order(value, cell),
    }
}

/// Returns whether a cell inside a row's blob (little-endian) holds a value.
pub fn is_in_blob(value: &Value, cell: Option<&[u8]>) -> bool {
    match (value, cell) {
        (Value::Int(v), Some(bytes)) => bytes == v.to_le_bytes(),
        (Value::Bigint(v) | Value::Timestamp(v), Some(bytes)) => bytes == v.to_le_bytes(),
        (Value::Double(v), Some(bytes)) => bytes == v.to_le_bytes(),
        (value, cell) => is_equal_without_byte_order(value, cell),
    }
}

/// Compares values whose encoding has no byte order.
fn is_equal_without_byte_order(value: &Value, cell: Option<&[u8]>) -> bool {
    match (value, cell) {
        (Value::Null, None) => true,
        (Value::Boolean(v), Some([byte])) => *v == (*byte != 0),
        (Value::Text(v), Some(bytes)) => v.as_bytes() == bytes,
        (Value::Blob(v), Some(bytes)) => v == bytes,
        _ => false,
    }
}

/// Decodes a cell of a reply; `None` if its bytes do not fit the type.
pub fn read(kind: ColumnType, cell: Option<&[u8]>) -> Option<Value> {
    let Some(bytes) = cell else {
        return Some(Value::Null);
    };
    Some(match kind {
        ColumnType::Boolean => Value::Boolean(*bytes.first()? != 0),
        ColumnType::Int => Value::Int(i32::from_be_bytes(bytes.try_into().ok()?)),
        ColumnType::Bigint => Value::Bigint(i64::from_be_bytes(bytes.try_into().ok()?)),
        ColumnType::Timestamp => Value::Timestamp(i64::from_be_bytes(bytes.try_into().ok()?)),
        ColumnType::Double => Value::Double(f64::from_be_bytes(bytes.try_into().ok()?)),
        ColumnType::Text => Value::Text(std::str::from_utf8(bytes).ok()?.to_owned()),
        ColumnType::Blob => Value::Blob(bytes.to_vec()),
    })
}

/// Compares two values of one clustering column in Cassandra's order.
pub fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Bigint(a), Value::Bigint(b)) | (Value::Timestamp(a), Value::Timestamp(b)) => {
            a.cmp(b)
        }
        // Cassandra orders like Java's Double.compare: -0.0 below 0.0, NaN above everything.
        (Value::Double(a), Value::Double(b)) => match (a.is_nan(), b.is_nan()) {
            (false, false) => a.total_cmp(b),
            (a, b) => a.cmp(&b),
        },
        (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::Blob(a), Value::Blob(b)) => a.cmp(b),
        _ => Ordering::Equal,
    }
}

/// Formats a value for a message, and cuts a long one.
pub fn shown(value: &Value) -> String {
    const SHOWN_CHARACTERS: usize = 60;
    let cut = |text: String| match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}... ({} bytes)", &text[..end], text.len()),
        None => text,
    };
    match value {
        Value::Null => "null".to_owned(),
        Value::Boolean(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Bigint(v) => v.to_string(),
        Value::Timestamp(v) => format!("{v} ms"),
        Value::Double(v) => v.to_string(),
        Value::Text(v) => cut(format!("{v:?}")),
        Value::Blob(v) => shown_bytes(v),
    }
}

/// Formats bytes of unknown meaning for a message.
pub fn shown_bytes(bytes: &[u8]) -> String {
    const SHOWN_BYTES: usize = 24;
    let hex: String = bytes
        .iter()
        .take(SHOWN_BYTES)
        .map(|b| format!("{b:02x}"))
        .collect();
    if bytes.len() > SHOWN_BYTES {
        format!("0x{hex}... ({} bytes)", bytes.len())
    } else {
        format!("0x{hex}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            (ColumnType::Double, Value::Double(-1.5e-300)),
            (ColumnType::Text, Value::Text("日本 ü".to_owned())),
            (ColumnType::Text, Value::Text(String::new())),
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
        assert_eq!(cells.value_bytes(), 1 + 4 + 8 + 8 + 8 + 9 + 2);
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

    #[test]
    fn doubles_are_ordered_as_the_server_orders_them() {
        let values = [f64::NEG_INFINITY, -0.0, 0.0, f64::INFINITY, -f64::NAN];
        for pair in values.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(Value::Double);
            assert_eq!(order(&a, &b), Ordering::Less, "{a:?} {b:?}");
        }
    }

    #[test]
    fn long_values_are_cut_in_messages() {
        let shown = shown(&Value::Text("é".repeat(500)));
        assert!(shown.ends_with("... (1002 bytes)"), "{shown}");
        assert!(shown_bytes(&[1; 100]).ends_with("... (100 bytes)"));
    }
}
