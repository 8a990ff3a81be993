//! Rules on how rows are divided into partitions.

use super::base::Base;
use super::sizes::{COMFORTABLE, LARGE, MANY_ROWS, MIB, bucket, is_too_large};
use super::sources::{APACHE, HADDAD};
use crate::advice::{Advice, Facts, Rank, Stated, Width, at_least, at_most, bytes, count};

const SIZE: Stated = Stated {
    rule: "partition-size",
    source: "J. Haddad (10 MB, and 100,000 rows) against Apache Cassandra's documentation and AxonOps (100 MB)",
};
const UNBOUNDED: Stated = Stated {
    rule: "unbounded-partition",
    source: "Apache Cassandra's documentation (100 MB), J. Haddad (100,000 rows)",
};
const WINDOW: Stated = Stated {
    rule: "bucket-window",
    source: HADDAD,
};
const FEW: Stated = Stated {
    rule: "few-partitions",
    source: "J. Haddad: a shard number in the key; a bucket is what a setting has instead",
};
const ONE_ROW: Stated = Stated {
    rule: "row-per-partition",
    source: APACHE,
};

/// Sizes of partitions between which experts disagree, in bytes.
const SIZES: [f64; 3] = [COMFORTABLE, MIB, LARGE];
/// Windows of a question that a partition has at least where buckets as long as one are proposed.
const WINDOWS: f64 = 4.0;
/// Rows of a partition from which on it takes enough of the work to be too much for few nodes.
const HOT_ROWS: u64 = 1_000;

/// Proposes buckets for partitions that would be large, and names one that would grow without bound.
pub fn size(facts: &Facts) -> Vec<Advice> {
    let (Some(rows), Some(size)) = (facts.partition_rows(), facts.partition_bytes()) else {
        return Vec::new();
    };
    if facts.table.order_key.is_empty() || (size <= COMFORTABLE && !is_too_large(facts)) {
        return Vec::new();
    }
    let base = Base::of(facts);
    let figures = format!("{} rows, {}", count(rows), bytes(size));
    let mut advice = Vec::new();
    if is_too_large(facts) {
        let ends = facts.rows.as_ref().is_some_and(|rows| rows.partitions_end);
        let grows = if ends {
            ""
        } else {
            ", and grow as long as rows come"
        };
        let instead = match base.setting("bucket") {
            Some(bucket) => format!("a part of the time in the partition key: bucket={bucket}"),
            None => "a further column in the partition key, by which rows are divided".to_owned(),
        };
        advice.push(UNBOUNDED.avoid(
            base.without("bucket"),
            format!("the largest partition would have {figures}{grows}"),
            instead,
        ));
    }
    let mut seen: Vec<String> = Vec::new();
    for most in SIZES {
        let Some(width) = bucket(facts, most) else {
            continue;
        };
        let is_smaller = facts.rows_in(width.units as f64).is_some_and(|n| n < rows);
        if is_smaller && !seen.contains(&width.text) {
            let says = format!("partitions of at most {} instead of {figures}", bytes(most));
            advice.push(SIZE.measure(Rank::Likely, base.with("bucket", &width.text), says));
            seen.push(width.text);
        }
    }
    advice
}

/// Proposes a bucket as long as the range that a question asks of a partition.
pub fn window(facts: &Facts) -> Vec<Advice> {
    let Some(column) = facts.divided_column() else {
        return Vec::new();
    };
    let asked = { facts.questions.iter() }.filter(|q| q.names_partition(&facts.table));
    let widths = asked.filter_map(|q| Some((q.range_width(&column.name)?, &q.name)));
    let Some((width, name)) = widths.max() else {
        return Vec::new();
    };
    let (Some(all), Some(within)) = (facts.partition_rows(), facts.rows_in(width as f64)) else {
        return Vec::new();
    };
    match at_least(column.kind, width as f64) {
        Some(bucket) if within * WINDOWS <= all && is_small(facts, &bucket) => {
            let says = format!("{name} asks for a range that is one or two such buckets");
            let design = Base::of(facts).with("bucket", &bucket.text);
            vec![WINDOW.measure(Rank::Likely, design, says)]
        }
        _ => Vec::new(),
    }
}

/// Returns whether partitions of such a bucket are not too large themselves.
fn is_small(facts: &Facts, bucket: &Width) -> bool {
    let row_bytes = facts.rows.as_ref().map_or(0.0, |rows| rows.row_bytes);
    let rows = facts.rows_in(bucket.units as f64);
    rows.is_some_and(|rows| rows <= MANY_ROWS && rows * row_bytes <= LARGE)
}

/// Names partition keys with so few values that few nodes have all of the work.
pub fn few(facts: &Facts) -> Vec<Advice> {
    let Some(rows) = facts.rows.as_ref().filter(|rows| rows.partitions > 0) else {
        return Vec::new();
    };
    let key = facts.table.partition_key.join(", ");
    if rows.partitions_end {
        // Keys that change all the time are everywhere.
        if rows.largest_partition < HOT_ROWS {
            return Vec::new();
        }
        let why = "all rows that come at a time go to the few nodes that have one partition";
        let instead = "a further column in the partition key, such as a shard number, if that is too much for them";
        return vec![FEW.avoid(format!("one value of {key} at a time"), why, instead)];
    }
    let keys = facts.partition_keys();
    let Some(keys) = keys.filter(|keys| *keys < f64::from(facts.cores)) else {
        return Vec::new();
    };
    let spreading = spreading_bucket(facts, keys);
    let (cores, keys) = (facts.cores, count(keys));
    let why =
        format!("there are fewer values than cores ({cores}), so that some of these have no work");
    let instead = match &spreading {
        Some(width) => format!("a bucket in the partition key: bucket={}", width.text),
        None => "a further column in the partition key".to_owned(),
    };
    let what = format!("no more values of {key} than {keys}");
    let mut advice = vec![FEW.avoid(what, why, instead)];
    if let Some(width) = spreading {
        let says = format!("spreads rows of few values of {key} ({keys}) over nodes and cores");
        let design = Base::of(facts).with("bucket", &width.text);
        advice.push(FEW.measure(Rank::Likely, design, says));
    }
    advice
}

/// Returns the widest round bucket that makes a partition for each core, and none that is too large.
fn spreading_bucket(facts: &Facts, keys: f64) -> Option<Width> {
    let column = facts.divided_column()?;
    let for_each_core = facts.full_span()? * keys / f64::from(facts.cores);
    let widest = bucket(facts, COMFORTABLE)?.units as f64;
    at_most(column.kind, widest.min(for_each_core))
}

/// Proposes a partition for each row where rows are read one by one, and names it where they are not.
pub fn one_row(facts: &Facts) -> Vec<Advice> {
    if facts.table.order_key.is_empty() {
        return Vec::new();
    }
    let in_partition = facts.question(|q| q.names_partition(&facts.table));
    if let Some(name) = in_partition {
        let why = format!("{name} reads rows of one partition key, which would be everywhere");
        return vec![ONE_ROW.avoid("cassandra/narrow", why, "cassandra/wide")];
    }
    match &facts.load {
        Some(load) if load.reads_of_rows > 0.0 && load.reads_of_partitions == 0.0 => {
            let says = "the mix reads rows one by one, by their whole key";
            let design = Base::of(facts).unordered("narrow");
            vec![ONE_ROW.measure(Rank::Likely, design, says)]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::testing::{avoided, designs, equals, facts, question, range};
    use crate::advice::{Load, Rows};

    #[test]
    fn partitions_that_would_be_large_get_buckets_of_the_sizes_that_experts_name() {
        let mut facts = facts();
        assert_eq!(size(&facts), []);
        // Ten million rows of 50 B in each partition.
        facts.full_rows = 1_000_000_000;
        let advice = size(&facts);
        assert_eq!(avoided(&advice), ["cassandra/wide"]);
        // 100,000 rows are 5 MB, which both bounds allow.
        let expected = ["cassandra/wide?bucket=7d", "cassandra/wide?bucket=1d"];
        assert_eq!(designs(&advice), expected);
        // 300,000 rows of 50 B are too many, though not too large.
        facts.full_rows = 30_000_000;
        assert_eq!(avoided(&size(&facts)), ["cassandra/wide"]);
        // 80,000 rows of 500 B are large, but not too large.
        facts.full_rows = 8_000_000;
        facts.rows.as_mut().unwrap().row_bytes = 500.0;
        let advice = size(&facts);
        assert!(avoided(&advice).is_empty());
        assert_eq!(designs(&advice)[0], "cassandra/wide?bucket=1d");
    }

    #[test]
    fn a_partition_that_cannot_be_divided_is_named_all_the_same() {
        let mut facts = facts();
        facts.full_rows = 1_000_000_000;
        facts.table.order_key = vec!["status".to_owned()];
        facts.rows.as_mut().unwrap().step = None;
        let advice = size(&facts);
        assert_eq!(avoided(&advice), ["cassandra/wide"]);
        assert!(designs(&advice).is_empty());
        facts.rows = None;
        assert_eq!(size(&facts), []);
    }

    #[test]
    fn buckets_are_as_long_as_the_range_that_is_asked_for() {
        let mut facts = facts();
        let hours = 12 * 3_600_000;
        let asked = vec![equals("series", None), range("time", Some(hours))];
        facts.questions = vec![question("half_day", asked)];
        // 27 hours of a series are no four windows.
        assert_eq!(window(&facts), []);
        facts.full_rows = 10_000_000;
        let advice = window(&facts);
        assert_eq!(designs(&advice), ["cassandra/wide?bucket=12h"]);
        // A bucket of a month would have 260,000 rows.
        let asked = vec![equals("series", None), range("time", Some(60 * hours))];
        facts.questions = vec![question("month", asked)];
        facts.full_rows = 1_000_000_000;
        assert_eq!(window(&facts), []);
        // Of all series at once no partition is asked for a range.
        facts.questions = vec![question("all", vec![range("time", Some(hours))])];
        assert_eq!(window(&facts), []);
    }

    #[test]
    fn few_partition_keys_are_named() {
        let mut facts = facts();
        assert_eq!(few(&facts), []);
        facts.cores = 101;
        let advice = few(&facts);
        assert_eq!(avoided(&advice), ["no more values of series than 100"]);
        // The whole table has 28 hours.
        assert_eq!(designs(&advice), ["cassandra/wide?bucket=1d"]);
        facts.rows = Some(Rows {
            partitions_end: true,
            largest_partition: 5_000,
            ..facts.rows.clone().unwrap()
        });
        assert_eq!(avoided(&few(&facts)), ["one value of series at a time"]);
        // A single key is one of many, unless all rows were read.
        let mut one = facts.clone();
        let rows = one.rows.as_mut().unwrap();
        (rows.partitions, rows.partitions_end) = (1, false);
        rows.has_all_partitions = false;
        assert_eq!(few(&one), []);
        one.full_rows = 10_000;
        assert_eq!(avoided(&few(&one)), ["no more values of series than 1"]);
        // A key of its own for each row is everywhere.
        facts.rows.as_mut().unwrap().largest_partition = 1;
        assert_eq!(few(&facts), []);
    }

    #[test]
    fn a_partition_for_each_row_is_for_reads_of_single_rows() {
        let mut facts = facts();
        assert_eq!(one_row(&facts), []);
        facts.load = Some(Load {
            reads_of_rows: 0.5,
            ..Load::default()
        });
        assert_eq!(designs(&one_row(&facts)), ["cassandra/narrow"]);
        // Rows that end do so in any layout.
        facts.ttl = Some("30d".to_owned());
        let expected = ["cassandra/narrow?ttl=30d"];
        assert_eq!(designs(&one_row(&facts)), expected);
        facts.questions = vec![question("one", vec![equals("series", None)])];
        assert_eq!(avoided(&one_row(&facts)), ["cassandra/narrow"]);
    }
}
