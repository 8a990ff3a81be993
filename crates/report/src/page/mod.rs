//! Renders the parts that the HTML pages of all measurements share. A page needs no network and no scripts.

pub mod accounts;
pub mod cards;
mod frame;
mod own;
pub mod profile;
pub mod published;
pub mod server;
pub mod setup;
pub mod statistics;
pub mod table;

pub use frame::{Frame, PageLink, STYLE, state, verdict};
pub use own::{WRITTEN_BY, WRITTEN_FROM, is_own};

use crate::markup::Escaped;

pub fn section(title: &str, content: &str) -> String {
    format!(
        "<section>\n<h2>{}</h2>\n{content}</section>\n",
        Escaped(title)
    )
}

/// Renders the legend of a chart: the class of the colour, the mark and the name of each thing that is drawn.
pub fn legend<'a>(items: impl Iterator<Item = (String, char, &'a str)>) -> String {
    let item = |(class, mark, name): (String, char, &str)| {
        format!(
            "<li class=\"{class}\"><span aria-hidden=\"true\">{mark}</span>{}</li>\n",
            Escaped(name)
        )
    };
    let items: String = items.map(item).collect();
    format!("<ul class=\"legend\">\n{items}</ul>\n")
}

pub fn charts_section(title: &str, hint: &str, charts: &str) -> String {
    if charts.is_empty() {
        return String::new();
    }
    let hint = format!("<p class=\"hint-text\">{hint}</p>\n");
    section(
        title,
        &format!("{hint}<div class=\"charts\">\n{charts}</div>\n"),
    )
}

pub fn chart_figure(title: &str, chart: &str) -> String {
    chart_with_caption(title, chart, "")
}

/// Renders a chart with a sentence below it, which may be empty.
pub fn chart_with_caption(title: &str, chart: &str, caption: &str) -> String {
    let caption = match caption {
        "" => String::new(),
        text => format!("<figcaption>{}</figcaption>", Escaped(text)),
    };
    format!(
        "<figure><h3>{}</h3>\n{chart}{caption}</figure>\n",
        Escaped(title)
    )
}
