//! Samples of a server over time, which cost it little: on a connection of their own, of what its views of statistics
//! tell everyone. For a server that Bakeoff started the operating system tells what it uses.

use std::collections::BTreeMap;
use std::time::Duration;

use bakeoff_servers::postgres::Servers;
use bakeoff_stats::{DatabaseSample, ServerSample};
use futures::future::join_all;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::asking::in_words;
use super::over_time::{View, sample_of, together, views};
use super::read::VERSION;
use super::text_row::TextRow;
use crate::postgres::connect::{PostgresServer, reason};

/// What makes the statement after it only read, and gives it up after half a second. It holds for the transaction of
/// both, so that a session that a pooler gives to others keeps nothing of it.
const READ_ONLY: &str = "SET TRANSACTION READ ONLY; SET LOCAL statement_timeout TO 500; ";
/// Time after which a server has no figures that does not give a statement up by itself.
const ANSWER_LIMIT: Duration = Duration::from_millis(800);
/// Time limit for making the connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(1);
/// Time limit for all of that together. Whoever asks for a sample waits longer, and gets what the server uses.
const SAMPLE_LIMIT: Duration = Duration::from_millis(1_800);
/// Time after which another connection is tried, where one could not be made.
const AGAIN_AFTER: Duration = Duration::from_secs(30);

/// Name of the figures of all views.
const ALL: &str = "all counts";

/// Samples one server, the first one of a URL that takes connections.
pub struct Sampler {
    server: PostgresServer,
    connection: Mutex<Connection>,
}

/// The connection of a sampler, if there is one.
#[derive(Default)]
struct Connection {
    open: Option<Open>,
    /// When the last one could not be made, and why.
    failed: Option<(Instant, String)>,
}

struct Open {
    client: Client,
    views: Vec<View>,
    /// Figures that the server refuses on this connection, with the reason. They are not asked for again, since each
    /// time would be an error in the server's log.
    refused: BTreeMap<&'static str, String>,
}

/// Why a view has no row.
#[derive(Debug)]
struct Unread {
    why: String,
    /// Whether it would be refused again.
    is_refused: bool,
}

impl Sampler {
    /// Makes a sampler, which connects when it is first asked for a sample.
    pub fn new(server: PostgresServer) -> Self {
        Sampler {
            server,
            connection: Mutex::default(),
        }
    }

    /// Samples the server at this moment, and what it uses if it is one that Bakeoff started.
    pub async fn sample(&self, own: Option<&Servers>) -> ServerSample {
        // Taken before the server is asked, which may take a while.
        let used = used(own);
        let told = timeout(SAMPLE_LIMIT, self.told()).await;
        let too_late = |_| {
            let why = no_answer(SAMPLE_LIMIT);
            (DatabaseSample::default(), vec![(ALL, why)])
        };
        let (told, missing) = told.unwrap_or_else(too_late);
        let missing = missing.into_iter();
        ServerSample {
            database: (told != DatabaseSample::default()).then_some(told),
            notes: missing
                .map(|(figure, why)| format!("{figure} of {}: {why}", self.server))
                .collect(),
            ..used
        }
    }

    /// Returns what the server tells, and the figures that it does not with the reasons.
    async fn told(&self) -> (DatabaseSample, Vec<(&'static str, String)>) {
        let mut connection = self.connection.lock().await;
        match self.connected(&mut connection).await {
            Ok(open) => open.ask().await,
            Err(why) => (DatabaseSample::default(), vec![(ALL, why)]),
        }
    }

    /// Returns the connection, which is made if there is none or the last one has ended.
    async fn connected<'a>(&self, connection: &'a mut Connection) -> Result<&'a mut Open, String> {
        let open = connection.open.take();
        let open = match open.filter(|open| !open.client.is_closed()) {
            Some(open) => open,
            None => {
                if let Some((at, why)) = &connection.failed
                    && at.elapsed() < AGAIN_AFTER
                {
                    return Err(why.clone());
                }
                let opened = timeout(CONNECT_LIMIT, Open::new(&self.server)).await;
                let opened = opened.unwrap_or_else(|_| Err(no_answer(CONNECT_LIMIT)));
                let failed = opened.as_ref().err();
                connection.failed = failed.map(|why| (Instant::now(), why.clone()));
                opened?
            }
        };
        Ok(connection.open.insert(open))
    }
}

impl Open {
    async fn new(server: &PostgresServer) -> Result<Open, String> {
        // Nothing is set in the session, which a pooler may give to others.
        let client = server.connect_setting_nothing().await;
        let client = client.map_err(|error| error.0)?;
        let reply = client.simple_query(VERSION).await;
        let about = TextRow::all(&reply.map_err(|error| reason(&error))?);
        let version = about.first().and_then(|row| row.count("number"));
        Ok(Open {
            client,
            views: views(version.unwrap_or_default()),
            refused: BTreeMap::new(),
        })
    }

    /// Asks all views by one statement, or by one for each if the server refuses one of them.
    async fn ask(&mut self) -> (DatabaseSample, Vec<(&'static str, String)>) {
        let views = { self.views.iter() }.filter(|view| !self.refused.contains_key(view.figure));
        let views: Vec<&View> = views.collect();
        let (mut rows, mut missing, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        if !views.is_empty() {
            match row_of(&self.client, &together(&views)).await {
                Ok(row) => rows.push(row),
                Err(unread) if !unread.is_refused => missing.push((ALL, unread.why)),
                Err(_) => {
                    let asking = views.iter().map(|view| row_of(&self.client, &view.sql));
                    let asking: Vec<_> = asking.collect();
                    let answers = join_all(asking).await;
                    for (view, answer) in views.iter().zip(answers) {
                        match answer {
                            Ok(row) => rows.push(row),
                            Err(unread) if unread.is_refused => {
                                refused.push((view.figure, unread.why));
                            }
                            Err(unread) => missing.push((view.figure, unread.why)),
                        }
                    }
                }
            }
        }
        self.refused.extend(refused);
        let (sample, hidden) = sample_of(&rows);
        missing.extend(hidden);
        let refused = self.refused.iter();
        missing.extend(refused.map(|(figure, why)| (*figure, why.clone())));
        (sample, missing)
    }
}

/// Asks for the one row of a statement.
async fn row_of(client: &Client, sql: &str) -> Result<TextRow, Unread> {
    let sql = format!("{READ_ONLY}{sql}");
    match timeout(ANSWER_LIMIT, client.simple_query(&sql)).await {
        Ok(Ok(reply)) => {
            let row = TextRow::all(&reply).into_iter().next();
            // A view that has none now has none a second later.
            row.ok_or_else(|| Unread {
                why: "the server shows no row of it".to_owned(),
                is_refused: true,
            })
        }
        Ok(Err(error)) => Err(unread(error.code(), reason(&error))),
        Err(_) => Err(Unread {
            why: no_answer(ANSWER_LIMIT),
            is_refused: false,
        }),
    }
}

/// Says why a statement has no row.
fn unread(code: Option<&SqlState>, reason: String) -> Unread {
    let is_refused = matches!(
        code,
        Some(
            &SqlState::INSUFFICIENT_PRIVILEGE
                | &SqlState::UNDEFINED_TABLE
                | &SqlState::UNDEFINED_FUNCTION
                | &SqlState::UNDEFINED_COLUMN
        )
    );
    let why = match code {
        Some(&SqlState::QUERY_CANCELED) => "it took longer than half a second".to_owned(),
        code => in_words(code, reason),
    };
    Unread { why, is_refused }
}

fn no_answer(limit: Duration) -> String {
    format!("the server gave no answer within {limit:?}")
}

/// Samples what a server uses that Bakeoff started, with its standbys.
fn used(own: Option<&Servers>) -> ServerSample {
    let Some(servers) = own else {
        return ServerSample::default();
    };
    let usage = servers.usage();
    let requests = servers.device_requests();
    ServerSample {
        cpu_seconds: usage.cpu_seconds,
        resident_bytes: usage.resident_bytes,
        disk_read_bytes: usage.disk_read_bytes,
        disk_written_bytes: usage.disk_written_bytes,
        device_reads: requests.map(|requests| requests.reads),
        device_writes: requests.map(|requests| requests.writes),
        device_queue_seconds: requests.map(|requests| requests.seconds),
        load_average: servers.load_average(),
        ..ServerSample::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_once_is_refused_again_and_what_is_late_is_not() {
        let refused = unread(
            Some(&SqlState::INSUFFICIENT_PRIVILEGE),
            "ERROR: no".to_owned(),
        );
        assert!(refused.is_refused);
        assert!(refused.why.contains("GRANT pg_monitor"), "{refused:?}");
        let late = unread(Some(&SqlState::QUERY_CANCELED), "ERROR: late".to_owned());
        assert!(!late.is_refused);
        assert_eq!(late.why, "it took longer than half a second");
        let gone = unread(None, "connection closed".to_owned());
        assert!(!gone.is_refused && gone.why == "connection closed");
    }

    #[tokio::test]
    async fn a_server_that_takes_no_connection_is_named_and_not_asked_again_at_once() {
        let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = nobody.local_addr().unwrap();
        drop(nobody);
        let sampler = Sampler::new(PostgresServer::local(address, "bench", "hunter2"));
        let first = sampler.sample(None).await;
        assert!(first.is_empty(), "{first:?}");
        let [note] = &first.notes[..] else {
            panic!("{first:?}");
        };
        let place = format!("all counts of bench@{address}/postgres: ");
        assert!(note.starts_with(&place), "{note}");
        assert!(!note.contains("hunter2"), "{note}");
        let failed = failed_at(&sampler).await;
        assert!(failed.is_some());
        assert_eq!(sampler.sample(None).await, first);
        assert_eq!(failed_at(&sampler).await, failed);
    }

    async fn failed_at(sampler: &Sampler) -> Option<Instant> {
        let connection = sampler.connection.lock().await;
        connection.failed.as_ref().map(|(at, _)| *at)
    }
}
