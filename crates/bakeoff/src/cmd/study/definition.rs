//! The copy of a study's file in the study's folder, from which the page is made where that file is not at hand.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bakeoff_workload::Study as StudyFile;

use crate::exit::Misuse;
use crate::out_file::OutFile;
use crate::shipped::STUDIES;

/// Writes the text of a study into its folder, which has to be there.
///
/// # Errors
/// Fails if it cannot be written.
pub fn write(dir: &Path, name: &str, text: &str) -> Result<()> {
    let path = path(dir, name);
    let mut file = OutFile::replace(&path)?;
    file.write_all(text.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))?;
    file.complete()
}

/// Reads the study of this name from its folder, or takes the shipped one where there is no copy, as in folders of
/// earlier versions. Returns it with what names it on a command line; `None` if it is neither there nor shipped.
///
/// # Errors
/// Fails if the copy cannot be read, and with a misuse if it is no study.
pub fn read(dir: &Path, name: &str) -> Result<Option<(PathBuf, StudyFile)>> {
    let path = path(dir, name);
    let shipped = STUDIES.get(name);
    let (asked, text) = match std::fs::read_to_string(&path) {
        Ok(text) => match shipped {
            Some(shipped) if shipped.text == text => (PathBuf::from(name), text),
            _ => (path, text),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => match shipped {
            Some(shipped) => (PathBuf::from(name), shipped.text.to_owned()),
            None => return Ok(None),
        },
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", path.display()));
        }
    };
    let study = StudyFile::parse(&text, &asked).map_err(|error| Misuse::new(error.into()))?;
    Ok(Some((asked, study)))
}

fn path(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!("{name}.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_comes_first_and_a_shipped_study_needs_none() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        assert_eq!(read(dir, "mine").unwrap().map(|(asked, _)| asked), None);
        let shipped = STUDIES.get("s1").unwrap();
        let (asked, study) = read(dir, "s1").unwrap().unwrap();
        assert_eq!(
            (asked.as_path(), study.name.as_str()),
            (Path::new("s1"), "s1")
        );
        write(dir, "s1", shipped.text).unwrap();
        assert_eq!(read(dir, "s1").unwrap().unwrap().0, Path::new("s1"));
        write(dir, "mine", shipped.text).unwrap();
        let (asked, study) = read(dir, "mine").unwrap().unwrap();
        assert_eq!(
            (asked, study.name.as_str()),
            (dir.join("mine.toml"), "mine")
        );
        write(dir, "s1", "nothing").unwrap();
        assert!(read(dir, "s1").is_err());
    }
}
