//! What is said at a node's port for other nodes: by a program that speaks as one, and by the node to itself.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use bakeoff_servers::cassandra::Server;
use scylla::client::session_builder::SessionBuilder;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Version of the protocol that both 4.1 and 5.0 speak.
const VERSION: u32 = 12;
const MAGIC: u32 = 0xca55_2dfa;
/// Urgent messages, in frames with a checksum.
const KIND: u32 = 1 | 16;
/// What a checksum begins with.
const CHECKED_FIRST: [u8; 4] = [0xfa, 0x2d, 0x55, 0xca];
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// Says hello on 127.0.0.1 as a node would that does not encrypt, and returns whether the server takes the program for
/// one.
pub async fn is_taken_for_a_node(port: u16) -> bool {
    let answer = tokio::time::timeout(ANSWER_LIMIT, answer_to_hello(port)).await;
    // What is accepted has the highest version of the server, the one to speak, and a checksum.
    matches!(answer, Ok(Ok(version)) if version == VERSION)
}

async fn answer_to_hello(port: u16) -> io::Result<u32> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    stream.write_all(&hello(port)).await?;
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await?;
    let [_, _, _, _, a, b, c, d, ..] = answer;
    Ok(u32::from_be_bytes([a, b, c, d]))
}

/// The versions of the caller, its address, and a checksum.
fn hello(port: u16) -> Vec<u8> {
    let flags = KIND | (VERSION << 8) | (VERSION << 16) | (VERSION << 24);
    let mut bytes = MAGIC.to_be_bytes().to_vec();
    bytes.extend(flags.to_be_bytes());
    let address = Ipv4Addr::LOCALHOST.octets();
    bytes.push(address.len() as u8 + 2);
    bytes.extend(address);
    bytes.extend(port.to_be_bytes());
    let checked = [&CHECKED_FIRST[..], &bytes].concat();
    bytes.extend(crc32(&checked).to_be_bytes());
    bytes
}

/// The checksum of Java's `CRC32`.
fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            let polynomial = if sum & 1 == 1 { 0xedb8_8320 } else { 0 };
            sum = (sum >> 1) ^ polynomial;
        }
    }
    !sum
}

/// A table is truncated by a message to each node that has rows of it, here to itself.
pub async fn talks_to_itself(server: &Server) {
    let login = server.login();
    let builder = SessionBuilder::new().known_node_addr(server.address());
    let builder = builder.user(login.user(), login.password());
    let session = builder.build().await.unwrap();
    for statement in [
        "CREATE KEYSPACE told WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
        "CREATE TABLE told.rows (id int PRIMARY KEY)",
        "INSERT INTO told.rows (id) VALUES (1)",
        "TRUNCATE told.rows",
    ] {
        let done = session.query_unpaged(statement, ()).await;
        done.unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
    let left = session.query_unpaged("SELECT id FROM told.rows", ()).await;
    let left = left.unwrap().into_rows_result().unwrap();
    assert_eq!(left.rows_num(), 0);
}

#[test]
fn the_checksum_is_that_of_java() {
    assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
}
