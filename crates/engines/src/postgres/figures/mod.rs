//! Figures of a running PostgreSQL and its standbys, by its own views of statistics.
//!
//! ```no_run
//! # async fn example(server: bakeoff_engines::PostgresServer) -> Result<(), bakeoff_engines::EngineError> {
//! for server in bakeoff_engines::postgres_figures::read(&server, &[]).await? {
//!     println!("{}: PostgreSQL {:?}", server.address, server.version);
//!     for missing in &server.missing {
//!         println!("  {} is not available: {}", missing.figure, missing.reason);
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Each host of a URL is asked by a connection of its own, one statement at a time and each with a time limit, in a
//! transaction that only reads. Whatever cannot be had is `None` in [`ServerFigures`] and is in [`ServerFigures::missing`]
//! with the reason and what would bring it: a version without the view, a right that the user lacks, a setting that is
//! off.

mod account;
mod activity;
mod asking;
mod hypertables;
mod model;
mod over_time;
mod read;
mod replicas;
mod sampler;
mod tables;
mod text_row;
mod work;

pub use account::account;
pub use asking::READ_ONLY;
pub use model::{
    Checkpoints, DatabaseFigures, Following, Hypertable, IndexFigures, Io, LongTransaction,
    Replica, ServerFigures, Sessions, Slot, TableFigures, Wal, to_json,
};
pub use read::read;
pub(super) use sampler::Sampler;
