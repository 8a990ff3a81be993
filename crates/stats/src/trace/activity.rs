//! What Cassandra says in the events of a trace, as releases 4.1 and 5.0 write it.

use std::net::IpAddr;

/// What an event tells, as far as a summary uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Activity {
    /// The coordinator asks a node for rows; `None` stands for itself.
    AsksForData(Option<IpAddr>),
    /// The coordinator asks a node for a digest of its rows; `None` stands for itself.
    AsksForDigest(Option<IpAddr>),
    /// The coordinator asks a node for a range of tokens.
    AsksForRange(IpAddr),
    /// The coordinator has divided a scan into so many ranges of tokens.
    DividesIntoRanges(u64),
    /// The coordinator asks one more node, since the first ones are slow.
    RetriesSpeculatively(Option<IpAddr>),
    /// A node sends a request to another one.
    SendsRequest(IpAddr),
    /// A node has got a request of another one, which is named, and begins to count its time.
    ReceivesRequest(Option<IpAddr>),
    /// A node has got the answer of another one to its request.
    ReceivesAnswer(IpAddr),
    /// A node has read so many SSTables.
    ReadsSstables(u64),
    /// A node has left an SSTable out, by its filter, its least and greatest keys or its index.
    SkipsSstable,
    /// A node has found the partition in its row cache.
    HitsRowCache,
    /// A node has read so many rows and markers of deletions.
    ReadsRows { live: u64, tombstones: u64 },
    /// A node has given up, having read too many markers of deletions.
    GivesUpForTombstones(u64),
    /// The answers of the nodes were not the same.
    FindsMismatch,
    /// The coordinator reads all rows again, to repair those that are missing.
    ReadsForRepair,
    /// The coordinator sends missing rows to a node.
    WritesForRepair,
    /// The coordinator asks a node for more rows, since others have deleted some.
    ReadsMore,
    /// The coordinator has not got enough answers.
    LacksAnswers,
    /// A node reads by an index.
    UsesIndex,
    /// Anything else.
    Other,
}

impl Activity {
    /// Reads the text of an event.
    pub fn of(text: &str) -> Activity {
        let after = |start: &str| text.strip_prefix(start);
        if let Some(rest) = after("reading data ") {
            return Activity::AsksForData(address_in(rest));
        }
        if let Some(rest) = after("reading digest ") {
            return Activity::AsksForDigest(address_in(rest));
        }
        if let Some(rest) = after("speculating read retry on ") {
            return Activity::RetriesSpeculatively(address_in(rest));
        }
        if let Some(ranges) = after("Submitting range requests on ").and_then(number_at_start) {
            return Activity::DividesIntoRanges(ranges);
        }
        if let Some(node) = after("Enqueuing request to ").and_then(address_in) {
            return Activity::AsksForRange(node);
        }
        if let Some((verb, to)) = after("Sending ").and_then(|rest| rest.split_once(" message to "))
            && verb.ends_with("_REQ")
            && let Some(node) = address_in(to)
        {
            return Activity::SendsRequest(node);
        }
        if let Some((verb, from)) = text.split_once(" message received from ") {
            let node = address_in(from);
            if verb.ends_with("_REQ") {
                return Activity::ReceivesRequest(node);
            }
            if let Some(node) = node.filter(|_| verb.ends_with("_RSP")) {
                return Activity::ReceivesAnswer(node);
            }
        }
        Activity::of_storage(text).unwrap_or_else(|| Activity::of_answers(text))
    }

    /// Reads what a node says of its files and rows.
    fn of_storage(text: &str) -> Option<Activity> {
        let after = |start: &str| text.strip_prefix(start);
        let sstables = after("Merged data from memtables and ")
            .or_else(|| after("Executing seq scan across "))
            .and_then(number_at_start);
        if let Some(sstables) = sstables {
            return Some(Activity::ReadsSstables(sstables));
        }
        if let Some((live, rest)) =
            after("Read ").and_then(|rest| rest.split_once(" live rows and "))
        {
            return Some(Activity::ReadsRows {
                live: live.parse().ok()?,
                tombstones: number_at_start(rest)?,
            });
        }
        if let Some(tombstones) = after("Scanned over ").and_then(number_at_start) {
            return Some(Activity::GivesUpForTombstones(tombstones));
        }
        if text.contains(" allows skipping sstable ")
            || text.contains("(bloom filter false positive)")
        {
            return Some(Activity::SkipsSstable);
        }
        if text == "Row cache hit" {
            return Some(Activity::HitsRowCache);
        }
        after("Executing read on ")
            .is_some_and(|rest| rest.contains(" using index"))
            .then_some(Activity::UsesIndex)
    }

    /// Reads what a coordinator says of the answers of others.
    fn of_answers(text: &str) -> Activity {
        let begins = |start: &str| text.starts_with(start);
        if begins("Digest mismatch: ") {
            return Activity::FindsMismatch;
        }
        if begins("Enqueuing ") && text.contains(" data read to ") {
            return Activity::ReadsForRepair;
        }
        if begins("Sending read-repair-mutation to ")
            || begins("Sending speculative read-repair-mutation to ")
        {
            return Activity::WritesForRepair;
        }
        if begins("Requesting ") && text.ends_with(" for short read protection") {
            return Activity::ReadsMore;
        }
        if (begins("Timed out; received ") || begins("Failed; received "))
            && text.contains(" responses")
        {
            return Activity::LacksAnswers;
        }
        Activity::Other
    }
}

/// Returns the whole number that a text begins with.
fn number_at_start(text: &str) -> Option<u64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..end].parse().ok()
}

/// Returns the address that follows the first slash: of `/10.0.0.1:7000`, `db1/10.0.0.1:7000`,
/// `Full(/[fd00:0:0:0:0:0:0:1]:7000,(1,2])` and the like.
fn address_in(text: &str) -> Option<IpAddr> {
    let (_, rest) = text.split_once('/')?;
    if let Some(rest) = rest.strip_prefix('[') {
        return rest.split_once(']')?.0.parse().ok();
    }
    let is_part = |c: char| c.is_ascii_hexdigit() || c == '.' || c == ':';
    let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
    let whole = &rest[..end];
    let without_port = || whole.rsplit_once(':')?.0.parse().ok();
    whole.parse().ok().or_else(without_port)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str) -> IpAddr {
        address.parse().unwrap()
    }

    #[test]
    fn what_both_releases_say_is_understood() {
        let second = at("127.0.0.2");
        let read = |live, tombstones| Activity::ReadsRows { live, tombstones };
        for (text, expected) in [
            (
                "reading data from /127.0.0.2:7000",
                Activity::AsksForData(Some(second)),
            ),
            (
                "reading digest from /127.0.0.2:7000",
                Activity::AsksForDigest(Some(second)),
            ),
            ("reading data locally", Activity::AsksForData(None)),
            ("reading digest locally", Activity::AsksForDigest(None)),
            (
                "speculating read retry on Full(localhost/127.0.0.2:7000,(-4315590310475478861,-38])",
                Activity::RetriesSpeculatively(Some(second)),
            ),
            (
                "Submitting range requests on 17 ranges with a concurrency of 1 (3.5 rows per range expected)",
                Activity::DividesIntoRanges(17),
            ),
            (
                "Enqueuing request to Full(/127.0.0.2:7000,(-1,1])",
                Activity::AsksForRange(second),
            ),
            (
                "Sending READ_REQ message to /127.0.0.2:7000 message size 163 bytes",
                Activity::SendsRequest(second),
            ),
            (
                "Sending READ_RSP message to /127.0.0.2:7000 message size 88 bytes",
                Activity::Other,
            ),
            (
                "READ_REQ message received from /127.0.0.1:7000",
                Activity::ReceivesRequest(Some(at("127.0.0.1"))),
            ),
            (
                "READ_RSP message received from /127.0.0.2:7000",
                Activity::ReceivesAnswer(second),
            ),
            ("READ_RSP message received from nobody", Activity::Other),
            (
                "Merged data from memtables and 3 sstables",
                Activity::ReadsSstables(3),
            ),
            (
                "Executing seq scan across 2 sstables for (min(-9223372036854775808), min(1)]",
                Activity::ReadsSstables(2),
            ),
            (
                "Bloom filter allows skipping sstable 3gx_0bbu",
                Activity::SkipsSstable,
            ),
            (
                "Check against min and max keys allows skipping sstable 7",
                Activity::SkipsSstable,
            ),
            (
                "Partition index lookup complete (bloom filter false positive) for sstable 7",
                Activity::SkipsSstable,
            ),
            ("Row cache hit", Activity::HitsRowCache),
            ("Row cache miss", Activity::Other),
            ("Read 100 live rows and 7 tombstone cells", read(100, 7)),
            (
                "Read 1 live rows and 2000 tombstone cells (see tombstone_warn_threshold)",
                read(1, 2000),
            ),
            (
                "Scanned over 100001 tombstones for query SELECT * FROM ks.t; query aborted \
                 (see tombstone_failure_threshold)",
                Activity::GivesUpForTombstones(100_001),
            ),
            (
                "Digest mismatch: Mismatch for key DecoratedKey(-4069959284402364209, 00000001)",
                Activity::FindsMismatch,
            ),
            (
                "Enqueuing full data read to Full(/127.0.0.2:7000,(-1,1])",
                Activity::ReadsForRepair,
            ),
            (
                "Sending read-repair-mutation to Full(/127.0.0.2:7000,(-1,1])",
                Activity::WritesForRepair,
            ),
            (
                "Requesting 5 extra rows from Full(/127.0.0.2:7000,(-1,1]) for short read protection",
                Activity::ReadsMore,
            ),
            (
                "Timed out; received 1 of 2 responses",
                Activity::LacksAnswers,
            ),
            (
                "Failed; received 1 of 2 responses (only digests)",
                Activity::LacksAnswers,
            ),
            (
                "Executing read on ks.t using index by_v",
                Activity::UsesIndex,
            ),
            (
                "Executing read on ks.t using index by_v StorageAttachedIndexQueryPlan",
                Activity::UsesIndex,
            ),
            ("Parsing SELECT * FROM ks.t", Activity::Other),
            ("Read ahead live rows and none", Activity::Other),
            ("", Activity::Other),
        ] {
            assert_eq!(Activity::of(text), expected, "{text}");
        }
    }

    const BEGINNINGS: [&str; 6] = [
        "reading data ",
        "speculating read retry on ",
        "Read ",
        "Enqueuing request to /",
        "Scanned over ",
        "Sending READ_REQ message to /",
    ];

    proptest::proptest! {
        #[test]
        fn no_text_breaks_the_reader(
            beginning in 0..BEGINNINGS.len(),
            rest in proptest::collection::vec(proptest::char::any(), 0..60)
        ) {
            let rest: String = rest.into_iter().collect();
            let text = format!("{}{rest}", BEGINNINGS[beginning]);
            // That it returns at all is what is tested; what is behind the beginning decides what it is.
            let is_data = matches!(Activity::of(&text), Activity::AsksForData(_));
            proptest::prop_assert_eq!(is_data, beginning == 0);
        }
    }

    #[test]
    fn addresses_are_found_in_every_form() {
        for (text, address) in [
            ("/10.0.0.7:7000", Some("10.0.0.7")),
            ("/10.0.0.7", Some("10.0.0.7")),
            ("db1.example/10.0.0.7:7001", Some("10.0.0.7")),
            ("Full(/[fd00:0:0:0:0:0:0:7]:7000,(1,2])", Some("fd00::7")),
            ("/fd00:0:0:0:0:0:0:7", Some("fd00::7")),
            ("/fd00:0:0:0:0:0:0:7:7000", Some("fd00::7")),
            ("10.0.0.7", None),
            ("/", None),
            ("/[10", None),
        ] {
            assert_eq!(address_in(text), address.map(at), "{text}");
        }
    }
}
