//! The operations on files and folders. With the feature `failpoints` tests let single ones fail, record
//! those that change something, and put together what a loss of power may leave (`recording.rs`).

use std::fs::{self, DirEntry, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::recording::{self, Operation};

/// A file that is read.
#[derive(Debug)]
pub struct Input {
    path: PathBuf,
    file: File,
}

impl Input {
    /// Opens a file that exists.
    pub fn open(path: &Path) -> io::Result<Input> {
        Input::opened(path, OpenOptions::new().read(true))
    }

    fn opened(path: &Path, options: &OpenOptions) -> io::Result<Input> {
        recording::may(path)?;
        let file = options.open(path)?;
        Ok(Input {
            path: path.to_owned(),
            file,
        })
    }

    /// Returns the number of bytes.
    pub fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Fills a buffer with the bytes from a position on.
    pub fn read_exact_at(&self, bytes: &mut [u8], position: u64) -> io::Result<()> {
        recording::may(&self.path)?;
        self.file.read_exact_at(bytes, position)
    }

    /// Reads from a position to the present end.
    pub fn read_from(&self, from: u64) -> io::Result<Vec<u8>> {
        recording::may(&self.path)?;
        let length = self.length()?.saturating_sub(from);
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        let mut filled = 0;
        // The file may become shorter meanwhile, when another process cuts a torn end off.
        while filled < bytes.len() {
            match self
                .file
                .read_at(&mut bytes[filled..], from + filled as u64)
            {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }

    /// Makes the contents durable, whoever has written them.
    pub fn sync_data(&self) -> io::Result<()> {
        self.synced(File::sync_data)
    }

    fn synced(&self, sync: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
        recording::may(&self.path).inspect_err(|_| {
            recording::note(&self.path, || Operation::FailedSync(self.path.clone()));
        })?;
        sync(&self.file)?;
        recording::note(&self.path, || Operation::Sync(self.path.clone()));
        Ok(())
    }
}

/// A file that is written, and may be read.
#[derive(Debug)]
pub struct Output(Input);

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
        let file = Input::opened(path, options)?;
        recording::note(path, || Operation::Create(path.to_owned()));
        Ok(Output(file))
    }

    /// Opens a file that exists, to read and to write it.
    pub fn open(path: &Path) -> io::Result<Output> {
        Input::opened(path, OpenOptions::new().read(true).write(true)).map(Output)
    }

    /// Returns the file, to read it.
    pub fn input(&self) -> &Input {
        &self.0
    }

    /// Writes all bytes at a position.
    pub fn write_at(&self, bytes: &[u8], position: u64) -> io::Result<()> {
        let Input { path, file } = &self.0;
        let (bytes, ended) = recording::may_write(path, bytes);
        file.write_all_at(bytes, position)?;
        if !bytes.is_empty() {
            recording::note(path, || Operation::Write {
                path: path.clone(),
                position,
                bytes: bytes.to_vec(),
            });
        }
        ended
    }

    /// Cuts the file off, or fills it up with zeros.
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        let Input { path, file } = &self.0;
        recording::may(path)?;
        file.set_len(length)?;
        recording::note(path, || Operation::SetLength {
            path: path.clone(),
            length,
        });
        Ok(())
    }

    /// Makes the contents durable.
    pub fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    /// Makes the contents and the moment of the last change durable.
    pub fn sync_all(&self) -> io::Result<()> {
        self.0.synced(File::sync_all)
    }

    /// Gives the file another name, in place of a file that may have it.
    pub fn rename(&mut self, name: &Path) -> io::Result<()> {
        rename(&self.0.path, name)?;
        self.0.path = name.to_owned();
        Ok(())
    }
}

/// Reads a whole file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    recording::may(path)?;
    fs::read(path)
}

/// Returns what is known of a file without reading it.
pub fn metadata(path: &Path) -> io::Result<Metadata> {
    recording::may(path)?;
    fs::metadata(path)
}

/// Returns the entries of a folder.
pub fn list(path: &Path) -> io::Result<Vec<DirEntry>> {
    recording::may(path)?;
    fs::read_dir(path)?.collect()
}

/// Opens a file that is to be locked, which is created if there is none. It is always empty.
pub fn open_lock(path: &Path) -> io::Result<File> {
    recording::may(path)?;
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true).open(path)
}

/// Opens a file that is to be locked and exists, without the right to write it.
pub fn open_lock_to_read(path: &Path) -> io::Result<File> {
    recording::may(path)?;
    File::open(path)
}

/// Returns whether a file that is open is still the one with this path.
pub fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let opened = file.metadata()?;
    match metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (opened.dev(), opened.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
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
