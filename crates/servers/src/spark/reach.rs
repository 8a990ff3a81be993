//! Whether a Spark of the user's can be reached: a connection, and a first answer in its protocol.

use std::io::{Error as IoError, ErrorKind};
use std::net::IpAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::cluster::{Access, SparkCluster};
use crate::error::{Error, Result};

/// The longest wait for a connection, and then for an answer.
const LIMIT: Duration = Duration::from_secs(15);
/// The beginning of a connection of HTTP/2, which gRPC is, with empty settings behind it.
const HTTP2: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
/// The length of the head of a frame of HTTP/2, and where its type is.
const HTTP2_HEAD: usize = 9;
const HTTP2_TYPE: usize = 3;
/// The type of the frame with settings, which comes first.
const HTTP2_SETTINGS: u8 = 4;
/// A file that no master serves, which is asked for in the protocol of Spark's processes.
const NO_FILE: &str = "/files/bakeoff";
/// The types of messages of that protocol: the question for a file, and both answers to it.
const FILE_REQUEST: u8 = 6;
const FILE: u8 = 7;
const FILE_FAILURE: u8 = 8;
/// The length before each message, which counts itself.
const LENGTH_BYTES: usize = 8;

/// Connects to a Spark and lets it answer. Returns the address of this machine on the way to it.
///
/// # Errors
/// Fails with `Refused` when nothing listens there, or something else than was meant.
pub(super) async fn reach(cluster: &SparkCluster) -> Result<IpAddr> {
    let place = (cluster.host.as_str(), cluster.port);
    let connected = within(TcpStream::connect(place)).await;
    let listens = match cluster.access {
        Access::Connect => "a Spark Connect server",
        Access::Standalone => "the master of a standalone cluster of Spark",
    };
    let mut stream = connected.map_err(|error| {
        Error::Refused(format!(
            "nothing can be reached at {cluster} ({error}): check --spark, and that {listens} listens there"
        ))
    })?;
    let here = stream.local_addr().map_err(|error| {
        Error::Refused(format!(
            "the connection to {cluster} ended at once ({error}): check --spark"
        ))
    })?;
    let answered = match cluster.access {
        // Only the client has the certificates that are needed to go on.
        Access::Connect if cluster.is_encrypted => Ok(true),
        Access::Connect => within(speaks_http2(&mut stream)).await,
        Access::Standalone => within(speaks_spark(&mut stream)).await,
    };
    match answered {
        Ok(true) => Ok(here.ip()),
        Ok(false) => Err(not_spark(cluster, listens, "it answers otherwise")),
        Err(error) => Err(not_spark(cluster, listens, &error.to_string())),
    }
}

fn not_spark(cluster: &SparkCluster, listens: &str, why: &str) -> Error {
    Error::Refused(format!(
        "what listens at {cluster} is not {listens} ({why}): check the host and the port of --spark"
    ))
}

async fn within<T>(doing: impl Future<Output = std::io::Result<T>>) -> std::io::Result<T> {
    match tokio::time::timeout(LIMIT, doing).await {
        Ok(done) => done,
        Err(_) => Err(IoError::new(
            ErrorKind::TimedOut,
            format!("no answer within {} s", LIMIT.as_secs()),
        )),
    }
}

async fn speaks_http2(stream: &mut TcpStream) -> std::io::Result<bool> {
    stream.write_all(HTTP2).await?;
    let mut head = [0; HTTP2_HEAD];
    stream.read_exact(&mut head).await?;
    Ok(head[HTTP2_TYPE] == HTTP2_SETTINGS)
}

async fn speaks_spark(stream: &mut TcpStream) -> std::io::Result<bool> {
    stream.write_all(&file_request()).await?;
    let mut head = [0; LENGTH_BYTES + 1];
    stream.read_exact(&mut head).await?;
    Ok(matches!(head[LENGTH_BYTES], FILE | FILE_FAILURE))
}

/// Writes the question for the file: the length, the type, and the name with its length.
fn file_request() -> Vec<u8> {
    let length = LENGTH_BYTES + 1 + 4 + NO_FILE.len();
    let mut request = (length as u64).to_be_bytes().to_vec();
    request.push(FILE_REQUEST);
    request.extend((NO_FILE.len() as u32).to_be_bytes());
    request.extend(NO_FILE.as_bytes());
    request
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    /// Reaches a server that reads a first piece, answers with this and ends the connection.
    async fn reached(scheme: &str, answer: &'static [u8]) -> Result<IpAddr, String> {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("{scheme}://{}", server.local_addr().unwrap());
        let serving = tokio::spawn(async move {
            let (mut stream, _) = server.accept().await.unwrap();
            let mut asked = [0; 1024];
            let _asked = stream.read(&mut asked).await.unwrap_or(0);
            stream.write_all(answer).await.ok();
        });
        let cluster = SparkCluster::new(&url, None).unwrap();
        let reached = reach(&cluster).await;
        serving.await.unwrap();
        reached.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn a_first_answer_in_the_protocol_is_enough() {
        let settings = b"\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64";
        let failure = b"\0\0\0\0\0\0\0\x20\x08\0\0\0\x0e/files/bakeoff";
        let here = IpAddr::from([127, 0, 0, 1]);
        assert_eq!(reached("sc", settings).await, Ok(here));
        assert_eq!(reached("spark", failure).await, Ok(here));
    }

    #[tokio::test]
    async fn other_servers_are_not_taken_for_spark() {
        for scheme in ["sc", "spark"] {
            let http = b"HTTP/1.1 400 Bad Request\r\n\r\n";
            for answer in [&http[..], b"", b"\0\0"] {
                let error = reached(scheme, answer).await.unwrap_err();
                assert!(error.starts_with("what listens at "), "{error}");
                assert!(error.contains("check the host and the port"), "{error}");
            }
        }
        // Each in the protocol of the other.
        let settings = b"\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64";
        reached("spark", settings).await.unwrap_err();
        let failure = b"\0\0\0\0\0\0\0\x20\x08\0\0\0\x0e/files/bakeoff";
        reached("sc", failure).await.unwrap_err();
    }

    #[tokio::test]
    async fn where_nothing_listens_the_url_is_to_be_checked() {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = server.local_addr().unwrap();
        drop(server);
        for scheme in ["sc", "spark"] {
            let cluster = SparkCluster::new(&format!("{scheme}://{address}"), None).unwrap();
            let error = reach(&cluster).await.unwrap_err().to_string();
            let nothing = format!("nothing can be reached at {scheme}://{address}");
            assert!(error.starts_with(&nothing), "{error}");
            assert!(error.contains("check --spark"), "{error}");
        }
    }

    #[test]
    fn a_question_for_a_file_has_the_form_of_sparks_messages() {
        let written = b"\0\0\0\0\0\0\0\x1b\x06\0\0\0\x0e/files/bakeoff";
        assert_eq!(file_request(), written);
        assert_eq!(written.len(), 0x1b);
    }
}
