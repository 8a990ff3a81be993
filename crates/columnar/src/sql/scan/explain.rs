//! A scan in `EXPLAIN`.

use super::spec::{Order, ScanSpec};

/// Describes a scan in a few words for each thing that is worth knowing.
pub fn facts(scan: &ScanSpec) -> Vec<String> {
    let source = &scan.source;
    let columns = &scan.definition().columns;
    let names: Vec<&str> = scan
        .projection
        .iter()
        .map(|n| &columns[*n].name[..])
        .collect();
    let merged = scan.in_order().filter(|t| t.part.exact().is_none()).count();
    let fresh: usize = scan.in_order().map(|t| t.part.fresh.len()).sum();
    let mut facts = vec![
        format!("columns=[{}]", names.join(", ")),
        chunks(scan),
        format!("merged parts={merged}"),
        format!("fresh rows={fresh}"),
    ];
    if !source.filter.conjuncts.is_empty() {
        let filters = source.filter.conjuncts.iter().map(|c| c.expr.to_string());
        let proved = scan.in_order().filter(|t| t.unproven.is_empty()).count();
        let filters = filters.collect::<Vec<_>>().join(" AND ");
        facts.push(format!("filter=[{filters}], true of {proved} whole parts"));
    }
    if !source.keys.is_empty() {
        facts.push(format!("pushed down: {}", source.keys));
    }
    if let Some(column) = scan.coded {
        facts.push(format!("{} as codes", columns[column].name));
    }
    if scan.newest {
        facts.push("only newest rows of partition keys".to_owned());
    }
    let dynamic = scan.dynamic.iter();
    facts.extend(dynamic.map(|filter| format!("passes over chunks by {filter}")));
    match scan.order {
        Order::None => {}
        Order::Key => facts.push("in key order".to_owned()),
        Order::Reversed => facts.push("in reverse key order".to_owned()),
    }
    facts.extend(scan.fetch.map(|rows| format!("fetch={rows}")));
    facts
}

/// Describes how many of the chunks that were looked up are read, and why the others are not.
fn chunks(scan: &ScanSpec) -> String {
    let read: usize = scan.in_order().map(|t| t.part.chunks.len()).sum();
    let source = &scan.source;
    let (by_key, by_statistics) = (source.pruned_by_key, source.pruned_by_statistics);
    let answered = scan.answered;
    let others = by_key + by_statistics + answered + read;
    let beyond = source.chunks.saturating_sub(others);
    let mut reasons = format!("pruned by key {by_key}, by statistics {by_statistics}");
    if answered > 0 {
        reasons += &format!(", answered from statistics {answered}");
    }
    if beyond > 0 {
        reasons += &format!(", beyond the limit {beyond}");
    }
    let chunks = source.chunks;
    let places = match source.places {
        None => return "chunks=0: no key passes all filters".to_owned(),
        Some((1, None)) => "1 place".to_owned(),
        Some((places, None)) => format!("{places} places"),
        Some((places, Some(skipped))) => format!("{places} of {} places", places + skipped),
    };
    format!("chunks={read} of {chunks} ({reasons}) in {places}")
}
