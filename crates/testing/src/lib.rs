//! Helpers that the tests of all crates share: whether a part may be skipped, how often long parts
//! are repeated, random choices that can be repeated, servers for a whole test program, the
//! server's end of a connection, servers of Spark, disks that are small or read-only, and hostile inputs for parsers.
//! Only tests use this crate, so it prints and panics.

mod disk;
pub mod hostile;
mod keeper;
mod moment;
pub mod peer;
mod random;
pub mod spark;

use std::fmt::Display;

pub use disk::Disk;
pub use keeper::{Keeper, is_keeper, keep};
pub use moment::Moment;
pub use random::Random;

/// Variable that is 1 if no part of any test may be skipped, whatever the reason.
const REQUIRED: &str = "BAKEOFF_REQUIRE_ENGINES";
/// Variable that is 1 if long parts are repeated as often as they are every night.
const ALL: &str = "BAKEOFF_TEST_ALL";

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

/// Returns how often a test repeats a long part: `few` times by default, and with
/// `BAKEOFF_TEST_ALL=1`, as in `just test-all`, `all` times.
pub fn times<T>(few: T, all: T) -> T {
    if is_on(ALL) { all } else { few }
}

fn is_on(name: &str) -> bool {
    std::env::var(name).is_ok_and(|value| value == "1")
}
