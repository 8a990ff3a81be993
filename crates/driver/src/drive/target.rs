//! A design as something that takes point operations.

use async_trait::async_trait;
use bakeoff_stats::{DesignInfo, ServerSample};

use super::Worker;
use crate::{Design, DesignError};

/// A design that takes point operations.
#[async_trait]
pub trait Target: Send + Sync {
    fn info(&self) -> &DesignInfo;

    /// What creates, loads, settles and measures its table; `None` when it holds nothing.
    fn design(&self) -> Option<&dyn Design>;

    /// Prepares what all workers share, when the table is there.
    async fn prepare(&self) -> Result<(), DesignError>;

    /// Carries out one worker's share, on the thread that calls it, from within its current-thread
    /// runtime: connects, and passes a [`Session`](super::Session) to [`Worker::run`].
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
