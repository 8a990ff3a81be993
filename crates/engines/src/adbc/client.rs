//! This side of the socket to the process of a driver.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use arrow::datatypes::Schema;
use arrow::ipc::writer::StreamWriter;
use arrow::record_batch::RecordBatch;
use bakeoff_driver::{Answer, DesignError};
use bakeoff_servers::DriverProcess;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;

use super::HostProgram;
use super::about::About;
use super::answer::{Conversion, StreamedAnswer};
use super::protocol::{Call, Database, HEAD_BYTES, INGEST_BYTES, Kind, Request, Step, read_head};
use super::secrets::Secrets;
use crate::EngineError;

/// Frames of an answer that may wait until they are decoded.
const WAITING_FRAMES: usize = 8;

/// What comes back for one request.
enum Reply {
    Rows(Vec<u8>),
    Done,
    Failed(String),
}

/// The requests that wait for replies, by their numbers; `None` when the process has closed the socket.
type Waiting = Mutex<Option<HashMap<u64, mpsc::Sender<Reply>>>>;

/// A process with a driver and the database that it has opened.
pub struct Host {
    process: Arc<DriverProcess>,
    requests: tokio::sync::Mutex<OwnedWriteHalf>,
    waiting: Arc<Waiting>,
    last_id: AtomicU64,
    /// What is hidden in the driver's messages.
    secrets: Secrets,
    /// Whether this process has killed it, as nobody waited for a reply any more.
    given_up: AtomicBool,
    /// Why it has ended by itself.
    crashed: OnceLock<String>,
}

impl Host {
    /// Starts the process and lets it open a database.
    ///
    /// # Errors
    /// Fails if the process cannot be started, or the driver cannot be loaded or refuses the database.
    pub async fn open(program: &HostProgram, database: &Database) -> Result<Host, DesignError> {
        let host = Host::start(program, database.secrets.clone())?;
        let opened = host.call(Request::Open(database.clone()), &[], |_| Ok(()));
        match (opened.await, host.crashed()) {
            (Ok(()), _) => Ok(host),
            (Err(_), Some(why)) => Err(DesignError(why)),
            (Err(error), None) => Err(error),
        }
    }

    fn start(program: &HostProgram, secrets: Secrets) -> Result<Host, EngineError> {
        let started = DriverProcess::start(&program.program, &program.arguments);
        let (process, socket) = started?;
        let socket = socket
            .set_nonblocking(true)
            .and_then(|()| UnixStream::from_std(socket));
        let socket = socket
            .map_err(|e| EngineError(format!("talking to the process of a driver failed: {e}")))?;
        let (replies, requests) = socket.into_split();
        let waiting = Arc::new(Mutex::new(Some(HashMap::new())));
        tokio::spawn(distribute(replies, Arc::clone(&waiting)));
        Ok(Host {
            process: Arc::new(process),
            requests: tokio::sync::Mutex::new(requests),
            waiting,
            last_id: AtomicU64::new(0),
            secrets,
            given_up: AtomicBool::new(false),
            crashed: OnceLock::new(),
        })
    }

    /// Runs statements in this order.
    ///
    /// # Errors
    /// Returns the driver's message for the first that fails.
    pub async fn execute(&self, statements: &[String]) -> Result<(), DesignError> {
        let statements = statements.to_vec();
        self.call(Request::Execute { statements }, &[], |_| Ok(()))
            .await
    }

    /// Adds rows to a table.
    ///
    /// # Errors
    /// Returns the driver's message, or that they are too large for one ingest.
    pub async fn ingest(&self, table: &str, rows: &RecordBatch) -> Result<(), DesignError> {
        let bytes = encoded(&rows.schema(), Some(rows)).map_err(DesignError)?;
        let request = Request::Ingest {
            table: table.to_owned(),
            create: false,
            bytes: bytes.len() as u64,
        };
        self.call(request, &bytes, |_| Ok(())).await
    }

    /// Makes an empty table, whose types are the driver's for those of Arrow.
    ///
    /// # Errors
    /// Returns the driver's message, as for a table that exists.
    pub async fn create(&self, table: &str, schema: &Schema) -> Result<(), DesignError> {
        let bytes = encoded(schema, None).map_err(DesignError)?;
        let request = Request::Ingest {
            table: table.to_owned(),
            create: true,
            bytes: bytes.len() as u64,
        };
        self.call(request, &bytes, |_| Ok(())).await
    }

    /// Begins or ends a transaction of statements and ingests.
    ///
    /// # Errors
    /// Returns the driver's message, as where it has no transactions.
    pub async fn transaction(&self, step: Step) -> Result<(), DesignError> {
        self.call(Request::Transaction(step), &[], |_| Ok(())).await
    }

    /// Asks the driver for its name and version and for those of its database.
    ///
    /// # Errors
    /// Returns why the process has ended.
    pub async fn about(&self) -> Result<About, DesignError> {
        let mut answer = StreamedAnswer::default();
        let asked = self.call(Request::About, &[], |part| answer.add(part));
        asked.await?;
        let answer = answer.complete().map_err(DesignError)?;
        Ok(About::read(&answer.batches))
    }

    /// Asks a query, and reads its answer to the last row. Its rows are converted as they come, if there is
    /// a conversion.
    ///
    /// # Errors
    /// Returns the driver's message, or that the answer cannot be held.
    pub async fn ask(
        &self,
        sql: &str,
        conversion: Option<Conversion>,
    ) -> Result<Answer, DesignError> {
        let request = Request::Ask {
            sql: sql.to_owned(),
        };
        let mut answer = StreamedAnswer::converted(conversion);
        self.call(request, &[], |part| answer.add(part)).await?;
        answer.complete().map_err(DesignError)
    }

    /// Returns why the process has ended by itself; `None` while nothing is known of that.
    pub fn crashed(&self) -> Option<String> {
        self.crashed.get().cloned()
    }

    /// Returns whether the process was killed since nobody waited for a reply any more.
    pub fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    pub fn cpu_seconds(&self) -> Option<f64> {
        self.process.cpu_seconds()
    }

    /// Sends a request, hands out the parts of its answer, and waits for its end.
    async fn call(
        &self,
        request: Request,
        payload: &[u8],
        mut on_rows: impl FnMut(Vec<u8>) -> Result<(), String> + Send,
    ) -> Result<(), DesignError> {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed);
        let mut line = serde_json::to_vec(&Call { id, request })
            .map_err(|e| DesignError(format!("a request cannot be written: {e}")))?;
        line.push(b'\n');
        let (sender, mut replies) = mpsc::channel(WAITING_FRAMES);
        match &mut *locked(&self.waiting) {
            Some(waiting) => drop(waiting.insert(id, sender)),
            // Then nothing comes, and the sender is gone.
            None => drop(sender),
        }
        let mut abandoned = Abandoned {
            host: self,
            is_over: false,
        };
        // If this fails, the process has ended, and so have the replies.
        self.send(&line, payload).await.ok();
        let mut trouble = None;
        loop {
            match replies.recv().await {
                Some(Reply::Rows(part)) if trouble.is_none() => trouble = on_rows(part).err(),
                // The rest of an answer that is an error already.
                Some(Reply::Rows(_)) => {}
                Some(Reply::Done) => break,
                Some(Reply::Failed(reason)) => {
                    abandoned.is_over = true;
                    return Err(DesignError(self.secrets.hide(&reason)));
                }
                None => {
                    abandoned.is_over = true;
                    return Err(self.ended().await);
                }
            }
        }
        abandoned.is_over = true;
        trouble.map_or(Ok(()), |reason| Err(DesignError(reason)))
    }

    async fn send(&self, line: &[u8], payload: &[u8]) -> std::io::Result<()> {
        let mut requests = self.requests.lock().await;
        requests.write_all(line).await?;
        requests.write_all(payload).await
    }

    /// Finds out why the process has ended, and notes it unless we have killed it.
    async fn ended(&self) -> DesignError {
        if self.is_given_up() {
            return DesignError::new("another question to the same process took too long");
        }
        let process = Arc::clone(&self.process);
        let why = tokio::task::spawn_blocking(move || process.why_ended()).await;
        let why = self
            .secrets
            .hide(&why.unwrap_or_else(|error| error.to_string()));
        self.crashed.get_or_init(|| {
            format!("the process that the database's driver was loaded into has ended ({why})")
        });
        DesignError::new("the database's driver is gone")
    }
}

/// Kills a process when the caller stops waiting for a reply, as it would go on with what nobody wants and
/// load the machine uncounted. That ends what a database in the process does; a server goes on with a statement until
/// it notices by itself that its client is gone.
struct Abandoned<'a> {
    host: &'a Host,
    is_over: bool,
}

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.host.given_up.store(true, Ordering::Relaxed);
            self.host.process.kill();
        }
    }
}

/// Reads frames and hands each to the request that waits for it, until the socket is closed or what comes
/// is no frame.
async fn distribute(mut replies: OwnedReadHalf, waiting: Arc<Waiting>) {
    while let Some((id, reply)) = next_reply(&mut replies).await {
        let is_last = !matches!(reply, Reply::Rows(_));
        let sender = match &mut *locked(&waiting) {
            Some(waiting) if is_last => waiting.remove(&id),
            Some(waiting) => waiting.get(&id).cloned(),
            None => None,
        };
        if let Some(sender) = sender {
            // Nobody waits for the reply to a request that was given up.
            sender.send(reply).await.ok();
        }
    }
    // Those who wait learn it from their senders being gone.
    *locked(&waiting) = None;
}

/// Returns the next frame; `None` if nothing comes any more, or what comes is none.
async fn next_reply(replies: &mut (impl AsyncRead + Unpin)) -> Option<(u64, Reply)> {
    let mut head = [0; HEAD_BYTES];
    replies.read_exact(&mut head).await.ok()?;
    let (id, kind, length) = read_head(&head)?;
    let mut bytes = vec![0; length];
    replies.read_exact(&mut bytes).await.ok()?;
    let reply = match kind {
        Kind::Rows => Reply::Rows(bytes),
        Kind::Done => Reply::Done,
        Kind::Failed => Reply::Failed(String::from_utf8_lossy(&bytes).into_owned()),
    };
    Some((id, reply))
}

/// Encodes rows, or none, as an Arrow IPC stream.
fn encoded(schema: &Schema, rows: Option<&RecordBatch>) -> Result<Vec<u8>, String> {
    let written = || {
        let mut writer = StreamWriter::try_new(Vec::new(), schema)?;
        if let Some(rows) = rows {
            writer.write(rows)?;
        }
        writer.finish()?;
        writer.into_inner()
    };
    let bytes = written().map_err(|e| format!("rows cannot be sent to a driver: {e}"))?;
    if bytes.len() as u64 > INGEST_BYTES {
        return Err(format!(
            "{} rows are more than {} MiB, too large to be sent to a driver",
            rows.map_or(0, RecordBatch::num_rows),
            INGEST_BYTES >> 20
        ));
    }
    Ok(bytes)
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod hostile;
