//! Names the best layout of each engine, for readers who have already chosen their engine.

use bakeoff_stats::{DesignSummary, Summary};

use super::growth;
use crate::units;

/// Writes one sentence for each engine that has several right designs and does not win everything anyway.
pub fn sentences(summary: &Summary) -> Option<String> {
    let mut engines: Vec<&str> = Vec::new();
    for design in right_designs(summary) {
        if !engines.contains(&design.info.engine.as_str()) {
            engines.push(&design.info.engine);
        }
    }
    if engines.len() < 2 {
        return None;
    }
    let sentences: Vec<String> = engines
        .into_iter()
        .filter(|engine| !wins_everything(summary, engine))
        .filter_map(|engine| sentence(summary, engine))
        .collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn sentence(summary: &Summary, engine: &str) -> Option<String> {
    let designs: Vec<&DesignSummary> = right_designs(summary)
        .filter(|d| d.info.engine == engine)
        .collect();
    if designs.len() < 2 {
        return None;
    }
    let bytes = |d: &DesignSummary| d.bytes_per_row.unwrap_or(f64::INFINITY);
    let smallest = designs
        .iter()
        .min_by(|a, b| bytes(a).total_cmp(&bytes(b)))?;
    let mut text = format!(
        "Within {engine}, {} is the smallest ({} per row)",
        smallest.info.id,
        units::bytes(smallest.bytes_per_row?)
    );
    let mut by_design: Vec<(&str, Vec<String>)> = Vec::new();
    for query in &summary.header.queries {
        let Some((design, seconds)) = fastest(&designs, &query.name) else {
            continue;
        };
        let shown = format!("{} ({})", query.name, units::duration(seconds));
        match by_design.iter_mut().find(|(known, _)| *known == design) {
            Some((_, queries)) => queries.push(shown),
            None => by_design.push((design, vec![shown])),
        }
    }
    let parts: Vec<String> = by_design
        .into_iter()
        .map(|(design, queries)| format!("{design} for {}", queries.join(", ")))
        .collect();
    if !parts.is_empty() {
        text += &format!("; lowest medians: {}", parts.join("; "));
    }
    Some(text + ".")
}

fn wins_everything(summary: &Summary, engine: &str) -> bool {
    let is_of_engine = |id: &str| summary.design(id).is_some_and(|d| d.info.engine == engine);
    let designs: Vec<&DesignSummary> = right_designs(summary).collect();
    let queries = summary.header.queries.iter();
    let mut winners = queries.filter_map(|query| Some(fastest(&designs, &query.name)?.0));
    smallest(summary, &designs).is_some_and(is_of_engine) && winners.all(is_of_engine)
}

/// Returns the id of the design that needs the least storage at full scale.
fn smallest<'a>(summary: &Summary, designs: &[&'a DesignSummary]) -> Option<&'a str> {
    let sizes = designs.iter().filter_map(|design| {
        let bytes = growth::storage_to_buy(summary, design)?.bytes;
        Some((design.info.id.as_str(), bytes))
    });
    Some(sizes.min_by(|a, b| a.1.total_cmp(&b.1))?.0)
}

fn right_designs(summary: &Summary) -> impl Iterator<Item = &DesignSummary> {
    summary
        .designs
        .iter()
        .filter(|d| d.is_right() && !d.info.is_yardstick() && !summary.loses_rows(&d.info.id))
}

fn fastest<'a>(designs: &[&'a DesignSummary], query: &str) -> Option<(&'a str, f64)> {
    designs
        .iter()
        .filter_map(|d| Some((d.info.id.as_str(), d.query(query)?.time?.median)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
}
