//! The trait by which one worker thread performs the operations of one design.

use super::{Call, Done, Failure};

/// Performs the operations of one design for one worker thread, on its own connections. A session stays on
/// its thread, so it need not be `Send`.
///
/// Only [`Session::send`] is timed: values are made before it, and replies are checked after it.
#[expect(async_fn_in_trait, reason = "sessions stay on their thread")]
pub trait Session {
    /// Request with all values that it sends.
    type Request;
    /// Reply as it was received.
    type Reply;

    /// Makes the request of an operation.
    fn request(&self, call: &Call) -> Self::Request;

    /// Sends the request and waits for the whole reply.
    async fn send(&self, request: &Self::Request) -> Result<Self::Reply, Failure>;

    /// Compares the reply with the right one.
    ///
    /// # Errors
    /// [`FailureKind::Wrong`](bakeoff_stats::FailureKind::Wrong) or
    /// [`FailureKind::Missing`](bakeoff_stats::FailureKind::Missing) if they differ.
    fn check(&self, request: &Self::Request, reply: Self::Reply) -> Result<Done, Failure>;
}
