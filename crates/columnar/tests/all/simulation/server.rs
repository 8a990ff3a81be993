//! A server for the driver, on a port of this machine.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::coordinator::{Coordinator, Part, Reply};
use super::wire::{self, Request};

/// A server, which ends when it is dropped.
pub struct Server {
    pub address: SocketAddr,
    accepting: AbortHandle,
}

impl Server {
    pub async fn start(coordinator: &Arc<Coordinator>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let coordinator = Arc::clone(coordinator);
        let accepting = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                socket.set_nodelay(true).unwrap();
                tokio::spawn(serve(socket, Arc::clone(&coordinator)));
            }
        });
        Server {
            address,
            accepting: accepting.abort_handle(),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Serves a connection. Requests are answered in the order in which their answers are there.
async fn serve(socket: TcpStream, coordinator: Arc<Coordinator>) {
    let (requests, mut responses) = socket.into_split();
    let mut requests = BufReader::new(requests);
    let (answered, mut to_send) = mpsc::unbounded_channel::<Vec<u8>>();
    tokio::spawn(async move {
        while let Some(response) = to_send.recv().await {
            if responses.write_all(&response).await.is_err() {
                return;
            }
        }
    });
    while let Ok(request) = wire::read_request(&mut requests).await {
        coordinator.timeline.act();
        let (coordinator, answered) = (Arc::clone(&coordinator), answered.clone());
        tokio::spawn(async move {
            let stream = request.stream;
            let (opcode, body) = answer(&coordinator, request).await;
            coordinator.timeline.act();
            // Nobody may be connected any more.
            drop(answered.send(wire::response(stream, opcode, &body)));
        });
    }
}

async fn answer(coordinator: &Coordinator, request: Request) -> Reply {
    let mut body = request.body;
    match request.opcode {
        // There are no options.
        wire::OPTIONS => (wire::SUPPORTED, Bytes::from_static(&[0, 0])),
        wire::STARTUP | wire::REGISTER => (wire::READY, Bytes::new()),
        wire::PREPARE => coordinator.prepare(&wire::long_text(&mut body)),
        wire::QUERY => {
            let cql = wire::long_text(&mut body);
            let parameters = wire::parameters(&mut body);
            coordinator.execute(&cql, &parameters).await
        }
        wire::EXECUTE => {
            // A prepared statement is named by its text.
            let cql = wire::short_text(&mut body);
            let parameters = wire::parameters(&mut body);
            coordinator.execute(&cql, &parameters).await
        }
        wire::BATCH => {
            // The kind of the batch.
            body.advance(1);
            let number = body.get_u16();
            let parts: Vec<Part> = (0..number).map(|_| part(&mut body)).collect();
            coordinator.batch(&parts, body.get_u16()).await
        }
        other => panic!("no request {other}"),
    }
}

/// Reads a prepared statement of a batch.
fn part(body: &mut Bytes) -> Part {
    assert_eq!(body.get_u8(), 1, "a batch has prepared statements only");
    (wire::short_text(body), wire::values(body))
}
