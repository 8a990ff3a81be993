//! Loopback ports for a server.

use std::collections::HashSet;
use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Below the range from which systems take the near end of outgoing connections, which could
/// otherwise occupy a port in the seconds before the server binds it.
const RANGE: Range<u16> = 20_000..30_000;
/// A prime larger than the number of ports that a server takes.
const STRIDE: u32 = 61;

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
        let first = RANGE.start + first_offset();
        let mut free = (first..RANGE.end)
            .chain(RANGE.start..first)
            .filter(|port| !taken.contains(port) && is_free(*port));
        let mut next = || {
            free.next().ok_or_else(|| {
                Error::Refused(format!(
                    "no free port between {} and {}",
                    RANGE.start, RANGE.end
                ))
            })
        };
        Ok(Ports {
            native: next()?,
            storage: next()?,
            ssl_storage: next()?,
            jmx: next()?,
        })
    }

    /// These ports, if nobody listens on them and none is in `taken`.
    ///
    /// # Errors
    /// `Refused` with the first that cannot be had.
    pub(crate) fn check_free(self, taken: &HashSet<u16>) -> Result<Ports> {
        match self
            .all()
            .into_iter()
            .find(|port| taken.contains(port) || !is_free(*port))
        {
            None => Ok(self),
            Some(port) => Err(Error::Refused(format!(
                "port {port} of 127.0.0.1 is in use: stop what listens on it or choose another"
            ))),
        }
    }

    pub(crate) fn all(&self) -> [u16; 4] {
        [self.native, self.storage, self.ssl_storage, self.jmx]
    }
}

fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// Different for processes that start one after the other, which may not share a home and its
/// records.
fn first_offset() -> u16 {
    (std::process::id().wrapping_mul(STRIDE) % RANGE.len() as u32) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    // One test, since two at once would see each other's attempts to listen.
    #[test]
    fn are_different_and_neither_taken_nor_listened_on() {
        let first = Ports::free(&HashSet::new()).unwrap();
        let taken = HashSet::from(first.all());
        assert_eq!(taken.len(), 4);
        let second = Ports::free(&taken).unwrap();
        assert!(second.all().iter().all(|port| !taken.contains(port)));
        second.check_free(&HashSet::new()).unwrap();
        assert!(second.check_free(&HashSet::from([second.jmx])).is_err());
        let _busy = TcpListener::bind((Ipv4Addr::LOCALHOST, first.native)).unwrap();
        let third = Ports::free(&HashSet::new()).unwrap();
        assert!(!third.all().contains(&first.native));
        let error = first.check_free(&HashSet::new()).unwrap_err().to_string();
        assert!(
            error.contains(&format!("port {} of 127.0.0.1 is in use", first.native)),
            "{error}"
        );
    }

    #[test]
    fn running_out_is_an_error() {
        let error = Ports::free(&RANGE.collect()).unwrap_err();
        assert!(error.to_string().contains("no free port"), "{error}");
    }
}
