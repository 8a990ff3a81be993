//! What a test records of the operations on the files below a folder.
//!
//! Without the feature `failpoints` nothing of this is compiled but the operations, which nobody looks at then.

#[cfg(not(feature = "failpoints"))]
use std::io;
#[cfg(not(feature = "failpoints"))]
use std::path::Path;
use std::path::PathBuf;

/// An operation on files, as it was done.
#[cfg_attr(not(feature = "failpoints"), allow(dead_code))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// A file that was created, or emptied.
    Create(PathBuf),
    /// Bytes that were written.
    Write {
        /// The file.
        path: PathBuf,
        /// The position of the first byte.
        position: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A file that was cut off or filled up.
    SetLength {
        /// The file.
        path: PathBuf,
        /// Its length afterwards.
        length: u64,
    },
    /// A file whose contents are durable.
    Sync(PathBuf),
    /// A file whose contents should have become durable. What was not durable before never will be,
    /// although it is still read.
    FailedSync(PathBuf),
    /// A file that got another name.
    Rename {
        /// The name before.
        from: PathBuf,
        /// The name afterwards.
        to: PathBuf,
    },
    /// A file or a folder that was removed.
    Remove(PathBuf),
    /// A folder that was created.
    CreateFolder(PathBuf),
    /// A folder whose names are durable.
    SyncFolder(PathBuf),
    /// A moment that the test has marked.
    Mark(String),
}

/// Lets an operation on a file fail if a test asked for that.
///
/// # Errors
/// Fails if the test asked for it.
#[cfg(not(feature = "failpoints"))]
#[inline(always)]
pub fn may(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns how many of the bytes of a write are to be written, and whether it fails then because a test
/// asked for that.
#[cfg(not(feature = "failpoints"))]
#[inline(always)]
pub fn may_write<'a>(_path: &Path, bytes: &'a [u8]) -> (&'a [u8], io::Result<()>) {
    (bytes, Ok(()))
}

/// Records an operation on a file.
#[cfg(not(feature = "failpoints"))]
#[inline(always)]
pub fn note(_path: &Path, _operation: impl FnOnce() -> Operation) {}

#[cfg(feature = "failpoints")]
pub use enabled::{Failure, Recording, may, may_write, note};

#[cfg(feature = "failpoints")]
mod enabled {
    use std::io;
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex, PoisonError};

    use rustix::io::Errno;

    use super::Operation;

    /// The recordings that are under way.
    static RECORDINGS: Mutex<Vec<Arc<Shared>>> = Mutex::new(Vec::new());

    /// The operations below a folder from [`Recording::begin`] until it is dropped.
    pub struct Recording(Arc<Shared>);

    struct Shared {
        folder: PathBuf,
        state: Mutex<State>,
    }

    /// A way in which operations fail.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Failure {
        /// One operation fails: the device has an error.
        Device,
        /// One operation fails: the disk is full.
        Full,
        /// One write fails when half of its bytes are written: the disk is full. Only writes count.
        HalfWritten,
        /// All operations fail from some moment on, writes when half of their bytes are written: the device
        /// is on its way out.
        Gone,
    }

    #[derive(Default)]
    struct State {
        operations: Vec<Operation>,
        /// The number of operations that may come before one that fails, and how it does.
        failure: Option<(u64, Failure)>,
        has_failed: bool,
    }

    impl Recording {
        /// Begins to record the operations on everything below a folder.
        pub fn begin(folder: &Path) -> Recording {
            let shared = Arc::new(Shared {
                folder: folder.to_owned(),
                state: Mutex::default(),
            });
            lock(&RECORDINGS).push(Arc::clone(&shared));
            Recording(shared)
        }

        /// Marks this moment.
        pub fn mark(&self, text: impl Into<String>) {
            let mut state = lock(&self.0.state);
            state.operations.push(Operation::Mark(text.into()));
        }

        /// Lets an operation fail after this number of others.
        pub fn fail_after(&self, operations: u64, failure: Failure) {
            let mut state = lock(&self.0.state);
            state.failure = Some((operations, failure));
            state.has_failed = false;
        }

        /// Lets all operations succeed again.
        pub fn end_failure(&self) {
            lock(&self.0.state).failure = None;
        }

        /// Returns whether an operation has failed since [`Recording::fail_after`].
        pub fn has_failed(&self) -> bool {
            lock(&self.0.state).has_failed
        }

        /// Returns what was recorded so far.
        pub fn operations(&self) -> Vec<Operation> {
            lock(&self.0.state).operations.clone()
        }
    }

    impl Drop for Recording {
        fn drop(&mut self) {
            lock(&RECORDINGS).retain(|other| !Arc::ptr_eq(other, &self.0));
        }
    }

    impl State {
        /// Returns how the next operation fails, if it does.
        fn next_failure(&mut self, is_write: bool) -> Option<Failure> {
            let (left, failure) = self.failure.as_mut()?;
            let failure = *failure;
            if failure == Failure::HalfWritten && !is_write {
                return None;
            }
            if *left > 0 {
                *left -= 1;
                return None;
            }
            if failure != Failure::Gone {
                self.failure = None;
            }
            self.has_failed = true;
            Some(failure)
        }
    }

    impl Failure {
        fn error(self) -> io::Error {
            match self {
                Failure::Device | Failure::Gone => Errno::IO.into(),
                Failure::Full | Failure::HalfWritten => Errno::NOSPC.into(),
            }
        }
    }

    fn next_failure(path: &Path, is_write: bool) -> Option<Failure> {
        let recordings = of(path);
        let mut failures = recordings
            .iter()
            .filter_map(|recording| lock(&recording.state).next_failure(is_write));
        failures.next()
    }

    pub fn may(path: &Path) -> io::Result<()> {
        match next_failure(path, false) {
            None => Ok(()),
            Some(failure) => Err(failure.error()),
        }
    }

    pub fn may_write<'a>(path: &Path, bytes: &'a [u8]) -> (&'a [u8], io::Result<()>) {
        match next_failure(path, true) {
            None => (bytes, Ok(())),
            Some(failure @ (Failure::HalfWritten | Failure::Gone)) => {
                (&bytes[..bytes.len() / 2], Err(failure.error()))
            }
            Some(failure) => (&[], Err(failure.error())),
        }
    }

    pub fn note(path: &Path, operation: impl FnOnce() -> Operation) {
        let mut recordings = of(path).into_iter().peekable();
        if recordings.peek().is_none() {
            return;
        }
        let operation = operation();
        for recording in recordings {
            lock(&recording.state).operations.push(operation.clone());
        }
    }

    fn of(path: &Path) -> Vec<Arc<Shared>> {
        let recordings = lock(&RECORDINGS);
        let of_path = recordings
            .iter()
            .filter(|recording| path.starts_with(&recording.folder));
        of_path.cloned().collect()
    }

    fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
