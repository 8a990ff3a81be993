//! Rules about what a read goes through to find its rows.

use super::evidence::{Evidence, Node};
use super::finding::{Finding, NotChecked, Observed, Outcome, Unit, Urgency};
use super::gather::{design, designs, engine, greatest, is_5, of_reads, schema, view};

/// Tombstones in a read of which Cassandra warns.
const TOMBSTONES: f64 = 1000.0;
/// Rows in a read that are more than a page that drivers ask for has.
const ROWS: f64 = 10_000.0;
/// Share of the rows that have one value of an indexed column.
const FREQUENT: f64 = 0.1;
/// Fewest rows of a sample that say something.
const FEWEST_SAMPLED: u64 = 500;

/// Looks at the tombstones that reads go through.
pub fn tombstones(evidence: &Evidence, table: usize) -> Result<Outcome, NotChecked> {
    let source = view("tombstones_per_read");
    let known = of_reads(evidence, table, source, |share| {
        Some((
            share.tombstones_per_read.p99?,
            share.tombstones_per_read.max?,
        ))
    })?;
    let has_many = |(_, (_, max)): &(&Node, (f64, f64))| *max > TOMBSTONES;
    let many: Vec<_> = known.into_iter().filter(has_many).collect();
    if many.is_empty() {
        return Ok(Outcome::Healthy);
    }
    let is_usual = many.iter().any(|(_, (p99, _))| *p99 > TOMBSTONES);
    let mut seen = Vec::new();
    for (node, (p99, max)) in &many {
        let of = |figure, value| Observed::of(&node.address, figure, value, Unit::Count);
        seen.push(of("p99 of tombstones in a read", *p99));
        seen.push(of("most tombstones in a read", *max));
    }
    Ok(Outcome::Finding(Finding {
        urgency: if is_usual {
            Urgency::Now
        } else {
            Urgency::Soon
        },
        says: "reads go through many tombstones".to_owned(),
        evidence: seen,
        threshold: "p99 above 1,000 tombstones in a read (now), a read with more than 1,000 (soon)",
        source: "Cassandra's tombstone_warn_threshold (1,000); it aborts a read at 100,000",
        meaning: "deleted or expired rows, or nulls that were written, are read before the live \
                  ones: do not read where was deleted, write no nulls, and let whole windows of \
                  time expire"
            .to_owned(),
        designs: designs(evidence, table, &["", "gc_grace=1d", "compaction=TWCS:1d"]),
    }))
}

/// Looks at the rows that reads go through.
pub fn rows(evidence: &Evidence, table: usize) -> Result<Outcome, NotChecked> {
    let source = view("rows_per_read");
    let known = of_reads(evidence, table, source, |share| share.rows_per_read.p99)?;
    let many: Vec<_> = known.into_iter().filter(|(_, p99)| *p99 > ROWS).collect();
    if greatest(&many).is_none() {
        return Ok(Outcome::Healthy);
    }
    let see = |(node, p99): &(&Node, f64)| {
        Observed::of(&node.address, "p99 of rows in a read", *p99, Unit::Count)
    };
    let mut to_compare = designs(evidence, table, &[""]);
    to_compare.push(format!("{}/columnar", engine(evidence)));
    Ok(Outcome::Finding(Finding {
        urgency: Urgency::Sometime,
        says: "reads go through very many rows".to_owned(),
        evidence: many.iter().map(see).collect(),
        threshold: "p99 above 10,000 rows in a read, which is two pages of drivers",
        source: "Bakeoff's own",
        meaning: "reads filter or aggregate what the key does not find: a table whose key does, \
                  or columnar chunks, read less"
            .to_owned(),
        designs: to_compare,
    }))
}

/// Looks at whether values of indexed columns find few rows.
pub fn index_selectivity(evidence: &Evidence, table: usize) -> Result<Outcome, NotChecked> {
    let indexes = &schema(evidence, table)?.indexes;
    let mut seen = Vec::new();
    let mut settings = vec![String::new()];
    let mut unknown = None;
    for index in indexes {
        match &index.sample {
            Ok(sample) if sample.rows >= FEWEST_SAMPLED => {
                let share = sample.most_frequent as f64 / sample.rows as f64;
                if share > FREQUENT {
                    let column = &index.column;
                    let figure = format!("of sampled rows have the most frequent {column}");
                    seen.push(Observed::of_all(figure, share, Unit::Share));
                    settings.push(format!("table_by={column}"));
                    if is_5(evidence) {
                        settings.push(format!("index={column}"));
                    }
                    settings.push(format!("index={column}:2i"));
                }
            }
            Ok(sample) => {
                unknown = Some(format!(
                    "{}: only {} partitions to sample, fewer than {FEWEST_SAMPLED}",
                    index.column, sample.rows
                ));
            }
            Err(reason) => unknown = Some(format!("{}: {reason}", index.column)),
        }
    }
    match unknown {
        Some(reason) if seen.is_empty() => return Err(NotChecked::new(reason)),
        _ if seen.is_empty() => return Ok(Outcome::Healthy),
        _ => {}
    }
    Ok(Outcome::Finding(Finding {
        urgency: Urgency::Soon,
        says: "an index finds a large part of the table".to_owned(),
        evidence: seen,
        threshold: "one value in more than 10% of 1,000 sampled rows, each of another partition",
        source: "documentation of Cassandra (no index on columns with few values); Bakeoff's own \
                 for 10%",
        meaning: "a question for this value reads that part of the table on every node, row by \
                  row: key a second table by the column, or ask with the partition key as well"
            .to_owned(),
        designs: settings
            .iter()
            .map(|s| design(evidence, table, s))
            .collect(),
    }))
}
