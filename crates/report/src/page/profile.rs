//! Renders the methods that the server of each design ran most.

use bakeoff_stats::{DesignProfile, MethodSamples, Profile};

use super::section;
use super::table::{Heading, Table};
use crate::markup::{Escaped, design_id};
use crate::units;

const TITLE: &str = "Hottest methods";
/// What is true of all recordings.
const HINT: &str = "Shares of the samples that Java's Flight Recorder took of running threads, every 20 ms of at most \
                    five on each node. Only Java is seen: not libraries such as those of compression, the system, or \
                    garbage collection.";
/// Most methods of a design that are shown.
const MOST_SHOWN: usize = 15;

/// When servers recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// During the loads, whose figures bear the cost.
    InLoads,
    /// After all that was timed.
    AfterRounds,
}

impl Recorded {
    fn in_words(self) -> &'static str {
        match self {
            Recorded::InLoads => {
                "Recording ran during the loads, which are slower for it, by 1% at most if the recorder \
                 keeps its aim: compare them with loads that were recorded, too."
            }
            Recorded::AfterRounds => {
                "Recorded after all that was timed, while the questions of each design were asked in turn."
            }
        }
    }
}

/// Renders the section; it is empty where nothing was recorded.
pub fn profiles(profiles: &[Profile], recorded: Recorded) -> String {
    if profiles.is_empty() {
        return String::new();
    }
    let hint = format!("{HINT} {}", recorded.in_words());
    let designs = DesignProfile::all(profiles);
    let designs: String = designs.iter().map(of_design).collect();
    section(
        TITLE,
        &format!("<p class=\"hint-text\">{}</p>\n{designs}", Escaped(hint)),
    )
}

fn of_design(profile: &DesignProfile<'_>) -> String {
    let row = |method: &MethodSamples| {
        vec![
            Escaped(&method.method).to_string(),
            percent(profile.share(method.ran)),
            percent(profile.share(method.within)),
        ]
    };
    let caption = format!(
        "{} in {}. Ran: the method itself; with what it called: it, or what it had called. All stacks, which \
         programs that draw flame graphs read: {}",
        units::plural(profile.samples, "sample", "samples"),
        units::duration(profile.seconds),
        profile.files.join(", "),
    );
    let table = Table {
        caption: &caption,
        head: vec![
            Heading::text("Method"),
            Heading::number("Ran"),
            Heading::number("With what it called"),
        ],
        rows: profile.methods.iter().take(MOST_SHOWN).map(row).collect(),
    };
    format!("<h3>{}</h3>\n{}", design_id(profile.design), table.html())
}

fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(design: &str, ran: &[u64]) -> Profile {
        let samples: u64 = ran.iter().sum();
        let method = |(place, ran): (usize, &u64)| MethodSamples {
            method: format!("a.B<{place}>.run"),
            ran: *ran,
            within: samples,
        };
        Profile {
            design: design.to_owned(),
            trial: None,
            seconds: 10.0,
            samples,
            methods: ran.iter().enumerate().map(method).collect(),
            file: format!("profiles/{design}.folded"),
        }
    }

    #[test]
    fn each_design_has_its_hottest_methods_and_its_file() {
        let all = [profile("a", &[30, 10]), profile("b", &[1; 40])];
        let html = profiles(&all, Recorded::AfterRounds);
        assert!(html.contains("<h2>Hottest methods</h2>"), "{html}");
        let of_a = html.split("<h3>").nth(1).unwrap();
        let row =
            "a.B&lt;0&gt;.run</th><td class=\"number\">75.0%</td><td class=\"number\">100.0%</td>";
        assert!(of_a.contains(row), "{of_a}");
        assert!(of_a.contains("40 samples in 10.0 s"), "{of_a}");
        assert!(of_a.contains("profiles/a.folded"), "{of_a}");
        let of_b = html.split("<h3>").nth(2).unwrap();
        assert_eq!(of_b.matches("<th scope=\"row\"").count(), MOST_SHOWN);
        assert!(html.contains("after all that was timed"), "{html}");
    }

    #[test]
    fn loads_that_were_recorded_are_said_to_be_slower() {
        let html = profiles(&[profile("a", &[1])], Recorded::InLoads);
        assert!(html.contains("which are slower for it"), "{html}");
        assert_eq!(profiles(&[], Recorded::InLoads), "");
    }
}
