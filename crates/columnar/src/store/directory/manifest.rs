//! The manifest: the file that lists the valid chunks.
//!
//! It begins with `bkmanif` and the version 1 (8 bytes), a name that it gets whenever it is
//! rewritten (16 bytes), the highest number of a segment that was sealed or dropped until then (8
//! bytes, little-endian) and the CRC-32 of these 32 bytes (4 bytes, little-endian). Records
//! (`frame.rs`, `record.rs`) follow, one for each commit.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::files::{io, read_from, sync_folder, torn};
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
    file: File,
    length: u64,
    /// The length that it had when it was rewritten.
    length_rewritten: u64,
    /// Whether a write has failed, so that it is unknown how much of the file is durable.
    failed: bool,
}

impl Manifest {
    /// Writes the first manifest of a table.
    pub fn create(folder: &Folder) -> Result<()> {
        let mut ignored = None;
        write_new(folder, &State::default(), &mut ignored)
    }

    /// Opens a manifest and returns it with what it says. The remains of a torn write are cut off.
    pub fn open(folder: &Folder, definition: &Definition) -> Result<(Manifest, State)> {
        let path = folder.manifest();
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .map_err(io("opening", &path))?;
        let mut known = Known::default();
        known.read(&path, &file, definition)?;
        let length = known.length;
        // The process that wrote it may have died before it was durable, and this one is about to
        // act on what it says.
        file.set_len(length)
            .and_then(|()| file.sync_all())
            .map_err(io("cutting off what was not written whole of", &path))?;
        sync_folder(&folder.root)?;
        let manifest = Manifest {
            path,
            file,
            length,
            length_rewritten: length,
            failed: false,
        };
        Ok((manifest, known.state))
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
        if let Err(error) = self.file.write_all_at(&bytes, self.length) {
            self.failed = self.file.set_len(self.length).is_err();
            return Err(io("appending to", &self.path)(error));
        }
        failpoint::hit("manifest.appended");
        let synced = failpoint::call("manifest.sync").and_then(|()| self.file.sync_data());
        if let Err(error) = synced {
            self.failed = true;
            return Err(io("syncing", &self.path)(error));
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
        if self.failed {
            Err(torn(
                &self.path,
                "an earlier write to it failed, and it is not known what of it is durable; open \
                 the table again",
            ))
        } else {
            Ok(())
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
            self.failed = written.is_err();
        }
        written
    }
}

/// Writes a new manifest. `replaced` becomes its file and length as soon as it has replaced the old
/// one.
fn write_new(folder: &Folder, state: &State, replaced: &mut Option<(File, u64)>) -> Result<()> {
    let path = folder.manifest();
    let new = path.with_extension("new");
    let mut bytes = head(state.last_segment);
    for record in state.records() {
        frame::push(&record.encode(), &mut bytes);
    }
    failpoint::hit("rewrite.begin");
    let file = File::create(&new).map_err(io("creating", &new))?;
    failpoint::hit("rewrite.created");
    file.write_all_at(&bytes, 0).map_err(io("writing", &new))?;
    failpoint::hit("rewrite.written");
    file.sync_all().map_err(io("syncing", &new))?;
    failpoint::hit("rewrite.synced");
    fs::rename(&new, &path).map_err(io("renaming", &new))?;
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

/// The contents of a manifest, as far as it was read.
#[derive(Debug, Default)]
pub struct Known {
    head: Option<[u8; HEAD]>,
    /// The bytes of the head and of all whole records.
    length: u64,
    pub state: State,
}

impl Known {
    /// Reads the records that are new. The file is opened by its path, since it may have been
    /// replaced.
    pub fn refresh(&mut self, path: &Path, definition: &Definition) -> Result<()> {
        let file = File::open(path).map_err(io("opening", path))?;
        self.read(path, &file, definition)
            .inspect_err(|_| *self = Known::default())
    }

    fn read(&mut self, path: &Path, file: &File, definition: &Definition) -> Result<()> {
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
        let bytes = read_from(file, self.length).map_err(io("reading", path))?;
        let at = |reason: String| torn(path, format!("{reason}, counted from {}", self.length));
        let records = frame::scan(&bytes, 0).map_err(at)?;
        for payload in records.payloads {
            let record = Record::decode(&bytes[payload])
                .and_then(|record| record.check(definition).map(|()| record))
                .map_err(|reason| torn(path, reason))?;
            self.state
                .check(&record)
                .map_err(|reason| torn(path, reason))?;
            self.state.apply(record);
        }
        self.length += records.end as u64;
        Ok(())
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
