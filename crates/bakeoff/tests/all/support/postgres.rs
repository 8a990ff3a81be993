//! A PostgreSQL of somebody else, of which the Bakeoff of a test knows nothing.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use bakeoff_engines::servers::Home;
use bakeoff_engines::servers::postgres::{Server, ServerOptions};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls};

pub struct PostgresOfOthers {
    /// Where it is on record.
    pub home: Home,
    pub server: Server,
    pub runtime: Runtime,
    folder: TempDir,
}

impl PostgresOfOthers {
    pub fn start(settings: &[(&str, &str)]) -> PostgresOfOthers {
        let folder = TempDir::new().unwrap();
        // So that the account that it runs as reaches it.
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let home = Home::new(folder.path().join("home")).unwrap();
        let mut options = ServerOptions::new(home.clone(), folder.path().join("theirs"));
        let settings = settings.iter();
        options.settings = settings
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let runtime = Runtime::new().unwrap();
        let server = runtime.block_on(Server::start(options)).unwrap();
        PostgresOfOthers {
            home,
            server,
            runtime,
            folder,
        }
    }

    /// A connection of its superuser.
    pub fn client(&self) -> Client {
        let mut config = tokio_postgres::Config::new();
        config
            .host(self.server.address().ip().to_string())
            .port(self.server.address().port())
            .user(self.server.user())
            .password(self.server.password())
            .dbname("postgres");
        let (client, connection) = self.runtime.block_on(config.connect(NoTls)).unwrap();
        self.runtime.spawn(connection);
        client
    }

    /// Stops it, and returns its folder, which is removed when that is dropped.
    pub fn stop(self) -> TempDir {
        self.runtime.block_on(self.server.stop()).unwrap();
        self.folder
    }
}
