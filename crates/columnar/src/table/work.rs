//! Work for a processor, which async tasks are not held up by.

use std::thread::available_parallelism;

use tokio::task::{JoinError, spawn_blocking};

use crate::{Error, Result};

/// Does it on a thread for such.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    spawn_blocking(work).await.map_err(panicked)?
}

pub fn panicked(error: JoinError) -> Error {
    Error::Internal(format!("writing chunks ended early: {error}"))
}

/// That can work at once.
pub fn threads() -> usize {
    available_parallelism().map_or(1, usize::from)
}
