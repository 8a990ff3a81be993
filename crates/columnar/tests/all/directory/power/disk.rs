//! A disk that loses power: of everything that was not synced, any part may be there afterwards.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bakeoff_columnar::internals::Operation;

use super::super::steps::Random;

/// The bytes that a disk writes as a whole or not at all.
const SECTOR: usize = 512;

/// What becomes of writes that were not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// All of them are lost.
    Lost,
    /// All of them are there.
    Kept,
    /// Each sector and each name may be there or lost, whatever came first. The seed decides.
    Any(u64),
}

/// Files and folders, as they are durable and as they may become.
#[derive(Debug, Clone, Default)]
pub struct Disk {
    files: Vec<Contents>,
    /// The names as processes see them.
    names: BTreeMap<PathBuf, Node>,
    /// The names that are durable.
    durable: BTreeMap<PathBuf, Node>,
    /// The changes of names that are not durable, in their order.
    pending: Vec<NameChange>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    Folder,
    /// A file, by its number.
    File(usize),
}

#[derive(Debug, Clone, Default)]
struct Contents {
    durable: Vec<u8>,
    pending: Vec<Change>,
}

#[derive(Debug, Clone)]
enum Change {
    Write(u64, Vec<u8>),
    Length(u64),
}

#[derive(Debug, Clone)]
enum NameChange {
    Add(PathBuf, Node),
    Remove(PathBuf),
    Rename(PathBuf, PathBuf),
}

impl Disk {
    /// Does what was recorded.
    pub fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::Create(path) => match self.names.get(path) {
                Some(_) => self.change(path, Change::Length(0)),
                None => {
                    self.files.push(Contents::default());
                    self.add(path, Node::File(self.files.len() - 1));
                }
            },
            Operation::CreateFolder(path) => self.add(path, Node::Folder),
            Operation::Write {
                path,
                position,
                bytes,
            } => self.change(path, Change::Write(*position, bytes.clone())),
            Operation::SetLength { path, length } => self.change(path, Change::Length(*length)),
            Operation::Sync(path) => {
                if let Some(file) = self.file(path) {
                    file.sync();
                }
            }
            // The pages count as written from now on, and never are.
            Operation::FailedSync(path) => {
                if let Some(file) = self.file(path) {
                    file.pending.clear();
                }
            }
            Operation::Rename { from, to } => {
                if let Some(node) = self.names.remove(from) {
                    self.names.insert(to.clone(), node);
                }
                self.pending
                    .push(NameChange::Rename(from.clone(), to.clone()));
            }
            Operation::Remove(path) => {
                self.names.remove(path);
                self.pending.push(NameChange::Remove(path.clone()));
            }
            Operation::SyncFolder(folder) => self.sync_folder(folder),
            Operation::Mark(_) => {}
        }
    }

    fn add(&mut self, path: &Path, node: Node) {
        self.names.insert(path.to_owned(), node);
        self.pending.push(NameChange::Add(path.to_owned(), node));
    }

    fn file(&mut self, path: &Path) -> Option<&mut Contents> {
        match self.names.get(path) {
            Some(Node::File(number)) => self.files.get_mut(*number),
            _ => None,
        }
    }

    /// Changes a file, unless it has no name any more.
    fn change(&mut self, path: &Path, change: Change) {
        if let Some(file) = self.file(path) {
            file.pending.push(change);
        }
    }

    fn sync_folder(&mut self, folder: &Path) {
        let (now, later) = std::mem::take(&mut self.pending)
            .into_iter()
            .partition(|change| change.path().parent() == Some(folder));
        self.pending = later;
        let now: Vec<NameChange> = now;
        now.iter()
            .for_each(|change| change.apply(&mut self.durable));
    }

    /// Writes below another folder what a loss of power may leave.
    pub fn crash(&self, fate: Fate, from: &Path, to: &Path) {
        let mut random = Random(match fate {
            Fate::Any(seed) => seed,
            Fate::Lost | Fate::Kept => 0,
        });
        let mut is_kept = || match fate {
            Fate::Lost => false,
            Fate::Kept => true,
            Fate::Any(_) => random.below(2) == 0,
        };
        let mut names = self.durable.clone();
        for change in &self.pending {
            if is_kept() {
                change.apply(&mut names);
            }
        }
        for (path, node) in names {
            let path = to.join(path.strip_prefix(from).unwrap());
            if !path.parent().unwrap().is_dir() {
                // The folder was lost.
                continue;
            }
            match node {
                Node::Folder => fs::create_dir_all(path).unwrap(),
                Node::File(number) => {
                    let bytes = self.files[number].after_crash(&mut is_kept);
                    fs::write(path, bytes).unwrap();
                }
            }
        }
    }
}

impl NameChange {
    fn path(&self) -> &Path {
        match self {
            NameChange::Add(path, _) | NameChange::Remove(path) => path,
            NameChange::Rename(_, to) => to,
        }
    }

    fn apply(&self, names: &mut BTreeMap<PathBuf, Node>) {
        match self {
            NameChange::Add(path, node) => _ = names.insert(path.clone(), *node),
            NameChange::Remove(path) => _ = names.remove(path),
            NameChange::Rename(from, to) => {
                if let Some(node) = names.remove(from) {
                    names.insert(to.clone(), node);
                }
            }
        }
    }
}

impl Contents {
    fn sync(&mut self) {
        for change in std::mem::take(&mut self.pending) {
            change.apply(&mut self.durable, &mut || true);
        }
    }

    fn after_crash(&self, is_kept: &mut impl FnMut() -> bool) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        for change in &self.pending {
            change.apply(&mut bytes, is_kept);
        }
        bytes
    }
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>, is_kept: &mut impl FnMut() -> bool) {
        match self {
            Change::Length(length) => {
                if is_kept() {
                    bytes.resize(*length as usize, 0);
                }
            }
            Change::Write(position, written) => {
                let (begin, end) = (*position as usize, *position as usize + written.len());
                // The length may have become durable without the bytes, which are zeros then.
                if is_kept() && bytes.len() < end {
                    bytes.resize(end, 0);
                }
                let mut at = begin;
                while at < end {
                    let next = ((at / SECTOR + 1) * SECTOR).min(end);
                    if is_kept() {
                        if bytes.len() < next {
                            bytes.resize(next, 0);
                        }
                        bytes[at..next].copy_from_slice(&written[at - begin..next - begin]);
                    }
                    at = next;
                }
            }
        }
    }
}
