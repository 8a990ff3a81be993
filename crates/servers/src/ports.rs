//! Loopback ports for servers.

use std::collections::HashSet;
use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::{Error, Result};

/// Ports below the range from which systems take the local ports of outgoing connections, which
/// could otherwise occupy a port in the seconds before the server binds it.
const RANGE: Range<u16> = 20_000..30_000;
/// A prime that is larger than the number of ports that one process usually takes.
const STRIDE: u32 = 613;

/// Returns different ports of 127.0.0.1 that are not in use and not in `taken`.
///
/// # Errors
/// Fails with `Refused` when there are not enough left.
pub(crate) fn free<const N: usize>(taken: &HashSet<u16>) -> Result<[u16; N]> {
    let first = RANGE.start + next_offset(N as u32);
    let free: Vec<u16> = (first..RANGE.end)
        .chain(RANGE.start..first)
        .filter(|port| !taken.contains(port) && is_free(Ipv4Addr::LOCALHOST, *port))
        .take(N)
        .collect();
    free.try_into().map_err(|_| {
        Error::Refused(format!(
            "no free port between {} and {}: stop some of the programs that `ss -tlnp` lists there",
            RANGE.start, RANGE.end
        ))
    })
}

/// Checks that these ports of a loopback address are not in use and not in `taken`.
///
/// # Errors
/// Fails with `Refused` with the first one that is not available.
pub(crate) fn check_free(address: Ipv4Addr, ports: &[u16], taken: &HashSet<u16>) -> Result<()> {
    match ports
        .iter()
        .find(|port| taken.contains(port) || !is_free(address, **port))
    {
        None => Ok(()),
        Some(port) => Err(Error::Refused(format!(
            "port {port} of {address} is in use: stop what listens on it or choose another"
        ))),
    }
}

fn is_free(address: Ipv4Addr, port: u16) -> bool {
    TcpListener::bind((address, port)).is_ok()
}

/// Returns an offset that differs between calls, in this process and in those that start after it:
/// what was chosen is not in use yet, and is on record only for those that share a home.
fn next_offset(count: u32) -> u16 {
    static CHOSEN: AtomicU32 = AtomicU32::new(0);
    let earlier = CHOSEN.fetch_add(count, Ordering::Relaxed);
    let offset = std::process::id()
        .wrapping_mul(STRIDE)
        .wrapping_add(earlier);
    (offset % RANGE.len() as u32) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    // One test, since two at once would see each other's attempts to listen.
    #[test]
    fn are_different_and_neither_taken_nor_listened_on() {
        let first = free::<4>(&HashSet::new()).unwrap();
        let taken = HashSet::from(first);
        assert_eq!(taken.len(), 4);
        let second = free::<4>(&taken).unwrap();
        assert!(second.iter().all(|port| !taken.contains(port)));
        check_free(Ipv4Addr::LOCALHOST, &second, &HashSet::new()).unwrap();
        assert!(check_free(Ipv4Addr::LOCALHOST, &second, &HashSet::from([second[3]])).is_err());
        let _busy = TcpListener::bind((Ipv4Addr::LOCALHOST, first[0])).unwrap();
        let third = free::<4>(&HashSet::new()).unwrap();
        assert!(!third.contains(&first[0]));
        let error = check_free(Ipv4Addr::LOCALHOST, &first, &HashSet::new())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(&format!("port {} of 127.0.0.1 is in use", first[0])),
            "{error}"
        );
    }

    #[test]
    fn running_out_is_an_error() {
        let error = free::<1>(&RANGE.collect()).unwrap_err();
        assert!(error.to_string().contains("no free port"), "{error}");
    }

    #[test]
    fn two_starts_are_not_given_the_same_before_they_listen() {
        let first = next_offset(4);
        let second = next_offset(4);
        let apart = (RANGE.len() as u16 + second - first) % RANGE.len() as u16;
        assert!(apart >= 4, "{first} and {second}");
    }
}
