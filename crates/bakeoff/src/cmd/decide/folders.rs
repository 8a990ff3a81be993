//! Checks the folders that a decision is to write to, before anything is measured.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use bakeoff_stats::LOCK_FILE;
use rustix::fs::{Access, access};

use super::final_plan::{self, FINAL};
use super::loads::LOAD;
use super::{RUN, SAMPLE, WORKLOAD, adopt, record};
use crate::cmd::measure::folder::resolved;
use crate::exit::Misuse;

/// Checks that the folder of a decision can be written to, and that of `--adopt` once all is measured. Nothing is
/// touched.
///
/// # Errors
/// Fails with a misuse if the measurement would be in the way of the files of `--adopt`, and otherwise if something is
/// in their folder already, or a folder cannot be made or written to.
pub fn check(dir: &Path, adopt: Option<&Path>) -> Result<()> {
    check_access("--out", dir)?;
    let Some(folder) = adopt else {
        return Ok(());
    };
    adopt::check_folder(folder)?;
    check_apart(dir, folder)?;
    check_access("--adopt", folder)
}

/// Checks that the folder of `--adopt` is still empty once a decision is in `dir`.
fn check_apart(dir: &Path, folder: &Path) -> Result<()> {
    let (own, taken) = (resolved(dir), resolved(folder));
    let inside = taken.strip_prefix(&own).ok();
    let first = inside.map(|inside| inside.components().next());
    let is_in_the_way = match first {
        // It is the same folder.
        Some(None) => true,
        Some(Some(first)) => is_of_decision(first.as_os_str()),
        None => own.starts_with(&taken),
    };
    if !is_in_the_way {
        return Ok(());
    }
    let told = anyhow!(
        "--adopt {}: the decision itself writes there, to {}, and nothing is overwritten: name a new folder beside it",
        folder.display(),
        dir.display()
    );
    Err(Misuse::new(told).into())
}

/// Returns whether the folder of a decision has something of this name, or may have.
fn is_of_decision(name: &OsStr) -> bool {
    let own = [
        RUN,
        FINAL,
        WORKLOAD,
        SAMPLE,
        record::FILE,
        final_plan::FILE,
        LOCK_FILE,
    ];
    own.iter().any(|own| name == *own) || name.to_string_lossy().starts_with(LOAD)
}

/// Checks that a folder can be written to, or be made where it is missing.
fn check_access(option: &str, dir: &Path) -> Result<()> {
    let path = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    // A link that leads nowhere is there, too, and no folder.
    let there = path
        .ancestors()
        .find(|path| path.symlink_metadata().is_ok());
    let Some(there) = there else {
        return Ok(());
    };
    if !there.is_dir() {
        bail!(
            "{option} {}: {} is no folder: name a folder that can be made",
            dir.display(),
            there.display()
        );
    }
    access(there, Access::WRITE_OK | Access::EXEC_OK).map_err(|error| {
        anyhow!(
            "{option} {}: nothing can be written to {}: {error}: name another folder",
            dir.display(),
            there.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn folders_in_which_files_to_adopt_would_not_be_alone_are_refused() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        std::fs::create_dir(at("there")).unwrap();
        std::os::unix::fs::symlink(at("there"), at("link")).unwrap();
        for (out, adopt) in [
            ("out", "out"),
            ("out", "out/."),
            ("out", "x/../out"),
            ("there/out", "link/out"),
            ("there/out", "there"),
            ("a/b/out", "a"),
            ("out", "out/run"),
            ("out", "out/run/mine"),
            ("out", "out/load-2"),
            ("out", "out/final"),
            ("out", "out/workload.toml"),
            ("out", "out/decide.txt"),
        ] {
            let error = check(&at(out), Some(&at(adopt))).unwrap_err();
            assert!(error.is::<Misuse>(), "{out}, {adopt}: {error}");
            let told = "the decision itself writes there";
            assert!(error.to_string().contains(told), "{out}, {adopt}: {error}");
        }
        for (out, adopt) in [
            ("out", "out/mine"),
            ("out", "out2"),
            ("out", "mine"),
            ("there", "mine"),
            ("out", "there"),
        ] {
            let checked = check(&at(out), Some(&at(adopt)));
            assert!(checked.is_ok(), "{out}, {adopt}: {checked:?}");
        }
        assert!(check(&at("out"), None).is_ok());
        assert!(!at("out").exists() && !at("mine").exists());
        std::fs::write(at("there/theirs"), "").unwrap();
        let error = check(&at("out"), Some(&at("there"))).unwrap_err();
        assert!(
            error.to_string().contains("nothing is overwritten"),
            "{error}"
        );
    }

    #[test]
    fn folders_that_cannot_be_made_are_refused() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        std::fs::write(at("file"), "").unwrap();
        let error = check(&at("file/a/out"), None).unwrap_err().to_string();
        assert!(
            error.starts_with("--out ") && error.contains("is no folder"),
            "{error}"
        );
        let error = check(&at("out"), Some(&at("file/mine"))).unwrap_err();
        let error = error.to_string();
        assert!(
            error.starts_with("--adopt ") && error.contains("is no folder"),
            "{error}"
        );
        // Root may write wherever there is room.
        if !rustix::process::geteuid().is_root() {
            std::fs::create_dir(at("theirs")).unwrap();
            let mode = std::fs::Permissions::from_mode(0o555);
            std::fs::set_permissions(at("theirs"), mode).unwrap();
            let error = check(&at("theirs/out"), None).unwrap_err().to_string();
            assert!(error.contains("nothing can be written to"), "{error}");
        }
    }
}
