//! Finding the parts that may have the rows of a query.

use std::collections::BTreeSet;

use futures::stream::{self, StreamExt, TryStreamExt};

use super::ranges::Ranges;
use super::selection::{Part, Selection};
use super::{Table, overlap};
use crate::id::Place;
use crate::store::KeyRange;
use crate::{Result, key};

/// The number of places that are looked up at the same time.
const PLACES_AT_ONCE: usize = 16;

/// The parts that may have the rows of a selection, and how much was excluded.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// The parts, place by place, in order of their first keys.
    pub parts: Vec<Part>,
    /// The number of places that were looked up.
    pub places: usize,
    /// The number of other places, which cannot hold a row of the selection. `None` if the
    /// selection itself named the places, so that the others were not even listed.
    pub places_passed_over: Option<usize>,
    /// The number of chunks in the places that were looked up which hold no key of the selection.
    pub chunks_passed_over: usize,
}

#[cfg(feature = "sql")]
impl View {
    /// Returns the view of parts that are known already.
    pub(crate) fn of_parts(parts: Vec<Part>) -> View {
        let places: BTreeSet<Place> = parts.iter().map(|part| part.place).collect();
        View {
            parts,
            places: places.len(),
            ..View::default()
        }
    }
}

impl Table {
    /// Returns the parts that may hold rows of the selection, place by place, in order of their first
    /// keys.
    ///
    /// # Errors
    /// Fails if a partition key does not fit the table, or the store does not answer.
    pub async fn view(&self, selection: &Selection) -> Result<Vec<Part>> {
        Ok(self.overview(selection).await?.parts)
    }

    /// Returns the parts of [`Table::view`], and how much was excluded.
    ///
    /// # Errors
    /// The errors of [`Table::view`].
    pub async fn overview(&self, selection: &Selection) -> Result<View> {
        let ranges = Ranges::new(selection, &self.definition)?;
        let (places, passed_over) = self.places(selection).await?;
        let mut view = View {
            places: places.len(),
            places_passed_over: passed_over,
            ..View::default()
        };
        let views = places
            .into_iter()
            .map(|place| self.view_place(place, ranges.as_ref()));
        let mut views = stream::iter(views).buffered(PLACES_AT_ONCE);
        while let Some((parts, passed_over)) = views.try_next().await? {
            view.parts.extend(parts);
            view.chunks_passed_over += passed_over;
        }
        Ok(view)
    }

    /// Returns the parts of a place, and how many of its chunks hold no wanted key.
    async fn view_place(
        &self,
        place: Place,
        ranges: Option<&Ranges>,
    ) -> Result<(Vec<Part>, usize)> {
        let keys = ranges.map_or_else(KeyRange::default, Ranges::all);
        let snapshot = self.store.snapshot(place, keys).await?;
        let all = snapshot.chunks.len();
        let mut parts = overlap::parts(&self.definition, place, snapshot)?;
        if let Some(ranges) = ranges {
            parts.retain(|part| !ranges.overlapping(part).is_empty());
        }
        let left: usize = parts.iter().map(|part| part.chunks.len()).sum();
        Ok((parts, all - left))
    }

    /// Returns the places that may hold a row of the selection, and the number of the others if
    /// they were listed.
    async fn places(&self, selection: &Selection) -> Result<(Vec<Place>, Option<usize>)> {
        let possible = self.possible_places(selection)?;
        if let Some(few) = possible.few() {
            return Ok((few, None));
        }
        let mut places = self.store.places().await?;
        let all = places.len();
        places.retain(|place| possible.contains(*place));
        let passed_over = all - places.len();
        Ok((places, Some(passed_over)))
    }

    fn possible_places(&self, selection: &Selection) -> Result<Possible> {
        let placer = key::Placer::new(&self.definition);
        let shard = |values: &Vec<_>| {
            let prefix = key::encode_partition(&self.definition, values)?;
            Ok(placer.shard(&prefix))
        };
        let shards = match &selection.partitions {
            Some(partitions) => partitions.iter().map(shard).collect::<Result<_>>()?,
            None => (0..self.definition.shards).collect(),
        };
        let (first, last) = match self.definition.bucket {
            None => (Some(0), Some(0)),
            Some(_) => {
                let bucket = |value: Option<i64>| value.map(|value| placer.bucket(value));
                (bucket(selection.low), bucket(selection.high))
            }
        };
        Ok(Possible {
            shards,
            first,
            last,
        })
    }
}

/// The places that may hold a row of a selection, whether or not they exist.
struct Possible {
    shards: BTreeSet<u32>,
    first: Option<i64>,
    last: Option<i64>,
}

impl Possible {
    /// Returns all of them if they are so few that looking up each one is less work than a list.
    fn few(&self) -> Option<Vec<Place>> {
        let (first, last) = (self.first?, self.last?);
        let buckets = usize::try_from(last.checked_sub(first)?).ok()? + 1;
        if buckets.checked_mul(self.shards.len())? > PLACES_AT_ONCE {
            return None;
        }
        let of_bucket = |bucket| {
            let place = move |shard: &u32| Place {
                bucket,
                shard: *shard,
            };
            self.shards.iter().map(place)
        };
        Some((first..=last).flat_map(of_bucket).collect())
    }

    fn contains(&self, place: Place) -> bool {
        self.shards.contains(&place.shard)
            && self.first.is_none_or(|first| first <= place.bucket)
            && self.last.is_none_or(|last| place.bucket <= last)
    }
}
