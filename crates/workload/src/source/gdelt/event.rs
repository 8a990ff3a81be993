//! Rows as events: who did what to whom, where, when, and the tone of the reports.
//!
//! Rows come in stories of [`ROWS_OF_A_STORY`]: the events that one day's articles report. They
//! share the date and often the actors, the location and the tone, which gives the real table its
//! runs of equal values.

use std::sync::LazyLock;

use super::actors::{ACTOR1_SHARE, Actor, Actors};
use super::calendar::{Calendar, Date};
use super::chance::{Weighted, normal};
use super::codes::{EventCode, EventCodes};
use super::locations::{Country, Location, countries};
use super::names::Names;
use crate::Stream;

/// Number of rows in a story.
pub const ROWS_OF_A_STORY: u64 = 8;

/// Probability that a row has its story's actor.
const STORY_ACTOR: f64 = 0.36;
/// Probability that an event is at its story's location.
const STORY_LOCATION: f64 = 0.45;
/// Probability that an event has one of its story's tones.
const STORY_TONE: f64 = 0.45;
const TONES_OF_A_STORY: usize = 3;

/// Share of stories that GDELT coded from the old archives, which differ in small ways.
const OLD_STORIES: f64 = 0.283;
const ACTOR2_SHARE_WITH_ACTOR1: f64 = 0.706;
const NOWHERE: f64 = 0.0225;

/// Probability that an actor is at home.
const AT_HOME: f64 = 0.66;
/// Probability that an actor away from home is in the United States.
const IN_US: f64 = 0.5;
const UNITED_STATES: usize = 0;

/// Share of events where both actors are at the same location, as in the sample.
const ACTORS_TOGETHER: f64 = 0.58;
/// Share of the other events that are at the first of two actors.
const AT_ACTOR1: f64 = 0.36;
/// Share of the other events that are at the second of two actors.
const AT_ACTOR2: f64 = 0.40;
/// Share of events with one known actor that are where it is.
const AT_ONLY_ACTOR: f64 = 0.82;

/// Weights of events with up to ten mentions, by number of mentions; the last weight is that of
/// more.
const MENTIONS: [f64; 11] = [
    116.0, 148.0, 48.0, 72.0, 40.0, 63.0, 22.0, 30.0, 23.0, 49.0, 70.0,
];

/// Parts of the world that do not depend on the seed.
pub struct World {
    families: Vec<Names>,
    countries: Vec<Country>,
    actors: Actors,
    codes: EventCodes,
    mentions: Weighted,
    calendar: Calendar,
    /// Countries weighted as locations of events.
    country_law: Weighted,
}

pub static WORLD: LazyLock<World> = LazyLock::new(|| {
    let families = Names::families();
    let countries = countries(&families);
    World {
        actors: Actors::new(&countries),
        country_law: Weighted::new(countries.iter().map(|country| country.weight)),
        countries,
        families,
        codes: EventCodes::new(),
        mentions: Weighted::new(MENTIONS),
        calendar: Calendar::new(),
    }
});

/// Values that the rows of one story share.
#[derive(Debug, Clone)]
pub struct Story {
    date: Date,
    date_added: i32,
    old: bool,
    actors: [Actor; 2],
    location: &'static Location,
    tones: [f64; TONES_OF_A_STORY],
}

/// A row before it is split into columns.
#[derive(Debug, Clone)]
pub struct Event {
    pub id: i64,
    pub date: Date,
    pub date_added: i32,
    /// Whether it was coded from the old archives.
    pub old: bool,
    pub actors: [Option<Actor>; 2],
    pub is_root: bool,
    pub code: &'static EventCode,
    pub mentions: Mentions,
    pub tone: f64,
    /// Locations of the first actor, the second actor and the action.
    pub locations: [Option<&'static Location>; 3],
}

/// Numbers of reports about an event.
#[derive(Debug, Clone, Copy)]
pub struct Mentions {
    pub mentions: i32,
    pub sources: i32,
    pub articles: i32,
}

impl World {
    /// Draws the story with this number.
    pub fn story(&'static self, seed: u64, number: u64) -> Story {
        let stream = &mut Stream::new(&[seed, 0, number]);
        let old = stream.chance(OLD_STORIES);
        let actors = [self.actor(stream), self.actor(stream)];
        Story {
            date: self.calendar.date(seed, number, stream),
            date_added: if stream.chance(0.97) {
                20130203
            } else {
                20130206
            },
            old,
            location: self.location(actors[0].home, stream),
            actors,
            tones: std::array::from_fn(|_| tone(old, stream)),
        }
    }

    /// Draws row `row` of the table, which belongs to `story`.
    pub fn event(&'static self, seed: u64, row: u64, story: &Story) -> Event {
        let stream = &mut Stream::new(&[seed, 1, row]);
        let actors = self.actors(story, stream);
        Event {
            id: row.wrapping_add(1) as i64,
            date: story.date,
            date_added: story.date_added,
            old: story.old,
            is_root: stream.chance(0.63),
            code: self.codes.draw(stream),
            mentions: self.mentions(stream),
            tone: if stream.chance(STORY_TONE) {
                story.tones[stream.below(TONES_OF_A_STORY as u64) as usize]
            } else {
                tone(story.old, stream)
            },
            locations: self.locations(actors, story, stream),
            actors,
        }
    }

    fn actor(&'static self, stream: &mut Stream) -> Actor {
        self.actors.draw(&self.countries, &self.families, stream)
    }

    /// Draws two actors, of which at least one is known.
    fn actors(&'static self, story: &Story, stream: &mut Stream) -> [Option<Actor>; 2] {
        let first = stream.chance(ACTOR1_SHARE);
        let second = !first || stream.chance(ACTOR2_SHARE_WITH_ACTOR1);
        let mut actor = |known: bool, of_story: &Actor| {
            known.then(|| {
                if stream.chance(STORY_ACTOR) {
                    *of_story
                } else {
                    self.actor(stream)
                }
            })
        };
        [
            actor(first, &story.actors[0]),
            actor(second, &story.actors[1]),
        ]
    }

    fn locations(
        &'static self,
        actors: [Option<Actor>; 2],
        story: &Story,
        stream: &mut Stream,
    ) -> [Option<&'static Location>; 3] {
        if stream.chance(NOWHERE) {
            return [None; 3];
        }
        let mut location = |home: Option<usize>| {
            if stream.chance(STORY_LOCATION) {
                story.location
            } else {
                self.location(home, stream)
            }
        };
        let [first, second] = actors.map(|actor| actor.map(|actor| location(actor.home)));
        let elsewhere = location(None);
        match (first, second) {
            (Some(first), Some(_)) if stream.chance(ACTORS_TOGETHER) => [Some(first); 3],
            (Some(_), Some(_)) => {
                let choice = stream.unit();
                let action = match choice {
                    at if at < AT_ACTOR1 => first,
                    at if at < AT_ACTOR1 + AT_ACTOR2 => second,
                    _ => Some(elsewhere),
                };
                [first, second, action]
            }
            _ if stream.chance(AT_ONLY_ACTOR) => [first, second, first.or(second)],
            _ => [first, second, Some(elsewhere)],
        }
    }

    fn location(&'static self, home: Option<usize>, stream: &mut Stream) -> &'static Location {
        let country = match home {
            Some(home) if stream.chance(AT_HOME) => home,
            _ if stream.chance(IN_US) => UNITED_STATES,
            _ => self.country_law.draw(stream),
        };
        self.countries[country].location(stream)
    }

    /// Draws mentions: most events have few, all from one source; some have hundreds from many.
    fn mentions(&self, stream: &mut Stream) -> Mentions {
        let few = self.mentions.draw(stream) as i32 + 1;
        let (mentions, sources) = match few {
            1..=10 if stream.chance(0.93) => (few, 1),
            1..=10 => (few, 2 + stream.below(3) as i32),
            _ => {
                // Pareto with exponent 1, from 11 to 1,100.
                let many = 11.0 / (1.0 - 0.99 * stream.unit());
                (many as i32, (many / (3.0 + 9.0 * stream.unit())) as i32 + 1)
            }
        };
        let articles = if stream.chance(0.975) {
            mentions
        } else {
            mentions - mentions / 6
        };
        Mentions {
            mentions,
            sources,
            articles,
        }
    }
}

/// Draws the tone: positive minus negative words per hundred words of an article, to fourteen
/// decimals and at most fifteen digits.
fn tone(old: bool, stream: &mut Stream) -> f64 {
    let (mean, deviation, usual_words) = if old {
        (5.1, 2.0, 270.0)
    } else {
        (-2.5, 3.9, 480.0)
    };
    let words = (usual_words * (0.65 * normal(stream)).exp()).round();
    let balance = (words * (mean + deviation * normal(stream)) / 100.0).round();
    let tone = balance / words * 100.0;
    let scale = if tone.abs() < 10.0 { 1e14 } else { 1e13 };
    // Adding zero turns a negative zero, which engines put into a separate group, into a plain one.
    (tone * scale).round() / scale + 0.0
}
