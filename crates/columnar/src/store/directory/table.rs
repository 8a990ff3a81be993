//! `table.json`: the definition of a table, and the version of the format of its folder.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::disk::{self, Output};
use super::files::{create_folder, io, is_there, names, sync_folder, torn};
use super::layout::{CHUNKS, FRESH, Folder, LOCK, MANIFEST, TABLE, UNFINISHED};
use super::manifest::Manifest;
use super::writer::lock;
use crate::definition::Definition;
use crate::{Error, Result, failpoint};

const FORMAT: u32 = 1;

/// The contents of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    format: u32,
    /// A name that no other table has, not even one that is created in the same folder later. Tables of
    /// early versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    definition: Definition,
    /// The CRC-32 of all of the above ([`Contents::checksum`]). Tables of early versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    crc: Option<u32>,
}

/// The version alone, since everything else may be different in another format.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

/// A table as its file describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    pub definition: Arc<Definition>,
    /// A name that no other table has, or `None` for a table of an early version.
    id: Option<String>,
    /// Whether the file has a checksum, which those of early versions lack.
    pub has_checksum: bool,
}

impl Contents {
    /// Returns the CRC-32 of everything but itself, as JSON without spaces.
    fn checksum(&self) -> Result<u32, serde_json::Error> {
        let rest = (self.format, &self.id, &self.definition);
        Ok(crc32fast::hash(&serde_json::to_vec(&rest)?))
    }
}

/// Creates the files of an empty table in a folder that is empty or does not exist. The folder is a table
/// from the moment when it has `table.json`.
pub fn create(folder: &Folder, definition: &Definition) -> Result<File> {
    definition.check()?;
    create_with_parents(&folder.root)?;
    check_empty(folder)?;
    let lock = lock(folder)?;
    // Another process may have created one before the lock was taken.
    check_empty(folder)?;
    create_folder(&folder.chunks())?;
    create_folder(&folder.fresh())?;
    Manifest::create(folder)?;
    failpoint::hit("create.manifest");
    write(folder, definition)?;
    failpoint::hit("create.table");
    Ok(lock)
}

/// Creates a folder and its parents, which are durable when it returns.
fn create_with_parents(path: &Path) -> Result<()> {
    let Some(parent) = path.parent() else {
        return Ok(());
    };
    if is_there(path)? {
        return Ok(());
    }
    // A relative path of one name has an empty one as its parent.
    let parent = if parent.as_os_str().is_empty() {
        Path::new(".")
    } else {
        parent
    };
    create_with_parents(parent)?;
    create_folder(path)?;
    sync_folder(parent).inspect_err(|_| {
        // Where it is found, it counts as durable.
        let _ = disk::remove_folder(path);
    })
}

/// Checks that a folder has nothing, or only the remains of an interrupted create.
fn check_empty(folder: &Folder) -> Result<()> {
    let is_ours =
        |name: &str| [LOCK, CHUNKS, FRESH, MANIFEST].contains(&name) || UNFINISHED.contains(&name);
    let root = folder.root.display();
    let names_there = names(&folder.root)?;
    if names_there.iter().any(|name| name == TABLE) {
        return Err(Error::Invalid(format!(
            "{root} is a table already; open it, or choose another folder"
        )));
    }
    if let Some(other) = names_there.iter().find(|name| !is_ours(name)) {
        return Err(Error::Invalid(format!(
            "{root} is not empty (it has `{other}`); a table needs a separate folder"
        )));
    }
    if names(&folder.chunks())?.is_empty() && names(&folder.fresh())?.is_empty() {
        Ok(())
    } else {
        Err(Error::InTheWay(format!(
            "{root} has rows of a table whose `{TABLE}` is missing; restore that from a backup"
        )))
    }
}

fn write(folder: &Folder, definition: &Definition) -> Result<()> {
    let path = folder.table();
    let new = path.with_extension("new");
    let json = json(definition).map_err(|error| io("writing", &path)(error.into()))?;
    let mut file = Output::create(&new).map_err(io("creating", &new))?;
    file.write_at(&json, 0).map_err(io("writing", &new))?;
    file.sync_all().map_err(io("syncing", &new))?;
    file.rename(&path).map_err(io("renaming", &new))?;
    sync_folder(&folder.root)
}

/// Returns the contents of the file of a new table.
fn json(definition: &Definition) -> Result<Vec<u8>, serde_json::Error> {
    let mut contents = Contents {
        format: FORMAT,
        id: Some(Uuid::now_v7().to_string()),
        definition: definition.clone(),
        crc: None,
    };
    contents.crc = Some(contents.checksum()?);
    let mut json = serde_json::to_vec_pretty(&contents)?;
    json.push(b'\n');
    Ok(json)
}

/// Reads what the file says of the table in a folder.
pub fn read(folder: &Folder) -> Result<Table> {
    let path = folder.table();
    let json = match disk::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::Invalid(format!(
                "{} is not a columnar table: it has no `{TABLE}`",
                folder.root.display()
            )));
        }
        json => json.map_err(io("reading", &path))?,
    };
    let damaged = |error: serde_json::Error| torn(&path, error.to_string());
    let format: Format = serde_json::from_slice(&json).map_err(damaged)?;
    if format.format != FORMAT {
        return Err(Error::Version {
            what: path.display().to_string(),
            found: format.format,
            known: FORMAT,
        });
    }
    let contents: Contents = serde_json::from_slice(&json).map_err(damaged)?;
    let checksum = contents.checksum().map_err(damaged)?;
    if contents.crc.is_some_and(|crc| crc != checksum) {
        return Err(torn(
            &path,
            "its checksum is wrong: it is not what was written when the table was made; restore it \
             from a backup",
        ));
    }
    contents.definition.check()?;
    Ok(Table {
        definition: Arc::new(contents.definition),
        id: contents.id,
        has_checksum: contents.crc.is_some(),
    })
}
