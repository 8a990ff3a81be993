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
