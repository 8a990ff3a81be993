//! Locations of events: countries, their regions and cities. A location always has the same codes,
//! coordinates and feature id.

use super::chance::{Weighted, Zipf, any};
use super::names::Names;
use super::records::{number, records};
use crate::Stream;

/// Key that separates the streams of the gazetteer from those of the rows.
const GAZETTEER: u64 = 0x6761_7a65_7474_6565;
const US: &str = "US";
const CITIES_OF_US: usize = 20_000;

/// A row of the gazetteer.
#[derive(Debug)]
pub struct Location {
    /// Kind: 1 country, 2 state of the US, 3 city of the US, 4 city elsewhere, 5 region elsewhere.
    pub kind: i32,
    pub full_name: String,
    pub country: &'static str,
    pub region: String,
    pub latitude: f64,
    pub longitude: f64,
    pub feature: String,
}

/// A country, with who acts for it and where its events happen.
#[derive(Debug)]
pub struct Country {
    pub iso: &'static str,
    pub adjective: &'static str,
    /// Name in capitals, as actors have it.
    pub name: String,
    /// Index of the family that names its people.
    pub family: usize,
    /// Weight among acting countries; 0 for those whose share is fixed elsewhere.
    pub weight: f64,
    /// Cities that act, in capitals, the most mentioned first.
    pub acting_cities: Vec<String>,
    whole: Location,
    regions: Vec<Location>,
    region_law: Zipf,
    cities: Vec<Location>,
    city_law: Zipf,
    /// Shares of the whole, of regions and of cities.
    kind_law: Weighted,
}

impl Country {
    /// Draws a location in the country.
    pub fn location(&self, stream: &mut Stream) -> &Location {
        match self.kind_law.draw(stream) {
            0 => &self.whole,
            1 => &self.regions[self.region_law.draw(stream)],
            _ => &self.cities[self.city_law.draw(stream)],
        }
    }
}

/// Returns all countries that have locations; the United States come first, then Albania.
pub fn countries(families: &[Names]) -> Vec<Country> {
    records(include_str!("countries.txt"))
        .enumerate()
        .map(|(index, record)| country(index as u64, record, families))
        .collect()
}

fn country(index: u64, record: [&'static str; 9], families: &[Names]) -> Country {
    let [
        fips,
        iso,
        name,
        adjective,
        latitude,
        longitude,
        weight,
        family,
        cities,
    ] = record;
    let weight = number(weight);
    let family = families
        .iter()
        .position(|names| names.family == family)
        .unwrap_or(0);
    let outline = Outline {
        index,
        fips,
        name,
        centre: (number(latitude), number(longitude)),
        names: &families[family],
        known: cities
            .split(',')
            .map(|city| city.split_once(':').unwrap_or((city, "")))
            .collect(),
    };
    let in_us = fips == US;
    let regions = if in_us {
        states()
    } else {
        outline.regions(6 + weight as usize / 12)
    };
    let cities = outline.cities(
        &regions,
        if in_us {
            CITIES_OF_US
        } else {
            200 + 8 * weight as usize
        },
    );
    let kinds = if in_us {
        [5.0, 44.0, 51.0]
    } else {
        [34.0, 4.0, 62.0]
    };
    Country {
        iso,
        adjective,
        name: name.to_uppercase(),
        family,
        weight,
        acting_cities: acting_cities(&regions, &cities, in_us),
        whole: outline.whole(),
        region_law: Zipf::new(regions.len(), 0.6),
        regions,
        city_law: Zipf::new(cities.len(), if in_us { 0.9 } else { 1.1 }),
        cities,
        kind_law: Weighted::new(kinds),
    }
}

/// Facts from which the locations of a country are made.
struct Outline<'a> {
    index: u64,
    fips: &'static str,
    name: &'static str,
    centre: (f64, f64),
    names: &'a Names,
    /// Real cities, those of the US with their state.
    known: Vec<(&'static str, &'static str)>,
}

impl Outline<'_> {
    fn whole(&self) -> Location {
        Location {
            kind: 1,
            full_name: self.name.to_owned(),
            country: self.fips,
            region: self.fips.to_owned(),
            latitude: significant(self.centre.0),
            longitude: significant(self.centre.1),
            feature: self.fips.to_owned(),
        }
    }

    /// Makes regions; the first is for unknown ones, the second is named after the first city.
    fn regions(&self, number: usize) -> Vec<Location> {
        let region = |rank: usize| {
            let stream = &mut Stream::new(&[GAZETTEER, self.index, 0, rank as u64]);
            let name = match rank {
                0 => format!("{} (general)", self.name),
                1 => self.known.first().map_or("", |(city, _)| city).to_owned(),
                _ => self.names.location(stream),
            };
            let code = if rank == 0 {
                0
            } else {
                (rank * 7 + self.index as usize) % 60 + 1
            };
            let (latitude, longitude) = near(self.centre, 4.0, stream);
            Location {
                kind: 5,
                full_name: format!("{name}, {name}, {}", self.name),
                country: self.fips,
                region: format!("{}{code:02}", self.fips),
                latitude,
                longitude,
                feature: self.feature(stream),
            }
        };
        (0..number).map(region).collect()
    }

    fn cities(&self, regions: &[Location], number: usize) -> Vec<Location> {
        (0..number).map(|rank| self.city(rank, regions)).collect()
    }

    fn city(&self, rank: usize, regions: &[Location]) -> Location {
        let stream = &mut Stream::new(&[GAZETTEER, self.index, 1, rank as u64]);
        let known = self.known.get(rank);
        let name = known.map_or_else(
            || self.names.location(stream),
            |(city, _)| (*city).to_owned(),
        );
        let region = known
            .and_then(|(_, state)| regions.iter().find(|region| region.feature == *state))
            .unwrap_or_else(|| any(regions, stream));
        let region_name = region.full_name.split(',').next().unwrap_or_default();
        let (latitude, longitude) = near((region.latitude, region.longitude), 1.5, stream);
        Location {
            kind: if self.fips == US { 3 } else { 4 },
            full_name: format!("{name}, {region_name}, {}", self.name),
            country: self.fips,
            region: region.region.clone(),
            latitude,
            longitude,
            feature: self.feature(stream),
        }
    }

    /// Draws a feature id: positive in the US; elsewhere negative in a range of each country, or
    /// recent and large.
    fn feature(&self, stream: &mut Stream) -> String {
        let id = match (self.fips, stream.chance(0.15)) {
            (US, _) => 160_000 + stream.below(1_700_000) as i64,
            (_, true) => 6_000_000 + stream.below(5_500_000) as i64,
            (_, false) => -(10_000 + 19_000 * self.index as i64 + stream.below(19_000) as i64),
        };
        id.to_string()
    }
}

fn states() -> Vec<Location> {
    records(include_str!("states.txt"))
        .map(|[code, name, latitude, longitude]| Location {
            kind: 2,
            full_name: format!("{name}, United States"),
            country: US,
            region: format!("{US}{code}"),
            latitude: number(latitude),
            longitude: number(longitude),
            feature: code.to_owned(),
        })
        .collect()
}

/// Returns the names of cities that act, and in the US also of states.
fn acting_cities(regions: &[Location], cities: &[Location], in_us: bool) -> Vec<String> {
    let states = if in_us { regions } else { &[] };
    let cities = cities.iter().take(80);
    let mut names: Vec<&Location> = cities
        .clone()
        .take(states.len())
        .zip(states)
        .flat_map(<[_; 2]>::from)
        .collect();
    names.extend(cities.skip(states.len()));
    names
        .iter()
        .filter_map(|location| location.full_name.split(',').next())
        .map(str::to_uppercase)
        .collect()
}

/// Draws a point at most `degrees` away in either direction. Older coordinates have whole minutes.
fn near(centre: (f64, f64), degrees: f64, stream: &mut Stream) -> (f64, f64) {
    let minutes = stream.chance(0.6);
    let mut coordinate = |centre: f64, limit: f64| {
        let value = (centre + (stream.unit() * 2.0 - 1.0) * degrees).clamp(-limit, limit);
        significant(if minutes {
            (value * 60.0).round() / 60.0
        } else {
            value
        })
    };
    (coordinate(centre.0, 90.0), coordinate(centre.1, 180.0))
}

/// Rounds to six significant digits, as in GDELT.
fn significant(degrees: f64) -> f64 {
    let scale = match degrees.abs() {
        d if d >= 100.0 => 1e3,
        d if d >= 10.0 => 1e4,
        d if d >= 1.0 => 1e5,
        _ => 1e6,
    };
    (degrees * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countries_have_places_and_the_first_two_are_known() {
        let countries = countries(&Names::families());
        assert_eq!((countries[0].iso, countries[1].iso), ("USA", "ALB"));
        for country in &countries {
            assert!(!country.acting_cities.is_empty() && !country.regions.is_empty());
            assert!(country.cities.len() >= 150, "{}", country.name);
        }
    }

    #[test]
    fn a_known_city_lies_in_its_state() {
        let countries = countries(&Names::families());
        let philadelphia = &countries[0].cities[2];
        assert_eq!(
            philadelphia.full_name,
            "Philadelphia, Pennsylvania, United States"
        );
        assert_eq!(
            (philadelphia.region.as_str(), philadelphia.kind),
            ("USPA", 3)
        );
        assert!((philadelphia.latitude - 40.5773).abs() <= 1.6);
    }

    #[test]
    fn coordinates_have_six_significant_digits() {
        assert_eq!(significant(-0.1166666667), -0.116667);
        assert_eq!(significant(31.766666667), 31.7667);
        assert_eq!(significant(119.7461), 119.746);
    }
}
