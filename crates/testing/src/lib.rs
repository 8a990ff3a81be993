//! What the tests of all crates share: whether a part may be skipped, how often the parts that take
//! long are repeated, servers for a whole test program, and disks that are small or cannot be
//! written. Only tests use it, so it prints and panics.

mod disk;
mod keeper;

use std::fmt::Display;

pub use disk::Disk;
pub use keeper::{Keeper, is_keeper, keep};

/// Is 1 where no part of any test may be skipped, whatever the reason.
const REQUIRED: &str = "BAKEOFF_REQUIRE_ENGINES";
/// Is 1 where parts that take long are repeated as often as they are every night.
const ALL: &str = "BAKEOFF_TEST_ALL";

/// Says why a part of a test is skipped.
///
/// # Panics
/// With `BAKEOFF_REQUIRE_ENGINES=1`.
#[track_caller]
pub fn skipped(reason: impl Display) {
    assert!(
        !is_on(REQUIRED),
        "{REQUIRED}=1 and a part would be skipped: {reason}"
    );
    println!("skipped: {reason}");
}

/// How often a test repeats what takes long: `few` times while somebody waits, and with
/// `BAKEOFF_TEST_ALL=1`, as `just test-all` has it, `all` times.
pub fn times<T>(few: T, all: T) -> T {
    if is_on(ALL) { all } else { few }
}

fn is_on(name: &str) -> bool {
    std::env::var(name).is_ok_and(|value| value == "1")
}
