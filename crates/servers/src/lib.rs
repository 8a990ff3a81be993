//! Starting and stopping real database servers on this machine, for measuring.
//!
//! A server listens on loopback only, runs in its own process group and is on record before
//! it begins, so that a server whose owner was killed is found and stopped by
//! [`stop_orphans`] at the next start. A process is only ever signalled if it is on record with its
//! process id *and* its start time.

mod account;
pub mod cassandra;
mod details;
mod disk;
mod disk_bytes;
mod driver_process;
mod duckdb;
mod engine;
mod environment;
mod error;
mod files;
mod gate;
mod home;
mod host_command;
mod install;
mod limited;
mod log;
mod machine;
mod opened;
mod ports;
pub mod postgres;
mod process;
mod python;
mod record;
mod search;
mod secret;
pub mod spark;
pub mod survey;

pub use driver_process::DriverProcess;
pub use duckdb::{DuckdbLibrary, find_duckdb, is_library};
pub use engine::Engine;
pub use error::{Error, Result};
pub use files::try_writing;
pub use home::Home;
pub use host_command::{HOST_PLACEHOLDER, HostCommand};
pub use machine::{DeviceRequests, available_mib, read_ahead_bytes, read_ahead_bytes_by};
pub use python::is_python_package;
pub use record::{Listed, Owner, list, stop, stop_orphans};
