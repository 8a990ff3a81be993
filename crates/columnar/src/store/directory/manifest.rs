//! The manifest: the file that lists the valid chunks.
//!
//! It begins with `bkmanif` and the version 1 (8 bytes), a name that it gets whenever it is
//! rewritten (16 bytes), the highest number of a segment that was sealed or dropped until then (8
//! bytes, little-endian) and the CRC-32 of these 32 bytes (4 bytes, little-endian). Records
//! (`frame.rs`, `record.rs`) follow, one for each commit.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::aside::{Aside, manifest_name};
use super::disk::{self, Input, Output};
use super::files::{io, sync_folder, sync_shown, torn};
use super::frame;
use super::layout::Folder;
use super::record::Record;
use super::state::State;
use crate::definition::Definition;
use crate::{Error, Result, failpoint};

const MAGIC: &[u8; 7] = b"bkmanif";
const VERSION: u8 = 1;
const HEAD: usize = 36;

/// A manifest is rewritten when it is longer than twice its length after the last time plus this
/// number of bytes.
const GROWTH_BYTES: u64 = 1 << 20;

/// The manifest, to which the writer appends.
#[derive(Debug)]
pub struct Manifest {
    path: PathBuf,
    file: Output,
    length: u64,
    /// The length that it had when it was rewritten.
    length_rewritten: u64,
    /// The error of the write after which it is unknown how much of the file is durable.
    failed: Option<String>,
}

impl Manifest {
    /// Writes the first manifest of a table.
    pub fn create(folder: &Folder) -> Result<()> {
        Manifest::replace(folder, &State::default())
    }

    /// Writes a manifest that says this, in place of the one that is there.
    pub fn replace(folder: &Folder, state: &State) -> Result<()> {
        let mut ignored = None;
        write_new(folder, state, &mut ignored)
    }

    /// Opens a manifest and returns it with what it says. The remains of a torn write are kept aside and
    /// cut off, with a note for people.
    ///
    /// The manifest is written anew. A process before this one may have failed to sync it, and after
    /// that it would be read as written, and synced without an error, although it is not on the disk.
    pub fn open(
        folder: &Folder,
        definition: &Definition,
    ) -> Result<(Manifest, State, Option<String>)> {
        let path = folder.manifest();
        let file = Output::open(&path).map_err(io("opening", &path))?;
        let mut known = Known::default();
        known.read(&path, file.input(), definition)?;
        let bytes = file.input().read_from(0).map_err(io("reading", &path))?;
        let (whole, torn) = bytes.split_at((known.length as usize).min(bytes.len()));
        let note = if torn.is_empty() {
            None
        } else {
            let aside = Aside::keep_torn(folder, &manifest_name(known.length), torn)?;
            Some(aside.note_torn(&path, torn.len(), "a commit"))
        };
        let mut manifest = Manifest {
            path,
            file,
            length: known.length,
            length_rewritten: known.length,
            failed: None,
        };
        match manifest.rewrite(folder, &known.state) {
            Err(Error::Io { source, .. }) if is_full(&source) && manifest.failed.is_none() => {
                manifest.write_again(whole)?;
            }
            written => written?,
        }
        Ok((manifest, known.state, note))
    }

    /// Writes all that is known of the file over itself, which takes no space.
    fn write_again(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.file.write_at(bytes, 0);
        written
            .and_then(|()| self.file.set_len(bytes.len() as u64))
            .and_then(|()| self.file.sync_all())
            .map_err(io("writing again", &self.path))
    }

    /// Appends a record, which is durable when it returns.
    pub fn append(&mut self, record: &Record) -> Result<()> {
        let payload = record.encode();
        if payload.len() > frame::LONGEST {
            return Err(Error::Invalid(format!(
                "a commit has {} bytes, and {} are possible; commit fewer chunks at once",
                payload.len(),
                frame::LONGEST
            )));
        }
        self.check()?;
        let mut bytes = Vec::new();
        frame::push(&payload, &mut bytes);
        failpoint::hit("manifest.append");
        if let Err(error) = self.file.write_at(&bytes, self.length) {
            let error = io("appending to", &self.path)(error);
            if self.file.set_len(self.length).is_err() {
                self.failed = Some(error.to_string());
            }
            return Err(error);
        }
        failpoint::hit("manifest.appended");
        let synced = failpoint::call("manifest.sync").and_then(|()| self.file.sync_data());
        if let Err(error) = synced {
            let error = io("syncing", &self.path)(error);
            self.failed = Some(error.to_string());
            return Err(error);
        }
        self.length += bytes.len() as u64;
        failpoint::hit("manifest.synced");
        Ok(())
    }

    /// Checks that no earlier write has failed.
    ///
    /// # Errors
    /// Fails if the file may have a record that this process does not know.
    pub fn check(&self) -> Result<()> {
        match &self.failed {
            None => Ok(()),
            Some(error) => Err(torn(
                &self.path,
                format!(
                    "an earlier write to it failed ({error}), and it is not known what of it is \
                     durable; open the table again"
                ),
            )),
        }
    }

    /// Returns whether it is time to rewrite the manifest.
    pub fn has_grown(&self) -> bool {
        self.length > 2 * self.length_rewritten + GROWTH_BYTES
    }

    /// Rewrites the manifest as short as it can be. If that fails before the new one has replaced
    /// it, the old one stays in use.
    pub fn rewrite(&mut self, folder: &Folder, state: &State) -> Result<()> {
        self.check()?;
        let mut replaced = None;
        let written = write_new(folder, state, &mut replaced);
        if let Some((file, length)) = replaced {
            self.file = file;
            self.length = length;
            self.length_rewritten = length;
            // Until the folder is synced, the old manifest may come back after a power failure.
            self.failed = written.as_ref().err().map(Error::to_string);
        }
        written
    }
}

/// Returns whether there is no space for a further file.
fn is_full(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge
    )
}

/// Writes a new manifest. `replaced` becomes its file and length as soon as it has replaced the old
/// one. If it does not, nothing of it is left.
fn write_new(folder: &Folder, state: &State, replaced: &mut Option<(Output, u64)>) -> Result<()> {
    let new = folder.manifest().with_extension("new");
    let written = write_and_rename(folder, &new, state, replaced);
    if written.is_err() && replaced.is_none() {
        // The disk may be full. What remains is replaced when the table is opened the next time.
        let _ = disk::remove_file(&new);
    }
    written
}

fn write_and_rename(
    folder: &Folder,
    new: &Path,
    state: &State,
    replaced: &mut Option<(Output, u64)>,
) -> Result<()> {
    let path = folder.manifest();
    let mut bytes = head(state.last_segment);
    for record in state.records() {
        frame::push(&record.encode(), &mut bytes);
    }
    failpoint::hit("rewrite.begin");
    let mut file = Output::create(new).map_err(io("creating", new))?;
    failpoint::hit("rewrite.created");
    file.write_at(&bytes, 0).map_err(io("writing", new))?;
    failpoint::hit("rewrite.written");
    file.sync_all().map_err(io("syncing", new))?;
    failpoint::hit("rewrite.synced");
    file.rename(&path).map_err(io("renaming", new))?;
    *replaced = Some((file, bytes.len() as u64));
    failpoint::hit("rewrite.renamed");
    sync_folder(&folder.root)?;
    failpoint::hit("rewrite.durable");
    Ok(())
}

/// Returns the first bytes of a new manifest.
fn head(last_segment: u64) -> Vec<u8> {
    let mut head = MAGIC.to_vec();
    head.push(VERSION);
    head.extend_from_slice(Uuid::now_v7().as_bytes());
    head.extend_from_slice(&last_segment.to_le_bytes());
    let crc = crc32fast::hash(&head);
    head.extend_from_slice(&crc.to_le_bytes());
    head
}

/// The first bytes of a manifest, which are different whenever it is rewritten.
pub type Head = [u8; HEAD];

/// The contents of a manifest, as far as it was read.
#[derive(Debug, Default)]
pub struct Known {
    pub head: Option<Head>,
    /// The bytes of the head and of all whole records.
    pub length: u64,
    pub state: State,
}

impl Known {
    /// Reads the records that are new, and makes sure that they are durable: the writer may not have come
    /// to that yet. The file is opened by its path, since it may have been replaced.
    pub fn refresh(&mut self, folder: &Folder, definition: &Definition) -> Result<()> {
        let path = folder.manifest();
        let file = Input::open(&path).map_err(io("opening", &path))?;
        let (head, length) = (self.head, self.length);
        self.read(&path, &file, definition)
            .and_then(|()| {
                if self.head != head {
                    sync_shown(&folder.root, disk::sync_folder(&folder.root))?;
                }
                if (self.head, self.length) != (head, length) {
                    sync_shown(&path, file.sync_data())?;
                }
                Ok(())
            })
            .inspect_err(|_| *self = Known::default())
    }

    /// Reads a manifest up to its end or to what is damaged, and returns the damage.
    pub fn readable(folder: &Folder, definition: &Definition) -> Result<(Known, Option<String>)> {
        let path = folder.manifest();
        let file = Input::open(&path).map_err(io("opening", &path))?;
        let mut known = Known::default();
        let bytes = known.begin(&path, &file)?;
        let damage = known.take(&bytes, definition);
        Ok((known, damage))
    }

    fn read(&mut self, path: &Path, file: &Input, definition: &Definition) -> Result<()> {
        let bytes = self.begin(path, file)?;
        match self.take(&bytes, definition) {
            None => Ok(()),
            Some(damage) => Err(torn(path, damage)),
        }
    }

    /// Returns the bytes after those that are known. If the manifest was rewritten, nothing is known of it.
    fn begin(&mut self, path: &Path, file: &Input) -> Result<Vec<u8>> {
        let mut head = [0; HEAD];
        file.read_exact_at(&mut head, 0)
            .map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => torn(path, format!("it has less than {HEAD} bytes")),
                _ => io("reading", path)(error),
            })?;
        if self.head != Some(head) {
            let last_segment = last_segment(path, &head)?;
            *self = Known {
                head: Some(head),
                length: HEAD as u64,
                state: State::default(),
            };
            self.state.last_segment = last_segment;
        }
        file.read_from(self.length).map_err(io("reading", path))
    }

    /// Applies the records in bytes that come after those that are known, up to the first one that is
    /// damaged. Returns the damage.
    fn take(&mut self, bytes: &[u8], definition: &Definition) -> Option<String> {
        let from = self.length;
        let records = frame::readable(bytes, 0);
        for payload in records.payloads {
            let end = payload.end + frame::END_BYTES;
            let record = Record::decode(&bytes[payload]).and_then(|record| {
                record.check(definition)?;
                self.state.check(&record)?;
                Ok(record)
            });
            match record {
                Ok(record) => self.state.apply(record),
                Err(damage) => return Some(damage),
            }
            self.length = from + end as u64;
        }
        let counted = |damage: String| format!("{damage}, counted from {from}");
        records.damage.map(counted)
    }
}

/// Checks the first bytes of a manifest and returns the number of the last segment.
fn last_segment(path: &Path, head: &[u8; HEAD]) -> Result<u64> {
    if !head.starts_with(MAGIC) {
        return Err(torn(path, "it is not a manifest of a columnar table"));
    }
    if head[7] != VERSION {
        return Err(Error::Version {
            what: path.display().to_string(),
            found: head[7].into(),
            known: VERSION.into(),
        });
    }
    let (body, crc) = head.split_at(HEAD - 4);
    if crc32fast::hash(body).to_le_bytes() != crc {
        return Err(torn(path, "its first 36 bytes are damaged"));
    }
    let last_segment = body.last_chunk::<8>().copied().unwrap_or_default();
    Ok(u64::from_le_bytes(last_segment))
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;

    /// A manifest is written over itself only where there is no space for another one: where the device has an error,
    /// that may lose what it has.
    #[test]
    fn no_other_error_is_taken_for_a_full_disk() {
        for (kind, says_so) in [
            (ErrorKind::StorageFull, true),
            (ErrorKind::QuotaExceeded, true),
            (ErrorKind::FileTooLarge, true),
            (ErrorKind::PermissionDenied, false),
            (ErrorKind::NotFound, false),
            (ErrorKind::Other, false),
        ] {
            assert_eq!(is_full(&kind.into()), says_so, "{kind:?}");
        }
        assert!(!is_full(&Errno::IO.into()), "an error of the device");
    }
}
