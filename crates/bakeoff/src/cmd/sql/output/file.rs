//! Writes a file that exists completely or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::Sink;

/// A file that is written under a temporary name and renamed when it is complete. Devices and pipes, such as
/// `/dev/stdout`, are written to directly.
pub struct OutFile {
    file: BufWriter<File>,
    path: PathBuf,
    /// Temporary path until the file is complete; `None` for devices and pipes.
    unfinished: Option<PathBuf>,
}

impl OutFile {
    pub fn create(path: &Path) -> Result<Self> {
        let failed = || format!("cannot write {}", path.display());
        let is_special = path.metadata().is_ok_and(|found| !found.is_file());
        if is_special {
            let file = File::options()
                .write(true)
                .open(path)
                .with_context(failed)?;
            return Ok(OutFile {
                file: BufWriter::new(file),
                path: path.to_owned(),
                unfinished: None,
            });
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let unfinished = path.with_file_name(format!(".{name}.{}", std::process::id()));
        let file = File::create(&unfinished).with_context(failed)?;
        Ok(OutFile {
            file: BufWriter::new(file),
            path: path.to_owned(),
            unfinished: Some(unfinished),
        })
    }
}

impl Write for OutFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Sink for OutFile {
    fn complete(&mut self) -> Result<()> {
        let failed = || format!("cannot write {}", self.path.display());
        self.file.flush().with_context(failed)?;
        if let Some(unfinished) = &self.unfinished {
            std::fs::rename(unfinished, &self.path).with_context(failed)?;
        }
        self.unfinished = None;
        Ok(())
    }
}

impl Drop for OutFile {
    fn drop(&mut self) {
        if let Some(unfinished) = &self.unfinished {
            // A file that cannot be removed does no harm.
            let _ = std::fs::remove_file(unfinished);
        }
    }
}
