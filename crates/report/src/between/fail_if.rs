//! Says in words what became of the conditions of `bakeoff compare --fail-if`.

use bakeoff_stats::between::{Certain, FailIf, Failing, Worse};

use super::words;
use crate::decide::words::percent;
use crate::text::style::wrap;
use crate::units;

/// Writes the answer in one paragraph.
pub fn answer(conditions: &[FailIf], outcome: &Failing) -> String {
    wrap(&sentence(conditions, outcome), super::COLUMNS, "", "")
}

/// Writes the answer in one line.
pub fn sentence(conditions: &[FailIf], outcome: &Failing) -> String {
    match outcome {
        Failing::Worse { certain } => {
            let each: Vec<String> = certain.iter().map(one).collect();
            format!("B fails: {}.", each.join("; "))
        }
        Failing::NotComparable { why } => {
            format!("B cannot be judged by --fail-if: {}.", why.join("; "))
        }
        Failing::NotShown { open } => {
            let limits: Vec<String> = conditions.iter().map(limit).collect();
            let open = match *open {
                0 => String::new(),
                1 => " 1 figure may be, which is not settled.".to_owned(),
                n => format!(
                    " {} figures may be, which is not settled.",
                    units::count(n as u64)
                ),
            };
            format!(
                "B passes: nothing is certain to be {}.{open}",
                limits.join(" or ")
            )
        }
    }
}

fn one(certain: &Certain) -> String {
    let what = match &certain.what {
        Some(what) => what.to_string(),
        None => "storage".to_owned(),
    };
    let interval = certain.interval.map_or_else(String::new, |bounds| {
        format!(" ({})", words::interval(Some(bounds)))
    });
    format!(
        "{what} of {} is {}: {}{interval}",
        certain.design,
        limit(&certain.condition),
        words::ratio(certain.ratio)
    )
}

/// Writes a condition: `slower by more than 10%`.
fn limit(condition: &FailIf) -> String {
    let worse = match condition.worse {
        Worse::Slower => "slower",
        Worse::Larger => "larger",
        Worse::RateLower => "lower in rate",
    };
    format!("{worse} by more than {}", percent(condition.limit))
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::between::What;

    use super::*;

    const CONDITIONS: [FailIf; 2] = [
        FailIf {
            worse: Worse::Slower,
            limit: 0.1,
        },
        FailIf {
            worse: Worse::Larger,
            limit: 0.05,
        },
    ];

    #[test]
    fn what_is_worse_is_named_with_its_interval_and_its_limit() {
        let certain = |condition, what, ratio, interval| Certain {
            condition,
            design: "a/x".to_owned(),
            what,
            ratio,
            interval,
        };
        let query = Some(What::Query("month".to_owned()));
        let outcome = Failing::Worse {
            certain: vec![
                certain(CONDITIONS[0], query, 1.31, Some((1.25, 1.38))),
                certain(CONDITIONS[1], None, 1.06, None),
            ],
        };
        let text = answer(&CONDITIONS, &outcome).replace('\n', " ");
        assert_eq!(
            text,
            "B fails: month of a/x is slower by more than 10%: 1.31× (1.25–1.38); storage of a/x is larger by \
             more than 5%: 1.06×."
        );
    }

    #[test]
    fn what_passes_and_what_cannot_be_judged_is_told() {
        let passes = |open| answer(&CONDITIONS, &Failing::NotShown { open }).replace('\n', " ");
        let limits = "slower by more than 10% or larger by more than 5%.";
        assert_eq!(
            passes(0),
            format!("B passes: nothing is certain to be {limits}")
        );
        assert!(passes(1).ends_with("1 figure may be, which is not settled."));
        assert!(passes(3).ends_with("3 figures may be, which is not settled."));
        let why = vec!["their tables differ".to_owned()];
        let text = answer(&CONDITIONS, &Failing::NotComparable { why });
        assert_eq!(
            text,
            "B cannot be judged by --fail-if: their tables differ."
        );
    }
}
