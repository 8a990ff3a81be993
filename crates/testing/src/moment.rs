//! Where in a long test something failed.

use std::thread;

/// One of many moments of a test, such as the seed of a random part. Its words are printed if the test
/// fails before this is dropped.
#[derive(Debug)]
pub struct Moment(String);

impl Moment {
    /// Begins a moment with these words.
    pub fn new(words: impl Into<String>) -> Moment {
        Moment(words.into())
    }
}

impl Drop for Moment {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("this failed at: {}", self.0);
        }
    }
}
