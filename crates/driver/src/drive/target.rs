//! The trait by which a design takes point operations.

use async_trait::async_trait;
use bakeoff_stats::{DesignInfo, ServerSample};

use super::Worker;
use crate::{Design, DesignError};

/// A design that takes point operations.
#[async_trait]
pub trait Target: Send + Sync {
    /// Describes the design.
    fn info(&self) -> &DesignInfo;

    /// Returns the design that creates, loads, settles and measures the table; `None` if nothing is stored.
    fn design(&self) -> Option<&dyn Design>;

    /// Prepares the state that all workers share, once the table exists.
    async fn prepare(&self) -> Result<(), DesignError>;

    /// Carries out one worker's share, on the calling thread and in its current-thread runtime: connects,
    /// and passes a [`Session`](super::Session) to [`Worker::run`].
    ///
    /// # Errors
    /// If connecting or preparing a statement fails.
    fn work<'a>(
        &'a self,
        worker: Worker,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<(), DesignError>> + 'a>>;

    /// Returns the resources that the server has used up to now; empty where they cannot be read.
    async fn sample(&self) -> ServerSample;

    /// Returns the resources that the server has used up to this moment, where [`Target::sample`] may return
    /// those of a moment that is less than a second ago.
    async fn sample_now(&self) -> ServerSample {
        self.sample().await
    }

    /// Executes a statement of the mix's background, as written.
    async fn execute(&self, statement: &str) -> Result<(), DesignError>;

    /// Adds a node to the servers that store the rows, and returns when it has joined them: the bytes that they sent
    /// it, if that is known. If the returned future is dropped, the node ends.
    ///
    /// # Errors
    /// If no node can be added, or it does not join.
    async fn add_node(&self) -> Result<Option<u64>, DesignError> {
        Err(DesignError::new(format!(
            "no node can be added to {}",
            self.info().id
        )))
    }
}
