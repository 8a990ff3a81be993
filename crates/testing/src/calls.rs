//! Calls to the system of which one fails. Code begins its calls here while it is tested; they fail on no thread but
//! one that has asked for it.

use std::cell::Cell;
use std::io;

/// Number of an error of the device (EIO).
const DEVICE: i32 = 5;
/// Number of the error that there is no space left (ENOSPC).
const NO_SPACE: i32 = 28;

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// With an error of the device.
    Device,
    /// For lack of space. A write does half of what was asked for, and the call after it fails.
    Full,
    /// With an error of the device, and so does each that follows.
    Gone,
}

#[derive(Debug, Clone, Copy)]
struct Plan {
    failure: Failure,
    /// Number of calls that succeed before one fails.
    calls: u64,
    is_half_written: bool,
    has_failed: bool,
}

thread_local! {
    static PLAN: Cell<Option<Plan>> = const { Cell::new(None) };
}

/// A call of this thread that fails, or will. No call fails any more when this is dropped.
#[derive(Debug)]
#[must_use]
pub struct Failing(());

impl Failing {
    /// Lets the call after this number of others fail.
    pub fn after(calls: u64, failure: Failure) -> Failing {
        PLAN.set(Some(Plan {
            failure,
            calls,
            is_half_written: false,
            has_failed: false,
        }));
        Failing(())
    }

    /// Returns whether a call has failed.
    pub fn has_failed(&self) -> bool {
        PLAN.get().is_some_and(|plan| plan.has_failed)
    }
}

impl Drop for Failing {
    fn drop(&mut self) {
        PLAN.set(None);
    }
}

/// Begins a call.
///
/// # Errors
/// It is the one that fails.
pub fn begin() -> io::Result<()> {
    let Some(mut plan) = PLAN.get() else {
        return Ok(());
    };
    if plan.calls > 0 {
        plan.calls -= 1;
        PLAN.set(Some(plan));
        return Ok(());
    }
    if plan.has_failed && plan.failure != Failure::Gone {
        return Ok(());
    }
    plan.has_failed = true;
    PLAN.set(Some(plan));
    Err(io::Error::from_raw_os_error(match plan.failure {
        Failure::Device | Failure::Gone => DEVICE,
        Failure::Full => NO_SPACE,
    }))
}

/// Begins a write, and returns those of its bytes that are to be written.
///
/// # Errors
/// It is the call that fails.
pub fn begin_write(bytes: &[u8]) -> io::Result<&[u8]> {
    let is_half_written = |plan: &Plan| {
        let is_the_one = plan.calls == 0 && !plan.has_failed;
        is_the_one && plan.failure == Failure::Full && !plan.is_half_written
    };
    if let Some(mut plan) = PLAN.get().filter(is_half_written) {
        plan.is_half_written = true;
        PLAN.set(Some(plan));
        return Ok(&bytes[..bytes.len().div_ceil(2)]);
    }
    begin()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    #[test]
    fn one_call_fails_or_all_from_it_on_and_none_when_it_is_over() {
        for (failure, failed) in [(Failure::Device, 1), (Failure::Gone, 3)] {
            let failing = Failing::after(2, failure);
            begin().unwrap();
            begin_write(b"1234").unwrap();
            assert!(!failing.has_failed());
            let outcomes = [begin(), begin(), begin()];
            assert!(failing.has_failed() && outcomes[0].is_err());
            assert_eq!(outcomes.iter().filter(|it| it.is_err()).count(), failed);
            drop(failing);
            begin().unwrap();
        }
    }

    #[test]
    fn on_a_full_disk_half_is_written_before_it_is_noticed() {
        let failing = Failing::after(1, Failure::Full);
        assert_eq!(begin_write(b"1234").unwrap(), b"1234");
        assert_eq!(begin_write(b"1234").unwrap(), b"12");
        assert!(!failing.has_failed());
        let error = begin_write(b"34").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StorageFull);
        assert!(failing.has_failed());
        assert_eq!(begin_write(b"34").unwrap(), b"34");
    }
}
