//! Share of the machine's memory for the heap.

use super::node::Node;
use super::options::DEFAULT_HEAP_MIB;
use crate::error::{Error, Result};
use crate::machine::memory_mib;

const LEAST_HEAP_MIB: u64 = 512;
/// Share of the memory that the heap may take, as a divisor: a server also takes memory outside its
/// heap, and the system's page cache and the clients need theirs.
const HEAP_SHARE: u64 = 4;

/// Returns the default heap of one node in MiB.
///
/// # Errors
/// Fails with `Refused` when this machine has too little memory for Cassandra.
pub(crate) fn default_heap_mib() -> Result<u64> {
    heap_mib(DEFAULT_HEAP_MIB, Node::default())
}

/// Returns the heap in MiB: what was asked for, but at most a quarter of the memory for all nodes
/// together.
///
/// # Errors
/// Fails with `Refused` when that is too little for Cassandra.
pub(crate) fn heap_mib(asked_mib: u64, node: Node) -> Result<u64> {
    bounded_heap(asked_mib, memory_mib()?, u64::from(node.of))
}

/// Says which heap each node has where it is less than what was asked for; `None` where it is as large.
pub(crate) fn smaller_heap(asked_mib: u64, node: Node) -> Option<String> {
    // What is too little for Cassandra is refused when it is to be started.
    told(asked_mib, heap_mib(asked_mib, node).ok()?)
}

fn told(asked_mib: u64, heap_mib: u64) -> Option<String> {
    (heap_mib < asked_mib).then(|| {
        format!(
            "Cassandra has a heap of {heap_mib} MiB in place of the {asked_mib} MiB that were asked for: all of its \
             nodes together take no more than a quarter of the memory"
        )
    })
}

fn bounded_heap(asked_mib: u64, memory_mib: u64, nodes: u64) -> Result<u64> {
    let bound = memory_mib / HEAP_SHARE / nodes;
    if nodes > 1 && bound < LEAST_HEAP_MIB {
        return Err(Error::Refused(format!(
            "{nodes} nodes of Cassandra need a heap of at least {LEAST_HEAP_MIB} MiB each, {} MiB \
             together, and may take a quarter of the memory, {} MiB of {memory_mib} MiB: start no \
             more than {} nodes",
            nodes * LEAST_HEAP_MIB,
            memory_mib / HEAP_SHARE,
            memory_mib / HEAP_SHARE / LEAST_HEAP_MIB
        )));
    }
    if bound.min(asked_mib) < LEAST_HEAP_MIB {
        return Err(Error::Refused(format!(
            "Cassandra needs a heap of at least {LEAST_HEAP_MIB} MiB and may take a quarter of \
             the memory: {asked_mib} MiB were asked for, and this machine has {memory_mib} MiB of memory"
        )));
    }
    if bound < asked_mib {
        tracing::warn!(
            "Cassandra's heap is {bound} MiB instead of {asked_mib} MiB: a quarter of the memory"
        );
    }
    Ok(asked_mib.min(bound))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heap_that_is_smaller_than_what_was_asked_for_is_told() {
        assert_eq!(told(2048, 2048), None);
        let words = told(8192, 6144).unwrap();
        let begin = "Cassandra has a heap of 6144 MiB in place of the 8192 MiB";
        assert!(words.starts_with(begin), "{words}");
        assert_eq!(smaller_heap(LEAST_HEAP_MIB, Node::default()), None);
        let more = smaller_heap(1 << 40, Node::default()).unwrap();
        assert!(more.contains("a quarter of the memory"), "{more}");
    }

    #[test]
    fn a_heap_is_at_most_a_quarter_of_the_memory() {
        assert_eq!(bounded_heap(2048, 24_000, 1).unwrap(), 2048);
        assert_eq!(bounded_heap(2048, 4096, 1).unwrap(), 1024);
        assert_eq!(bounded_heap(2048, 12_000, 3).unwrap(), 1000);
        assert!(
            bounded_heap(2048, 1024, 1)
                .unwrap_err()
                .to_string()
                .contains("1024 MiB of memory")
        );
        assert!(bounded_heap(100, 24_000, 1).is_err());
        let many = bounded_heap(2048, 6000, 3).unwrap_err().to_string();
        assert!(
            many.contains("1536 MiB together") && many.contains("no more than 2 nodes"),
            "{many}"
        );
    }
}
