//! The folder in which Bakeoff keeps files between runs.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The folder of everything that outlives a run: fetched jars and records of started servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home(PathBuf);

impl Home {
    /// Returns the folder in `BAKEOFF_HOME`, or otherwise `bakeoff` in the user's cache folder.
    ///
    /// # Errors
    /// Fails with `Refused` when none of `BAKEOFF_HOME`, `XDG_CACHE_HOME` and `HOME` is set.
    pub fn from_env() -> Result<Home> {
        Home::from_variables(|name| std::env::var_os(name).filter(|v| !v.is_empty()))
    }

    /// Makes a home of any folder.
    ///
    /// # Errors
    /// Fails with `Io` when a relative path refers to a current folder that was deleted.
    pub fn new(folder: impl AsRef<Path>) -> Result<Home> {
        let folder = folder.as_ref();
        std::path::absolute(folder)
            .map(Home)
            .map_err(Error::io("find", folder))
    }

    /// Returns the folder itself.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    pub(crate) fn jars(&self) -> PathBuf {
        self.0.join("jars")
    }

    pub(crate) fn engines(&self) -> PathBuf {
        self.0.join("engines")
    }

    /// Adds to an error what to do if something in the home cannot be written.
    pub(crate) fn unwritable(error: Error) -> Error {
        match error {
            Error::Io { .. } => Error::Refused(format!(
                "{error}: set BAKEOFF_HOME to a folder that can be written and has room"
            )),
            other => other,
        }
    }

    fn from_variables(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> Result<Home> {
        let folder = variable("BAKEOFF_HOME")
            .map(PathBuf::from)
            .or_else(|| variable("XDG_CACHE_HOME").map(|v| Path::new(&v).join("bakeoff")))
            .or_else(|| variable("HOME").map(|v| Path::new(&v).join(".cache/bakeoff")))
            .ok_or_else(|| {
                Error::Refused(
                    "no folder for files that outlive a run: set BAKEOFF_HOME to a folder of your choice"
                        .into(),
                )
            })?;
        Home::new(folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(set: &[(&str, &str)]) -> Result<Home> {
        Home::from_variables(|name| {
            set.iter()
                .find(|(n, _)| *n == name)
                .map(|(_, value)| value.into())
        })
    }

    #[tokio::test]
    async fn a_home_that_cannot_be_written_is_reported_with_the_variable_that_names_another() {
        let home = Home::new("/proc/nothing").unwrap();
        let opened = crate::record::Register::open(&home).await;
        let error = opened.err().unwrap().to_string();
        assert!(error.contains("/proc/nothing"), "{error}");
        assert!(error.contains("set BAKEOFF_HOME to a folder"), "{error}");
    }

    #[test]
    fn the_most_particular_variable_wins() {
        let all = [
            ("HOME", "/h"),
            ("XDG_CACHE_HOME", "/x"),
            ("BAKEOFF_HOME", "/b"),
        ];
        assert_eq!(home(&all).unwrap().folder(), Path::new("/b"));
        assert_eq!(home(&all[..2]).unwrap().folder(), Path::new("/x/bakeoff"));
        assert_eq!(
            home(&all[..1]).unwrap().folder(),
            Path::new("/h/.cache/bakeoff")
        );
        assert!(home(&[]).unwrap_err().to_string().contains("BAKEOFF_HOME"));
    }
}
