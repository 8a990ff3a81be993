//! What may differ between two runs, loads or sweeps, in words.

use std::fmt;

use serde::Serialize;

/// One of two runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Side {
    A,
    B,
}

/// Reason why two runs must not be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "obstacle", rename_all = "kebab-case")]
pub enum Obstacle {
    Table,
    Data {
        a: String,
        b: String,
    },
    /// The source of rows is the same, but the workloads describe it differently.
    DataDescribed,
    Rows {
        a: u64,
        b: u64,
    },
    Seed {
        a: u64,
        b: u64,
    },
    /// Two loads were not asked the same, such as a search and a load at a given rate.
    Kind {
        a: String,
        b: String,
    },
    NoCommonDesign,
    NoCommonQuery,
    NoCommonOperation,
}

/// Difference in spite of which the runs may be compared, and which may be the reason why their times
/// differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "caution", rename_all = "kebab-case")]
pub enum Caution {
    /// A program was built without optimisation.
    Debug {
        side: Side,
    },
    Unfinished {
        side: Side,
    },
    NotSteady {
        side: Side,
    },
    NoTwins {
        side: Side,
    },
    /// The run has fewer rounds than a difference needs.
    FewRounds {
        side: Side,
        rounds: u32,
    },
    /// The query is asked differently, and is not compared.
    Query {
        name: String,
    },
    /// The operation of a load does something else, and is not compared.
    Operation {
        name: String,
    },
    /// The questions beside the loads differ, so that no figure with them is compared.
    Questions,
    /// Rounds of a load were not steady, and are left out.
    UnsteadyRounds {
        side: Side,
        rounds: usize,
    },
    /// Operations of a design failed.
    Failed {
        side: Side,
        design: String,
        /// Share of them, from 0 to 1.
        share: f64,
    },
    /// It is of some of the processes only that measured together.
    Shard {
        side: Side,
    },
    OnlyIn {
        side: Side,
        what: String,
    },
    /// A recorded property differs, such as the machine or an engine's version.
    Other {
        what: String,
        a: String,
        b: String,
    },
    Days {
        days: i64,
    },
    /// The seeds differ, so queries have other parameters.
    Parameters,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::A => "A",
            Side::B => "B",
        })
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Table => f.write_str("their tables differ"),
            Obstacle::Data { a, b } => write!(f, "A has rows from {a}, B from {b}"),
            Obstacle::DataDescribed => f.write_str("[data] of their workloads differs"),
            Obstacle::Rows { a, b } => write!(f, "A has {a} rows, B {b}"),
            Obstacle::Seed { a, b } => {
                write!(f, "the generator has the seed {a} in A and {b} in B")
            }
            Obstacle::NoCommonDesign => f.write_str("they have no design in common"),
            Obstacle::Kind { a, b } => write!(f, "A is {a}, B {b}"),
            Obstacle::NoCommonQuery => f.write_str("they have no query in common"),
            Obstacle::NoCommonOperation => f.write_str("they have no operation in common"),
        }
    }
}

impl fmt::Display for Caution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Caution::Debug { side } => write!(
                f,
                "{side} was run by a program built without optimisation: its times mean nothing"
            ),
            Caution::Unfinished { side } => write!(f, "{side} is not finished"),
            Caution::NotSteady { side } => {
                write!(f, "times of {side} were not steady when measuring began")
            }
            Caution::NoTwins { side } => write!(f, "{side} has no twins"),
            Caution::FewRounds { side, rounds } => write!(
                f,
                "{side} has {rounds} rounds, and a difference needs at least five"
            ),
            Caution::Query { name } => {
                write!(f, "{name} is another question in B, and is not compared")
            }
            Caution::Operation { name } => {
                write!(f, "{name} is another operation in B, and is not compared")
            }
            Caution::Questions => f.write_str(
                "the questions beside the loads are others in B, so that no figure with them is compared",
            ),
            Caution::UnsteadyRounds { side, rounds: 1 } => {
                write!(f, "a round of {side} was not steady, and is left out")
            }
            Caution::UnsteadyRounds { side, rounds } => {
                write!(
                    f,
                    "{rounds} rounds of {side} were not steady, and are left out"
                )
            }
            Caution::Failed {
                side,
                design,
                share,
            } => write!(
                f,
                "{:.3}% of the operations of {design} failed in {side}",
                100.0 * share
            ),
            Caution::Shard { side } => write!(
                f,
                "{side} is of some of the shards only: its rates are not those of all"
            ),
            Caution::OnlyIn { side, what } => write!(f, "only {side} has {what}"),
            Caution::Other { what, a, b } => {
                let (a, b) = only_in_each(a, b);
                write!(f, "{what}: A has {a}, B {b}")
            }
            Caution::Days { days: 1 } => f.write_str("a day lies between them"),
            Caution::Days { days } => write!(f, "{days} days lie between them"),
            Caution::Parameters => {
                f.write_str("their seeds differ, so queries have other parameters")
            }
        }
    }
}

/// Returns of two lists of flags those that the other one lacks; both values as they are if they are no such lists.
fn only_in_each(a: &str, b: &str) -> (String, String) {
    let as_they_are = (a.to_owned(), b.to_owned());
    if !a.starts_with('-') || !b.starts_with('-') {
        return as_they_are;
    }
    let without = |list: &str, other: &str| {
        let others: Vec<&str> = other.split_whitespace().collect();
        let own = list
            .split_whitespace()
            .filter(|flag| !others.contains(flag));
        own.collect::<Vec<_>>().join(" ")
    };
    match (without(a, b), without(b, a)) {
        // They differ in their order alone.
        (a, b) if a.is_empty() && b.is_empty() => as_they_are,
        (a, b) => (or_not(a), or_not(b)),
    }
}

/// Writes flags, or that there are none of them.
fn or_not(flags: String) -> String {
    if flags.is_empty() {
        "no such flag".to_owned()
    } else {
        flags
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn other(a: &str, b: &str) -> String {
        let [what, a, b] = ["cassandra, jvm_flags", a, b].map(str::to_owned);
        Caution::Other { what, a, b }.to_string()
    }

    #[test]
    fn of_two_lists_of_flags_only_those_are_told_that_differ() {
        assert_eq!(
            other("-Xms2G -XX:+UseG1GC -Xmx2G", "-Xms2G -XX:+UseG1GC -Xmx4G"),
            "cassandra, jvm_flags: A has -Xmx2G, B -Xmx4G"
        );
        assert_eq!(
            other("-Xms2G -XX:+UseG1GC", "-Xms2G"),
            "cassandra, jvm_flags: A has -XX:+UseG1GC, B no such flag"
        );
    }

    #[test]
    fn other_values_and_another_order_of_flags_are_told_whole() {
        for (a, b) in [("4 KiB", "64 KiB"), ("none", "-Xms2G"), ("-a -b", "-b -a")] {
            let told = format!("cassandra, jvm_flags: A has {a}, B {b}");
            assert_eq!(other(a, b), told);
        }
    }
}
