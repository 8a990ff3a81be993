//! One connection to one node, for the few statements by which a new server gets its login.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use scylla_cql::frame::protocol_features::ProtocolFeatures;
use scylla_cql::frame::request::query::{Query, QueryParameters};
use scylla_cql::frame::request::{AuthResponse, SerializableRequest, Startup};
use scylla_cql::frame::response::error::{DbError, Error as Refusal};
use scylla_cql::frame::response::result::{DeserializedMetadataAndRawRows, Result as Reply};
use scylla_cql::frame::response::{ResponseOpcode, ResponseV2 as Response};
use scylla_cql::frame::{
    SerializedRequest, parse_response_body_extensions, read_response_frame, types,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::credentials::Login;

#[cfg(test)]
mod hostile;

/// Time limit of one request.
const LIMIT: Duration = Duration::from_secs(10);
/// Bytes of a frame in front of its body: version, flags, number of the request, kind and length.
const HEAD_BYTES: usize = 9;
/// Most bytes of a reply. What is asked for is short.
const REPLY_BYTES: u32 = 1 << 20;
/// Kind of a result with rows.
const ROWS: i32 = 0x0002;
/// Kind of the result of preparing a statement.
const PREPARED: i32 = 0x0004;
/// Flags of rows: all columns are of one table, more pages follow, and columns are not described.
const ONE_TABLE: i32 = 0x0001;
const MORE_PAGES: i32 = 0x0002;
const NO_COLUMNS: i32 = 0x0004;
/// Numbers of the types that have no types in them.
const PLAIN: std::ops::RangeInclusive<u16> = 0x0001..=0x0015;

/// Rows of a reply.
pub(crate) type Rows = DeserializedMetadataAndRawRows;

/// A connection, which is of no use after an error: the reply may come when it is not awaited any more.
pub(crate) struct Connection {
    stream: TcpStream,
    /// Number of the last request, which its reply repeats.
    last_request: i16,
    pub(crate) server: SocketAddr,
    /// Address of this end, by which the server names its client.
    pub(crate) local: SocketAddr,
}

impl Connection {
    /// Connects and logs in; returns `None` if the server refuses the login.
    ///
    /// # Errors
    /// Fails if the server does not answer, or not in CQL.
    pub(crate) async fn open(address: SocketAddr, login: &Login) -> io::Result<Option<Connection>> {
        let connected = tokio::time::timeout(LIMIT, TcpStream::connect(address)).await;
        let stream = connected.map_err(|_| late())??;
        let local = stream.local_addr()?;
        let mut connection = Connection {
            stream,
            last_request: 0,
            server: address,
            local,
        };
        let options = HashMap::from([("CQL_VERSION".into(), "3.0.0".into())]);
        match connection.ask(&Startup { options }).await? {
            Response::Authenticate(_) => {}
            other => return Err(unexpected(other)),
        }
        let response = Some(format!("\0{}\0{}", login.user, login.password.reveal()).into_bytes());
        match connection.ask(&AuthResponse { response }).await? {
            Response::AuthSuccess(_) => Ok(Some(connection)),
            Response::Error(Refusal {
                error: DbError::AuthenticationError,
                ..
            }) => Ok(None),
            other => Err(unexpected(other)),
        }
    }

    /// Executes a statement that returns no rows.
    ///
    /// # Errors
    /// Fails if the server refuses it or does not answer. The statement is not in the error: it may hold
    /// a password.
    pub(crate) async fn execute(&mut self, cql: &str) -> io::Result<()> {
        match self.query(cql).await? {
            Response::Result(_) => Ok(()),
            other => Err(unexpected(other)),
        }
    }

    /// Returns the rows of a query.
    ///
    /// # Errors
    /// Fails if the server refuses it, returns no rows or does not answer.
    pub(crate) async fn rows(&mut self, cql: &str) -> io::Result<Rows> {
        match self.query(cql).await? {
            Response::Result(Reply::Rows((rows, _))) => {
                rows.deserialize_metadata().map_err(io::Error::other)
            }
            other => Err(unexpected(other)),
        }
    }

    async fn query(&mut self, cql: &str) -> io::Result<Response> {
        let query = Query {
            contents: Cow::Borrowed(cql),
            parameters: QueryParameters::default(),
        };
        self.ask(&query).await
    }

    async fn ask(&mut self, request: &impl SerializableRequest) -> io::Result<Response> {
        let request = SerializedRequest::make(request, None, false);
        let mut request = request.map_err(io::Error::other)?;
        self.last_request = self.last_request.checked_add(1).unwrap_or_default();
        request.set_stream(self.last_request);
        let exchange = async {
            self.stream.write_all(request.get_data()).await?;
            read_reply(&mut self.stream, self.last_request).await
        };
        let exchanged = tokio::time::timeout(LIMIT, exchange).await;
        exchanged.map_err(|_| late())?
    }
}

/// Reads the reply to a request. What answers may be no Cassandra, so no memory is taken for what it only says
/// that it has.
async fn read_reply(stream: &mut (impl AsyncRead + Unpin), request: i16) -> io::Result<Response> {
    let mut head = [0; HEAD_BYTES];
    stream.read_exact(&mut head).await?;
    let [version, .., a, b, c, d] = head;
    let length = u32::from_be_bytes([a, b, c, d]);
    // Other versions are reported as such.
    if version & 0x80 != 0 && length > REPLY_BYTES {
        return Err(io::Error::other(format!(
            "the server replied with {length} bytes, and not as Cassandra does"
        )));
    }
    let mut whole = head.as_slice().chain(stream);
    let (frame, opcode, body) = read_response_frame(&mut whole)
        .await
        .map_err(io::Error::other)?;
    if frame.stream != request {
        return Err(io::Error::other("the server replied to another request"));
    }
    let body = parse_response_body_extensions(frame.flags, None, body);
    let body = body.map_err(io::Error::other)?.body;
    if opcode == ResponseOpcode::Result {
        check_result(&body)?;
    }
    let features = ProtocolFeatures::default();
    Response::deserialize(&features, opcode, body, None).map_err(io::Error::other)
}

/// Checks the columns of a result. The library reserves memory for as many as it says that it has, and
/// reads types in types as deep as they are; the columns that are asked for have plain types.
fn check_result(mut body: &[u8]) -> io::Result<()> {
    match types::read_int(&mut body)? {
        ROWS => check_columns(body),
        PREPARED => Err(io::Error::other(
            "the server replied with a statement that it was not to prepare",
        )),
        _ => Ok(()),
    }
}

fn check_columns(mut body: &[u8]) -> io::Result<()> {
    let flags = types::read_int(&mut body)?;
    let columns = types::read_int(&mut body)?;
    if flags & MORE_PAGES != 0 {
        types::read_bytes(&mut body).map_err(io::Error::other)?;
    }
    if flags & NO_COLUMNS != 0 {
        return Ok(());
    }
    let skip_table = |body: &mut &[u8]| {
        for _ in ["keyspace", "table"] {
            types::read_string(body).map_err(io::Error::other)?;
        }
        io::Result::Ok(())
    };
    if flags & ONE_TABLE != 0 {
        skip_table(&mut body)?;
    }
    for _ in 0..columns {
        if flags & ONE_TABLE == 0 {
            skip_table(&mut body)?;
        }
        types::read_string(&mut body).map_err(io::Error::other)?;
        let kind = types::read_short(&mut body)?;
        if !PLAIN.contains(&kind) {
            return Err(io::Error::other(format!(
                "the server replied with a column of type {kind}, which was not asked for"
            )));
        }
    }
    Ok(())
}

fn late() -> io::Error {
    let why = format!("it did not answer within {} s", LIMIT.as_secs());
    io::Error::new(io::ErrorKind::TimedOut, why)
}

fn unexpected(response: Response) -> io::Error {
    match response {
        Response::Error(refusal) => {
            io::Error::other(format!("{}: {}", refusal.error, refusal.reason))
        }
        other => io::Error::other(format!("the server replied {}", other.to_response_kind())),
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_testing::peer::Peer;
    use tokio::net::TcpListener;

    use super::*;
    use crate::secret::Secret;

    #[tokio::test]
    async fn a_reply_to_another_request_is_an_error() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(async move {
            let mut peer = Peer::accept_any_login(&listener).await;
            let (first, _) = peer.take().await;
            peer.reply_done(first).await;
            peer.take().await;
            peer.reply_done(first).await;
        });
        let login = Login::new("user", Secret::new("password"));
        let connection = Connection::open(address, &login).await.unwrap();
        let mut connection = connection.unwrap();
        connection.execute("one statement").await.unwrap();
        let error = connection.execute("another one").await.unwrap_err();
        assert!(error.to_string().contains("another request"), "{error}");
        server.await.unwrap();
    }
}
