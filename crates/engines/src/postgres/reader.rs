//! Who asks a workload's SQL, which may come from anyone: on a server of our own a role that can read the
//! tables of the run and nothing else, on a user's server his own, unless that has rights over the machine.

use bakeoff_servers::postgres::{Server, Servers, random_password};
use tokio_postgres::Client;

use super::connect::PostgresServer;
use super::layout::{qualified, quoted, text};
use super::schema::failed;
use crate::EngineError;

/// The role of questions on a server of our own. It is logged in by itself, since a session could otherwise
/// take back the rights of the role that logged in.
const READER: &str = "bakeoff_reader";
/// Roles whose members run programs on the server's machine, or read and write its files.
const OVER_THE_MACHINE: [&str; 3] = [
    "pg_execute_server_program",
    "pg_read_server_files",
    "pg_write_server_files",
];
/// Functions that everyone may call, and that a question has no use for: they end other sessions, wait for
/// them, or leave something that no rollback removes.
const REVOKE_FUNCTIONS: &str = "DO $$ DECLARE function regprocedure; BEGIN \
    FOR function IN SELECT oid FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace \
    AND (proname IN ('pg_notify', 'pg_cancel_backend', 'pg_terminate_backend', \
    'pg_logical_emit_message') OR proname ~ '^(lo_|pg_.*advisory)') \
    LOOP EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', function); END LOOP; END $$";

/// Returns the statements that give the role of questions its rights in the database, and take from everyone
/// what it must not have.
pub fn statements(password: &str) -> Vec<String> {
    vec![
        format!("CREATE ROLE {READER} LOGIN PASSWORD {}", text(password)),
        "REVOKE ALL ON DATABASE postgres FROM PUBLIC".to_owned(),
        format!("GRANT CONNECT ON DATABASE postgres TO {READER}"),
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC".to_owned(),
        REVOKE_FUNCTIONS.to_owned(),
    ]
}

/// Returns the statements that let the role of questions read a table.
pub fn table_statements(schema: &str, table: &str) -> [String; 2] {
    [
        format!("GRANT USAGE ON SCHEMA {} TO {READER}", quoted(schema)),
        format!("GRANT SELECT ON {} TO {READER}", qualified(schema, table)),
    ]
}

/// Makes the role on a server of our own, or gives the one that is there another password. Returns the
/// password, which standbys of that server know as soon as they have replayed it.
pub async fn make(client: &Client) -> Result<String, EngineError> {
    let password = random_password()?;
    let sql = "SELECT 1 FROM pg_roles WHERE rolname = $1";
    let found = client.query_opt(sql, &[&READER]).await;
    if found.map_err(|e| failed(sql, &e))?.is_some() {
        let change = format!("ALTER ROLE {READER} PASSWORD {}", text(&password));
        run(client, &change).await?;
    } else {
        // All or nothing, so that a role which is there has no rights too many.
        run(client, &statements(&password).join("; ")).await?;
    }
    Ok(password)
}

/// Returns the address of a server of our own with the credentials of the role.
pub fn address_of(server: &Server, password: &str) -> PostgresServer {
    PostgresServer::local(server.address(), READER, password)
}

/// Returns the addresses of the servers of our own that questions are asked of: the standbys, if there are some and
/// they are to be asked, and else the primary.
pub fn addresses(servers: &Servers, password: &str, asks_standbys: bool) -> Vec<PostgresServer> {
    let standbys = servers.standbys();
    if !asks_standbys || standbys.is_empty() {
        return vec![address_of(servers.primary(), password)];
    }
    let addresses = standbys.iter().map(|server| address_of(server, password));
    addresses.collect()
}

/// Runs statements that name a password, which the error must not.
async fn run(client: &Client, sql: &str) -> Result<(), EngineError> {
    let made = client.batch_execute(sql).await;
    made.map_err(|e| failed(&format!("CREATE ROLE {READER}"), &e))
}

/// Checks that a user's own role has no rights over the server's machine, which a workload's SQL would have
/// too: a transaction that only reads keeps nobody from running programs.
///
/// # Errors
/// Fails for a superuser and for everyone who can become one, or the like, with what to do.
pub async fn check_rights(client: &Client, server: &PostgresServer) -> Result<(), EngineError> {
    let sql = "SELECT string_agg(rolname, ', ' ORDER BY rolname) FROM pg_roles \
               WHERE (rolsuper OR rolname = ANY($1)) AND pg_has_role(session_user, oid, 'MEMBER')";
    let roles: Vec<&str> = OVER_THE_MACHINE.to_vec();
    let row = client.query_one(sql, &[&roles]).await;
    let held: Option<String> = row.map_err(|e| failed(sql, &e))?.get(0);
    match held {
        None => Ok(()),
        Some(held) => Err(EngineError(format!(
            "the user of {server} has the rights of {held}, so SQL of a workload file could run programs on \
             the server's machine: make a user for Bakeoff with `CREATE ROLE bench LOGIN PASSWORD '...'` \
             and `GRANT CREATE ON DATABASE ... TO bench`, and name it in --postgres"
        ))),
    }
}
