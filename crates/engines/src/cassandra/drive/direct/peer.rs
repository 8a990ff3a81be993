//! A minimal server for one connection, for tests.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub const READY: u8 = 0x02;
pub const AUTHENTICATE: u8 = 0x03;
pub const RESULT: u8 = 0x08;
pub const AUTH_SUCCESS: u8 = 0x10;

/// The server's end of a connection.
pub struct Peer(pub TcpStream);

impl Peer {
    pub async fn accept(listener: TcpListener) -> Self {
        Peer(listener.accept().await.unwrap().0)
    }

    /// Receives one request, and returns its stream and its body.
    pub async fn take(&mut self) -> (u16, Vec<u8>) {
        let mut header = [0; 9];
        self.0.read_exact(&mut header).await.unwrap();
        let length = u32::from_be_bytes(header[5..].try_into().unwrap());
        let mut body = vec![0; length as usize];
        self.0.read_exact(&mut body).await.unwrap();
        (u16::from_be_bytes([header[2], header[3]]), body)
    }

    pub async fn reply(&mut self, stream: u16, opcode: u8, body: &[u8]) {
        let mut frame = vec![0x84, 0];
        frame.extend_from_slice(&stream.to_be_bytes());
        frame.push(opcode);
        frame.extend_from_slice(&(body.len() as u32).to_be_bytes());
        frame.extend_from_slice(body);
        self.0.write_all(&frame).await.unwrap();
    }

    /// Replies to a read with one row that holds its key.
    pub async fn echo(&mut self, (stream, request): (u16, Vec<u8>)) {
        let ints = [2, 4, 1, 1, 1].map(i32::to_be_bytes);
        let mut body = ints.concat();
        body.push(*request.last().unwrap());
        self.reply(stream, RESULT, &body).await;
    }
}
