//! The beginning of a connection: startup and login.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use scylla_cql::frame::protocol_features::ProtocolFeatures;
use scylla_cql::frame::request::{AuthResponse, SerializableRequest, Startup};
use scylla_cql::frame::response::ResponseV2 as Response;
use scylla_cql::frame::{SerializedRequest, read_response_frame};
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Login;

/// Time after which a node that acknowledges nothing counts as gone. TCP alone would wait a quarter of an
/// hour, in which every request to the node times out.
const GONE_AFTER: Duration = Duration::from_secs(10);
/// Time without any traffic after which a node is asked whether it is there, and between two such questions.
const ASK_AFTER: Duration = Duration::from_secs(3);
/// Size of the beginning of a reply, whose last 4 bytes are the length of the rest.
const HEADER_BYTES: usize = 9;
/// Maximum length of a reply, without its header. The driver takes memory for as much as a reply says.
const MAX_REPLY_BYTES: u32 = 1 << 20;

/// Connects, logs in if the server requires it, and returns when the server accepts requests.
pub async fn connect(address: SocketAddr, login: Option<&Login>) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let socket = SockRef::from(&stream);
    let asking = TcpKeepalive::new().with_time(ASK_AFTER);
    socket.set_tcp_keepalive(&asking.with_interval(ASK_AFTER))?;
    socket.set_tcp_user_timeout(Some(GONE_AFTER))?;
    let options = HashMap::from([("CQL_VERSION".into(), "3.0.0".into())]);
    match ask(&mut stream, &Startup { options }).await? {
        Response::Ready => return Ok(stream),
        Response::Authenticate(_) => {}
        other => return Err(unexpected(&other)),
    }
    let Some(login) = login else {
        return Err(io::Error::other("the server requires a password"));
    };
    let response = Some(format!("\0{}\0{}", login.username, login.password).into_bytes());
    match ask(&mut stream, &AuthResponse { response }).await? {
        Response::AuthSuccess(_) => Ok(stream),
        other => Err(unexpected(&other)),
    }
}

async fn ask(stream: &mut TcpStream, request: &impl SerializableRequest) -> io::Result<Response> {
    let request = SerializedRequest::make(request, None, false).map_err(io::Error::other)?;
    stream.write_all(request.get_data()).await?;
    let mut header = [0; HEADER_BYTES];
    stream.read_exact(&mut header).await?;
    let [.., a, b, c, d] = header;
    let length = u32::from_be_bytes([a, b, c, d]);
    if length > MAX_REPLY_BYTES {
        let why = format!("a reply of {length} bytes, which is no login of Cassandra");
        return Err(io::Error::other(why));
    }
    let reply = read_response_frame(&mut header.as_slice().chain(stream)).await;
    let (_, opcode, body) = reply.map_err(io::Error::other)?;
    let features = ProtocolFeatures::default();
    Response::deserialize(&features, opcode, body, None).map_err(io::Error::other)
}

fn unexpected(response: &Response) -> io::Error {
    match response {
        Response::Error(refusal) => {
            io::Error::other(format!("{}: {}", refusal.error, refusal.reason))
        }
        other => io::Error::other(format!("the server replied {}", other.to_response_kind())),
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_testing::peer::{AUTH_SUCCESS, AUTHENTICATE, Peer};
    use tokio::net::TcpListener;

    use super::*;

    /// Connects to a server that requires a password.
    async fn log_in(login: Option<Login>) -> io::Result<TcpStream> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(async move {
            let mut peer = Peer::accept(&listener).await;
            let (stream, _) = peer.take().await;
            let class = b"\0\x08Password";
            peer.reply(stream, AUTHENTICATE, class).await;
            let (stream, response) = peer.take().await;
            assert_eq!(response[4..], *b"\0ann\0secret");
            let no_token = (-1_i32).to_be_bytes();
            peer.reply(stream, AUTH_SUCCESS, &no_token).await;
        });
        let opened = connect(address, login.as_ref()).await;
        server.abort();
        opened
    }

    #[tokio::test]
    async fn no_memory_is_taken_for_a_reply_that_is_too_long() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(async move {
            let mut peer = Peer::accept(&listener).await;
            peer.take().await;
            let mut header = [0xff; HEADER_BYTES];
            header[..5].copy_from_slice(&[0x84, 0, 0, 0, AUTHENTICATE]);
            peer.0.write_all(&header).await.unwrap();
        });
        let error = connect(address, None).await.unwrap_err();
        assert!(error.to_string().contains("4294967295 bytes"), "{error}");
        server.await.unwrap();
    }

    #[tokio::test]
    async fn a_password_is_sent_if_it_is_required() {
        let login = Login {
            username: "ann".to_owned(),
            password: "secret".to_owned(),
        };
        let stream = log_in(Some(login)).await.unwrap();
        let socket = SockRef::from(&stream);
        assert_eq!(socket.tcp_user_timeout().unwrap(), Some(GONE_AFTER));
        assert_eq!(socket.tcp_keepalive_time().unwrap(), ASK_AFTER);
        assert!(socket.keepalive().unwrap());
        let Err(error) = log_in(None).await else {
            panic!("logged in without a password");
        };
        assert!(error.to_string().contains("password"), "{error}");
    }
}
