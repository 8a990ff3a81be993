//! Values in CQL's wire format, which the replies of all engines are compared in.

use std::cmp::Ordering;

use bakeoff_workload::{ColumnType, Value};
use uuid::Uuid;

/// Returns whether a cell of a reply (big-endian) holds a value.
pub fn is_on_wire(value: &Value, cell: Option<&[u8]>) -> bool {
    match (value, cell) {
        (Value::Int(v), Some(bytes)) => bytes == v.to_be_bytes(),
        (Value::Bigint(v) | Value::Timestamp(v), Some(bytes)) => bytes == v.to_be_bytes(),
        (Value::Float(v), Some(bytes)) => bytes == v.to_be_bytes(),
        (Value::Double(v), Some(bytes)) => bytes == v.to_be_bytes(),
        (value, cell) => is_equal_without_byte_order(value, cell),
    }
}

/// Returns whether a cell inside a row's blob (little-endian) holds a value.
pub fn is_in_blob(value: &Value, cell: Option<&[u8]>) -> bool {
    match (value, cell) {
        (Value::Int(v), Some(bytes)) => bytes == v.to_le_bytes(),
        (Value::Bigint(v) | Value::Timestamp(v), Some(bytes)) => bytes == v.to_le_bytes(),
        (Value::Float(v), Some(bytes)) => bytes == v.to_le_bytes(),
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
        (Value::Uuid(v), Some(bytes)) => v.as_bytes() == bytes,
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
        ColumnType::Float => Value::Float(f32::from_be_bytes(bytes.try_into().ok()?)),
        ColumnType::Double => Value::Double(f64::from_be_bytes(bytes.try_into().ok()?)),
        ColumnType::Uuid => Value::Uuid(Uuid::from_slice(bytes).ok()?),
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
        (Value::Float(a), Value::Float(b)) => {
            order(&Value::Double((*a).into()), &Value::Double((*b).into()))
        }
        // Cassandra orders like Java's Double.compare: -0.0 below 0.0, NaN above everything.
        (Value::Double(a), Value::Double(b)) => match (a.is_nan(), b.is_nan()) {
            (false, false) => a.total_cmp(b),
            (a, b) => a.cmp(&b),
        },
        (Value::Uuid(a), Value::Uuid(b)) => order_of_uuid(*a).cmp(&order_of_uuid(*b)),
        (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::Blob(a), Value::Blob(b)) => a.cmp(b),
        _ => Ordering::Equal,
    }
}

/// Returns what Cassandra orders UUIDs by: their versions, the times of those that have one (version 1), and their bytes.
fn order_of_uuid(uuid: Uuid) -> (usize, u64, Uuid) {
    let version = uuid.get_version_num();
    let (low, middle, high, _) = uuid.as_fields();
    let time = (u64::from(high) << 48) | (u64::from(middle) << 32) | u64::from(low);
    (version, if version == 1 { time } else { 0 }, uuid)
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
        Value::Float(v) => v.to_string(),
        Value::Double(v) => v.to_string(),
        Value::Uuid(v) => v.to_string(),
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

    #[test]
    fn doubles_are_ordered_as_the_server_orders_them() {
        let values = [f64::NEG_INFINITY, -0.0, 0.0, f64::INFINITY, -f64::NAN];
        for pair in values.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(Value::Double);
            assert_eq!(order(&a, &b), Ordering::Less, "{a:?} {b:?}");
            let [a, b] = [pair[0], pair[1]].map(|value| Value::Float(value as f32));
            assert_eq!(order(&a, &b), Ordering::Less, "{a:?} {b:?}");
        }
    }

    #[test]
    fn uuids_are_ordered_by_version_time_and_bytes() {
        let uuids = [
            "ffffffff-0000-1000-8000-000000000000",
            "00000000-0001-1000-8000-000000000000",
            "00000000-0001-1000-8000-000000000001",
            "00000000-0000-4000-8000-000000000001",
            "ffffffff-0000-4000-8000-000000000000",
        ];
        let uuids = uuids.map(|uuid| Value::Uuid(Uuid::try_parse(uuid).unwrap()));
        for pair in uuids.windows(2) {
            assert_eq!(order(&pair[0], &pair[1]), Ordering::Less, "{pair:?}");
        }
    }

    #[test]
    fn long_values_are_cut_in_messages() {
        let shown = shown(&Value::Text("é".repeat(500)));
        assert!(shown.ends_with("... (1002 bytes)"), "{shown}");
        assert!(shown_bytes(&[1; 100]).ends_with("... (100 bytes)"));
    }
}
