//! Repairing a table as far as that is possible. Whatever is taken out of it is kept in a folder
//! `damaged-N`.

use std::path::Path;

use bytes::Bytes;

use super::aside::{Aside, segment_name};
use super::check::{Fault, Found, check};
use super::disk::{self, Output};
use super::files::{io, sync_folder};
use super::layout::{Folder, MANIFEST, UNFINISHED_SEGMENT};
use super::manifest::Manifest;
use super::segment;
use crate::Result;
use crate::id::Place;
use crate::store::check::Check;

/// Checks a table, which no other process may be writing, and repairs it.
pub fn repair(folder: &Folder) -> Result<Check> {
    let mut found = check(folder)?;
    let can_be_repaired = |fault: &Fault| !matches!(fault, Fault::Beyond);
    if found.faults.iter().any(can_be_repaired) {
        let aside = Aside::begin(folder)?;
        repair_all(folder, &mut found, &aside)?;
    }
    Ok(found.check)
}

fn repair_all(folder: &Folder, found: &mut Found, aside: &Aside) -> Result<()> {
    let kept = aside.path.display().to_string();
    let of_manifest = |fault: &Fault| matches!(fault, Fault::Manifest | Fault::Chunk { .. });
    if found.faults.iter().any(of_manifest) {
        let path = folder.manifest();
        let bytes = disk::read(&path).map_err(io("reading", &path))?;
        aside.keep(MANIFEST, &bytes)?;
    }
    for (fault, damage) in found.faults.iter().zip(&mut found.check.damages) {
        damage.repaired = match fault {
            Fault::Beyond => None,
            Fault::Manifest | Fault::Segment { .. } => Some(format!(
                "what can be read was written anew; the whole file is in {kept}"
            )),
            Fault::Chunk {
                place,
                chunk,
                is_there,
            } => {
                found.state.take_out(*place, *chunk);
                if *is_there {
                    aside.take_chunk(folder, *chunk)?;
                    Some(format!("it was taken out of the table and is in {kept}"))
                } else {
                    Some(format!(
                        "its entry was taken out of the manifest, which is in {kept} as it was"
                    ))
                }
            }
        };
    }
    // A reader drops what it has read of the logs when the manifest is a new file, whatever that says. So the
    // manifest is replaced before the logs: if the repair ended in between, a reader would otherwise go on in a
    // new log from where it was in the old one, and a second repair would find nothing to do.
    Manifest::replace(folder, &found.state)?;
    for fault in &found.faults {
        if let Fault::Segment { place, number } = fault {
            repair_segment(folder, aside, *place, *number)?;
        }
    }
    Ok(())
}

/// Writes the records of a segment anew that can be read. The new file takes the place of the damaged one
/// only when it is whole: if that is interrupted, a further repair finds all that this one has found.
fn repair_segment(folder: &Folder, aside: &Aside, place: Place, number: u64) -> Result<()> {
    let path = folder.segment(place, number);
    let bytes = Bytes::from(disk::read(&path).map_err(io("reading", &path))?);
    aside.keep(&segment_name(place, number, 0), &bytes)?;
    let new = folder.root.join(UNFINISHED_SEGMENT);
    write_new(&new, &segment::salvaged(&bytes), &path).inspect_err(|_| {
        // The disk may be full.
        let _ = disk::remove_file(&new);
    })?;
    sync_folder(&folder.place(place))?;
    sync_folder(&folder.root)
}

/// Writes a new file and puts it in the place of another one.
fn write_new(new: &Path, bytes: &[u8], path: &Path) -> Result<()> {
    let mut file = Output::create(new).map_err(io("creating", new))?;
    file.write_at(bytes, 0).map_err(io("writing", new))?;
    file.sync_all().map_err(io("syncing", new))?;
    file.rename(path).map_err(io("renaming", new))
}
