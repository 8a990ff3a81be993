//! The locks and atomics of what the threads of a writer share. Tests replace this file by the locks of
//! `shuttle`, to search the orders in which threads come to them (`schedules.rs`).

use std::sync::{MutexGuard, PoisonError, RwLockReadGuard, RwLockWriteGuard};

pub use std::sync::atomic::{AtomicU64, Ordering};
pub use std::sync::{Mutex, RwLock};

/// Takes a mutex, even if a thread has panicked while it held it: the data behind each of our locks is
/// consistent at all times.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a lock to read, like [`locked`].
pub fn reading<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a lock to write, like [`locked`].
pub fn writing<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
