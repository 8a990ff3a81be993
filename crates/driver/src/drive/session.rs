//! What an engine implements to take point operations.

use std::fmt;

use async_trait::async_trait;
use bakeoff_stats::{DesignInfo, FailureKind, ServerSample};

use super::Worker;
use crate::{Design, DesignError};

/// One operation of a mix, before it is turned into a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Counts over all threads, shards and loads. What is drawn for an operation is a pure function
    /// of the seed and this number.
    pub number: u64,
    /// Its place in `Mix::operations`.
    pub operation: usize,
    /// The row it is for. A batch has the rows `row`, `row + row_step`, `row + 2 * row_step`, ...
    pub row: u64,
    /// Distance of the rows of a batch: new rows of one worker are not neighbours, since the
    /// workers of all threads and shards take turns.
    pub row_step: u64,
    /// Whether the row is certain to be there: it was loaded, or its insert was acknowledged.
    pub row_exists: bool,
}

/// Why an operation did not do what it should.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub kind: FailureKind,
    /// In words for the user, with what was asked and what came.
    pub message: String,
}

impl Failure {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Failure {
            kind,
            message: message.into(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

/// What an operation that succeeded brought back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Done {
    /// Rows returned or written.
    pub rows: u64,
    /// Bytes of values returned or written.
    pub bytes: u64,
    /// A conditional write whose condition did not hold: neither an error nor a write.
    pub not_applied: bool,
}

/// The operations of one design for one worker thread, with connections of its own. Lives on that
/// thread, so it need not be `Send`.
///
/// The clock runs during [`Session::send`] only: values are made before, replies checked after.
#[expect(async_fn_in_trait, reason = "sessions stay on their thread")]
pub trait Session {
    type Request;
    type Reply;

    /// Makes everything that the operation sends.
    fn request(&self, call: &Call) -> Self::Request;

    /// Sends the request and waits for the whole reply.
    async fn send(&self, request: &Self::Request) -> Result<Self::Reply, Failure>;

    /// Compares the reply with what has to come: [`FailureKind::Wrong`] or
    /// [`FailureKind::Missing`] if it does not.
    fn check(&self, request: &Self::Request, reply: Self::Reply) -> Result<Done, Failure>;
}

/// A design that takes point operations.
#[async_trait]
pub trait Target: Send + Sync {
    fn info(&self) -> &DesignInfo;

    /// What creates, loads, settles and measures its table; `None` when it holds nothing.
    fn design(&self) -> Option<&dyn Design>;

    /// Prepares what all workers share, when the table is there.
    async fn prepare(&self) -> Result<(), DesignError>;

    /// Carries out one worker's share, on the thread that calls it, from within its current-thread
    /// runtime: connects, and passes a [`Session`] to [`Worker::run`].
    ///
    /// # Errors
    /// If there is no connection, or a statement cannot be prepared.
    fn work<'a>(
        &'a self,
        worker: Worker,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<(), DesignError>> + 'a>>;

    /// What the server has used up to now; empty where it cannot be seen.
    async fn sample(&self) -> ServerSample;

    /// Executes a statement of the mix's background, as written.
    async fn execute(&self, statement: &str) -> Result<(), DesignError>;
}
