//! A connection that many requests share, each with its own stream.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::Login;
use super::frames::{Execute, Frame, split_frame};
use super::handshake::connect;
use crate::cassandra::drive::cells::Cells;

/// Time limit of connecting and logging in.
const CONNECT_TIME_LIMIT: Duration = Duration::from_secs(5);
/// Size of the buffer for replies, in bytes.
const READ_BYTES: usize = 64 << 10;
/// Maximum number of streams: their numbers are the non-negative ones of a signed 16-bit integer.
const MAX_STREAMS: usize = 1 << 15;

/// A connection that accepts requests, and is closed when it is dropped.
pub struct Connection {
    shared: Arc<Shared>,
    tasks: [AbortHandle; 2],
}

/// The reason why a request has no reply.
#[derive(Debug)]
pub enum NoReply {
    /// The request was not sent, since the connection is broken or has no free stream.
    Unsent,
    /// The connection broke before the reply was received.
    Broken(String),
}

/// The part of a connection that requests share with the tasks that read and write.
struct Shared {
    state: Mutex<State>,
    /// Notified when there are bytes to send after there were none.
    unsent: Notify,
}

#[derive(Default)]
struct State {
    /// Requests that are not written yet.
    unsent: Vec<u8>,
    /// Streams by their numbers.
    streams: Vec<Stream>,
    /// Numbers of the free streams.
    free: Vec<u16>,
    /// Reason why the connection is broken, if it is.
    broken: Option<String>,
}

/// The state of a stream.
enum Stream {
    Free,
    Waiting(Option<Waker>),
    Answered(Frame),
    /// Expects a reply that no request waits for any more.
    Abandoned,
}

impl Connection {
    /// Connects, and spawns the tasks that serve the connection in the current runtime.
    pub async fn open(address: SocketAddr, login: Option<&Login>) -> io::Result<Self> {
        let opened = tokio::time::timeout(CONNECT_TIME_LIMIT, connect(address, login)).await;
        let (from, to) = opened??.into_split();
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            unsent: Notify::new(),
        });
        let reads = tokio::spawn(shared.clone().end_with(shared.clone().read(from)));
        let writes = tokio::spawn(shared.clone().end_with(shared.clone().write(to)));
        Ok(Connection {
            shared,
            tasks: [reads.abort_handle(), writes.abort_handle()],
        })
    }

    pub fn is_broken(&self) -> bool {
        self.shared.state().broken.is_some()
    }

    /// Sends a request, and waits for its reply.
    pub async fn execute(
        &self,
        request: &Execute,
        cells: &Cells,
        write_time: Option<i64>,
    ) -> Result<Frame, NoReply> {
        let stream = self.shared.send(request, cells, write_time);
        let reply = PendingReply {
            shared: &self.shared,
            stream: stream.ok_or(NoReply::Unsent)?,
        };
        poll_fn(|cx| reply.poll(cx)).await
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

/// The reply that a request waits for, whose stream is freed when it was taken or is not wanted.
struct PendingReply<'a> {
    shared: &'a Shared,
    stream: u16,
}

impl PendingReply<'_> {
    fn poll(&self, cx: &Context<'_>) -> Poll<Result<Frame, NoReply>> {
        let mut state = self.shared.state();
        let stream = &mut state.streams[usize::from(self.stream)];
        match std::mem::replace(stream, Stream::Free) {
            Stream::Answered(frame) => return Poll::Ready(Ok(frame)),
            _ => *stream = Stream::Waiting(Some(cx.waker().clone())),
        }
        match &state.broken {
            Some(why) => Poll::Ready(Err(NoReply::Broken(why.clone()))),
            None => Poll::Pending,
        }
    }
}

impl Drop for PendingReply<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        match &mut state.streams[usize::from(self.stream)] {
            // The number must not be reused before the reply to it was received.
            waiting @ Stream::Waiting(_) => *waiting = Stream::Abandoned,
            other => {
                *other = Stream::Free;
                state.free.push(self.stream);
            }
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a request to the task that writes; `None` if it cannot be sent.
    fn send(&self, request: &Execute, cells: &Cells, write_time: Option<i64>) -> Option<u16> {
        let mut state = self.state();
        let stream = state.take_stream()?;
        let none_before = state.unsent.is_empty();
        request.append(stream, cells, write_time, &mut state.unsent);
        drop(state);
        if none_before {
            self.unsent.notify_one();
        }
        Some(stream)
    }

    /// Writes requests, all those at once that were added during the last write.
    async fn write(self: Arc<Self>, mut to: OwnedWriteHalf) -> io::Result<()> {
        let mut bytes = Vec::new();
        loop {
            self.unsent.notified().await;
            std::mem::swap(&mut self.state().unsent, &mut bytes);
            to.write_all(&bytes).await?;
            bytes.clear();
        }
    }

    /// Reads replies, and delivers them to their requests.
    async fn read(self: Arc<Self>, mut from: OwnedReadHalf) -> io::Result<()> {
        let mut buffer = BytesMut::with_capacity(READ_BYTES);
        loop {
            buffer.reserve(READ_BYTES / 4);
            if from.read_buf(&mut buffer).await? == 0 {
                return Err(io::Error::other("the server closed the connection"));
            }
            let mut state = self.state();
            while let Some((stream, frame)) = split_frame(&mut buffer).map_err(io::Error::other)? {
                state.deliver(stream, frame)?;
            }
        }
    }

    /// Runs a task until the connection breaks, and then wakes all requests that wait.
    async fn end_with(self: Arc<Self>, task: impl Future<Output = io::Result<()>>) {
        let Err(error) = task.await else {
            return;
        };
        let mut state = self.state();
        state.broken.get_or_insert(error.to_string());
        for stream in &mut state.streams {
            if let Stream::Waiting(waker) = stream
                && let Some(waker) = waker.take()
            {
                waker.wake();
            }
        }
    }
}

impl State {
    fn take_stream(&mut self) -> Option<u16> {
        if self.broken.is_some() {
            return None;
        }
        if let Some(stream) = self.free.pop() {
            self.streams[usize::from(stream)] = Stream::Waiting(None);
            return Some(stream);
        }
        if self.streams.len() == MAX_STREAMS {
            return None;
        }
        self.streams.push(Stream::Waiting(None));
        u16::try_from(self.streams.len() - 1).ok()
    }

    fn deliver(&mut self, number: u16, frame: Frame) -> io::Result<()> {
        let stream = self.streams.get_mut(usize::from(number));
        match stream {
            Some(waiting @ Stream::Waiting(_)) => {
                let before = std::mem::replace(waiting, Stream::Answered(frame));
                if let Stream::Waiting(Some(waker)) = before {
                    waker.wake();
                }
            }
            Some(abandoned @ Stream::Abandoned) => {
                *abandoned = Stream::Free;
                self.free.push(number);
            }
            _ => return Err(io::Error::other("the server sent a reply to no request")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_testing::peer::{Peer, READY};
    use bytes::Bytes;
    use futures::future::join_all;
    use scylla::statement::Consistency;
    use tokio::net::TcpListener;

    use super::super::frames::Answer;
    use super::*;
    use crate::cassandra::drive::cells::Cell;

    async fn pair() -> (Connection, Peer) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (opened, peer) = tokio::join!(Connection::open(address, None), async {
            let mut peer = Peer::accept(&listener).await;
            let (stream, _) = peer.take().await;
            peer.reply(stream, READY, &[]).await;
            peer
        });
        (opened.unwrap(), peer)
    }

    async fn ask_for(connection: &Connection, key: u8) -> Result<u8, NoReply> {
        let request = Execute {
            id: Bytes::from_static(b"id"),
            consistency: Consistency::One,
        };
        let mut cells = Cells::default();
        cells.push_bytes(&[key]);
        let frame = connection.execute(&request, &cells, None).await?;
        let Answer::Rows(rows) = frame.into_answer().unwrap() else {
            panic!("no rows");
        };
        let cell = rows.iter().next().unwrap().next().unwrap();
        match cell {
            Cell::Value([key]) => Ok(*key),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn replies_in_any_order_find_their_requests() {
        let (connection, mut peer) = pair().await;
        let asked = join_all((0..50).map(|key| ask_for(&connection, key)));
        let (replies, ()) = tokio::join!(asked, async {
            let mut requests = Vec::new();
            for _ in 0..50 {
                requests.push(peer.take().await);
            }
            for request in requests.into_iter().rev() {
                peer.echo(request).await;
            }
        });
        let keys: Vec<u8> = replies.into_iter().map(Result::unwrap).collect();
        assert_eq!(keys, (0..50).collect::<Vec<u8>>());
    }

    #[tokio::test]
    async fn a_stream_that_was_given_up_is_not_used_until_its_reply_came() {
        let (connection, mut peer) = pair().await;
        let limit = Duration::from_millis(20);
        let given_up = tokio::time::timeout(limit, ask_for(&connection, 1)).await;
        assert!(given_up.is_err());
        let late = peer.take().await;
        let (next, used) = tokio::join!(ask_for(&connection, 2), async {
            let request = peer.take().await;
            let used = request.0;
            peer.echo(late.clone()).await;
            peer.echo(request).await;
            used
        });
        assert_eq!(next.unwrap(), 2);
        assert_ne!(used, late.0);
        let (again, used) = tokio::join!(ask_for(&connection, 3), async {
            let request = peer.take().await;
            let used = request.0;
            peer.echo(request).await;
            used
        });
        assert_eq!(again.unwrap(), 3);
        assert!(used <= 1, "{used}");
    }

    #[tokio::test]
    async fn a_connection_that_breaks_fails_all_requests() {
        let (connection, mut peer) = pair().await;
        let asked = join_all((0..3).map(|key| ask_for(&connection, key)));
        let (replies, ()) = tokio::join!(asked, async move {
            let request = peer.take().await;
            peer.echo(request).await;
        });
        let [Ok(0), Err(NoReply::Broken(why)), Err(NoReply::Broken(_))] = replies.as_slice() else {
            panic!("{replies:?}");
        };
        assert!(!why.is_empty());
        assert!(connection.is_broken());
        let after = ask_for(&connection, 4).await;
        assert!(matches!(after, Err(NoReply::Unsent)), "{after:?}");
    }

    #[tokio::test]
    async fn a_reply_to_no_request_ends_the_connection() {
        let (connection, mut peer) = pair().await;
        let (reply, ()) = tokio::join!(ask_for(&connection, 1), async {
            let (stream, body) = peer.take().await;
            peer.echo((stream + 1, body)).await;
        });
        let Err(NoReply::Broken(why)) = reply else {
            panic!("{reply:?}");
        };
        assert!(why.contains("no request"), "{why}");
    }
}
