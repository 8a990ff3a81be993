//! Where the rows of a query may be.

use futures::stream::{self, StreamExt, TryStreamExt};

use super::selection::{Part, Selection};
use super::{Table, overlap};
use crate::definition::{Definition, Place};
use crate::meta::Scalar;
use crate::store::KeyRange;
use crate::{Result, key};

/// Places that are looked up at once.
const PLACES_AT_ONCE: usize = 16;

/// Keys from the first to before the second.
type Range = (Vec<u8>, Vec<u8>);

/// Where the rows of a selection may be, and what else there is.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// Place by place, in order of their first keys.
    pub parts: Vec<Part>,
    /// Places that were looked up.
    pub places: usize,
    /// Places that cannot hold a row of the selection, and were not looked up.
    pub places_passed_over: usize,
    /// Chunks of the places that were looked up that hold no key of the selection.
    pub chunks_passed_over: usize,
}

impl Table {
    /// The parts that may hold rows of the selection, place by place, in order of their first keys.
    pub async fn view(&self, selection: &Selection) -> Result<Vec<Part>> {
        Ok(self.overview(selection).await?.parts)
    }

    /// As [`Table::view`], and how much was passed over.
    pub async fn overview(&self, selection: &Selection) -> Result<View> {
        let ranges = key_ranges(&self.definition, selection)?;
        let all = self.store.places().await?;
        let all_places = all.len();
        let places = self.places(selection)?.wanted(all);
        let mut view = View {
            places: places.len(),
            places_passed_over: all_places - places.len(),
            ..View::default()
        };
        let views = places
            .into_iter()
            .map(|place| self.view_place(place, ranges.as_deref()));
        let mut views = stream::iter(views).buffered(PLACES_AT_ONCE);
        while let Some((parts, passed_over)) = views.try_next().await? {
            view.parts.extend(parts);
            view.chunks_passed_over += passed_over;
        }
        Ok(view)
    }

    /// The parts of a place, and how many chunks hold no wanted key.
    async fn view_place(
        &self,
        place: Place,
        ranges: Option<&[Range]>,
    ) -> Result<(Vec<Part>, usize)> {
        let everything = KeyRange::default();
        let keys = ranges.map_or(everything, |ranges| KeyRange {
            first: ranges.iter().map(|(first, _)| &first[..]).min(),
            last: ranges.iter().map(|(_, end)| &end[..]).max(),
        });
        let snapshot = self.store.snapshot(place, keys).await?;
        let all = snapshot.chunks.len();
        let mut parts = overlap::parts(&self.definition, place, snapshot)?;
        if let Some(ranges) = ranges {
            let overlaps = |part: &Part, (first, end): &Range| {
                part.first() < &end[..] && part.last() >= &first[..]
            };
            parts.retain(|part| ranges.iter().any(|range| overlaps(part, range)));
        }
        let left: usize = parts.iter().map(|part| part.chunks.len()).sum();
        Ok((parts, all - left))
    }

    fn places(&self, selection: &Selection) -> Result<Places> {
        let placer = key::Placer::new(&self.definition);
        let shard = |values: &Vec<_>| {
            let prefix = key::encode_partition(&self.definition, values)?;
            Ok(placer.shard(&prefix))
        };
        let shards = selection
            .partitions
            .as_ref()
            .map(|all| all.iter().map(shard).collect::<Result<_>>());
        Ok(Places {
            shards: shards.transpose()?,
            first: selection.low.map(|low| placer.bucket(low)),
            last: selection.high.map(|high| placer.bucket(high)),
        })
    }
}

struct Places {
    shards: Option<Vec<u32>>,
    first: Option<i64>,
    last: Option<i64>,
}

impl Places {
    fn wanted(&self, mut places: Vec<Place>) -> Vec<Place> {
        places.retain(|place| {
            self.shards
                .as_ref()
                .is_none_or(|shards| shards.contains(&place.shard))
                && self.first.is_none_or(|first| first <= place.bucket)
                && self.last.is_none_or(|last| place.bucket <= last)
        });
        places
    }
}

/// The keys that a selection of partition keys leaves.
fn key_ranges(definition: &Definition, selection: &Selection) -> Result<Option<Vec<Range>>> {
    let Some(partitions) = &selection.partitions else {
        return Ok(None);
    };
    let range = |values: &Vec<_>| {
        let prefix = key::encode_partition(definition, values)?;
        let first = with_order(definition, &prefix, selection.low)?;
        let last = with_order(definition, &prefix, selection.high)?;
        Ok((first, key::after(&last)))
    };
    partitions
        .iter()
        .map(range)
        .collect::<Result<_>>()
        .map(Some)
}

/// Where the rows of a partition key begin that have this value of the first order key. A value that
/// the column cannot hold leaves the whole partition.
fn with_order(definition: &Definition, prefix: &[u8], value: Option<i64>) -> Result<Vec<u8>> {
    let mut key = prefix.to_vec();
    if let (Some(value), Some(order)) = (value, definition.first_order_index()) {
        let kind = definition.columns[order].kind;
        // Nothing is appended if the value does not fit.
        let _ = key::append_scalar(kind, &Scalar::Int(value), &mut key);
    }
    Ok(key)
}
