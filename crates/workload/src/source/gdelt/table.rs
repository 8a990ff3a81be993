//! Columns of GDELT 1.0: their names, types, and how each is built from events.

use std::fmt::Write;
use std::slice;
use std::sync::{Arc, LazyLock};

use arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array, StringBuilder};

use super::actors::Actor;
use super::event::Event;
use super::locations::Location;
use crate::{Column, ColumnType, Table};

/// A column: its name and the source of its values.
struct GdeltColumn {
    name: String,
    values: Values,
}

/// Source of a column's values; a null is `None` or an empty text.
enum Values {
    Bigint(fn(&Event) -> i64),
    Int(fn(&Event) -> i32),
    Double(fn(&Event) -> f64),
    Text(fn(&Event) -> &'static str),
    /// Text of actor 0 or 1, whose parts are joined.
    Actor(usize, fn(&Actor) -> &[&'static str]),
    /// Number about the location of actor 0, of actor 1, or of the action, 2.
    LocationInt(usize, fn(Located) -> Option<i32>),
    LocationDouble(usize, fn(Located) -> Option<f64>),
    LocationText(usize, fn(Located) -> &'static str),
}

/// A location, if it is known, as old or new rows show it.
#[derive(Clone, Copy)]
struct Located {
    location: Option<&'static Location>,
    old: bool,
}

static COLUMNS: LazyLock<Vec<GdeltColumn>> = LazyLock::new(|| {
    let mut columns = Vec::with_capacity(57);
    columns.extend(named("", when()));
    columns.extend(named("actor1", actor(0)));
    columns.extend(named("actor2", actor(1)));
    columns.extend(named("", what()));
    columns.extend(named("actor1geo_", location(0)));
    columns.extend(named("actor2geo_", location(1)));
    columns.extend(named("actiongeo_", location(2)));
    columns.extend(named(
        "",
        [("dateadded", Values::Int(|event| event.date_added))],
    ));
    columns
});

fn named<const N: usize>(
    prefix: &str,
    columns: [(&str, Values); N],
) -> impl Iterator<Item = GdeltColumn> {
    columns
        .map(|(name, values)| GdeltColumn {
            name: format!("{prefix}{name}"),
            values,
        })
        .into_iter()
}

fn when() -> [(&'static str, Values); 5] {
    [
        ("globaleventid", Values::Bigint(|event| event.id)),
        ("sqldate", Values::Int(|event| event.date.number())),
        ("monthyear", Values::Int(|event| event.date.month_year())),
        ("year", Values::Int(|event| event.date.year)),
        (
            "fractiondate",
            Values::Double(|event| event.date.fraction()),
        ),
    ]
}

fn actor(index: usize) -> [(&'static str, Values); 10] {
    [
        ("code", Values::Actor(index, |actor| &actor.code)),
        ("name", Values::Actor(index, |actor| &actor.name)),
        (
            "countrycode",
            Values::Actor(index, |actor| slice::from_ref(&actor.country)),
        ),
        (
            "knowngroupcode",
            Values::Actor(index, |actor| slice::from_ref(&actor.group)),
        ),
        (
            "ethniccode",
            Values::Actor(index, |actor| slice::from_ref(&actor.ethnic)),
        ),
        (
            "religion1code",
            Values::Actor(index, |actor| &actor.religions[..1]),
        ),
        (
            "religion2code",
            Values::Actor(index, |actor| &actor.religions[1..]),
        ),
        ("type1code", Values::Actor(index, |actor| &actor.types[..1])),
        (
            "type2code",
            Values::Actor(index, |actor| &actor.types[1..2]),
        ),
        ("type3code", Values::Actor(index, |actor| &actor.types[2..])),
    ]
}

fn what() -> [(&'static str, Values); 10] {
    [
        ("isrootevent", Values::Int(|event| event.is_root.into())),
        ("eventcode", Values::Text(|event| event.code.code)),
        ("eventbasecode", Values::Text(|event| event.code.base)),
        ("eventrootcode", Values::Text(|event| event.code.root)),
        ("quadclass", Values::Int(|event| event.code.quad_class)),
        (
            "goldsteinscale",
            Values::Double(|event| event.code.goldstein),
        ),
        ("nummentions", Values::Int(|event| event.mentions.mentions)),
        ("numsources", Values::Int(|event| event.mentions.sources)),
        ("numarticles", Values::Int(|event| event.mentions.articles)),
        ("avgtone", Values::Double(|event| event.tone)),
    ]
}

fn location(index: usize) -> [(&'static str, Values); 7] {
    [
        ("type", Values::LocationInt(index, Located::kind)),
        (
            "fullname",
            Values::LocationText(index, |at| at.text(|location| &location.full_name)),
        ),
        (
            "countrycode",
            Values::LocationText(index, |at| at.text(|location| location.country)),
        ),
        (
            "adm1code",
            Values::LocationText(index, |at| at.text(|location| &location.region)),
        ),
        (
            "lat",
            Values::LocationDouble(index, |at| at.coordinate(|location| location.latitude)),
        ),
        (
            "long",
            Values::LocationDouble(index, |at| at.coordinate(|location| location.longitude)),
        ),
        ("featureid", Values::LocationText(index, Located::feature)),
    ]
}

/// Shows a location; old rows have zeros instead of the nulls of new ones, and vice versa.
impl Located {
    fn kind(self) -> Option<i32> {
        match self.location {
            Some(location) => Some(location.kind),
            None => (!self.old).then_some(0),
        }
    }

    fn text(self, of_location: fn(&'static Location) -> &'static str) -> &'static str {
        self.location.map_or("", of_location)
    }

    fn coordinate(self, of_location: fn(&Location) -> f64) -> Option<f64> {
        self.location.map(of_location).or(self.old.then_some(0.0))
    }

    fn feature(self) -> &'static str {
        match self.location {
            Some(location) if !self.old || location.kind > 2 => &location.feature,
            None if !self.old => "",
            _ => "0",
        }
    }
}

/// Returns the table of GDELT 1.0 events, partitioned by month.
pub fn table() -> Table {
    let column = |column: &GdeltColumn| Column {
        name: column.name.clone(),
        kind: column.values.kind(),
    };
    Table {
        name: "gdelt".to_owned(),
        columns: COLUMNS.iter().map(column).collect(),
        partition_key: vec!["monthyear".to_owned()],
        order_key: vec!["globaleventid".to_owned()],
    }
}

/// Returns the columns of these events, in the order of the table.
pub fn columns(events: &[Event]) -> Vec<ArrayRef> {
    COLUMNS
        .iter()
        .map(|column| column.values.array(events))
        .collect()
}

impl Values {
    fn kind(&self) -> ColumnType {
        match self {
            Values::Bigint(_) => ColumnType::Bigint,
            Values::Int(_) | Values::LocationInt(..) => ColumnType::Int,
            Values::Double(_) | Values::LocationDouble(..) => ColumnType::Double,
            Values::Text(_) | Values::Actor(..) | Values::LocationText(..) => ColumnType::Text,
        }
    }

    fn array(&self, events: &[Event]) -> ArrayRef {
        let located = |event: &Event, index| Located {
            location: event.locations[index],
            old: event.old,
        };
        match *self {
            Values::Bigint(of) => Arc::new(Int64Array::from_iter_values(events.iter().map(of))),
            Values::Int(of) => Arc::new(Int32Array::from_iter_values(events.iter().map(of))),
            Values::Double(of) => Arc::new(Float64Array::from_iter_values(events.iter().map(of))),
            Values::Text(of) => texts(events.iter().map(|event| [of(event)])),
            Values::Actor(index, of) => texts(
                events
                    .iter()
                    .map(|event| event.actors[index].as_ref().map_or(&[][..], of)),
            ),
            Values::LocationInt(index, of) => Arc::new(Int32Array::from_iter(
                events.iter().map(|event| of(located(event, index))),
            )),
            Values::LocationDouble(index, of) => Arc::new(Float64Array::from_iter(
                events.iter().map(|event| of(located(event, index))),
            )),
            Values::LocationText(index, of) => {
                texts(events.iter().map(|event| [of(located(event, index))]))
            }
        }
    }
}

/// Makes an array of texts given in parts; those without a letter are null.
fn texts(texts: impl ExactSizeIterator<Item = impl AsRef<[&'static str]>>) -> ArrayRef {
    let mut builder = StringBuilder::with_capacity(texts.len(), 8 * texts.len());
    for parts in texts {
        match parts.as_ref() {
            [text] if !text.is_empty() => builder.append_value(text),
            parts if parts.iter().all(|part| part.is_empty()) => builder.append_null(),
            parts => {
                let joined = parts.iter().try_for_each(|part| builder.write_str(part));
                debug_assert!(joined.is_ok(), "a string builder takes every text");
                builder.append_value("");
            }
        }
    }
    Arc::new(builder.finish())
}
