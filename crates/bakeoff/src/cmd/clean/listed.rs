//! What was found on servers, in words.

use std::fmt::Write;
use std::time::Duration;

use bakeoff_engines::{Made, MadeState};
use bakeoff_report::units;

use crate::terminal::on_one_line;

/// Number of names in a question.
const NAMES_ASKED: usize = 5;
const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Lists what was found, with the number of those that are to be dropped, `chosen`, in the first line.
pub fn in_words(found: &[Made], chosen: usize) -> String {
    if found.is_empty() {
        return "commands of Bakeoff have left nothing there\n".to_owned();
    }
    let count =
        |is_it: fn(&MadeState) -> bool| found.iter().filter(|made| is_it(&made.state)).count();
    let mut counts = vec![format!("{chosen} to drop")];
    let mut add = |number: usize, words: &str| {
        if number > 0 {
            counts.push(format!("{number} {words}"));
        }
    };
    let to_name = count(|state| matches!(state, MadeState::Kept | MadeState::NotKnown(_)));
    add(to_name, "to drop only by name");
    add(count(|state| *state == MadeState::InUse), "in use");
    add(
        count(|state| matches!(state, MadeState::NotOurs(_))),
        "not Bakeoff's",
    );
    let mut text = format!("{}\n", counts.join(", "));
    for made in found {
        text.push_str(&line(made));
    }
    text
}

/// Names what is to be dropped in a question.
pub fn to_drop(chosen: &[&Made]) -> String {
    let all = chosen
        .iter()
        .map(|made| format!("{} {}", made.kind, made.name));
    let mut names: Vec<String> = all.take(NAMES_ASKED).collect();
    if chosen.len() > NAMES_ASKED {
        names.push(format!("{} more", chosen.len() - NAMES_ASKED));
    }
    format!("{} with all rows", names.join(", "))
}

/// Describes one in two lines: what and who.
fn line(made: &Made) -> String {
    let state = match &made.state {
        MadeState::Stopped => {
            "its command was stopped or killed here; a run goes on with it if it is repeated"
                .to_owned()
        }
        MadeState::Kept => "its command is complete and has kept it, as with --keep".to_owned(),
        MadeState::InUse => "in use by a command on this machine".to_owned(),
        MadeState::NotKnown(why) => format!("not known whether its command goes on, since {why}"),
        MadeState::NotOurs(why) => format!("left alone, since {}", on_one_line(why)),
    };
    let mut text = format!("{} {}: {state}\n", made.kind, made.name);
    match made.maker() {
        Some(maker) => {
            let begun = maker
                .age()
                .map_or("begun".to_owned(), |age| format!("begun {}", ago(age)));
            let dir = on_one_line(&maker.dir.display().to_string());
            let host = on_one_line(&maker.host);
            let token = maker.token.map(|token| format!(", token {token}"));
            let token = token.unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {begun} in {dir} on {host}{token}");
        }
        None if !made.marker.is_empty() => {
            let _ = writeln!(text, "  made by {}", on_one_line(&made.marker));
        }
        None => {}
    }
    text
}

/// Says how long ago something was, in its largest unit of which there are at least two.
fn ago(age: Duration) -> String {
    let seconds = age.as_secs();
    let (number, one, many) = match seconds {
        0..120 => (seconds, "second", "seconds"),
        s if s < 2 * HOUR => (s / MINUTE, "minute", "minutes"),
        s if s < 2 * DAY => (s / HOUR, "hour", "hours"),
        s => (s / DAY, "day", "days"),
    };
    format!("{} ago", units::plural(number, one, many))
}

#[cfg(test)]
mod tests {
    use bakeoff_engines::MadeKind;

    use super::*;

    #[test]
    fn ages_are_in_their_largest_unit() {
        let of = |seconds| ago(Duration::from_secs(seconds));
        assert_eq!(of(1), "1 second ago");
        assert_eq!(of(119), "119 seconds ago");
        assert_eq!(of(120), "2 minutes ago");
        assert_eq!(of(2 * HOUR), "2 hours ago");
        assert_eq!(of(2 * DAY - 1), "47 hours ago");
        assert_eq!(of(9 * DAY), "9 days ago");
    }

    #[test]
    fn the_first_line_counts_and_each_has_its_command() {
        let made = |name: &str, marker: &str, state: MadeState| Made {
            kind: MadeKind::Keyspace,
            name: name.to_owned(),
            marker: marker.to_owned(),
            state,
        };
        assert_eq!(
            in_words(&[], 0),
            "commands of Bakeoff have left nothing there\n"
        );
        let found = [
            made("a", "desk 12 /runs/a", MadeState::Stopped),
            made(
                "b",
                "desk  /runs/b\nc",
                MadeState::NotKnown("it is of another machine"),
            ),
            made("d", "", MadeState::NotOurs("it has no marker".to_owned())),
        ];
        let text = in_words(&found, 1);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "1 to drop, 1 to drop only by name, 1 not Bakeoff's"
        );
        assert_eq!(lines[2], "  begun in /runs/a on desk");
        assert_eq!(lines[4], "  begun in /runs/b\\nc on desk");
        assert_eq!(lines[5], "keyspace d: left alone, since it has no marker");
        assert_eq!(lines.len(), 6);
        let chosen = [&found[0]; 7];
        assert!(to_drop(&chosen).ends_with("keyspace a, 2 more with all rows"));
    }
}
