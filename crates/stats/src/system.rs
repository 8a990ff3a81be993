//! Calls to the system for the files of a measurement. Tests let one of them fail.

use std::fs::File;
use std::io::{self, Write};

#[cfg(test)]
use bakeoff_testing::calls;

/// Makes a call.
pub(crate) fn call<T>(make: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    #[cfg(test)]
    calls::begin()?;
    make()
}

/// Writes all bytes to a file, in as many calls as that takes.
pub(crate) fn write_all(file: &File, bytes: &[u8]) -> io::Result<()> {
    Written(file).write_all(bytes)
}

/// A file that is written to.
struct Written<'a>(&'a File);

impl Write for Written<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        #[cfg(test)]
        let bytes = calls::begin_write(bytes)?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
