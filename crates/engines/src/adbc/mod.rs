//! ADBC, the interface of Arrow to databases: any library with a driver is an engine. It is loaded into a
//! process of its own ([`host`]), which this process talks to ([`client`]) in a small protocol.

mod about;
mod answer;
mod client;
mod driver;
mod driver_file;
mod host;
mod option_value;
mod protocol;
mod secrets;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

pub use about::About;
pub use answer::{Conversion, first_numbers, first_text};
pub use driver::Driver;
pub use driver_file::{Dialect, DriverEntry, DriverFile, ENGINE, Phase};
pub use host::serve_driver;
pub use option_value::Place;
pub use protocol::{Database, Step};
pub use secrets::Secrets;

/// How the process of a driver is started.
#[derive(Debug, Clone)]
pub struct HostProgram {
    pub program: PathBuf,
    pub arguments: Vec<String>,
}

/// The hidden command of our own program that serves a driver.
const COMMAND: &str = "adbc-host";

/// The options of engines whose drivers are loaded.
#[derive(Debug, Clone, Default)]
pub struct AdbcOptions {
    /// The program that loads drivers; `None` is the running one, with its command for that.
    pub host: Option<HostProgram>,
    /// The drivers that designs `adbc/NAME` name; `None` if the command has named no file with them.
    pub drivers: Option<Arc<DriverFile>>,
    /// The names of those that designs of the command need.
    pub wanted: BTreeSet<String>,
}

impl AdbcOptions {
    /// Returns the driver of designs with this name.
    ///
    /// # Errors
    /// The command has named no file with drivers, or that has no such driver.
    pub(crate) fn entry(&self, name: &str) -> Result<&DriverEntry, crate::EngineError> {
        self.file()?.entry(name)
    }

    /// Returns the file with drivers.
    ///
    /// # Errors
    /// The command has named none.
    pub(crate) fn file(&self) -> Result<&DriverFile, crate::EngineError> {
        self.drivers.as_deref().ok_or_else(|| {
            crate::EngineError(
                "the driver of a design adbc/NAME is one that you name: write its library into a TOML file, and \
                 name that with `--adbc FILE` of `bakeoff run`, or leave such designs out with --designs"
                    .to_owned(),
            )
        })
    }

    /// Returns the program that loads drivers.
    ///
    /// # Errors
    /// Fails if the file of the running program is not known.
    pub(crate) fn host_program(&self) -> Result<HostProgram, crate::EngineError> {
        if let Some(host) = &self.host {
            return Ok(host.clone());
        }
        let program = std::env::current_exe().map_err(|error| {
            crate::EngineError(format!("finding Bakeoff's own program failed: {error}"))
        })?;
        Ok(HostProgram {
            program,
            arguments: vec![COMMAND.to_owned()],
        })
    }
}
