//! The frames of CQL's native protocol, version 4, as far as the driver uses them.

use std::io;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt};

use super::table::Type;

pub const OPTIONS: u8 = 0x05;
pub const STARTUP: u8 = 0x01;
pub const QUERY: u8 = 0x07;
pub const PREPARE: u8 = 0x09;
pub const EXECUTE: u8 = 0x0A;
pub const REGISTER: u8 = 0x0B;
pub const BATCH: u8 = 0x0D;

pub const ERROR: u8 = 0x00;
pub const READY: u8 = 0x02;
pub const SUPPORTED: u8 = 0x06;
pub const RESULT: u8 = 0x08;

const VERSION_OF_RESPONSES: u8 = 0x84;

/// Flags of metadata.
const ONE_TABLE: i32 = 1;
const HAS_MORE_PAGES: i32 = 2;
const NO_METADATA: i32 = 4;

/// A value that is bound or returned, or null.
pub type Value = Option<Bytes>;

/// A request.
pub struct Request {
    pub stream: u16,
    pub opcode: u8,
    pub body: Bytes,
}

/// What comes with a statement.
#[derive(Default)]
pub struct Parameters {
    pub consistency: u16,
    pub values: Vec<Value>,
    /// Whether the answer may come in pages.
    pub is_paged: bool,
    /// Where the next page begins.
    pub from: Value,
}

/// Rows that are returned.
pub struct Rows {
    pub columns: Vec<(String, Type)>,
    pub rows: Vec<Vec<Value>>,
    /// Where the next page begins, if there is one.
    pub next: Value,
}

pub async fn read_request(socket: &mut (impl AsyncRead + Unpin)) -> io::Result<Request> {
    let mut header = [0; 9];
    socket.read_exact(&mut header).await?;
    let mut header = &header[2..];
    let (stream, opcode, length) = (header.get_u16(), header.get_u8(), header.get_u32());
    let mut body = vec![0; length as usize];
    socket.read_exact(&mut body).await?;
    Ok(Request {
        stream,
        opcode,
        body: body.into(),
    })
}

pub fn response(stream: u16, opcode: u8, body: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(9 + body.len());
    frame.put_u8(VERSION_OF_RESPONSES);
    frame.put_u8(0);
    frame.put_u16(stream);
    frame.put_u8(opcode);
    frame.put_u32(body.len() as u32);
    frame.put_slice(body);
    frame
}

pub fn long_text(body: &mut Bytes) -> String {
    let length = body.get_i32() as usize;
    String::from_utf8(body.split_to(length).to_vec()).unwrap()
}

pub fn short_text(body: &mut Bytes) -> String {
    let length = usize::from(body.get_u16());
    String::from_utf8(body.split_to(length).to_vec()).unwrap()
}

pub fn values(body: &mut Bytes) -> Vec<Value> {
    (0..body.get_u16()).map(|_| value(body)).collect()
}

pub fn value(body: &mut Bytes) -> Value {
    let length = usize::try_from(body.get_i32()).ok();
    length.map(|length| body.split_to(length))
}

pub fn parameters(body: &mut Bytes) -> Parameters {
    let consistency = body.get_u16();
    let flags = body.get_u8();
    let mut parameters = Parameters {
        consistency,
        is_paged: flags & 0x04 != 0,
        ..Parameters::default()
    };
    if flags & 0x01 != 0 {
        parameters.values = values(body);
    }
    if parameters.is_paged {
        body.advance(4);
    }
    if flags & 0x08 != 0 {
        parameters.from = value(body);
    }
    parameters
}

/// Returns the body of a result without rows.
pub fn void() -> Bytes {
    Bytes::from_static(&[0, 0, 0, 1])
}

/// Returns the body of a result with rows.
pub fn rows(answer: &Rows) -> Bytes {
    let mut body = BytesMut::new();
    body.put_i32(2);
    match answer.next {
        None => body.put_i32(ONE_TABLE),
        Some(_) => body.put_i32(ONE_TABLE | HAS_MORE_PAGES),
    }
    body.put_i32(answer.columns.len() as i32);
    if answer.next.is_some() {
        put_value(&mut body, &answer.next);
    }
    put_columns(&mut body, &answer.columns);
    body.put_i32(answer.rows.len() as i32);
    for value in answer.rows.iter().flatten() {
        put_value(&mut body, value);
    }
    body.freeze()
}

/// Returns the body of the answer to a statement that is prepared under its own text as its name.
pub fn prepared(
    text: &str,
    markers: &[(String, Type)],
    columns: Option<&[(String, Type)]>,
) -> Bytes {
    let mut body = BytesMut::new();
    body.put_i32(4);
    put_text(&mut body, text);
    body.put_i32(ONE_TABLE);
    body.put_i32(markers.len() as i32);
    // Which markers are in the partition key: the driver need not know.
    body.put_i32(0);
    put_columns(&mut body, markers);
    match columns {
        None => {
            body.put_i32(NO_METADATA);
            body.put_i32(0);
        }
        Some(columns) => {
            body.put_i32(ONE_TABLE);
            body.put_i32(columns.len() as i32);
            put_columns(&mut body, columns);
        }
    }
    body.freeze()
}

/// Returns the beginning of an error's body.
pub fn error(code: i32, message: &str, consistency: u16) -> BytesMut {
    let mut body = BytesMut::new();
    body.put_i32(code);
    put_text(&mut body, message);
    body.put_u16(consistency);
    body
}

pub fn put_text(body: &mut BytesMut, text: &str) {
    body.put_u16(text.len() as u16);
    body.put_slice(text.as_bytes());
}

pub fn put_value(body: &mut BytesMut, value: &Value) {
    match value {
        None => body.put_i32(-1),
        Some(bytes) => {
            body.put_i32(bytes.len() as i32);
            body.put_slice(bytes);
        }
    }
}

/// Writes a table's name, which nobody reads, and columns.
fn put_columns(body: &mut BytesMut, columns: &[(String, Type)]) {
    put_text(body, "simulated");
    put_text(body, "simulated");
    for (name, kind) in columns {
        put_text(body, name);
        kind.put(body);
    }
}
