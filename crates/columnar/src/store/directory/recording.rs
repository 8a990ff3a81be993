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

/// Records an operation on a file.
#[cfg(not(feature = "failpoints"))]
#[inline(always)]
pub fn note(_path: &Path, _operation: impl FnOnce() -> Operation) {}

#[cfg(feature = "failpoints")]
pub use enabled::{Recording, may, note};

#[cfg(feature = "failpoints")]
mod enabled {
    use std::io;
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex, PoisonError};

    use super::Operation;

    /// The recordings that are under way.
    static RECORDINGS: Mutex<Vec<Arc<Shared>>> = Mutex::new(Vec::new());

    /// The operations below a folder from [`Recording::begin`] until it is dropped.
    pub struct Recording(Arc<Shared>);

    struct Shared {
        folder: PathBuf,
        state: Mutex<State>,
    }

    #[derive(Default)]
    struct State {
        operations: Vec<Operation>,
        /// The number of operations that may come before one that fails.
        before_failure: Option<u64>,
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

        /// Lets one operation fail, after this number of others.
        pub fn fail_after(&self, operations: u64) {
            lock(&self.0.state).before_failure = Some(operations);
        }

        /// Returns whether the operation that was to fail has failed.
        pub fn has_failed(&self) -> bool {
            lock(&self.0.state).before_failure.is_none()
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

    pub fn may(path: &Path) -> io::Result<()> {
        for recording in of(path) {
            let mut state = lock(&recording.state);
            match state.before_failure {
                None => {}
                Some(0) => {
                    state.before_failure = None;
                    return Err(io::Error::other("a test lets this fail"));
                }
                Some(left) => state.before_failure = Some(left - 1),
            }
        }
        Ok(())
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
