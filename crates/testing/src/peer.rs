//! The server's end of a connection that speaks CQL's binary protocol, for tests of clients. It says what the test
//! tells it to.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub const READY: u8 = 0x02;
pub const AUTHENTICATE: u8 = 0x03;
pub const RESULT: u8 = 0x08;
pub const AUTH_SUCCESS: u8 = 0x10;

/// The server's end of a connection.
#[derive(Debug)]
pub struct Peer(pub TcpStream);

impl Peer {
    /// Takes the next client.
    ///
    /// # Panics
    /// Panics if that fails.
    pub async fn accept(listener: &TcpListener) -> Peer {
        Peer(listener.accept().await.expect("a client connects").0)
    }

    /// Takes the next client, and lets it log in with any password.
    ///
    /// # Panics
    /// Panics if that fails.
    pub async fn accept_any_login(listener: &TcpListener) -> Peer {
        let mut peer = Peer::accept(listener).await;
        let (startup, _) = peer.take().await;
        peer.reply(startup, AUTHENTICATE, b"\0\x01a").await;
        let (login, _) = peer.take().await;
        let no_token = [0xff; 4];
        peer.reply(login, AUTH_SUCCESS, &no_token).await;
        peer
    }

    /// Receives one request, and returns its stream and its body.
    ///
    /// # Panics
    /// Panics if the connection ends before.
    pub async fn take(&mut self) -> (u16, Vec<u8>) {
        let mut header = [0; 9];
        let read = "a request is received";
        self.0.read_exact(&mut header).await.expect(read);
        let [.., a, b, c, d] = header;
        let length = u32::from_be_bytes([a, b, c, d]);
        let mut body = vec![0; length as usize];
        self.0.read_exact(&mut body).await.expect(read);
        (u16::from_be_bytes([header[2], header[3]]), body)
    }

    /// Sends a reply.
    ///
    /// # Panics
    /// Panics if the connection has ended.
    pub async fn reply(&mut self, stream: u16, opcode: u8, body: &[u8]) {
        let mut frame = vec![0x84, 0];
        frame.extend_from_slice(&stream.to_be_bytes());
        frame.push(opcode);
        frame.extend_from_slice(&(body.len() as u32).to_be_bytes());
        frame.extend_from_slice(body);
        self.0.write_all(&frame).await.expect("a reply is sent");
    }

    /// Says that a statement was executed, which has no rows.
    ///
    /// # Panics
    /// Panics if the connection has ended.
    pub async fn reply_done(&mut self, stream: u16) {
        self.reply(stream, RESULT, &[0, 0, 0, 1]).await;
    }

    /// Replies to a read with one row that holds its key.
    ///
    /// # Panics
    /// Panics if the connection has ended, or the request is empty.
    pub async fn echo(&mut self, (stream, request): (u16, Vec<u8>)) {
        let ints = [2, 4, 1, 1, 1].map(i32::to_be_bytes);
        let mut body = ints.concat();
        body.push(*request.last().expect("a request has a body"));
        self.reply(stream, RESULT, &body).await;
    }
}
