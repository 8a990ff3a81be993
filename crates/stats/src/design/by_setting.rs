//! Designs that differ in one setting alone, by its value.

use std::collections::BTreeMap;

use super::{Amount, DesignInfo, Role, Unit};

/// Setting by which a design stores some columns of the table only. Without it a design stores them all.
pub const COLUMNS: &str = "columns";
/// Fewest values of a setting by which designs are followed.
const FEWEST_VALUES: usize = 3;
/// Most settings of an id that are looked at; no layout has as many.
const MOST_SETTINGS: usize = 32;
/// Longest text of a value that is kept; a longer one is formatted from its number.
const LONGEST_TEXT: usize = 12;

/// Designs that differ in one setting alone, whose values are numbers, sizes or durations.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignsBySetting {
    pub setting: String,
    /// Id of the designs without the setting.
    pub others: String,
    /// Designs with different values, the least value first.
    pub designs: Vec<AtValue>,
}

/// Design with its value of a setting.
#[derive(Debug, Clone, PartialEq)]
pub struct AtValue {
    pub design: String,
    /// Value as a number, in bytes or in seconds.
    pub value: f64,
    /// Value as an id has it.
    pub text: String,
    /// Whether the id does not have the setting, so that the value is the default.
    pub is_default: bool,
}

/// Design whose id has the setting.
struct Valued<'a> {
    design: &'a DesignInfo,
    /// Place of the design in the header.
    place: usize,
    amount: Amount,
    text: &'a str,
}

/// Returns the designs by each setting in which at least three of them differ alone, and whose values are
/// numbers, sizes or durations. A design without the setting takes part if the settings in force show its
/// default, or if the setting is the number of columns and that of the table is given.
pub fn by_setting(infos: &[&DesignInfo], columns: Option<u32>) -> Vec<DesignsBySetting> {
    let mut groups: BTreeMap<(&str, String), Vec<Valued<'_>>> = BTreeMap::new();
    for (place, &design) in infos.iter().enumerate() {
        for (setting, others, text) in settings(&design.id) {
            let of_columns = setting == COLUMNS && design.role == Role::SomeColumns;
            if design.is_yardstick() && !of_columns {
                continue;
            }
            let Some(amount) = Amount::read(text) else {
                continue;
            };
            let valued = Valued {
                design,
                place,
                amount,
                text,
            };
            groups.entry((setting, others)).or_default().push(valued);
        }
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, valued)| valued.first().map(|first| first.place));
    { groups.into_iter() }
        .filter_map(|((setting, others), valued)| {
            let without = infos.iter().find(|info| info.id == others).copied();
            of_setting(setting, others, valued, without, columns)
        })
        .collect()
}

/// Puts the designs of a setting into the order of its values, with the one without the setting, if there is one;
/// `None` if they are too few.
fn of_setting(
    setting: &str,
    others: String,
    mut valued: Vec<Valued<'_>>,
    without: Option<&DesignInfo>,
    columns: Option<u32>,
) -> Option<DesignsBySetting> {
    let unit = valued.first()?.amount.unit;
    valued.retain(|valued| valued.amount.unit == unit);
    let mut designs: Vec<AtValue> = valued.iter().map(AtValue::of).collect();
    let default = without.and_then(|without| {
        let value = if setting == COLUMNS {
            f64::from(columns?)
        } else {
            default_value(&valued, without)?
        };
        AtValue::at_default(without, value, unit)
    });
    designs.extend(default);
    designs.sort_by(|a, b| a.value.total_cmp(&b.value));
    // The sort is stable and the default is the last one, so that an id with the value comes before it.
    designs.dedup_by(|later, earlier| later.value == earlier.value);
    (designs.len() >= FEWEST_VALUES).then(|| DesignsBySetting {
        setting: setting.to_owned(),
        others,
        designs,
    })
}

impl AtValue {
    fn of(valued: &Valued<'_>) -> AtValue {
        let is_short = valued.text.chars().count() <= LONGEST_TEXT;
        AtValue {
            design: valued.design.id.clone(),
            value: valued.amount.value,
            text: if is_short {
                valued.text.to_owned()
            } else {
                valued.amount.to_string()
            },
            is_default: false,
        }
    }

    /// Makes that of a design without the setting.
    fn at_default(design: &DesignInfo, value: f64, unit: Unit) -> Option<AtValue> {
        Some(AtValue {
            design: design.id.clone(),
            value,
            text: Amount::new(value, unit)?.to_string(),
            is_default: true,
        })
    }
}

/// Returns the settings of an id, each with the id that is left without it and with its value.
fn settings(id: &str) -> Vec<(&str, String, &str)> {
    let Some((layout, settings)) = id.split_once('?') else {
        return Vec::new();
    };
    let settings: Vec<(&str, &str)> = { settings.split('&') }
        .filter_map(|setting| setting.split_once('='))
        .collect();
    if settings.len() > MOST_SETTINGS {
        return Vec::new();
    }
    let without = |left_out: usize| {
        let others = { settings.iter().enumerate() }.filter(|(at, _)| *at != left_out);
        let others: Vec<String> = others.map(|(_, (n, v))| format!("{n}={v}")).collect();
        match others.as_slice() {
            [] => layout.to_owned(),
            others => format!("{layout}?{}", others.join("&")),
        }
    };
    { settings.iter().enumerate() }
        .map(|(at, (name, value))| (*name, without(at), *value))
        .collect()
}

/// Returns the value that a design without the setting has. The settings in force have other names and units than
/// those of ids, so it is read where those of the designs with the setting differ in a single number that is in
/// proportion to their values.
fn default_value(valued: &[Valued<'_>], without: &DesignInfo) -> Option<f64> {
    let mut in_force = without.settings.iter();
    in_force.find_map(|(name, text)| in_proportion(valued, name, text))
}

/// Returns the value that belongs to a text of a setting in force, by its texts of the designs with known values.
fn in_proportion(valued: &[Valued<'_>], name: &str, text: &str) -> Option<f64> {
    let own = Numbers::of(text);
    let known: Vec<Numbers<'_>> = { valued.iter() }
        .map(|valued| Some(Numbers::of(in_force(valued.design, name)?)))
        .collect::<Option<_>>()?;
    let first = known.first()?;
    if known.iter().any(|known| known.between != own.between) {
        return None;
    }
    let differs = |at: &usize| known.iter().any(|k| k.numbers[*at] != first.numbers[*at]);
    let differing: Vec<usize> = (0..first.numbers.len()).filter(differs).collect();
    let [at] = differing[..] else {
        return None;
    };
    let elsewhere = |numbers: &[f64]| [&numbers[..at], &numbers[at + 1..]].concat();
    if elsewhere(&own.numbers) != elsewhere(&first.numbers) {
        return None;
    }
    // A value of 0 with the number 0 is in any proportion.
    let pairs = { valued.iter().zip(&known) }.map(|(v, known)| (v.amount.value, known.numbers[at]));
    let pairs: Vec<(f64, f64)> = pairs.filter(|pair| *pair != (0.0, 0.0)).collect();
    let (value, number) = *pairs.first()?;
    let is_same = |(v, n): &(f64, f64)| (v * number / (n * value) - 1.0).abs() < 1e-9;
    let is_proportional = pairs.iter().all(is_same);
    is_proportional.then(|| own.numbers[at] * value / number)
}

fn in_force<'a>(info: &'a DesignInfo, name: &str) -> Option<&'a str> {
    let found = info.settings.iter().find(|(known, _)| known == name);
    found.map(|(_, text)| text.as_str())
}

/// Whole numbers in a text, and what is between them.
struct Numbers<'a> {
    /// One more than there are numbers.
    between: Vec<&'a str>,
    numbers: Vec<f64>,
}

impl Numbers<'_> {
    fn of(text: &str) -> Numbers<'_> {
        let is_digit = |c: char| c.is_ascii_digit();
        let (mut between, mut numbers) = (Vec::new(), Vec::new());
        let mut rest = text;
        while let Some(start) = rest.find(is_digit) {
            let (before, from) = rest.split_at(start);
            let end = from.find(|c: char| !is_digit(c)).unwrap_or(from.len());
            let (number, after) = from.split_at(end);
            between.push(before);
            // Digits alone are a number, if perhaps an infinite one.
            numbers.push(number.parse().unwrap_or(f64::INFINITY));
            rest = after;
        }
        between.push(rest);
        Numbers { between, numbers }
    }
}
