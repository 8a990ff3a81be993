//! The file of `--page`, which is made again where it is a page of ours, and is nobody else's.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use bakeoff_report::is_own_page;

use crate::exit::Misuse;
use crate::out_file::is_special;

/// Bytes at the beginning and at the end of a file by which a page is known.
const LOOKED_AT: u64 = 64 << 10;

/// Checks that a page may be written to this file: it is new, empty, a device or a page that this program has written,
/// by whatever command.
///
/// # Errors
/// Fails with a misuse if it is another file, or a folder, and otherwise if it cannot be read.
pub fn check(path: &Path) -> Result<()> {
    let shown = path.display();
    if path.is_dir() {
        return Err(Misuse::new(anyhow!("--page {shown} is a folder: name a file in it")).into());
    }
    if is_special(path) || path.symlink_metadata().is_err() {
        return Ok(());
    }
    let (begin, end) = ends(path)
        .with_context(|| format!("cannot tell what {shown} of --page is, which already exists"))?;
    if begin.is_empty() || is_own_page(&begin, &end) {
        return Ok(());
    }
    Err(Misuse::new(anyhow!(
        "{shown} of --page already exists and is no page that Bakeoff has written, which it would replace: name \
         another file, or remove it"
    ))
    .into())
}

/// Reads the beginning and the end of a file.
fn ends(path: &Path) -> std::io::Result<(String, String)> {
    let mut file = File::open(path)?;
    let mut begin = Vec::new();
    (&mut file).take(LOOKED_AT).read_to_end(&mut begin)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LOOKED_AT)))?;
    let mut end = Vec::new();
    file.take(LOOKED_AT).read_to_end(&mut end)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((text(&begin), text(&end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_ours_may_be_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let check_text = |text: &str| {
            let path = folder.path().join("page.html");
            std::fs::write(&path, text).unwrap();
            let checked = check(&path);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            checked.map_err(|error| error.to_string())
        };
        let long = "x\n".repeat(100_000);
        let head = "<!doctype html>\n<head>\n<title>A · Bakeoff</title>\n";
        let last = "\nWritten by Bakeoff 0.1.0 from the folders of the measurements.\n";
        for text in [
            "",
            head,
            &format!("{head}{long}"),
            &format!("# A\n{long}{last}"),
        ] {
            assert_eq!(check_text(text), Ok(()));
        }
        for text in ["mine", "<!doctype html>\n<title>Mine</title>\n", &long] {
            let told = check_text(text).unwrap_err();
            let words = "is no page that Bakeoff has written, which it would replace: name another";
            assert!(told.contains(words), "{told}");
        }
    }

    #[test]
    fn what_is_new_or_no_file_is_known() {
        let folder = tempfile::tempdir().unwrap();
        assert!(check(&folder.path().join("new.html")).is_ok());
        assert!(check(&folder.path().join("none/new.html")).is_ok());
        assert!(check(Path::new("/dev/stdout")).is_ok());
        assert!(check(Path::new("/dev/null")).is_ok());
        let error = check(folder.path()).unwrap_err();
        assert!(error.to_string().contains("is a folder"), "{error}");
        // A link that leads nowhere is somebody's.
        let link = folder.path().join("link.html");
        std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
        let error = check(&link).unwrap_err();
        assert!(error.to_string().contains("cannot tell what"), "{error}");
    }
}
