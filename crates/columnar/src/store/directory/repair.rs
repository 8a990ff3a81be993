//! Repairing a table as far as that is possible. Whatever is taken out of it is kept in a folder
//! `damaged-N`.

use std::fs;

use bytes::Bytes;

use super::aside::{Aside, segment_name};
use super::check::{Fault, Found, check};
use super::disk::Output;
use super::files::io;
use super::layout::{Folder, MANIFEST};
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
    let changes_manifest = found.faults.iter().any(of_manifest);
    if changes_manifest {
        let path = folder.manifest();
        let bytes = fs::read(&path).map_err(io("reading", &path))?;
        aside.keep(MANIFEST, &bytes)?;
    }
    for (fault, damage) in found.faults.iter().zip(&mut found.check.damages) {
        damage.repaired = match fault {
            Fault::Beyond => None,
            Fault::Manifest => Some(format!(
                "what can be read was written anew; the whole file is in {kept}"
            )),
            Fault::Segment { place, number } => {
                repair_segment(folder, aside, *place, *number)?;
                Some(format!(
                    "what can be read was written anew; the whole file is in {kept}"
                ))
            }
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
    if changes_manifest {
        Manifest::replace(folder, &found.state)?;
    }
    Ok(())
}

/// Writes the records of a segment anew that can be read. If that is interrupted, the whole file is still
/// where it is kept.
fn repair_segment(folder: &Folder, aside: &Aside, place: Place, number: u64) -> Result<()> {
    let path = folder.segment(place, number);
    let bytes = Bytes::from(fs::read(&path).map_err(io("reading", &path))?);
    aside.keep(&segment_name(place, number, 0), &bytes)?;
    let whole = segment::salvaged(&bytes);
    let file = Output::open(&path).map_err(io("opening", &path))?;
    file.write_at(&whole, 0)
        .and_then(|()| file.set_len(whole.len() as u64))
        .and_then(|()| file.sync_data())
        .map_err(io("writing again", &path))
}
