//! Asking a port whether PostgreSQL accepts connections there.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::server::USER;

const LIMIT: Duration = Duration::from_secs(2);
/// Version 3.0 of the protocol.
const PROTOCOL: u32 = 3 << 16;
/// The first byte of a request to authenticate; a server that is still starting sends an error.
const AUTHENTICATE: u8 = b'R';

/// Whether the server asks who begins a session for proof.
pub(crate) async fn accepts_connections(address: SocketAddr) -> bool {
    matches!(
        tokio::time::timeout(LIMIT, answer(address)).await,
        Ok(Ok(AUTHENTICATE))
    )
}

async fn answer(address: SocketAddr) -> std::io::Result<u8> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(&startup_message()).await?;
    stream.read_u8().await
}

/// Length, version, and pairs of names and values that end with an empty name.
fn startup_message() -> Vec<u8> {
    let parameters = format!("user\0{USER}\0database\0postgres\0\0");
    let length = (8 + parameters.len()) as u32;
    let mut message = length.to_be_bytes().to_vec();
    message.extend(PROTOCOL.to_be_bytes());
    message.extend(parameters.as_bytes());
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    async fn server_that_answers(byte: u8) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let length = stream.read_u32().await.unwrap() as usize;
            let mut rest = vec![0; length - 4];
            stream.read_exact(&mut rest).await.unwrap();
            assert!(rest.ends_with(b"user\0bakeoff\0database\0postgres\0\0"));
            stream.write_all(&[byte]).await.unwrap();
        });
        address
    }

    #[tokio::test]
    async fn a_server_that_is_still_starting_does_not() {
        assert!(accepts_connections(server_that_answers(b'R').await).await);
        assert!(!accepts_connections(server_that_answers(b'E').await).await);
    }
}
