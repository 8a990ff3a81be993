//! How many servers run at once: tests run on all cores, and each server takes gigabytes.

use std::sync::{Condvar, Mutex};

const SERVERS_AT_ONCE: usize = 2;

static FREE: Mutex<usize> = Mutex::new(SERVERS_AT_ONCE);
static FREED: Condvar = Condvar::new();

/// The right to run servers, until it is dropped.
pub struct Turn(usize);

impl Turn {
    /// Waits for the right to run one.
    pub fn of_one_server() -> Turn {
        Turn::take(1)
    }

    /// Waits for the right to run several while nobody else runs any.
    pub fn of_all_servers() -> Turn {
        Turn::take(SERVERS_AT_ONCE)
    }

    fn take(servers: usize) -> Turn {
        let free = FREE.lock().unwrap();
        let mut free = FREED.wait_while(free, |free| *free < servers).unwrap();
        *free -= servers;
        Turn(servers)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *FREE.lock().unwrap() += self.0;
        FREED.notify_all();
    }
}
