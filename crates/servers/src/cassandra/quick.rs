//! Flags of servers and tools that live for seconds, as in tests: a Bakeoff that was built without optimisation
//! measures nothing, and starts dozens of them.

use super::tuning::Tuning;

/// Flags that halve the work of a start and slow down later requests.
const SERVER: [&str; 3] = [
    "-XX:TieredStopAtLevel=1",
    // The memory that a row takes in a memtable is measured with so many rows instead of 100,000.
    "-Dcassandra.memtable_row_overhead_computation_step=100",
    // A node that joins gives the others 15 s instead of 30 s to learn of it.
    "-Dcassandra.ring_delay_ms=15000",
];
/// The flag by which a node that ends waits for no messages of others, which takes 2 s. It does not tell them either.
const ALONE: [&str; 1] = ["-Dcassandra.test.messagingService.nonGracefulShutdown=true"];
/// Flags by which Java does not verify the code of Cassandra, whose jars are compared with their checksums.
const UNVERIFIED: [&str; 2] = [
    // It has to stand before the flag that it allows.
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
];

/// Returns the flags of a server.
pub(super) fn server(tuning: &Tuning) -> impl Iterator<Item = &'static &'static str> {
    in_tests(tuning, &SERVER).chain(in_tests(tuning, &UNVERIFIED))
}

/// Returns the further flags of a server that is no node of several.
pub(super) fn alone(tuning: &Tuning) -> impl Iterator<Item = &'static &'static str> {
    in_tests(tuning, &ALONE)
}

/// Returns the flags of a tool, which is compiled quickly in any case.
pub(super) fn tool(tuning: &Tuning) -> impl Iterator<Item = &'static &'static str> {
    in_tests(tuning, &UNVERIFIED)
}

fn in_tests(
    tuning: &Tuning,
    flags: &'static [&'static str],
) -> impl Iterator<Item = &'static &'static str> {
    let is_quick = cfg!(debug_assertions) && !tuning.as_released;
    is_quick.then_some(flags).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_build_without_optimisation_has_them_and_each_is_allowed_before_it_stands() {
        let tuning = Tuning::default();
        let all: Vec<_> = server(&tuning).collect();
        assert_eq!(all.is_empty(), !cfg!(debug_assertions));
        assert_eq!(tool(&tuning).next().is_none(), all.is_empty());
        let place = |of: &str| all.iter().position(|flag| flag.contains(of));
        assert!(place("Unlock") <= place("Verification"), "{all:?}");
    }

    #[test]
    fn a_server_that_is_started_as_by_users_has_none_of_them() {
        let tuning = Tuning {
            as_released: true,
            ..Tuning::default()
        };
        let of_server = server(&tuning).chain(alone(&tuning));
        let all: Vec<_> = of_server.chain(tool(&tuning)).collect();
        assert_eq!(all, [&""; 0]);
    }
}
