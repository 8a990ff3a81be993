//! The choice of what a seal rewrites in a place, and of what it writes together.

use super::clustering::clustered;
use super::division::divided;
use super::group::{ChunkLimits, Group};
use super::overlap::KeySpan;
use super::selection::Part;
use crate::Result;
use crate::definition::Definition;

/// Returns the parts that a seal writes as new chunks: parts of several chunks, which are merged
/// whenever they are read; small parts together with their neighbours by key or by order key; and
/// parts that are better sorted together. Chunks that need no change are not returned.
pub fn parts_to_rewrite(definition: &Definition, parts: Vec<Part>) -> Result<Vec<Part>> {
    let limits = ChunkLimits::new(definition);
    let (fresh_only, with_chunks): (Vec<Part>, Vec<Part>) =
        parts.into_iter().partition(|part| part.chunks.is_empty());
    // Parts with chunks come first, since their spans decide how fresh rows are divided.
    let mut groups = grouped(definition, &limits, with_chunks)?;
    // Fresh rows that overlap no chunk are one part, however far apart they are. Written as one chunk,
    // they would reach over the chunks between them, and all of those would be merged from then on.
    let taken: Vec<KeySpan> = groups.iter().map(|group| group.span.clone()).collect();
    for fresh in fresh_only {
        let runs = divided(definition, fresh, &taken)?;
        groups.extend(grouped(definition, &limits, runs)?);
    }
    // Neighbours by key first, since rows of one partition key are better together; then neighbours
    // by order key, such as the chunks of many small loads in order of time.
    groups.sort_by(|a, b| a.span.first.cmp(&b.span.first));
    let mut groups = join_neighbours(groups, &limits);
    groups.sort_by_key(|group| group.span.low);
    let groups = join_neighbours(groups, &limits);
    let parts = clustered(groups, &limits)
        .into_iter()
        .map(|group| group.part);
    // A part that is exactly one chunk would be written as it is.
    Ok(parts.filter(|part| part.exact().is_none()).collect())
}

fn grouped(definition: &Definition, limits: &ChunkLimits, parts: Vec<Part>) -> Result<Vec<Group>> {
    let groups = parts
        .into_iter()
        .filter_map(|part| Group::new(definition, limits, part).transpose());
    groups.collect()
}

/// Joins small neighbours where the joined group shares no key with any other group.
fn join_neighbours(groups: Vec<Group>, limits: &ChunkLimits) -> Vec<Group> {
    let spans: Vec<KeySpan> = groups.iter().map(|group| group.span.clone()).collect();
    let mut joined: Vec<Group> = Vec::with_capacity(groups.len());
    // The number of the first of the groups that the last joined one consists of.
    let mut begin = 0;
    for (i, group) in groups.into_iter().enumerate() {
        let fits = |last: &Group| {
            let both = last.span.and(&group.span);
            // All groups but those that would be joined. The span of two neighbours also covers the
            // gap between them in the other dimension, where a third group may lie.
            let others = spans[..begin].iter().chain(&spans[i + 1..]);
            limits.may_join(last, &group) && !others.into_iter().any(|other| other.meets(&both))
        };
        // Joining goes from left to right, so that only the last group can still grow.
        match joined.pop() {
            Some(last) if fits(&last) => joined.extend(Group::joined([last, group])),
            last => {
                begin = i;
                joined.extend(last);
                joined.push(group);
            }
        }
    }
    joined
}
