//! Designs that read the table of another one, whose records of loading and storage are that one's.

use std::collections::BTreeMap;

use super::table::Design;
use crate::{Footprint, Space};

/// Gives each design that reads the table of another one the slices, the settling and the size of that table, which
/// are recorded once. Nothing is added up over designs, so that nothing counts twice.
pub fn share_tables(mut tables: Vec<&mut Design>) {
    let places: BTreeMap<String, usize> = { tables.iter().enumerate() }
        .map(|(place, table)| (table.info.id.clone(), place))
        .collect();
    for place in 0..tables.len() {
        let of = tables[place].info.table_of.as_ref();
        let Some(owner) = of.and_then(|of| places.get(of)).copied() else {
            continue;
        };
        let owner = &tables[owner];
        let slices = owner.slices.clone();
        let settle_seconds = owner.settle_seconds;
        let (footprint, space) = (owner.footprint.clone(), owner.space.clone());
        let table = &mut tables[place];
        let design = table.info.id.clone();
        table.slices = slices;
        table.settle_seconds = settle_seconds;
        table.footprint = footprint.map(|footprint| Footprint {
            design: design.clone(),
            ..footprint
        });
        table.space = space.map(|space| Space { design, ..space });
    }
}

#[cfg(test)]
mod tests {
    use crate::compare::testing::{created, footprint, loaded, run, space, timed};
    use crate::{DesignSummary, Instance, Record, Summary};

    /// Makes the summary of a run in which `a/y` reads the table of `a/x`.
    fn summary_of_shared(records: Vec<Record>) -> Summary {
        let mut records = run(records);
        let Record::Started(header) = &mut records[0] else {
            unreachable!()
        };
        header.designs[1].table_of = Some("a/x".to_owned());
        Summary::from_records(&records).unwrap()
    }

    #[test]
    fn a_design_that_reads_the_table_of_another_one_has_its_figures_of_loading_and_storage() {
        let summary = summary_of_shared(vec![
            created("a/x"),
            loaded("a/x", 0, 1.0),
            loaded("a/x", 1, 3.0),
            footprint("a/x", 8_000),
            space("a/x", 9_000),
            timed("a/y", "key", 1.0),
        ]);
        let (own, reads) = (
            summary.design("a/x").unwrap(),
            summary.design("a/y").unwrap(),
        );
        assert_eq!((summary.rows, reads.rows_loaded), (200, 200));
        assert_eq!(reads.load_seconds, 4.0);
        assert_eq!(reads.load_rate, own.load_rate);
        assert!(reads.bytes_per_row.is_some());
        assert_eq!(reads.bytes_per_row, own.bytes_per_row);
        assert_eq!(reads.footprint.as_ref().unwrap().design, "a/y");
        assert_eq!(reads.space.as_ref().unwrap().highest, Some(9_000));
        let is_timed = |design: &DesignSummary| design.query("key").unwrap().time.is_some();
        assert!(is_timed(reads) && !is_timed(own), "times are its own");
        let memory = summary.design("memory").unwrap();
        assert_eq!((memory.rows_loaded, memory.footprint.as_ref()), (0, None));
    }

    #[test]
    fn a_smaller_table_is_shared_as_the_designs_own_is() {
        let smaller = |design: &str| Instance::smaller(design, 100);
        let summary = summary_of_shared(vec![
            loaded("a/x", 0, 1.0),
            loaded("a/x", 1, 1.0),
            Record::Instances {
                instances: vec![smaller("a/x"), smaller("a/y"), smaller("memory")],
            },
            loaded("a/x#100rows", 0, 2.0),
        ]);
        let loads = summary.instances.iter().map(|further| {
            let figures = &further.figures;
            (figures.rows_loaded, figures.load_seconds)
        });
        let loads: Vec<(u64, f64)> = loads.collect();
        assert_eq!(loads, [(100, 2.0), (100, 2.0), (0, 0.0)]);
    }
}
