//! The operations that change files and folders. With the feature `failpoints` tests record them, let
//! single ones fail, and put together what a loss of power may leave (`recording.rs`).

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::recording::{self, Operation};

/// A file that is written.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    file: File,
}

impl Output {
    /// Creates a file, or empties the one that is there.
    pub fn create(path: &Path) -> io::Result<Output> {
        let mut options = OpenOptions::new();
        Output::created(path, options.write(true).create(true).truncate(true))
    }

    /// Creates a file that does not exist.
    pub fn create_new(path: &Path) -> io::Result<Output> {
        let mut options = OpenOptions::new();
        Output::created(path, options.write(true).create_new(true))
    }

    fn created(path: &Path, options: &OpenOptions) -> io::Result<Output> {
        recording::may(path)?;
        let file = options.open(path)?;
        recording::note(path, || Operation::Create(path.to_owned()));
        Ok(Output {
            path: path.to_owned(),
            file,
        })
    }

    /// Opens a file that exists, to read and to write it.
    pub fn open(path: &Path) -> io::Result<Output> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Output {
            path: path.to_owned(),
            file,
        })
    }

    /// Returns the file, to read it.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Writes all bytes at a position.
    pub fn write_at(&self, bytes: &[u8], position: u64) -> io::Result<()> {
        recording::may(&self.path)?;
        self.file.write_all_at(bytes, position)?;
        recording::note(&self.path, || Operation::Write {
            path: self.path.clone(),
            position,
            bytes: bytes.to_vec(),
        });
        Ok(())
    }

    /// Cuts the file off, or fills it up with zeros.
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        recording::may(&self.path)?;
        self.file.set_len(length)?;
        recording::note(&self.path, || Operation::SetLength {
            path: self.path.clone(),
            length,
        });
        Ok(())
    }

    /// Makes the contents durable.
    pub fn sync_data(&self) -> io::Result<()> {
        self.synced(File::sync_data)
    }

    /// Makes the contents and the moment of the last change durable.
    pub fn sync_all(&self) -> io::Result<()> {
        self.synced(File::sync_all)
    }

    fn synced(&self, sync: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
        recording::may(&self.path).inspect_err(|_| {
            recording::note(&self.path, || Operation::FailedSync(self.path.clone()));
        })?;
        sync(&self.file)?;
        recording::note(&self.path, || Operation::Sync(self.path.clone()));
        Ok(())
    }

    /// Gives the file another name, in place of a file that may have it.
    pub fn rename(&mut self, name: &Path) -> io::Result<()> {
        rename(&self.path, name)?;
        self.path = name.to_owned();
        Ok(())
    }
}

/// Gives a file another name, in place of a file that may have it.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    recording::may(from)?;
    fs::rename(from, to)?;
    recording::note(from, || Operation::Rename {
        from: from.to_owned(),
        to: to.to_owned(),
    });
    Ok(())
}

/// Removes a file.
pub fn remove_file(path: &Path) -> io::Result<()> {
    recording::may(path)?;
    fs::remove_file(path)?;
    recording::note(path, || Operation::Remove(path.to_owned()));
    Ok(())
}

/// Creates a folder.
pub fn create_folder(path: &Path) -> io::Result<()> {
    recording::may(path)?;
    fs::create_dir(path)?;
    recording::note(path, || Operation::CreateFolder(path.to_owned()));
    Ok(())
}

/// Removes a folder that is empty.
pub fn remove_folder(path: &Path) -> io::Result<()> {
    recording::may(path)?;
    fs::remove_dir(path)?;
    recording::note(path, || Operation::Remove(path.to_owned()));
    Ok(())
}

/// Makes durable which names a folder has, and of what.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    recording::may(path)?;
    File::open(path)?.sync_all()?;
    recording::note(path, || Operation::SyncFolder(path.to_owned()));
    Ok(())
}

/// Makes the contents of a file durable that is open to be read.
pub fn sync_read(file: &File, path: &Path) -> io::Result<()> {
    recording::may(path)?;
    file.sync_data()?;
    recording::note(path, || Operation::Sync(path.to_owned()));
    Ok(())
}
