//! Calls to an engine: the time that one may take, and how it ended.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;

use crate::{Design, DesignError};

/// Returns the result of a call, or an error if part of its engine has died. Checked after the clock has
/// stopped: a cluster that lost a node is another cluster, whose figures are not those of the design.
pub(crate) fn if_whole<T>(
    design: &dyn Design,
    result: Result<T, DesignError>,
) -> Result<T, DesignError> {
    match design.dead() {
        Some(_) if result.is_ok() => Err(DesignError::new(
            "the call succeeded after part of the engine had died",
        )),
        _ => result,
    }
}

/// Waits for a call to an engine, and turns a panic into an error of that design alone.
pub(crate) async fn catch_panic<T>(
    call: impl Future<Output = Result<T, DesignError>>,
) -> Result<T, DesignError> {
    let ended = AssertUnwindSafe(call).catch_unwind().await;
    ended.unwrap_or_else(|panic| Err(DesignError(describe_panic(panic.as_ref()))))
}

/// Waits for a call to an engine as [`catch_panic`] does, but no longer than `limit`.
pub(crate) async fn within<T>(
    limit: Duration,
    call: impl Future<Output = Result<T, DesignError>>,
) -> Result<T, DesignError> {
    let ended = tokio::time::timeout(limit, catch_panic(call)).await;
    ended.unwrap_or_else(|_| Err(DesignError(format!("it did not end within {limit:?}"))))
}

/// Describes a panic by its message.
pub(crate) fn describe_panic(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!(
        "a bug in Bakeoff or in a library of this engine: {}",
        text.unwrap_or("it panicked without a message")
    )
}
