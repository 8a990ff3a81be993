//! Helpers that the tests of all crates share: whether a part may be skipped, how often long parts
//! are repeated, random choices that can be repeated, servers for a whole test program, the
//! server's end of a connection, servers of Spark, disks that are small or read-only, the names in a folder, scripts in
//! the place of programs, calls to the system that fail, packets that are dropped, and hostile inputs for parsers. Only
//! tests use this crate, so it prints and panics.

pub mod calls;
mod disk;
pub mod hostile;
mod keeper;
mod moment;
pub mod nft;
pub mod peer;
mod program;
mod random;
pub mod spark;

use std::fmt::Display;
use std::path::{Path, PathBuf};

pub use disk::Disk;
pub use keeper::{Keeper, is_keeper, keep};
pub use moment::Moment;
pub use program::put_program;
pub use random::Random;

/// Variable that is 1 if no part of any test may be skipped, whatever the reason.
const REQUIRED: &str = "BAKEOFF_REQUIRE_ENGINES";
/// Variable that is 1 if long parts are repeated as often as they are every night.
const ALL: &str = "BAKEOFF_TEST_ALL";
/// Variable with the folder of the ADBC drivers that tests load.
const ADBC_DRIVERS: &str = "BAKEOFF_ADBC_DRIVERS";

/// Prints why a part of a test is skipped.
///
/// # Panics
/// Panics with `BAKEOFF_REQUIRE_ENGINES=1`.
#[track_caller]
pub fn skipped(reason: impl Display) {
    assert!(
        !is_on(REQUIRED),
        "{REQUIRED}=1 and a part would be skipped: {reason}"
    );
    println!("skipped: {reason}");
}

/// Returns the library of an ADBC driver, such as `sqlite`, out of the folder that `scripts/install-adbc` has made;
/// `None`, with the reason printed, where there is none.
///
/// # Panics
/// Panics with `BAKEOFF_REQUIRE_ENGINES=1` if there is none.
#[track_caller]
pub fn adbc_driver(name: &str) -> Option<PathBuf> {
    let file = format!("libadbc_driver_{name}.so");
    let folder = std::env::var_os(ADBC_DRIVERS).map(PathBuf::from);
    let library = folder.map(|folder| folder.join(&file));
    let found = library.filter(|library| library.is_file());
    if found.is_none() {
        skipped(format!(
            "{file} is not in the folder that {ADBC_DRIVERS} names, which `scripts/install-adbc FOLDER` makes"
        ));
    }
    found
}

/// Returns the names of all that is in a folder, in order.
///
/// # Panics
/// Panics if the folder cannot be read, or a name is not UTF-8.
#[track_caller]
pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder that can be read");
    let names = entries.map(|entry| entry.expect("a folder that can be read").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.into_string().expect("a name in UTF-8"))
        .collect();
    names.sort();
    names
}

/// Returns how often a test repeats a long part: `few` times by default, and with
/// `BAKEOFF_TEST_ALL=1`, as in `just test-all`, `all` times.
pub fn times<T>(few: T, all: T) -> T {
    if is_on(ALL) { all } else { few }
}

fn is_on(name: &str) -> bool {
    std::env::var(name).is_ok_and(|value| value == "1")
}
