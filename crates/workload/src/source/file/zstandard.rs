//! Text that Zstandard has packed.

use std::io::{self, BufRead, Read};

/// The logarithm of the most bytes by which a packed text may refer back. As many are kept in memory.
const WINDOW_LOG: u32 = 27;

/// The beginning of the library's words for a text that refers further back.
const WINDOW_TOO_LARGE: &str = "Frame requires too much memory";

/// A text while it is unpacked.
pub struct Unpacked<R>(zstd::Decoder<'static, R>);

impl<R: BufRead> Unpacked<R> {
    /// Begins to unpack a text.
    ///
    /// # Errors
    /// There is no memory.
    pub fn new(packed: R) -> io::Result<Self> {
        let mut text = zstd::Decoder::with_buffer(packed)?;
        text.window_log_max(WINDOW_LOG)?;
        Ok(Unpacked(text))
    }
}

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into).map_err(with_advice)
    }
}

/// Says of a text that takes too much memory what its reader can do.
fn with_advice(error: io::Error) -> io::Error {
    if !error.to_string().starts_with(WINDOW_TOO_LARGE) {
        return error;
    }
    let mib = (1_u64 << WINDOW_LOG) >> 20;
    io::Error::other(format!(
        "unpacking it takes more than {mib} MiB of memory; pack it again without `--long`, or unpack it \
         with `zstd -d --long=31`"
    ))
}
