//! How one worker thread performs the operations of one design.

use super::{Call, Done, Failure};

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

    /// Compares the reply with what has to come.
    ///
    /// # Errors
    /// [`FailureKind::Wrong`](bakeoff_stats::FailureKind::Wrong) or
    /// [`FailureKind::Missing`](bakeoff_stats::FailureKind::Missing) if it is something else.
    fn check(&self, request: &Self::Request, reply: Self::Reply) -> Result<Done, Failure>;
}
