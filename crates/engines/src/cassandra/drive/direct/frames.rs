//! EXECUTE requests and their replies as bytes of version 4 of Cassandra's native protocol, see
//! <https://github.com/apache/cassandra/blob/trunk/doc/native_protocol_v4.spec>.

use bytes::{Buf, Bytes, BytesMut};
use scylla::statement::Consistency;
use scylla_cql::frame::frame_errors::FrameBodyExtensionsParseError;
use scylla_cql::frame::parse_response_body_extensions;
use scylla_cql::frame::protocol_features::ProtocolFeatures;
use scylla_cql::frame::response::error::Error as ServerError;

use crate::cassandra::drive::cells::{CellIterator, Cells};

const VERSION: u8 = 4;
const FROM_SERVER: u8 = 0x80;
const HEADER_BYTES: usize = 9;

const EXECUTE: u8 = 0x0A;
const WITH_VALUES: u8 = 0x01;
/// Flag of a request for a reply without its columns, which the preparation has announced.
const SKIP_METADATA: u8 = 0x02;
const WITH_TIMESTAMP: u8 = 0x20;

const ERROR: u8 = 0x00;
const RESULT: u8 = 0x08;
const ROWS: i32 = 2;
const HAS_MORE_PAGES: i32 = 0x02;
const NO_METADATA: i32 = 0x04;

/// Maximum bytes of a body, which is Cassandra's default: a longer one means that the bytes are not
/// a frame.
const MAX_BODY_BYTES: usize = 1 << 28;
/// Memory that is reserved for a reply of which only the first bytes have come.
const RESERVED_BYTES: usize = 64 << 10;

/// The part of a request that all executions of one statement have in common.
#[derive(Debug, Clone)]
pub struct Execute {
    pub id: Bytes,
    pub consistency: Consistency,
}

impl Execute {
    /// Appends a whole request, with a write time in microseconds since 1970.
    pub fn append(&self, stream: u16, cells: &Cells, write_time: Option<i64>, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[VERSION, 0]);
        out.extend_from_slice(&stream.to_be_bytes());
        out.extend_from_slice(&[EXECUTE, 0, 0, 0, 0]);
        // An identifier has 16 bytes, and a statement at most 65,535 markers.
        out.extend_from_slice(&(self.id.len() as u16).to_be_bytes());
        out.extend_from_slice(&self.id);
        out.extend_from_slice(&(self.consistency as u16).to_be_bytes());
        let timestamped = if write_time.is_some() {
            WITH_TIMESTAMP
        } else {
            0
        };
        out.push(WITH_VALUES | SKIP_METADATA | timestamped);
        out.extend_from_slice(&(cells.count() as u16).to_be_bytes());
        out.extend_from_slice(cells.as_bytes());
        if let Some(write_time) = write_time {
            out.extend_from_slice(&write_time.to_be_bytes());
        }
        let body = (out.len() - start - HEADER_BYTES) as u32;
        out[start + 5..start + HEADER_BYTES].copy_from_slice(&body.to_be_bytes());
    }
}

/// A reply that is not parsed yet.
#[derive(Debug)]
pub struct Frame {
    flags: u8,
    opcode: u8,
    body: Bytes,
}

/// Splits the next reply off a buffer, with the number of its stream; `None` while it is incomplete.
///
/// # Errors
/// Fails if the bytes are not a reply of version 4.
pub fn split_frame(buffer: &mut BytesMut) -> Result<Option<(u16, Frame)>, Unreadable> {
    let Some(header) = buffer.first_chunk::<HEADER_BYTES>() else {
        return Ok(None);
    };
    let [version, flags, s0, s1, opcode, length @ ..] = *header;
    if version != FROM_SERVER | VERSION {
        return Err(Unreadable(format!(
            "a frame of version byte {version:#04x}"
        )));
    }
    let length = u32::from_be_bytes(length) as usize;
    if length > MAX_BODY_BYTES {
        return Err(Unreadable(format!("a frame of {length} bytes")));
    }
    if buffer.len() < HEADER_BYTES + length {
        let missing = HEADER_BYTES + length - buffer.len();
        // No more than has come by now again, since a length alone is no reason to take its memory.
        buffer.reserve(missing.min(buffer.len().max(RESERVED_BYTES)));
        return Ok(None);
    }
    buffer.advance(HEADER_BYTES);
    let body = buffer.split_to(length).freeze();
    let frame = Frame {
        flags,
        opcode,
        body,
    };
    Ok(Some((u16::from_be_bytes([s0, s1]), frame)))
}

/// The answer of a server to an EXECUTE request.
#[derive(Debug)]
pub enum Answer {
    Rows(RawRows),
    /// Confirms a statement that returns no rows.
    Done,
    Refused(ServerError),
}

/// The rows of a reply, whose cells are not parsed yet.
#[derive(Debug, Clone)]
pub struct RawRows {
    pub rows: usize,
    pub columns: usize,
    cells: Bytes,
}

/// An error about bytes that violate the protocol.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

impl Frame {
    /// Parses the reply.
    ///
    /// # Errors
    /// Fails if it is not a reply to EXECUTE.
    pub fn into_answer(self) -> Result<Answer, Unreadable> {
        let mut body = self.body;
        if self.flags != 0 {
            let extended = parse_response_body_extensions(self.flags, None, body);
            body = extended
                .map_err(|e: FrameBodyExtensionsParseError| Unreadable(e.to_string()))?
                .body;
        }
        match self.opcode {
            ERROR => ServerError::deserialize(&ProtocolFeatures::default(), &mut &*body)
                .map(Answer::Refused)
                .map_err(|e| Unreadable(e.to_string())),
            RESULT => match int(&mut body)? {
                ROWS => rows(body).map(Answer::Rows),
                _ => Ok(Answer::Done),
            },
            other => Err(Unreadable(format!("a reply of kind {other:#04x}"))),
        }
    }
}

fn rows(mut body: Bytes) -> Result<RawRows, Unreadable> {
    let flags = int(&mut body)?;
    if flags & (NO_METADATA | HAS_MORE_PAGES) != NO_METADATA {
        return Err(Unreadable(format!("rows with flags {flags:#x}")));
    }
    let columns = count(&mut body)?;
    let rows = count(&mut body)?;
    let whole = RawRows {
        rows,
        columns,
        cells: body,
    };
    let cells = CellIterator::new(&whole.cells).count();
    // Rows without columns would have no cells, however many they are said to be.
    let has_columns = columns > 0 || rows == 0;
    if has_columns && rows.checked_mul(columns) == Some(cells) {
        Ok(whole)
    } else {
        Err(Unreadable(format!(
            "{rows} rows of {columns} columns have {cells} cells"
        )))
    }
}

impl RawRows {
    /// Iterates over the rows, each as an iterator over its cells.
    pub fn iter(&self) -> impl Iterator<Item = std::iter::Take<CellIterator<'_>>> {
        let mut cells = CellIterator::new(&self.cells);
        (0..self.rows).map(move |_| {
            let row = cells.clone().take(self.columns);
            cells.by_ref().take(self.columns).for_each(drop);
            row
        })
    }

    /// Returns the number of bytes of the values, without their lengths.
    pub fn value_bytes(&self) -> u64 {
        self.cells
            .len()
            .saturating_sub(4 * self.rows * self.columns) as u64
    }
}

fn int(body: &mut Bytes) -> Result<i32, Unreadable> {
    body.try_get_i32()
        .map_err(|_| Unreadable("a reply that is cut off".to_owned()))
}

fn count(body: &mut Bytes) -> Result<usize, Unreadable> {
    let count = int(body)?;
    usize::try_from(count).map_err(|_| Unreadable(format!("a count of {count}")))
}

#[cfg(test)]
mod tests {
    use scylla_cql::frame::request::DeserializableRequest;
    use scylla_cql::frame::request::execute::ExecuteV2;

    use super::*;
    use crate::cassandra::drive::cells::Cell;

    /// Parses a request's body with the driver's own code.
    fn read(mut body: &[u8]) -> ExecuteV2<'_> {
        let features = ProtocolFeatures::default();
        ExecuteV2::deserialize_with_features(&mut body, &features).unwrap()
    }

    fn cells(values: &[&[u8]]) -> Cells {
        let mut cells = Cells::default();
        values.iter().for_each(|v| cells.push_bytes(v));
        cells
    }

    fn reply(opcode: u8, body: &[u8]) -> BytesMut {
        let mut frame = BytesMut::from(&[0x84, 0, 1, 2, opcode][..]);
        frame.extend_from_slice(&(body.len() as u32).to_be_bytes());
        frame.extend_from_slice(body);
        frame
    }

    fn answer(opcode: u8, body: &[u8]) -> Result<Answer, Unreadable> {
        let (_, frame) = split_frame(&mut reply(opcode, body))?.unwrap();
        frame.into_answer()
    }

    fn ints(numbers: &[i32]) -> Vec<u8> {
        numbers.iter().flat_map(|n| n.to_be_bytes()).collect()
    }

    #[test]
    fn a_request_is_what_the_driver_would_read() {
        let execute = Execute {
            id: Bytes::from_static(b"0123456789abcdef"),
            consistency: Consistency::LocalQuorum,
        };
        let mut out = b"before".to_vec();
        execute.append(0x0102, &cells(&[b"key", b""]), Some(77), &mut out);
        let (header, body) = out[6..].split_at(9);
        assert_eq!(header[..5], [4, 0, 1, 2, 0x0A]);
        assert_eq!(header[5..], (body.len() as u32).to_be_bytes());
        let request = read(body);
        assert_eq!(request.id.as_ref(), b"0123456789abcdef");
        assert_eq!(request.parameters.consistency, Consistency::LocalQuorum);
        assert_eq!(request.parameters.timestamp, Some(77));
        assert!(request.parameters.skip_metadata);
        assert_eq!(request.parameters.values.element_count(), 2);
        let mut out = Vec::new();
        execute.append(1, &cells(&[b"key"]), None, &mut out);
        let request = read(&out[9..]);
        assert_eq!(request.parameters.timestamp, None);
    }

    #[test]
    fn replies_are_split_when_they_are_whole() {
        let mut both = reply(RESULT, &ints(&[1]));
        both.extend_from_slice(&reply(RESULT, &ints(&[1]))[..]);
        let whole = both.clone();
        for cut in 0..whole.len() {
            let mut buffer = BytesMut::from(&whole[..cut]);
            let mut frames = 0;
            while let Some((stream, _)) = split_frame(&mut buffer).unwrap() {
                assert_eq!(stream, 0x0102);
                frames += 1;
            }
            assert_eq!(frames, cut / (whole.len() / 2));
        }
    }

    #[test]
    fn bytes_of_another_protocol_are_an_error() {
        assert!(split_frame(&mut BytesMut::from(&b"HTTP/1.1 400"[..])).is_err());
        let endless = [0x84, 0, 0, 0, RESULT, 0xff, 0xff, 0xff, 0xff];
        assert!(split_frame(&mut BytesMut::from(&endless[..])).is_err());
    }

    #[test]
    fn a_length_alone_takes_no_memory() {
        let mut buffer = BytesMut::from(&[0x84, 0, 1, 2, RESULT][..]);
        buffer.extend_from_slice(&(MAX_BODY_BYTES as u32).to_be_bytes());
        assert!(matches!(split_frame(&mut buffer), Ok(None)));
        assert!(buffer.capacity() < 1 << 20, "{}", buffer.capacity());
    }

    #[test]
    fn rows_have_their_cells() {
        let mut body = ints(&[ROWS, NO_METADATA, 2, 2]);
        body.extend_from_slice(&ints(&[1]));
        body.push(b'a');
        body.extend_from_slice(&ints(&[-1, 0, 2]));
        body.extend_from_slice(b"bc");
        let Ok(Answer::Rows(rows)) = answer(RESULT, &body) else {
            panic!("no rows");
        };
        let all: Vec<Vec<_>> = rows.iter().map(Iterator::collect).collect();
        let value = |bytes| Cell::Value(bytes);
        assert_eq!(all, [[value(b"a"), Cell::Null], [value(b""), value(b"bc")]]);
        assert_eq!(rows.value_bytes(), 3);
    }

    #[test]
    fn rows_that_are_cut_off_are_an_error() {
        let mut body = ints(&[ROWS, NO_METADATA, 1, 1, 4]);
        body.extend_from_slice(b"four");
        assert!(matches!(answer(RESULT, &body), Ok(Answer::Rows(_))));
        for cut in 0..body.len() {
            assert!(answer(RESULT, &body[..cut]).is_err(), "{cut}");
        }
        let one_row_too_many = ints(&[ROWS, NO_METADATA, 1, i32::MAX]);
        assert!(answer(RESULT, &one_row_too_many).is_err());
        let rows_of_nothing = ints(&[ROWS, NO_METADATA, 0, i32::MAX]);
        assert!(answer(RESULT, &rows_of_nothing).is_err());
        let nothing = ints(&[ROWS, NO_METADATA, 0, 0]);
        assert!(answer(RESULT, &nothing).is_ok());
        let more_pages = ints(&[ROWS, NO_METADATA | HAS_MORE_PAGES, 1, 0]);
        assert!(answer(RESULT, &more_pages).is_err());
    }

    #[test]
    fn a_refusal_is_the_servers() {
        let mut body = ints(&[0x1001]);
        body.extend_from_slice(&4u16.to_be_bytes());
        body.extend_from_slice(b"busy");
        let Ok(Answer::Refused(error)) = answer(ERROR, &body) else {
            panic!("no error");
        };
        assert_eq!(error.reason, "busy");
        assert_eq!(error.error, scylla::errors::DbError::Overloaded);
    }
}
