//! The connections of one worker thread, each with all statements of the mix prepared on it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bakeoff_driver::DesignError;
use futures::future::{join_all, try_join_all};
use tokio_postgres::{Client, Statement};

use super::plan::{OperationPlan, Work};
use super::unanswered::Unanswered;
use crate::postgres::connect::{PostgresServer, reason};

/// Interval at which broken connections are replaced, and the server is asked whether it is done with requests that
/// were given up.
const RECONNECT_AFTER: Duration = Duration::from_millis(500);

/// What each connection is made with.
#[derive(Clone)]
pub struct Connecting {
    pub server: PostgresServer,
    /// Statements that set up a connection.
    pub settings: String,
    pub plans: Arc<Vec<OperationPlan>>,
}

impl Connecting {
    /// Connects, and prepares the statement of each operation that has one.
    ///
    /// # Errors
    /// Fails if the server takes no connection, or refuses a statement.
    pub async fn connect(&self) -> Result<Connection, DesignError> {
        let client = self.server.connect(&self.settings).await?;
        let mut statements = Vec::with_capacity(self.plans.len());
        for plan in self.plans.iter() {
            if matches!(plan.work, Work::Query(_)) {
                statements.push(None);
                continue;
            }
            let prepared = client.prepare_typed(&plan.sql, &plan.types()).await;
            let prepared = prepared.map_err(|error| {
                DesignError(format!(
                    "operation `{}`: preparing `{}` failed: {}",
                    plan.name,
                    plan.sql,
                    reason(&error)
                ))
            })?;
            statements.push(Some(prepared));
        }
        Ok(Connection {
            client,
            statements,
            unanswered: Unanswered::default(),
        })
    }
}

/// A connection with a statement for each operation, by the operation's number; queries have none.
pub struct Connection {
    pub client: Client,
    pub statements: Vec<Option<Statement>>,
    pub unanswered: Unanswered,
}

impl Connection {
    /// Waits until the server has answered all requests, also those that were given up.
    async fn await_replies(&self) {
        let asked = self.unanswered.begin();
        if self.client.batch_execute("").await.is_ok() {
            asked.answered();
        }
    }
}

/// The connections of one worker thread. Requests on one connection are sent without waiting for the replies before,
/// and answered in their order.
pub struct Connections {
    connecting: Connecting,
    open: RefCell<Vec<Rc<Connection>>>,
}

impl Connections {
    /// Opens so many connections at the same time.
    ///
    /// # Errors
    /// Those of [`Connecting::connect`].
    pub async fn open(connecting: Connecting, count: usize) -> Result<Self, DesignError> {
        let opened = try_join_all((0..count).map(|_| connecting.connect())).await?;
        Ok(Connections {
            connecting,
            open: RefCell::new(opened.into_iter().map(Rc::new).collect()),
        })
    }

    /// Returns the connection with the fewest requests that are not answered. Where all are broken, waits until they
    /// were to be replaced, and returns `None` if none was.
    pub async fn least_busy(&self) -> Option<Rc<Connection>> {
        if let Some(connection) = self.find_least_busy() {
            return Some(connection);
        }
        tokio::time::sleep(2 * RECONNECT_AFTER).await;
        self.find_least_busy()
    }

    fn find_least_busy(&self) -> Option<Rc<Connection>> {
        let open = self.open.borrow();
        let usable = open.iter().filter(|c| !c.client.is_closed());
        usable.min_by_key(|c| c.unanswered.count()).cloned()
    }

    /// Replaces broken connections, learns when given up requests are done, and never ends.
    pub async fn keep(&self) {
        tokio::join!(self.replace_broken(), self.await_given_up());
    }

    /// Learns when the server is done with requests that were given up, without which their connections would count as
    /// busy for as long as no other request is sent on them.
    async fn await_given_up(&self) {
        loop {
            tokio::time::sleep(RECONNECT_AFTER).await;
            let open = self.open.borrow().clone();
            let waiting = open.iter().filter(|c| c.unanswered.take_given_up());
            join_all(waiting.map(|c| c.await_replies())).await;
        }
    }

    async fn replace_broken(&self) {
        loop {
            tokio::time::sleep(RECONNECT_AFTER).await;
            for place in self.broken() {
                match self.connecting.connect().await {
                    Ok(connection) => self.replace(place, connection),
                    Err(error) => {
                        tracing::debug!("a connection was not replaced: {error}");
                        break;
                    }
                }
            }
        }
    }

    /// Returns the places of the connections that are broken.
    fn broken(&self) -> Vec<usize> {
        let open = self.open.borrow();
        let closed = |place: &usize| open[*place].client.is_closed();
        (0..open.len()).filter(closed).collect()
    }

    fn replace(&self, place: usize, connection: Connection) {
        if let Some(old) = self.open.borrow_mut().get_mut(place) {
            *old = Rc::new(connection);
        }
    }
}
