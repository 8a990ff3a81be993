//! One Cassandra for all tests that do not stop or pause it; each test makes its own keyspaces.

use std::sync::OnceLock;

use bakeoff_engines::servers::Home;
use bakeoff_engines::servers::cassandra::{Server, ServerOptions};
use bakeoff_testing::{Keeper, is_keeper, keep};

use super::has_cassandra;

static KEEPER: OnceLock<Keeper> = OnceLock::new();
/// Enough for all tests that use it at once.
const HEAP_MIB: u64 = 1024;

/// The shared server, started for the first that asks; `None` where Cassandra is not available.
pub async fn cassandra() -> Option<Server> {
    if !has_cassandra().await {
        return None;
    }
    let keeper = KEEPER.get_or_init(|| Keeper::start("support::shared::keeps_a_cassandra"));
    let server = Server::attach(Home::from_env().unwrap(), keeper.words());
    Some(server.unwrap())
}

/// Owns the shared server in a keeper process; tests nothing.
#[tokio::test]
async fn keeps_a_cassandra() {
    if !is_keeper() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let home = Home::from_env().unwrap();
    let mut options = ServerOptions::new(home, folder.path().join("cassandra")).unwrap();
    options.heap_mib = HEAP_MIB;
    options.name = "shared by the tests of engines".to_owned();
    let server = Server::start(options).await.unwrap();
    keep(server.id());
    server.stop().await.unwrap();
    drop(folder);
    std::process::exit(0);
}
