//! Actors: countries and those who act for them, peoples, faiths, groups, and roles without a
//! country. An actor's other columns follow from its code and name.

use super::chance::{Weighted, Zipf, any};
use super::locations::Country;
use super::names::Names;
use super::records::{number, records};
use crate::Stream;

/// Share of rows whose first actor is from the United States, from the study.
const USA_SHARE_OF_ROWS: f64 = 0.091;
/// Share of rows whose first actor is from Albania, from the study.
const ALBANIA_SHARE_OF_ROWS: f64 = 0.0012;

/// Share of rows that have a first actor.
pub const ACTOR1_SHARE: f64 = 0.939;
/// Share of countries among known first actors.
const COUNTRY: f64 = 0.66;
/// Share of groups among known first actors.
const GROUP: f64 = 0.047;

/// Key that separates the streams of people from those of the rows.
const PEOPLE: u64 = 0x0070_656f_706c_6500;
/// Key that separates the streams of companies from those of the rows.
const COMPANIES: u64 = 0x636f_6d70_616e_7900;

/// Shares of the name, the adjective, a city, a person and a company among a country's actors.
const FORMS: [f64; 5] = [50.0, 18.0, 20.0, 9.0, 3.0];
const ACTING_CITIES_EXPONENT: f64 = 0.8;
const PEOPLE_OF_A_COUNTRY: usize = 3_000;
const COMPANIES_OF_A_COUNTRY: usize = 400;

/// Probability that a country, its people or a city act in a role.
const IN_A_ROLE: f64 = 0.15;
/// Roles with their weights.
const ROLES: [(&str, f64); 26] = [
    ("GOV", 34.0),
    ("CVL", 7.0),
    ("COP", 7.0),
    ("MIL", 7.0),
    ("EDU", 6.0),
    ("BUS", 6.0),
    ("JUD", 6.0),
    ("LEG", 6.0),
    ("MED", 6.0),
    ("ELI", 6.0),
    ("OPP", 4.0),
    ("LAB", 3.0),
    ("GOVMIL", 3.0),
    ("REL", 2.0),
    ("PTY", 2.0),
    ("REF", 2.0),
    ("UAF", 2.0),
    ("REB", 2.0),
    ("HLH", 2.0),
    ("CRM", 1.5),
    ("SPY", 1.0),
    ("GOVELI", 1.0),
    ("GOVJUD", 1.0),
    ("GOVMED", 0.7),
    ("GOVLAB", 0.7),
    ("GOVMILCOP", 0.3),
];
const INDUSTRIES: [&str; 12] = [
    "OIL CO",
    "MOTORS",
    "AIRWAYS",
    "STEEL",
    "BANKING CORP",
    "CHEMICALS",
    "RESOURCES CO",
    "ELECTRIC",
    "SHIPPING",
    "TOBACCO",
    "MINING CO",
    "INDUSTRIES",
];

/// An actor. Texts in parts are joined; an empty text is a null.
#[derive(Debug, Clone, Copy)]
pub struct Actor {
    pub code: [&'static str; 3],
    pub name: [&'static str; 4],
    pub country: &'static str,
    pub group: &'static str,
    pub ethnic: &'static str,
    pub religions: [&'static str; 2],
    pub types: [&'static str; 3],
    /// Index of its home country.
    pub home: Option<usize>,
}

/// Actors of one group of roles: types, and names in the order of frequency.
#[derive(Debug)]
struct Role {
    code: &'static str,
    names: Vec<&'static str>,
    law: Zipf,
}

/// All actors with their frequencies.
#[derive(Debug)]
pub struct Actors {
    country_law: Weighted,
    form_law: Weighted,
    city_law: Zipf,
    people_law: Zipf,
    company_law: Zipf,
    in_role_law: Weighted,
    roles: Vec<Role>,
    role_law: Weighted,
    groups: Vec<Actor>,
    group_law: Weighted,
}

impl Actors {
    pub fn new(countries: &[Country]) -> Self {
        let (roles, role_weights): (Vec<_>, Vec<_>) = roles().unzip();
        let (groups, group_weights): (Vec<_>, Vec<_>) = groups(countries).unzip();
        Actors {
            country_law: Weighted::new(country_shares(countries)),
            form_law: Weighted::new(FORMS),
            city_law: Zipf::new(80, ACTING_CITIES_EXPONENT),
            people_law: Zipf::new(PEOPLE_OF_A_COUNTRY, 0.9),
            company_law: Zipf::new(COMPANIES_OF_A_COUNTRY, 0.7),
            in_role_law: Weighted::new(ROLES.map(|(_, weight)| weight)),
            roles,
            role_law: Weighted::new(role_weights),
            groups,
            group_law: Weighted::new(group_weights),
        }
    }

    pub fn draw(
        &'static self,
        countries: &'static [Country],
        families: &'static [Names],
        stream: &mut Stream,
    ) -> Actor {
        match stream.unit() {
            kind if kind < COUNTRY => {
                let home = self.country_law.draw(stream);
                self.of_country(home, &countries[home], families, stream)
            }
            kind if kind < COUNTRY + GROUP => self.groups[self.group_law.draw(stream)],
            _ => {
                let role = &self.roles[self.role_law.draw(stream)];
                let name = role.names[role.law.draw(stream)];
                in_role(["", role.code, ""], [name, "", "", ""], role.code)
            }
        }
    }

    fn of_country(
        &self,
        home: usize,
        country: &'static Country,
        families: &'static [Names],
        stream: &mut Stream,
    ) -> Actor {
        let of_country = |code: &'static str, name| Actor {
            country: country.iso,
            home: Some(home),
            ..in_role([country.iso, code, ""], name, code)
        };
        match self.form_law.draw(stream) {
            0 => of_country(self.perhaps_role(stream), [&country.name, "", "", ""]),
            1 => of_country(self.perhaps_role(stream), [country.adjective, "", "", ""]),
            2 => {
                let rank = self
                    .city_law
                    .draw(stream)
                    .min(country.acting_cities.len() - 1);
                of_country(
                    self.perhaps_role(stream),
                    [&country.acting_cities[rank], "", "", ""],
                )
            }
            3 => {
                let rank = self.people_law.draw(stream) as u64;
                let person = &mut Stream::new(&[PEOPLE, home as u64, rank]);
                of_country(
                    self.in_role(person),
                    families[country.family].person(person),
                )
            }
            _ => {
                let rank = self.company_law.draw(stream) as u64;
                let company = &mut Stream::new(&[COMPANIES, home as u64, rank]);
                let [_, _, start, end] = families[country.family].person(company);
                let name = [start, end, " ", *any(&INDUSTRIES, company)];
                Actor {
                    code: ["MNC", country.iso, ""],
                    types: ["MNC", "", ""],
                    ..of_country("", name)
                }
            }
        }
    }

    fn in_role(&self, stream: &mut Stream) -> &'static str {
        ROLES[self.in_role_law.draw(stream)].0
    }

    fn perhaps_role(&self, stream: &mut Stream) -> &'static str {
        if stream.chance(IN_A_ROLE) {
            self.in_role(stream)
        } else {
            ""
        }
    }
}

/// Returns the countries' shares: the United States and Albania have those of the study; the others
/// share the rest.
fn country_shares(countries: &[Country]) -> Vec<f64> {
    let of_countries = |share_of_rows: f64| share_of_rows / (ACTOR1_SHARE * COUNTRY);
    let fixed = [
        of_countries(USA_SHARE_OF_ROWS),
        of_countries(ALBANIA_SHARE_OF_ROWS),
    ];
    let others = &countries[fixed.len()..];
    let total: f64 = others.iter().map(|country| country.weight).sum();
    let rest = 1.0 - fixed.iter().sum::<f64>();
    let shares = others.iter().map(|country| country.weight / total * rest);
    fixed.into_iter().chain(shares).collect()
}

fn roles() -> impl Iterator<Item = (Role, f64)> {
    include_str!("roles.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let mut names = line.split('|');
            let (code, weight) = names
                .next()
                .and_then(|head| head.split_once(' '))
                .unwrap_or_default();
            let names: Vec<_> = names.collect();
            (
                Role {
                    code,
                    law: Zipf::new(names.len(), 0.99),
                    names,
                },
                number(weight),
            )
        })
}

fn groups(countries: &[Country]) -> impl Iterator<Item = (Actor, f64)> {
    records(include_str!("groups.txt")).map(|record| {
        let [
            code,
            name,
            country,
            group,
            ethnic,
            religion1,
            religion2,
            types,
            weight,
        ] = record;
        let actor = Actor {
            country,
            group,
            ethnic,
            religions: [religion1, religion2],
            home: countries
                .iter()
                .position(|candidate| candidate.iso == country),
            ..in_role([code, "", ""], [name, "", "", ""], types)
        };
        (actor, number(weight))
    })
}

/// Makes an actor with the types of `role`: codes of three letters, of which religious bodies and
/// parties have none.
fn in_role(code: [&'static str; 3], name: [&'static str; 4], role: &'static str) -> Actor {
    let mut codes = (0..3).filter_map(|index| role.get(3 * index..3 * index + 3));
    let mut next = || {
        codes
            .find(|code| !["REL", "PTY"].contains(code))
            .unwrap_or_default()
    };
    let types = [next(), next(), next()];
    Actor {
        code,
        name,
        country: "",
        group: "",
        ethnic: "",
        religions: [""; 2],
        types,
        home: None,
    }
}
