//! Checking whether a port answers CQL.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const LIMIT: Duration = Duration::from_secs(2);
/// Bytes of an OPTIONS request of protocol version 4: version, flags, stream (2), opcode, body
/// length (4).
const OPTIONS: [u8; 9] = [4, 0, 0, 0, 5, 0, 0, 0, 0];
const OPCODE: usize = 4;
const SUPPORTED: u8 = 6;

/// Returns whether the server answers a native-protocol OPTIONS request with SUPPORTED.
pub(crate) async fn speaks_cql(address: SocketAddr) -> bool {
    matches!(
        tokio::time::timeout(LIMIT, answer(address)).await,
        Ok(Ok(SUPPORTED))
    )
}

async fn answer(address: SocketAddr) -> std::io::Result<u8> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(&OPTIONS).await?;
    let mut header = [0; OPTIONS.len()];
    stream.read_exact(&mut header).await?;
    Ok(header[OPCODE])
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    async fn server_that_answers(opcode: u8) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 9];
            stream.read_exact(&mut request).await.unwrap();
            assert_eq!(request, OPTIONS);
            stream
                .write_all(&[0x84, 0, 0, 0, opcode, 0, 0, 0, 0])
                .await
                .unwrap();
        });
        address
    }

    #[tokio::test]
    async fn only_supported_counts() {
        assert!(speaks_cql(server_that_answers(SUPPORTED).await).await);
        assert!(!speaks_cql(server_that_answers(0).await).await);
    }

    #[tokio::test]
    async fn a_closed_port_does_not() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        assert!(!speaks_cql(address).await);
    }
}
