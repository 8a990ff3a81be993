//! Renders the frame of every page: its head, its failures and its foot.

use super::cards;
use super::own::TITLE_END;
use crate::answer::Answer;
use crate::markup::{Escaped, Sentences};
use crate::units;

/// Seconds after which a page loads itself again while its measurement goes on.
const RELOAD_SECONDS: u32 = 5;
/// Style sheet of every page.
pub const STYLE: &str = include_str!("style.css");

/// A line that leads to another page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLink {
    /// What stands before the words that lead there.
    pub before: String,
    /// These words.
    pub title: String,
    /// Address of the page, seen from the folder of the one that has the line.
    pub url: String,
}

/// The texts around the sections of a page. They are escaped here.
pub struct Frame<'a> {
    /// Kind of measurement, which the name of the workload follows: `load of workload`.
    pub subject: &'a str,
    pub workload: &'a str,
    pub title: &'a str,
    /// Start in RFC 3339, UTC.
    pub started_at: &'a str,
    /// One line about what was measured.
    pub facts: String,
    pub answers: Vec<Answer>,
    /// HTML of the verdict: a paragraph of [`verdict`], or more.
    pub verdict: String,
    /// Additional style sheet of this page.
    pub style: &'a str,
    pub notes: Vec<String>,
    /// Places and reasons of the failures.
    pub failures: Vec<(String, String)>,
    pub version: &'a str,
    /// Kind of measurement and how far it came: `load finished`.
    pub state: String,
    pub command: &'a str,
    /// What was measured so far, of a measurement that goes on, whose page is written again and again and loads
    /// itself; `None` for a page that stays.
    pub so_far: Option<String>,
    /// The first line of a page beside which there is another one.
    pub beside: Option<&'a PageLink>,
}

impl Frame<'_> {
    /// Makes the page of a measurement of this kind that goes on: it says what was measured so far, loads itself again,
    /// and lacks the note that the measurement has not finished.
    pub fn going_on(self, kind: &str, unfinished: Option<String>, so_far: String) -> Self {
        let notes = self.notes.into_iter();
        let others = notes.filter(|note| Some(note) != unfinished.as_ref());
        Frame {
            notes: others.collect(),
            state: format!("{kind} goes on"),
            so_far: Some(so_far),
            ..self
        }
    }

    /// Renders the whole page around sections of HTML.
    pub fn around(&self, sections: &[String]) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n{}\
             <title>{}{TITLE_END}\n<style>\n{STYLE}{}{}</style>\n</head>\n\
             <body>\n<main>\n{}{}{}</main>\n{}</body>\n</html>\n",
            self.reload(),
            Escaped(self.title),
            cards::STYLE,
            self.style,
            self.header(),
            self.failures(),
            sections.concat(),
            self.footer(),
        )
    }

    /// Renders the element that loads a page again, without a script.
    fn reload(&self) -> String {
        self.so_far.as_ref().map_or_else(String::new, |_| {
            format!("<meta http-equiv=\"refresh\" content=\"{RELOAD_SECONDS}\">\n")
        })
    }

    /// Renders the line that says how far a measurement came that goes on.
    fn so_far(&self) -> String {
        self.so_far.as_ref().map_or_else(String::new, |so_far| {
            format!(
                "<p class=\"so-far\">Measured so far: {}; reloads itself every {RELOAD_SECONDS} s.</p>\n",
                Escaped(so_far)
            )
        })
    }

    /// Renders the line that leads to another page, which looks like that of a measurement that goes on.
    fn beside(&self) -> String {
        self.beside.map_or_else(String::new, |link| {
            format!(
                "<p class=\"so-far\">{}<a href=\"{}\">{}</a></p>\n",
                Escaped(&link.before),
                Escaped(&link.url),
                Escaped(&link.title)
            )
        })
    }

    fn header(&self) -> String {
        let notes: String = self
            .notes
            .iter()
            .map(|note| format!("<li>{}</li>\n", Sentences(note)))
            .collect();
        format!(
            "<header>\n{}{}<p class=\"eyebrow\">Bakeoff · {} · {}</p>\n<h1>{}</h1>\n\
             <p class=\"facts\">{}</p>\n\
             {}{}<ul class=\"notes\">\n{notes}</ul>\n</header>\n",
            self.so_far(),
            self.beside(),
            Escaped(self.what()),
            Escaped(units::moment_utc(self.started_at)),
            Escaped(self.title),
            Escaped(&self.facts),
            self.answers(),
            self.verdict,
        )
    }

    /// Returns the kind of measurement and the name of the workload, which is not said twice if it is `workload`.
    fn what(&self) -> String {
        if self.subject.split(' ').next_back() == Some(self.workload) {
            return self.subject.to_owned();
        }
        format!("{} {}", self.subject, self.workload)
    }

    /// Renders the questions, each with its figure.
    fn answers(&self) -> String {
        if self.answers.is_empty() {
            return String::new();
        }
        let answers: String = self
            .answers
            .iter()
            .map(|answer| {
                format!(
                    "<div><dt>{}</dt><dd class=\"figure\">{}</dd><dd>{}</dd></div>\n",
                    Escaped(&answer.question),
                    Escaped(&answer.figure),
                    Escaped(&answer.basis)
                )
            })
            .collect();
        format!("<dl class=\"answers\">\n{answers}</dl>\n")
    }

    fn failures(&self) -> String {
        if self.failures.is_empty() {
            return String::new();
        }
        let items: String = self
            .failures
            .iter()
            .map(|(place, reason)| {
                format!(
                    "<dt>{}</dt><dd>{}</dd>\n",
                    Escaped(place),
                    Sentences(reason)
                )
            })
            .collect();
        format!("<section class=\"failures\">\n<h2>Failures</h2>\n<dl>\n{items}</dl>\n</section>\n")
    }

    fn footer(&self) -> String {
        format!(
            "<footer>Bakeoff {} · {} · <code>{}</code></footer>\n",
            Escaped(self.version),
            Escaped(&self.state),
            Escaped(self.command),
        )
    }
}

/// Renders a verdict of a few sentences as a paragraph.
pub fn verdict(text: &str) -> String {
    format!("<p class=\"verdict\">{}</p>\n", Sentences(text))
}

/// Says how far a measurement came.
pub fn state(finished: bool, interrupted: bool) -> &'static str {
    if finished {
        "finished"
    } else if interrupted {
        "interrupted"
    } else {
        "not finished"
    }
}
