//! Rules on how a table is stored: chunk length, compressor, and rows as blobs.

use super::base::Base;
use crate::advice::{Advice, Facts, Load, Rank, Stated};

const CHUNK: Stated = Stated {
    rule: "chunk-length",
    source: "J. Haddad and The Last Pickle (4 KiB for reads of few rows) against Montecristo and the default (16 KiB)",
};
const LONG_CHUNK: Stated = Stated {
    rule: "long-chunks",
    source: "Apache Cassandra's documentation: longer chunks compress better, and scans read all of them",
};
const COMPRESSOR: Stated = Stated {
    rule: "zstd",
    source: "J. Haddad: Zstd where the ratio matters more than the CPU",
};
const BLOB: Stated = Stated {
    rule: "row-blob",
    source: "The study of 2016: a blob for each row is 7 times smaller and read 6 times faster than its cells",
};
const COMPACT: Stated = Stated {
    rule: "compact-storage",
    source: super::sources::APACHE,
};

/// Share of the operations that write from which on a table is no archive.
const WRITTEN: f64 = 0.5;
/// Share of the columns from which on a row is read as a whole.
const WHOLE: f64 = 0.8;
/// Columns from which on each of them takes much beside its value.
const MANY_COLUMNS: usize = 10;

/// Proposes short chunks where few rows are read at a time, and long ones where all are.
pub fn chunk_length(facts: &Facts) -> Vec<Advice> {
    let base = Base::of(facts);
    let mut advice = Vec::new();
    let reads = |load: &Load| load.reads_of_rows + load.reads_of_partitions > 0.0;
    let asks_few = facts.question(|q| q.names_partition(&facts.table));
    let of_mix = facts
        .load
        .as_ref()
        .filter(|load| reads(load))
        .map(|_| "the mix");
    if let Some(who) = of_mix.or(asks_few) {
        let says = format!("{who} reads few rows at a time, and a whole chunk for each of them");
        advice.push(CHUNK.measure(Rank::Likely, base.with("chunk", "4KiB"), says));
    }
    if let Some(name) = facts.question(|q| !q.names_partition(&facts.table)) {
        let says = format!("{name} reads chunk after chunk");
        advice.push(LONG_CHUNK.measure(Rank::Further, base.with("chunk", "64KiB"), says));
    }
    advice
}

/// Proposes the compressor that makes tables smaller, and for an archive a high level of it.
pub fn compressor(facts: &Facts) -> Vec<Advice> {
    let base = Base::of(facts);
    let mut advice = vec![COMPRESSOR.measure(
        Rank::Likely,
        base.with("compressor", "Zstd"),
        "smaller than LZ4, at the cost of CPU time",
    )];
    let is_written = facts
        .load
        .as_ref()
        .is_some_and(|load| load.writes > WRITTEN);
    if !is_written {
        let says = "read more often than written, so that a slow compressor is paid once";
        let high = base.with_both(("compressor", "Zstd"), ("level", "9"));
        advice.push(COMPRESSOR.measure(Rank::Further, high, says));
    }
    advice
}

/// Proposes a blob for each row where rows are wide or read as a whole.
pub fn blobs(facts: &Facts) -> Vec<Advice> {
    let columns = facts.table.columns.len();
    let whole = facts.question(|q| q.columns as f64 >= WHOLE * columns as f64);
    let reads_rows = { facts.load.as_ref() }.is_some_and(|load| load.reads_of_rows > 0.0);
    let says = if let Some(name) = whole {
        format!("{name} reads most columns of its rows")
    } else if reads_rows {
        "the mix reads whole rows".to_owned()
    } else if columns >= MANY_COLUMNS {
        format!("{columns} columns, each with a head of its own in every row")
    } else {
        return Vec::new();
    };
    let base = Base::of(facts);
    let blob = base.in_layout("blob");
    vec![
        BLOB.measure(Rank::Likely, blob.clone(), says),
        COMPACT.avoid(
            base.in_layout("compact"),
            "COMPACT STORAGE is deprecated, and kept for tables of old",
            blob,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::testing::{avoided, designs, equals, facts, question};

    #[test]
    fn chunks_are_as_long_as_what_is_read() {
        let mut facts = facts();
        assert_eq!(
            designs(&chunk_length(&facts)),
            ["cassandra/wide?chunk=64KiB"]
        );
        facts.questions = vec![question("one", vec![equals("series", None)])];
        assert_eq!(
            designs(&chunk_length(&facts)),
            ["cassandra/wide?chunk=4KiB"]
        );
        facts.questions.clear();
        assert_eq!(chunk_length(&facts), []);
        facts.load = Some(Load {
            reads_of_rows: 0.1,
            ..Load::default()
        });
        assert_eq!(
            designs(&chunk_length(&facts)),
            ["cassandra/wide?chunk=4KiB"]
        );
    }

    #[test]
    fn a_high_level_is_for_what_is_seldom_written() {
        let mut facts = facts();
        let high = "cassandra/wide?compressor=Zstd&level=9";
        assert!(designs(&compressor(&facts)).contains(&high));
        facts.load = Some(Load {
            writes: 0.9,
            ..Load::default()
        });
        let advice = compressor(&facts);
        assert_eq!(designs(&advice), ["cassandra/wide?compressor=Zstd"]);
    }

    #[test]
    fn blobs_are_for_rows_that_are_read_as_a_whole() {
        let mut facts = facts();
        assert_eq!(blobs(&facts), []);
        facts.questions[0].columns = 4;
        let advice = blobs(&facts);
        assert_eq!(designs(&advice), ["cassandra/blob"]);
        assert_eq!(avoided(&advice), ["cassandra/compact"]);
    }
}
