//! What is done to a server to see how its clients bear it.

use super::server::Server;
use crate::error::Result;

impl Server {
    /// Kills the server at once, as a crash would. It stays on record and keeps its folder and
    /// ports, so that [`Server::restart`] can take them up.
    ///
    /// # Errors
    /// `Unstoppable` when it is still there 10 s later.
    pub async fn kill(&self) -> Result<()> {
        self.record.server.kill_group().await
    }

    /// Halts the server where it is (SIGSTOP): it keeps its connections and answers nothing until
    /// [`Server::resume`].
    ///
    /// # Errors
    /// `Gone` when it has ended.
    pub fn pause(&self) -> Result<()> {
        self.record.server.pause_group()
    }

    /// Lets a paused server go on; without effect on one that runs.
    ///
    /// # Errors
    /// `Gone` when it has ended.
    pub fn resume(&self) -> Result<()> {
        self.record.server.resume_group()
    }
}
