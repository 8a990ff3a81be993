//! The ports of a Cassandra.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::ports;

/// The ports of one server, all on 127.0.0.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ports {
    /// CQL.
    pub native: u16,
    pub storage: u16,
    pub ssl_storage: u16,
    pub jmx: u16,
}

impl Ports {
    /// Ports that nobody listens on and that are not in `taken`.
    ///
    /// # Errors
    /// `Refused` when there are none left.
    pub(crate) fn free(taken: &HashSet<u16>) -> Result<Ports> {
        let [native, storage, ssl_storage, jmx] = ports::free(taken)?;
        Ok(Ports {
            native,
            storage,
            ssl_storage,
            jmx,
        })
    }

    /// These ports, if nobody listens on them and none is in `taken`.
    ///
    /// # Errors
    /// `Refused` with the first that cannot be had.
    pub(crate) fn check_free(self, taken: &HashSet<u16>) -> Result<Ports> {
        ports::check_free(&self.all(), taken).map(|()| self)
    }

    /// All of them, that of CQL first.
    pub(crate) fn all(&self) -> [u16; 4] {
        [self.native, self.storage, self.ssl_storage, self.jmx]
    }
}
