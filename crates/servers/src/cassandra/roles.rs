//! The roles of a new cluster: only that of our clients may log in.
//!
//! A new cluster has a superuser with a password that everybody knows. Until it may not log in
//! any more, other users of the machine could: what they could leave behind is looked for afterwards.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use super::cql::{Connection, Rows};
use super::credentials::{Login, new_password};
use super::datacenter;
use super::server::Server;
use crate::error::{Error, Result};
use crate::secret::Secret;

/// Name and password of the superuser of a new cluster.
const DEFAULT: &str = "cassandra";
/// Longest time that the roles may take from when the nodes answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longest time that the server may take to notice that a client has left.
const LEAVING: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(20);

/// Makes the role of the nodes' clients the only one that may log in, and waits until it can on every
/// node. The nodes are all of a cluster, and answer.
///
/// # Errors
/// Fails with `Died` or `DiedWithSettings` when one has ended; `Refused` when another user was logged in
/// meanwhile or has made roles, or when the data have roles of which none is ours.
pub(crate) async fn set_up_roles(nodes: &[Server]) -> Result<()> {
    let Some(first) = nodes.first() else {
        return Ok(());
    };
    let roles = Roles {
        nodes,
        login: first.login(),
        superuser: Superuser::at(first.address()),
    };
    roles.set_up().await
}

/// The state of the roles while they are set up.
struct Roles<'a> {
    nodes: &'a [Server],
    login: &'a Login,
    superuser: Superuser,
}

impl Roles<'_> {
    async fn set_up(mut self) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(ended) = self.nodes.iter().find(|node| !node.is_running()) {
                return Err(ended.ended_early());
            }
            match self.try_to_set_up().await {
                Ok(true) => return self.check_alone().await,
                // The server makes the default superuser after it answers, and nodes learn of each
                // other's changes.
                Ok(false) | Err(_) if Instant::now() < deadline => tokio::time::sleep(POLL).await,
                Ok(false) => {
                    return Err(refused(
                        "its data have another password than the file `password` beside them: \
                         restore it, or choose another folder",
                    ));
                }
                Err(error) => return Err(failed(error)),
            }
        }
    }

    /// Returns whether our role can log in on every node.
    async fn try_to_set_up(&mut self) -> io::Result<bool> {
        let password = new_password().map_err(io::Error::other)?;
        let details = self.nodes.first().map(|node| &node.details);
        let has_all_rights = details.is_some_and(|details| details.tuning.checks_rights);
        let on_each = details
            .filter(|details| !details.node.is_alone())
            .map(|details| datacenter::on_each(details.node.of, &details.tuning));
        let statements = statements(on_each.as_deref(), self.login, &password, has_all_rights);
        self.superuser.execute(&statements).await?;
        for node in self.nodes {
            if Connection::open(node.address(), self.login)
                .await?
                .is_none()
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Checks that nobody else became a superuser before the default one was disabled: whoever is logged
    /// in could still make a role, and whoever has a role could still log in.
    async fn check_alone(mut self) -> Result<()> {
        if !self.superuser.was_logged_in {
            return Ok(());
        }
        self.check_clients().await?;
        self.check_roles().await?;
        self.check_clients().await
    }

    async fn check_roles(&mut self) -> Result<()> {
        let found = match &mut self.superuser.connection {
            Some(superuser) => roles(superuser).await,
            // It was lost when the superuser could not log in any more. Ours may read the roles, too.
            None => roles(&mut self.connect(self.superuser.address).await?).await,
        };
        let found = found.map_err(failed)?;
        let ours = [DEFAULT, self.login.user()];
        match found.iter().find(|role| !ours.contains(&role.as_str())) {
            None => Ok(()),
            Some(stranger) => Err(refused(&format!(
                "it has a role `{stranger}` that Bakeoff did not make: choose another folder"
            ))),
        }
    }

    async fn check_clients(&self) -> Result<()> {
        for node in self.nodes {
            self.check_clients_of(node.address()).await?;
        }
        Ok(())
    }

    /// Connects to a node as our role.
    async fn connect(&self, node: SocketAddr) -> Result<Connection> {
        let connection = Connection::open(node, self.login).await.map_err(failed)?;
        connection
            .ok_or_else(|| refused("it has forgotten its password: start again in an empty folder"))
    }

    /// Checks that a node has no clients but the superuser and this one.
    async fn check_clients_of(&self, node: SocketAddr) -> Result<()> {
        let mut connection = self.connect(node).await?;
        let is_at_node = |connection: &&Connection| connection.server == node;
        let superuser = self.superuser.connection.iter();
        let ours = superuser.chain([&connection]).filter(is_at_node);
        let ours: Vec<SocketAddr> = ours.map(|connection| connection.local).collect();
        let deadline = Instant::now() + LEAVING;
        loop {
            let clients = clients(&mut connection).await.map_err(failed)?;
            match clients.into_iter().find(|client| !ours.contains(client)) {
                None => return Ok(()),
                // One that has left is listed for a moment.
                Some(_) if Instant::now() < deadline => tokio::time::sleep(POLL).await,
                Some(stranger) => {
                    return Err(refused(&format!(
                        "another program, at {stranger}, has connected to it before it had a \
                         password: find that program, and start again in an empty folder"
                    )));
                }
            }
        }
    }
}

/// The default superuser of a new cluster.
struct Superuser {
    /// Address of the node that it connects to.
    address: SocketAddr,
    connection: Option<Connection>,
    /// Whether it could ever log in, as others then could, too.
    was_logged_in: bool,
}

impl Superuser {
    fn at(address: SocketAddr) -> Superuser {
        Superuser {
            address,
            connection: None,
            was_logged_in: false,
        }
    }

    /// Executes statements, or does nothing if it cannot log in.
    ///
    /// # Errors
    /// Fails if the server refuses one or does not answer. The next call connects anew, since a reply
    /// to the one that failed may still come.
    async fn execute(&mut self, statements: &[String]) -> io::Result<()> {
        let connection = match self.connection.take() {
            Some(connection) => Some(connection),
            None => {
                let default = Login::new(DEFAULT, Secret::new(DEFAULT));
                Connection::open(self.address, &default).await?
            }
        };
        let Some(mut connection) = connection else {
            return Ok(());
        };
        self.was_logged_in = true;
        for statement in statements {
            connection.execute(statement).await?;
        }
        self.connection = Some(connection);
        Ok(())
    }
}

/// Returns the statements by which our role replaces the default superuser. They may be repeated. It becomes a
/// superuser itself only where it would have no rights otherwise. `on_each` is the replication by which each of several
/// nodes has all rows.
fn statements(
    on_each: Option<&str>,
    login: &Login,
    for_default: &Secret,
    has_all_rights: bool,
) -> Vec<String> {
    let (user, password) = (login.user(), login.password());
    // Any node can then check the password, whichever others run.
    let everywhere = on_each
        .map(|replication| format!("ALTER KEYSPACE system_auth WITH replication = {replication}"));
    let roles = [
        format!("CREATE ROLE IF NOT EXISTS {user} WITH LOGIN = true AND PASSWORD = '{password}'"),
        format!(
            "ALTER ROLE {user} WITH LOGIN = true AND SUPERUSER = {has_all_rights} \
             AND PASSWORD = '{password}'"
        ),
        format!(
            "ALTER ROLE {DEFAULT} WITH LOGIN = false AND PASSWORD = '{}'",
            for_default.reveal()
        ),
    ];
    everywhere.into_iter().chain(roles).collect()
}

async fn roles(connection: &mut Connection) -> io::Result<Vec<String>> {
    let rows = connection
        .rows("SELECT role FROM system_auth.roles")
        .await?;
    role_names(&rows)
}

pub(super) fn role_names(rows: &Rows) -> io::Result<Vec<String>> {
    let rows = rows.rows_iter::<(String,)>().map_err(io::Error::other)?;
    rows.map(|row| row.map(|(role,)| role).map_err(io::Error::other))
        .collect()
}

async fn clients(connection: &mut Connection) -> io::Result<Vec<SocketAddr>> {
    let rows = connection
        .rows("SELECT address, port FROM system_views.clients")
        .await?;
    client_addresses(&rows)
}

pub(super) fn client_addresses(rows: &Rows) -> io::Result<Vec<SocketAddr>> {
    let rows = rows
        .rows_iter::<(IpAddr, i32)>()
        .map_err(io::Error::other)?;
    rows.map(|row| {
        let (address, port) = row.map_err(io::Error::other)?;
        let port = u16::try_from(port).map_err(io::Error::other)?;
        Ok((address, port).into())
    })
    .collect()
}

fn failed(error: io::Error) -> Error {
    refused(&format!(
        "{error}: start it again, and in an empty folder if that comes again"
    ))
}

fn refused(why: &str) -> Error {
    Error::Refused(format!(
        "the Cassandra that was started cannot be used: {why}"
    ))
}

#[cfg(test)]
mod tests {
    use bakeoff_testing::peer::Peer;
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn after_an_error_the_superuser_connects_anew() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut superuser = Superuser::at(listener.local_addr().unwrap());
        let server = tokio::spawn(async move {
            let mut lost = Peer::accept_any_login(&listener).await;
            lost.take().await;
            drop(lost);
            let mut peer = Peer::accept_any_login(&listener).await;
            for _ in 0..2 {
                let (request, _) = peer.take().await;
                peer.reply_done(request).await;
            }
        });
        let statements = ["one", "another"].map(str::to_owned);
        superuser.execute(&statements).await.unwrap_err();
        assert!(superuser.connection.is_none());
        superuser.execute(&statements).await.unwrap();
        assert!(superuser.connection.is_some());
        assert!(superuser.was_logged_in);
        server.await.unwrap();
    }

    #[test]
    fn the_default_superuser_is_locked_out_last_and_several_nodes_know_the_roles() {
        let (login, other) = (Login::new("bakeoff", Secret::new("a")), Secret::new("b"));
        let alone = statements(None, &login, &other, false);
        let last = alone.last().unwrap();
        assert!(
            last.starts_with("ALTER ROLE cassandra WITH LOGIN = false"),
            "{last}"
        );
        assert!(alone[0].contains("PASSWORD = 'a'"), "{alone:?}");
        let three = statements(Some("{'class': 'A'}"), &login, &other, false);
        assert!(
            three[0].ends_with("replication = {'class': 'A'}"),
            "{three:?}"
        );
        assert_eq!(three[1..], alone);
        assert!(alone[1].contains("SUPERUSER = false"), "{alone:?}");
        let with_rights = statements(None, &login, &other, true);
        assert!(
            with_rights[1].contains("SUPERUSER = true"),
            "{with_rights:?}"
        );
    }
}
