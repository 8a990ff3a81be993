//! Calls to an engine: the time that one may take, and how it ended.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;

use crate::{Design, DesignError};

/// What a call came to, judged after the clock has stopped: from an engine of which a part is gone
/// it is the figure of another one.
pub(crate) fn if_whole<T>(
    design: &dyn Design,
    result: Result<T, DesignError>,
) -> Result<T, DesignError> {
    match design.dead() {
        Some(_) if result.is_ok() => Err(DesignError::new("it went on, but not as it began")),
        _ => result,
    }
}

/// Waits for a call to an engine. A panic in a design is that design's failure; the others go on.
pub(crate) async fn caught<T>(
    call: impl Future<Output = Result<T, DesignError>>,
) -> Result<T, DesignError> {
    let ended = AssertUnwindSafe(call).catch_unwind().await;
    ended.unwrap_or_else(|panic| Err(DesignError(describe_panic(panic.as_ref()))))
}

/// Waits for a call to an engine as [`caught`] does, but no longer than `limit`.
pub(crate) async fn within<T>(
    limit: Duration,
    call: impl Future<Output = Result<T, DesignError>>,
) -> Result<T, DesignError> {
    let ended = tokio::time::timeout(limit, caught(call)).await;
    ended.unwrap_or_else(|_| Err(DesignError(format!("no end after {limit:?}; given up"))))
}

pub(crate) fn describe_panic(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!(
        "a bug in Bakeoff or in a library of this engine: {}",
        text.unwrap_or("it panicked without a message")
    )
}
