//! Defines the option that names the file with drivers of databases. It is the only way to a library: a workload,
//! which may be someone else's, only names a driver.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use bakeoff_engines::{DriverFile, OptionGroup};
use clap::Args;

use super::unused::Given;
use crate::exit::Misuse;

#[derive(Args, Debug, Clone)]
pub struct AdbcOptions {
    /// Drivers for designs `adbc/NAME`: a TOML file with the library and the options of each, which are
    /// loaded and run; name only files that you trust
    #[arg(long, value_name = "FILE")]
    adbc: Option<PathBuf>,
}

impl AdbcOptions {
    /// Adds the options that are given.
    pub fn add_given(&self, given: &mut Given) {
        given.add("--adbc", OptionGroup::Drivers, self.is_given());
    }

    /// Returns whether a file is named.
    pub fn is_given(&self) -> bool {
        self.adbc.is_some()
    }

    /// Reads the file; `None` where none is named.
    ///
    /// # Errors
    /// Fails with a misuse if there is no such file, or it is invalid.
    pub fn read(&self) -> Result<Option<Arc<DriverFile>>> {
        let Some(path) = &self.adbc else {
            return Ok(None);
        };
        let file = DriverFile::read(path).map_err(|error| Misuse::new(error.into()))?;
        Ok(Some(Arc::new(file)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_there_or_names_no_driver_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str| {
            let adbc = Some(folder.path().join(name));
            AdbcOptions { adbc }.read().unwrap_err().to_string()
        };
        let missing = read("none.toml");
        assert!(
            missing.contains("none.toml of --adbc: No such file"),
            "{missing}"
        );
        std::fs::write(folder.path().join("empty.toml"), "").unwrap();
        let empty = read("empty.toml");
        assert!(empty.contains("names no driver"), "{empty}");
        assert!(AdbcOptions { adbc: None }.read().unwrap().is_none());
    }
}
