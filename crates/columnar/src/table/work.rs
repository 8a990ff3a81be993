//! Running CPU-bound work on threads where it delays no asynchronous task.

use std::thread::available_parallelism;

use tokio::task::{JoinError, spawn_blocking};

use crate::{Error, Result};

/// Runs a function on a thread for blocking work.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    spawn_blocking(work).await.map_err(panicked)?
}

/// Converts the panic of a task to an error.
pub fn panicked(error: JoinError) -> Error {
    Error::Internal(format!("writing chunks ended early: {error}"))
}

/// Returns the number of threads that can work at the same time.
pub fn threads() -> usize {
    available_parallelism().map_or(1, usize::from)
}
