//! Names of locations and people, composed of parts in the manner of a language family.

use super::chance::any;
use super::records::records;
use crate::Stream;

/// Parts of one family's names. No list is empty.
#[derive(Debug)]
pub struct Names {
    pub family: &'static str,
    starts: Vec<&'static str>,
    middles: Vec<&'static str>,
    ends: Vec<&'static str>,
    /// Starts of surnames in capitals, as actors have them.
    surname_starts: Vec<String>,
    /// Ends of surnames in capitals.
    surname_ends: Vec<String>,
    /// First names in capitals.
    first_names: Vec<String>,
}

impl Names {
    /// Returns all families of names.
    pub fn families() -> Vec<Names> {
        records(include_str!("names.txt"))
            .map(
                |[family, starts, middles, ends, surname_ends, first_names]| Names {
                    family,
                    starts: starts.split(',').collect(),
                    middles: middles.split(',').collect(),
                    ends: ends.split(',').collect(),
                    surname_starts: capitals(starts),
                    surname_ends: capitals(surname_ends),
                    first_names: capitals(first_names),
                },
            )
            .collect()
    }

    /// Draws one of tens of thousands of names, such as Springton, Al Hasarah or Krasnagrad.
    pub fn location(&self, stream: &mut Stream) -> String {
        let parts = [&self.starts, &self.middles, &self.ends].map(|parts| *any(parts, stream));
        let name = title_case(&parts.concat());
        if stream.chance(0.2) {
            format!("{} {name}", any(&self.starts, stream).trim())
        } else {
            name
        }
    }

    /// Draws a first name, a space, and the two parts of a surname.
    pub fn person(&self, stream: &mut Stream) -> [&str; 4] {
        [
            any(&self.first_names, stream).as_str(),
            " ",
            any(&self.surname_starts, stream).as_str(),
            any(&self.surname_ends, stream).as_str(),
        ]
    }
}

/// Capitalises each word, and joins words by single spaces.
fn title_case(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    for word in name.split_whitespace() {
        let first = word.chars().next().unwrap_or_default();
        if !result.is_empty() {
            result.push(' ');
        }
        result.extend(first.to_uppercase());
        result.push_str(&word[first.len_utf8()..]);
    }
    result
}

fn capitals(list: &str) -> Vec<String> {
    list.split(',').map(|part| part.to_uppercase()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_word_of_a_place_has_a_capital() {
        assert_eq!(title_case("Al qasrah"), "Al Qasrah");
        assert_eq!(title_case("Greenfield  Falls"), "Greenfield Falls");
    }

    #[test]
    fn families_have_names_for_a_world() {
        for names in Names::families() {
            let mut stream = Stream::new(&[1]);
            let locations: HashSet<String> =
                (0..10_000).map(|_| names.location(&mut stream)).collect();
            let people: HashSet<String> = (0..10_000)
                .map(|_| names.person(&mut stream).concat())
                .collect();
            assert!(
                locations.len() > 4_000,
                "{}: {} places",
                names.family,
                locations.len()
            );
            assert!(
                people.len() > 3_000,
                "{}: {} people",
                names.family,
                people.len()
            );
        }
    }
}
