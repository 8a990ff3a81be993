//! Replies that no Cassandra sends: an answer or an error, never a panic, an endless loop or more memory than is
//! said here.

use std::path::Path;

use bakeoff_testing::hostile::{Corpus, Parser, bytes_taken};
use bakeoff_testing::times;
use tokio::runtime::{Builder, Runtime};

use super::super::roles::{client_addresses, role_names};
use super::*;

/// The memory for a reply of at most 128 KiB that says that it has 1 MiB.
const MEMORY_BYTES: u64 = 16 << 20;

/// Number of the request that the replies of the corpus repeat.
const REQUEST: i16 = 1;

fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

fn read(runtime: &Runtime, mut bytes: &[u8]) -> io::Result<Response> {
    runtime.block_on(read_reply(&mut bytes, REQUEST))
}

/// Returns whether a reply can be read: rows as one of the answers that are asked for.
fn is_readable(runtime: &Runtime, bytes: &[u8]) -> bool {
    let answer = read(runtime, bytes).and_then(|response| match response {
        Response::Result(Reply::Rows((rows, _))) => {
            let rows = rows.deserialize_metadata().map_err(io::Error::other)?;
            let addresses = client_addresses(&rows).map(|_| ());
            role_names(&rows).map(|_| ()).or(addresses)
        }
        other => {
            assert!(!unexpected(other).to_string().is_empty());
            Ok(())
        }
    });
    if let Err(error) = &answer {
        assert!(!error.to_string().is_empty());
    }
    answer.is_ok()
}

/// Returns a frame of a kind.
fn frame(opcode: u8, body: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x84, 0, 0, 1, opcode];
    frame.extend((body.len() as u32).to_be_bytes());
    frame.extend(body);
    frame
}

fn ints(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_be_bytes()).collect()
}

fn string(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat()
}

fn cell(value: &[u8]) -> Vec<u8> {
    [&(value.len() as i32).to_be_bytes()[..], value].concat()
}

/// Returns a reply of rows of one table with these columns, as name and type.
fn rows(columns: &[(&str, u16)], rows: &[Vec<u8>]) -> Vec<u8> {
    let mut body = ints(&[ROWS, ONE_TABLE, columns.len() as i32]);
    body.extend([string("system"), string("t")].concat());
    for (name, kind) in columns {
        body.extend(string(name));
        body.extend(kind.to_be_bytes());
    }
    body.extend(ints(&[rows.len() as i32]));
    body.extend(rows.concat());
    frame(0x08, &body)
}

fn roles() -> Vec<u8> {
    let names = ["cassandra", "bakeoff"].map(|name| cell(name.as_bytes()));
    rows(&[("role", 0x000d)], &names)
}

fn clients() -> Vec<u8> {
    let columns = [("address", 0x0010), ("port", 0x0009)];
    let client = |address: &[u8], port: i32| [cell(address), cell(&ints(&[port]))].concat();
    let of_version_6 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    let clients = [
        client(&[127, 0, 0, 1], 40_000),
        client(&of_version_6, 65_535),
    ];
    rows(&columns, &clients)
}

/// Replies for which the library would take gigabytes, or the whole stack.
fn greedy() -> [Vec<u8>; 4] {
    let many_columns = ints(&[ROWS, ONE_TABLE, i32::MAX]);
    let many_columns = [many_columns, string("ks"), string("t")].concat();
    let many_keys = [ints(&[PREPARED]), string("id"), ints(&[0, 1, i32::MAX])].concat();
    // Lists of lists.
    let nested = [0x00, 0x20].repeat(40_000);
    let nested = [
        ints(&[ROWS, ONE_TABLE, 1]),
        string("ks"),
        string("t"),
        string("c"),
        nested,
    ];
    let mut long = frame(0x08, &[]);
    long[5..].fill(0x7f);
    [
        frame(0x08, &many_columns),
        frame(0x08, &many_keys),
        frame(0x08, &nested.concat()),
        long,
    ]
}

#[test]
fn replies_are_read_or_refused() {
    let parser = Parser {
        name: "replies to bakeoff's own client",
        most_bytes: MEMORY_BYTES,
        cases: times(3_000, 100_000),
    };
    let mut corpus = Corpus::default();
    let frames = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engines/tests/corpus/cql");
    corpus.add_files(&frames, ".bin");
    for reply in [roles(), clients()].into_iter().chain(greedy()) {
        corpus.add(reply);
    }
    let runtime = runtime();
    parser.feed(&corpus, |bytes| is_readable(&runtime, bytes));
}

#[test]
fn roles_and_clients_are_read_from_replies() {
    let runtime = runtime();
    let read_rows = |bytes: &[u8]| match read(&runtime, bytes).unwrap() {
        Response::Result(Reply::Rows((rows, _))) => rows.deserialize_metadata().unwrap(),
        other => panic!("{other:?}"),
    };
    let names = role_names(&read_rows(&roles())).unwrap();
    assert_eq!(names, ["cassandra", "bakeoff"]);
    let addresses = client_addresses(&read_rows(&clients())).unwrap();
    let addresses = addresses.iter().map(SocketAddr::to_string);
    let addresses: Vec<String> = addresses.collect();
    assert_eq!(addresses, ["127.0.0.1:40000", "[::1]:65535"]);
}

#[test]
fn replies_that_only_say_that_they_are_large_take_no_memory() {
    let runtime = runtime();
    let replies = greedy();
    let taken = bytes_taken(|| {
        let said = replies.each_ref().map(|reply| {
            let error = read(&runtime, reply).unwrap_err();
            error.to_string()
        });
        assert!(said[1].contains("was not to prepare"), "{said:?}");
        assert!(said[2].contains("a column of type 32"), "{said:?}");
        assert!(said[3].contains("not as Cassandra does"), "{said:?}");
    });
    assert!(taken < 1 << 20, "{taken}");
}
