//! Checksums of a folder of jars, in a file that `sha256sum --check` reads too.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::jar_files::sorted_jars;
use crate::error::{Error, Result};
use crate::files::write_synced;

/// The file with a line for each jar: its SHA-256, two blanks, its name.
pub(crate) const FILE: &str = "SHA256SUMS";
/// Versions of Cassandra, and the file for the jars of each: a jar that was changed where it is fetched from
/// brings a checksum that fits.
const PINNED: [(&str, &str); 2] = [
    ("5.0.9", include_str!("jars-5.0.9.sha256")),
    ("4.1.10", include_str!("jars-4.1.10.sha256")),
];
const BUFFER_BYTES: usize = 64 * 1024;

/// Writes the checksums of the jars in that folder.
pub(crate) fn write(folder: &Path) -> Result<()> {
    let mut text = String::new();
    for (name, sum) in sums(folder)? {
        // Writing to a string does not fail.
        writeln!(text, "{sum}  {name}").ok();
    }
    write_synced(&folder.join(FILE), &text)
}

/// Returns the checksums of the jars of that version; `None` for one that is not pinned.
pub(crate) fn pinned(version: &str) -> Option<&'static str> {
    let found = PINNED.iter().find(|(pinned, _)| *pinned == version);
    found.map(|(_, checksums)| *checksums)
}

/// Compares the jars in that folder with the checksums beside them.
///
/// # Errors
/// The first difference.
pub(crate) fn check(folder: &Path) -> Result<(), String> {
    let path = folder.join(FILE);
    let text = fs::read_to_string(&path).map_err(|error| format!("{FILE}: {error}"))?;
    check_against(folder, &text)
}

/// Compares the jars in that folder with checksums: there may be no others, since all of them are run.
///
/// # Errors
/// The first difference.
pub(crate) fn check_against(folder: &Path, checksums: &str) -> Result<(), String> {
    let listed = parse(checksums)?;
    let found = sums(folder).map_err(|error| error.to_string())?;
    for (name, sum) in &listed {
        match found.get(*name) {
            Some(found) if found == sum => {}
            Some(_) => return Err(format!("{name} is cut or changed")),
            None => return Err(format!("{name} is missing")),
        }
    }
    match found
        .keys()
        .find(|name| !listed.contains_key(name.as_str()))
    {
        Some(stranger) => Err(format!("{stranger} does not belong to them")),
        None => Ok(()),
    }
}

pub(super) fn parse(text: &str) -> Result<BTreeMap<&str, &str>, String> {
    let listed: Option<BTreeMap<_, _>> = text
        .lines()
        .map(|line| line.split_once("  ").map(|(sum, name)| (name, sum)))
        .collect();
    listed
        .filter(|listed| !listed.is_empty())
        .ok_or_else(|| format!("{FILE} is cut or changed"))
}

/// Computes the checksum of each jar, by name.
fn sums(folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut sums = BTreeMap::new();
    for jar in sorted_jars(folder)? {
        let name = jar.file_name().unwrap_or_default().to_string_lossy();
        sums.insert(name.into_owned(), sum(&jar)?);
    }
    Ok(sums)
}

fn sum(file: &Path) -> Result<String> {
    let mut opened = File::open(file).map_err(Error::io("read", file))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let read = opened.read(&mut buffer).map_err(Error::io("read", file))?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
    }
    let mut text = String::new();
    for byte in hasher.finalize() {
        write!(text, "{byte:02x}").ok();
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::pinned::pinned_of;
    use super::super::release::Release;
    use super::*;

    fn jars() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.jar"), "abc").unwrap();
        fs::write(folder.path().join("b.jar"), "other").unwrap();
        write(folder.path()).unwrap();
        folder
    }

    #[test]
    fn the_file_is_that_of_sha256sum() {
        let folder = jars();
        let text = fs::read_to_string(folder.path().join(FILE)).unwrap();
        let first = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.jar";
        assert_eq!(text.lines().next(), Some(first));
        check(folder.path()).unwrap();
    }

    #[test]
    fn the_versions_that_are_started_are_pinned() {
        for release in [Release::Four, Release::Five] {
            let version = pinned_of(release).unwrap().version;
            let listed = parse(pinned(&version).unwrap()).unwrap();
            assert!(listed.contains_key(format!("cassandra-all-{version}.jar").as_str()));
        }
        assert_eq!(pinned("5.0.8"), None);
    }

    #[test]
    fn every_difference_is_found_and_named() {
        let difference = |spoil: fn(&Path)| {
            let folder = jars();
            spoil(folder.path());
            check(folder.path()).unwrap_err()
        };
        let cut = difference(|folder| fs::write(folder.join("b.jar"), "oth").unwrap());
        assert_eq!(cut, "b.jar is cut or changed");
        let missing = difference(|folder| fs::remove_file(folder.join("a.jar")).unwrap());
        assert_eq!(missing, "a.jar is missing");
        let stranger = difference(|folder| fs::write(folder.join("c.jar"), "").unwrap());
        assert_eq!(stranger, "c.jar does not belong to them");
        for text in ["", "ba78", "ba7816bf8f01cfea"] {
            let folder = jars();
            fs::write(folder.path().join(FILE), text).unwrap();
            assert_eq!(
                check(folder.path()).unwrap_err(),
                "SHA256SUMS is cut or changed"
            );
        }
        let unlisted = difference(|folder| fs::remove_file(folder.join(FILE)).unwrap());
        assert!(
            unlisted.starts_with("SHA256SUMS: No such file"),
            "{unlisted}"
        );
    }
}
