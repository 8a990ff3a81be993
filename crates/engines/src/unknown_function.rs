//! Functions that DataFusion does not have, with what to write in their place. Its own hint names the function whose
//! name is the least different, however different that is.

use bakeoff_workload::nearest;

/// Functions of other systems that return the part of a time which has their name.
const PARTS: [&str; 8] = [
    "year", "quarter", "month", "week", "day", "hour", "minute", "second",
];
/// Other functions of other systems, and what to write.
const INSTEAD: [(&[&str], &str); 4] = [
    (&["date"], "CAST(t AS DATE)"),
    (
        &["if", "iff", "iif"],
        "CASE WHEN condition THEN a ELSE b END",
    ),
    (&["mod"], "a % b"),
    (
        &["timezone", "convert_timezone", "from_utc_timestamp"],
        "t AT TIME ZONE 'Europe/Berlin'",
    ),
];

/// Says what to write in place of a function, given the planner's message that it does not exist; `None` for any other
/// message.
pub fn words(message: &str) -> Option<String> {
    let (name, behind) = message
        .strip_prefix("Invalid function '")?
        .split_once("'.")?;
    let called = name.to_lowercase();
    if PARTS.contains(&called.as_str()) {
        return Some(format!(
            "Invalid function '{name}': write extract({called} FROM t)"
        ));
    }
    let known = INSTEAD
        .iter()
        .find(|(names, _)| names.contains(&called.as_str()));
    if let Some((_, instead)) = known {
        return Some(format!("Invalid function '{name}': write {instead}"));
    }
    let hint = behind
        .trim()
        .strip_prefix("Did you mean '")
        .and_then(|hint| hint.split_once('\''))
        .and_then(|(hint, _)| nearest(name, [hint]));
    Some(match hint {
        Some(hint) => format!("Invalid function '{name}'. Did you mean '{hint}'?"),
        None => format!("Invalid function '{name}'"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_functions_have_a_hint_only_if_it_helps() {
        for (name, hint, expected) in [
            ("year", "mean", ": write extract(year FROM t)"),
            ("HOUR", "corr", ": write extract(hour FROM t)"),
            ("date", "atan", ": write CAST(t AS DATE)"),
            ("if", "ln", ": write CASE WHEN condition THEN a ELSE b END"),
            ("mod", "cos", ": write a % b"),
            (
                "timezone",
                "decode",
                ": write t AT TIME ZONE 'Europe/Berlin'",
            ),
            ("md5", "min", ""),
            ("nope", "now", ""),
            ("avgg", "avg", ". Did you mean 'avg'?"),
            ("date_turnc", "date_trunc", ". Did you mean 'date_trunc'?"),
        ] {
            let message = format!("Invalid function '{name}'.\nDid you mean '{hint}'?");
            assert_eq!(
                words(&message),
                Some(format!("Invalid function '{name}'{expected}"))
            );
        }
        assert_eq!(words("Invalid expression 'year'."), None);
    }
}
