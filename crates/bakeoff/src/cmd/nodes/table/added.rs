//! The lines of what nodetool adds to the views.

use std::fmt::Write;

use bakeoff_engines::nodes::{NodeFigures, ReadRepairs};
use bakeoff_report::units;

use super::{Row, row};

/// Makes the lines of a node that nodetool prints.
pub(super) fn by_nodetool(nodes: &[NodeFigures]) -> Vec<Row> {
    let info = |node: &NodeFigures| node.nodetool.as_ref()?.info;
    let gc = |node: &NodeFigures| node.nodetool.as_ref()?.gc;
    vec![
        row(nodes, "up", |node| {
            let seconds = info(node)?.uptime_seconds?;
            Some(units::duration(seconds as f64))
        }),
        row(nodes, "heap", |node| {
            let (used, most) = (info(node)?.heap_used_mib?, info(node)?.heap_max_mib?);
            Some(format!("{used:.0} of {most:.0} MiB"))
        }),
        row(nodes, "memory off heap", |node| {
            info(node)?.off_heap_mib.map(|mib| format!("{mib:.1} MiB"))
        }),
        row(nodes, "GC since last gcstats", |node| {
            let gc = gc(node)?;
            let (all, longest) = (gc.total_ms / 1e3, gc.max_ms / 1e3);
            let (all, longest) = (units::duration(all), units::duration(longest));
            let count = units::count(gc.collections);
            Some(format!("{count} in {all}, longest {longest}"))
        }),
        row(nodes, "read repairs", |node| {
            Some(repairs_in_words(node.nodetool.as_ref()?.read_repairs?))
        }),
    ]
}

/// Names what Cassandra 4.0 and later never do only where it has been done.
fn repairs_in_words(repairs: ReadRepairs) -> String {
    let mut words = format!("{} before the answer", units::count(repairs.blocking));
    if repairs.background > 0 {
        // Writing to a String cannot fail.
        let _ = write!(words, ", {} after it", units::count(repairs.background));
    }
    if repairs.attempted > 0 {
        let _ = write!(words, ", {} by chance", units::count(repairs.attempted));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_repairs_of_old_versions_are_told_apart() {
        let repairs = ReadRepairs {
            attempted: 30,
            blocking: 2,
            background: 5,
        };
        let words = "2 before the answer, 5 after it, 30 by chance";
        assert_eq!(repairs_in_words(repairs), words);
    }
}
