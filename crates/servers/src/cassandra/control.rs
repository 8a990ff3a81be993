//! Disturbances of a server, for observing how its clients cope.

use super::server::Server;
use crate::error::Result;

impl Server {
    /// Kills the server at once, as a crash would. Its record, folder and ports stay, so that
    /// [`Server::restart`] can use them again.
    ///
    /// # Errors
    /// Fails with `Unstoppable` when it still runs 10 s later.
    pub async fn kill(&self) -> Result<()> {
        self.record.server.kill_group().await
    }

    /// Pauses the server (SIGSTOP): it keeps its connections and answers nothing until
    /// [`Server::resume`].
    ///
    /// # Errors
    /// Fails with `Gone` when it has ended.
    pub fn pause(&self) -> Result<()> {
        self.record.server.pause_group()
    }

    /// Resumes a paused server; has no effect on one that runs.
    ///
    /// # Errors
    /// Fails with `Gone` when it has ended.
    pub fn resume(&self) -> Result<()> {
        self.record.server.resume_group()
    }
}
