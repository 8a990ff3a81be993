//! Shows a study: what still holds of a publication, by which figures, as one HTML file and as Markdown.
//!
//! Both forms are made of the same [`Part`]s, so that they say the same.

mod charts;
mod claims;
mod html;
mod markdown;
mod published;
mod steps;
mod tables;

use bakeoff_stats::study::{Judged, Measured, StepResult, Study, Tally};

pub use html::{render as html, render_so_far as html_so_far};
pub use markdown::{Markdown, render as markdown};

/// What a page is about.
pub struct Page<'a> {
    pub study: &'a Study,
    /// Size at which it was measured, in words: `with a budget of 10m`.
    pub size: String,
    /// The command that repeats it.
    pub command: String,
    /// Version of the program that writes the page.
    pub version: &'a str,
    pub steps: &'a [StepResult],
}

/// The step of a study that is measured.
pub struct GoingOn<'a> {
    pub name: &'a str,
    /// Its page as a link from that of the study.
    pub page: &'a str,
}

/// A piece of a page. All texts are plain, and escaped where they are written.
enum Part {
    Section(String),
    Heading(String),
    Text(String),
    /// A sentence that ends with a link.
    Link {
        before: String,
        title: String,
        url: String,
    },
    Items(Vec<String>),
    Table(Table),
    Chart(Chart),
    /// Commands.
    Script(String),
}

struct Table {
    /// Text below which the table is, or nothing.
    caption: String,
    head: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

struct Column {
    title: String,
    /// Whether cells hold sentences.
    has_words: bool,
}

/// Lines of a cell; the first one is what it is about.
type Cell = Vec<String>;

struct Chart {
    /// Name that no other chart of the page has.
    name: String,
    title: String,
    svg: String,
    /// The same for a narrow screen, if it differs.
    phone: Option<String>,
}

impl Column {
    fn of(title: &str) -> Column {
        Column {
            title: title.to_owned(),
            has_words: false,
        }
    }

    fn words(title: &str) -> Column {
        Column {
            has_words: true,
            ..Column::of(title)
        }
    }
}

impl Page<'_> {
    /// Returns everything below the head.
    fn parts(&self, judged: &[Judged]) -> Vec<Part> {
        let study = self.study;
        let mut parts = vec![
            Part::Section("Question and method".to_owned()),
            Part::Text(study.question.clone()),
            Part::Items(study.method.clone()),
            Part::Link {
                before: format!("{} ({}): ", study.author, study.year),
                title: study.publication.clone(),
                url: study.url.clone(),
            },
            Part::Section("What still holds".to_owned()),
            Part::Text(claims::HOW.to_owned()),
            Part::Table(claims::table(&study.claims, judged)),
        ];
        for step in self.steps {
            parts.extend(steps::parts(step));
        }
        parts.extend([
            Part::Section("Repeat it".to_owned()),
            Part::Script(self.command.clone()),
        ]);
        parts
    }

    /// Says how many statements hold.
    fn verdict(&self, judged: &[Judged]) -> String {
        let tally = Tally::of(judged);
        let all = judged.len();
        let whole = self.steps.iter().filter(|step| is_whole(step)).count();
        let mut text = format!(
            "{} of {all} published statements hold. Do not hold: {}. Not settled: {}. Not measured: {}.",
            tally.holds, tally.does_not_hold, tally.not_settled, tally.not_measured
        );
        if whole < self.steps.len() {
            text += &format!(
                " {whole} of {} steps were measured to their end.",
                self.steps.len()
            );
        }
        text
    }

    /// Says where the study is from, and how much was measured.
    fn facts(&self) -> String {
        let study = self.study;
        format!(
            "After {} ({}): {}. Measured {}.",
            study.author,
            study.year,
            study.publication.trim_end_matches('.'),
            self.size
        )
    }

    /// Returns when the first step that has figures began.
    fn started_at(&self) -> &str {
        let measured = self.steps.iter().find_map(|step| step.measured.as_ref());
        match measured {
            Some(Measured::Run(summary)) => &summary.header.started_at,
            Some(Measured::Load(summary)) => &summary.header.started_at,
            Some(Measured::Sweep(summary)) => &summary.header.started_at,
            None => "not measured",
        }
    }
}

/// Returns whether a step was measured to its end.
fn is_whole(step: &StepResult) -> bool {
    step.measured.as_ref().is_some_and(Measured::is_whole)
}
