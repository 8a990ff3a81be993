//! The process that a driver is loaded into. It does what it is asked over its standard input, which is a
//! socket, and ends when that is closed, whatever it is doing then.

use std::any::Any;
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use adbc_core::error::Error as AdbcError;
use adbc_core::options::{
    AdbcVersion, IngestMode, OptionConnection, OptionDatabase, OptionStatement, OptionValue,
};
use adbc_core::{Connection, Database as _, Driver, Optionable, Statement};
use adbc_driver_manager::{ManagedConnection, ManagedDatabase, ManagedDriver};
use arrow::datatypes::Schema;
use arrow::error::ArrowError;
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::StreamWriter;
use arrow::record_batch::RecordBatch;

use super::about;
use super::protocol::{
    Call, Database, FRAME_BYTES, INGEST_BYTES, Kind, REQUEST_BYTES, Request, Step, head,
};
use crate::EngineError;

/// Serves requests over the standard input until that is closed.
///
/// # Errors
/// Fails if the standard input is not the socket that Bakeoff gives to this process, or what comes over it
/// is no request.
pub fn serve_driver() -> Result<(), EngineError> {
    let socket = our_socket().map_err(|error| {
        EngineError(format!(
            "this command is for Bakeoff itself, which starts it to load a database driver: {error}"
        ))
    })?;
    serve(socket).map_err(|error| EngineError(format!("serving a driver failed: {error}")))
}

fn our_socket() -> io::Result<UnixStream> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    socket.peer_addr()?;
    Ok(socket)
}

fn serve(socket: UnixStream) -> io::Result<()> {
    let mut requests = BufReader::new(socket.try_clone()?);
    let closing = Closing(socket.try_clone()?);
    let replies = Replies(Arc::new(Mutex::new(socket)));
    let (sender, asked) = mpsc::channel();
    // What is asked may take minutes. The end of the requests ends this process at once all the same: who goes on with
    // the run wants the database.
    std::thread::spawn(move || {
        let _closing = closing;
        carry_out(&asked, &replies);
    });
    while let Some(request) = next_request(&mut requests)? {
        // If nothing is carried out any more, the socket is closed.
        sender.send(request).ok();
    }
    Ok(())
}

/// Closes the socket when it is dropped, be it by a panic, so that nobody waits for what is not carried out.
struct Closing(UnixStream);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.shutdown(Shutdown::Both).ok();
    }
}

/// Reads a request, with the rows of an ingest; returns `None` where they end.
fn next_request(requests: &mut BufReader<UnixStream>) -> io::Result<Option<(Call, Vec<u8>)>> {
    let mut line = Vec::new();
    let mut limited = requests.by_ref().take(REQUEST_BYTES);
    limited.read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    let call: Call = serde_json::from_slice(&line)?;
    let mut rows = Vec::new();
    if let Request::Ingest { bytes, .. } = &call.request {
        let mut read = requests.by_ref().take((*bytes).min(INGEST_BYTES));
        if read.read_to_end(&mut rows)? as u64 != *bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(Some((call, rows)))
}

/// Does what is asked, one request after the other, until nobody asks or listens.
fn carry_out(asked: &mpsc::Receiver<(Call, Vec<u8>)>, replies: &Replies) {
    let mut opened: Option<Opened> = None;
    while let Ok((call, rows)) = asked.recv() {
        let done = match call.request {
            Request::Open(database) => Opened::new(&database).map(|database| {
                opened = Some(database);
            }),
            Request::Execute { statements } => on(opened.as_mut(), |opened| {
                statements
                    .iter()
                    .try_for_each(|sql| execute(&mut opened.connection, sql))
            }),
            Request::Transaction(step) => on(opened.as_mut(), |opened| opened.transaction(step)),
            Request::Ingest { table, create, .. } => on(opened.as_mut(), |opened| {
                let mode = if create {
                    IngestMode::Create
                } else {
                    IngestMode::Append
                };
                opened.ingest(&table, mode, rows)
            }),
            Request::About => on(opened.as_mut(), |opened| {
                let told = about::ask(&opened.connection)?;
                let part = Part {
                    id: call.id,
                    replies,
                };
                send(&told.schema(), std::iter::once(Ok(told)), part)
            }),
            Request::Ask { sql } => {
                let begun = on(opened.as_mut(), |opened| {
                    opened.ask(call.id, sql, replies.clone());
                    Ok(())
                });
                // Its thread says how it ended.
                if begun.is_ok() {
                    continue;
                }
                begun
            }
        };
        if replies.end(call.id, done).is_err() {
            break;
        }
    }
    // Bakeoff has ended. Closing a database may take long.
    std::mem::forget(opened);
}

fn on<T>(
    opened: Option<&mut Opened>,
    work: impl FnOnce(&mut Opened) -> Result<T, String>,
) -> Result<T, String> {
    match opened {
        Some(opened) => work(opened),
        None => Err("no database is open".to_owned()),
    }
}

/// An open database.
struct Opened {
    database: ManagedDatabase,
    /// The connection for statements and ingests.
    connection: ManagedConnection,
    /// Connections that nothing was asked on.
    ready: Arc<Mutex<Vec<ManagedConnection>>>,
    /// Options of the statements of questions.
    statement_options: Arc<Vec<(String, String)>>,
}

impl Opened {
    fn new(database: &Database) -> Result<Opened, String> {
        let mut driver = load(database)?;
        let options = database.options.iter().map(|(name, value)| {
            (
                OptionDatabase::from(name.as_str()),
                OptionValue::from(value.as_str()),
            )
        });
        let opened = driver.new_database_with_opts(options).map_err(plain)?;
        let mut connection = opened.new_connection().map_err(plain)?;
        for sql in &database.setup {
            execute(&mut connection, sql)?;
        }
        Ok(Opened {
            database: opened,
            connection,
            ready: Arc::default(),
            statement_options: Arc::new(database.statement_options.clone()),
        })
    }

    /// Begins a transaction, or ends it so that each statement is its own again.
    fn transaction(&mut self, step: Step) -> Result<(), String> {
        let connection = &mut self.connection;
        let done = match step {
            Step::Begin => connection.set_option(OptionConnection::AutoCommit, false.into()),
            Step::Commit => connection.commit(),
            Step::Rollback => connection.rollback(),
        };
        let done = done.and_then(|()| match step {
            Step::Begin => Ok(()),
            Step::Commit | Step::Rollback => {
                connection.set_option(OptionConnection::AutoCommit, true.into())
            }
        });
        done.map_err(plain)
    }

    fn ingest(&mut self, table: &str, mode: IngestMode, rows: Vec<u8>) -> Result<(), String> {
        let rows = StreamReader::try_new(Cursor::new(rows), None).map_err(|e| e.to_string())?;
        let mut statement = self.connection.new_statement().map_err(plain)?;
        statement
            .set_option(OptionStatement::TargetTable, table.into())
            .and_then(|()| statement.set_option(OptionStatement::IngestMode, mode.into()))
            .and_then(|()| statement.bind_stream(Box::new(rows)))
            .and_then(|()| statement.execute_update())
            .map_err(plain)?;
        Ok(())
    }

    /// Asks a query in a thread of its own.
    fn ask(&self, id: u64, sql: String, replies: Replies) {
        let (database, ready) = (self.database.clone(), Arc::clone(&self.ready));
        let options = Arc::clone(&self.statement_options);
        std::thread::spawn(move || {
            let asked = || {
                let taken = locked(&ready).pop();
                let mut connection = match taken {
                    Some(connection) => connection,
                    None => database.new_connection().map_err(plain)?,
                };
                let part = Part {
                    id,
                    replies: &replies,
                };
                answer(&mut connection, &sql, &options, part)
            };
            let asked = catch_unwind(AssertUnwindSafe(asked));
            let answered = asked.unwrap_or_else(|panic| Err(describe_panic(panic.as_ref())));
            // If nobody listens any more, this process ends.
            let told = replies.end(id, answered);
            // The next question finds a connection that is as good as new, without waiting for it.
            if told.is_ok()
                && let Ok(connection) = database.new_connection()
            {
                locked(&ready).push(connection);
            }
        });
    }
}

/// Loads a driver. Those of the first version of ADBC refuse the second one.
fn load(database: &Database) -> Result<ManagedDriver, String> {
    let entrypoint = database.entrypoint.as_deref().map(str::as_bytes);
    let load =
        |version| ManagedDriver::load_dynamic_from_filename(&database.library, entrypoint, version);
    load(AdbcVersion::V110)
        .or_else(|_| load(AdbcVersion::V100))
        .map_err(|error| {
            format!(
                "{} cannot be loaded as an ADBC driver: {}",
                database.library, error.message
            )
        })
}

/// Runs a statement that has no answer.
fn execute(connection: &mut ManagedConnection, sql: &str) -> Result<(), String> {
    let ran = connection.new_statement().and_then(|mut statement| {
        statement.set_sql_query(sql)?;
        statement.execute_update()
    });
    ran.map(|_| ())
        .map_err(|error| format!("{}; in: {sql}", plain(error)))
}

/// Sends the rows of a query's answer.
fn answer(
    connection: &mut ManagedConnection,
    sql: &str,
    options: &[(String, String)],
    part: Part<'_>,
) -> Result<(), String> {
    let mut statement = connection.new_statement().map_err(plain)?;
    for (name, value) in options {
        let set = statement.set_option(name.as_str().into(), value.as_str().into());
        set.map_err(plain)?;
    }
    statement.set_sql_query(sql).map_err(plain)?;
    let rows = statement.execute().map_err(plain)?;
    send(&rows.schema(), rows, part)
}

/// Sends rows as one Arrow IPC stream.
fn send(
    schema: &Schema,
    rows: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    part: Part<'_>,
) -> Result<(), String> {
    let sink = BufWriter::with_capacity(FRAME_BYTES, part);
    let mut writer = StreamWriter::try_new(sink, schema).map_err(|e| e.to_string())?;
    for batch in rows {
        let written = batch.and_then(|batch| writer.write(&batch));
        written.map_err(|e| e.to_string())?;
    }
    let ended = writer.finish().and_then(|()| writer.flush());
    ended.map_err(|e| e.to_string())
}

/// Returns the driver's message without codes that few drivers set.
fn plain(error: AdbcError) -> String {
    error.message
}

fn describe_panic(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a driver's library panicked").to_owned()
}

fn locked<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The way back, which all threads share.
#[derive(Clone)]
struct Replies(Arc<Mutex<UnixStream>>);

impl Replies {
    fn send(&self, id: u64, kind: Kind, bytes: &[u8]) -> io::Result<()> {
        let mut socket = locked(&self.0);
        socket.write_all(&head(id, kind, bytes.len()))?;
        socket.write_all(bytes)
    }

    /// Says how a request ended.
    fn end(&self, id: u64, done: Result<(), String>) -> io::Result<()> {
        match done {
            Ok(()) => self.send(id, Kind::Done, &[]),
            Err(reason) => {
                let bytes = reason.as_bytes();
                self.send(id, Kind::Failed, &bytes[..bytes.len().min(FRAME_BYTES)])
            }
        }
    }
}

/// Sends what is written to it as parts of an answer.
struct Part<'a> {
    id: u64,
    replies: &'a Replies,
}

impl Write for Part<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let part = &bytes[..bytes.len().min(FRAME_BYTES)];
        self.replies.send(self.id, Kind::Rows, part)?;
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
