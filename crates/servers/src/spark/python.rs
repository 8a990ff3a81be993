//! Finding a Python that has Spark.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::pinned::{PinnedSpark, pinned};
use crate::environment::keep_needed;
use crate::error::{Error, Result};
use crate::limited::{VERSION_LIMIT, output_within};
use crate::machine::on_path;
use crate::search::{PassedOver, Search};

/// The variable that names a Python; nowhere else is looked then.
const VARIABLE: &str = "BAKEOFF_SPARK_PYTHON";
/// The Python that is looked for on `PATH`.
const PROGRAM: &str = "python3";
/// Prints the versions of the packages that are needed, and on a second line those that a client of Spark Connect needs
/// and that are missing. It imports none of them, which would take a second.
const PROBE: &str = "\
from importlib.metadata import PackageNotFoundError, version
print(version('pyspark'), version('pyarrow'))
def lacks(name):
    try:
        return not version(name)
    except PackageNotFoundError:
        return True
print(*filter(lacks, ['pandas', 'grpcio', 'grpcio-status', 'googleapis-common-protos']))
";
const NO_PACKAGES: &str = "a Python without pyspark and pyarrow";
const NO_PYTHON: &str = "a program that cannot be run";

/// A Python with the packages that are needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SparkPython {
    pub program: PathBuf,
    /// The version of its Spark, such as `3.5.9`.
    pub version: String,
    /// The packages that a client of Spark Connect needs and that are missing.
    pub lacks: Vec<String>,
}

impl SparkPython {
    /// Checks that it can be a client of Spark Connect.
    ///
    /// # Errors
    /// Fails with `Refused`, with the packages to install.
    pub(crate) fn check_connect(&self) -> Result<()> {
        if self.lacks.is_empty() {
            return Ok(());
        }
        Err(Error::Refused(format!(
            "--spark sc://... needs more packages in the Python of Spark: install them with `{} -m pip install {}`",
            self.program.display(),
            self.lacks.join(" ")
        )))
    }
}

/// Finds the Python that has Spark: the one in `BAKEOFF_SPARK_PYTHON` and no other if that is set, or else the `python3`
/// on `PATH`.
///
/// # Errors
/// Fails with `NoSpark`, with what was found instead; `Refused` when `engines.toml`, which is part of the program, is
/// malformed.
pub fn find_python() -> Result<SparkPython> {
    found_python(search_python()?)
}

/// Returns the Python that a search found.
///
/// # Errors
/// Those of [`find_python`].
pub(crate) fn found_python(search: Search<SparkPython>) -> Result<SparkPython> {
    let Search { found, passed_over } = search;
    match found {
        Some(python) => Ok(python),
        None => Err(Error::NoSpark {
            version: pinned()?.pyspark,
            found: passed_over.iter().map(PassedOver::to_string).collect(),
        }),
    }
}

/// Searches for the Python of [`find_python`], and records those that do not fit.
///
/// # Errors
/// Fails with `Refused` when `engines.toml` is malformed.
pub(crate) fn search_python() -> Result<Search<SparkPython>> {
    let named = std::env::var_os(VARIABLE).filter(|named| !named.is_empty());
    let program = match named {
        Some(named) => Some(located(PathBuf::from(named))),
        None => on_path(&std::env::var_os("PATH").unwrap_or_default(), PROGRAM),
    };
    Ok(search_in(program, &pinned()?))
}

/// Returns a path from the root, since the program is started in another folder. A name alone is looked for on `PATH`.
fn located(named: PathBuf) -> PathBuf {
    let is_name = named.components().count() == 1;
    match std::path::absolute(&named) {
        Ok(path) if !is_name => path,
        _ => named,
    }
}

fn search_in(program: Option<PathBuf>, pinned: &PinnedSpark) -> Search<SparkPython> {
    let mut search = Search::new();
    let Some(program) = program else {
        return search;
    };
    match version_of(&program) {
        Ok((version, lacks)) if version.starts_with(pinned.release()) => {
            search.found = Some(SparkPython {
                program,
                version,
                lacks,
            });
        }
        Ok((version, _)) => search.pass_over(program, format!("Spark {version}")),
        Err(reason) => search.pass_over(program, reason),
    }
    search
}

/// Returns the version of the Spark of a Python, and the packages that it lacks for Spark Connect.
///
/// # Errors
/// Fails with what it is instead.
fn version_of(program: &Path) -> Result<(String, Vec<String>), &'static str> {
    let mut command = Command::new(program);
    keep_needed(&mut command);
    command.args(["-c", PROBE]);
    let output = output_within(&mut command, VERSION_LIMIT).map_err(|_| NO_PYTHON)?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let (versions, lacks) = printed.split_once('\n').unwrap_or_default();
    let lacks = lacks.split_whitespace().map(str::to_owned).collect();
    let version = versions.split_whitespace().next();
    match version {
        Some(version) if output.status.success() => Ok((version.to_owned(), lacks)),
        _ => Err(NO_PACKAGES),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Python that does this.
    fn python(folder: &tempfile::TempDir, does: &str) -> PathBuf {
        let program = folder.path().join("python3");
        bakeoff_testing::put_program(&program, &format!("#!/bin/sh\n{does}\n"));
        program
    }

    #[test]
    fn a_python_is_the_same_from_every_folder() {
        let here = std::env::current_dir().unwrap();
        let python = || PathBuf::from("spark/bin/python");
        assert_eq!(located(python()), here.join(python()));
        assert_eq!(located("python3.11".into()), Path::new("python3.11"));
        assert_eq!(located("/opt/python".into()), Path::new("/opt/python"));
    }

    #[test]
    fn a_spark_of_the_pinned_release_is_found_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let pinned = pinned().unwrap();
        let program = python(&folder, "echo 3.5.2 20.0.0");
        let found = search_in(Some(program.clone()), &pinned).found.unwrap();
        assert_eq!(found.version, "3.5.2");
        assert_eq!(found.program, program);
        found.check_connect().unwrap();
        for (does, reason) in [
            ("echo 4.1.0 20.0.0", "Spark 4.1.0"),
            ("echo 3.50.1 20.0.0", "Spark 3.50.1"),
            ("echo PackageNotFoundError >&2; exit 1", NO_PACKAGES),
            ("echo 3.5.2; exit 1", NO_PACKAGES),
            ("true", NO_PACKAGES),
        ] {
            let search = search_in(Some(python(&folder, does)), &pinned);
            assert_eq!(search.passed_over[0].reason, reason);
            let error = found_python(search).unwrap_err().to_string();
            assert!(error.contains(&pinned.pyspark), "{error}");
            assert!(error.contains(VARIABLE), "{error}");
        }
        let search = search_in(Some("/nowhere/python3".into()), &pinned);
        assert_eq!(search.passed_over[0].reason, NO_PYTHON);
        assert_eq!(search_in(None, &pinned), Search::new());
    }

    #[test]
    fn what_spark_connect_lacks_is_told_with_how_to_install_it() {
        let folder = tempfile::tempdir().unwrap();
        let program = python(&folder, "echo 3.5.9 20.0.0; echo pandas grpcio");
        let found = search_in(Some(program.clone()), &pinned().unwrap());
        let found = found.found.unwrap();
        assert_eq!(found.lacks, ["pandas", "grpcio"]);
        let error = found.check_connect().unwrap_err().to_string();
        let install = format!("`{} -m pip install pandas grpcio`", program.display());
        assert!(error.ends_with(&install), "{error}");
    }
}
