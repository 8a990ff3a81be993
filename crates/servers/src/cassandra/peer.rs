//! A minimal Cassandra, for tests of its clients.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const AUTHENTICATE: u8 = 0x03;
const RESULT: u8 = 0x08;
const AUTH_SUCCESS: u8 = 0x10;
/// The body of a result without rows.
const VOID: [u8; 4] = [0, 0, 0, 1];

/// The server's end of a connection.
pub(crate) struct Peer(TcpStream);

impl Peer {
    /// Takes the next client, and lets it log in with any password.
    pub(crate) async fn accept(listener: &TcpListener) -> Peer {
        let mut peer = Peer(listener.accept().await.unwrap().0);
        let startup = peer.take().await;
        peer.reply(startup, AUTHENTICATE, b"\0\x01a").await;
        let login = peer.take().await;
        // It has nothing to say about that.
        peer.reply(login, AUTH_SUCCESS, &[0xff; 4]).await;
        peer
    }

    /// Receives one request, and returns its stream.
    pub(crate) async fn take(&mut self) -> i16 {
        let mut header = [0; 9];
        self.0.read_exact(&mut header).await.unwrap();
        let length = u32::from_be_bytes(header[5..].try_into().unwrap());
        let mut body = vec![0; length as usize];
        self.0.read_exact(&mut body).await.unwrap();
        i16::from_be_bytes([header[2], header[3]])
    }

    /// Says that a statement was executed.
    pub(crate) async fn reply_done(&mut self, stream: i16) {
        self.reply(stream, RESULT, &VOID).await;
    }

    async fn reply(&mut self, stream: i16, opcode: u8, body: &[u8]) {
        let mut frame = vec![0x84, 0];
        frame.extend_from_slice(&stream.to_be_bytes());
        frame.push(opcode);
        frame.extend_from_slice(&(body.len() as u32).to_be_bytes());
        frame.extend_from_slice(body);
        self.0.write_all(&frame).await.unwrap();
    }
}
