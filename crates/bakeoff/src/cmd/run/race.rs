//! The option for a race, as a dry run describes it.

/// What a race may leave undone.
pub const WHAT: &str = "two smaller tables of every design come first (1/64 and 1/16 of the rows, or 1/16 and 1/4 of \
                        few; none where these or --budget are too few), and a design that another one beats in \
                        everything is loaded no further. Questions that they leave open are asked before all others.";

/// Says what a race may leave undone.
pub fn describe() -> String {
    format!("and race: {WHAT}")
}
