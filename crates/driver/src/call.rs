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
    ended.unwrap_or_else(|_| {
        let limit = rounded(limit);
        Err(DesignError(format!("it did not end within {limit:?}")))
    })
}

/// Rounds a limit for a message, since what a budget leaves has nanoseconds.
fn rounded(limit: Duration) -> Duration {
    let milliseconds = limit.as_millis() as u64;
    let step = match milliseconds {
        0..10 => return limit,
        10..1_000 => 10,
        _ => 100,
    };
    Duration::from_millis((milliseconds + step / 2) / step * step)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_limit_is_told_in_round_figures() {
        for (limit, told) in [
            (Duration::from_nanos(663_543_652), "660ms"),
            (Duration::from_nanos(2_265_916_170), "2.3s"),
            (Duration::from_nanos(998_000_001), "1s"),
            (Duration::from_micros(4_300), "4.3ms"),
            (Duration::from_secs(600), "600s"),
        ] {
            assert_eq!(format!("{:?}", rounded(limit)), told);
        }
        let never = std::future::pending::<Result<(), DesignError>>();
        let ended = within(Duration::from_nanos(21_543_652), never).await;
        assert_eq!(ended.unwrap_err().0, "it did not end within 20ms");
    }
}
