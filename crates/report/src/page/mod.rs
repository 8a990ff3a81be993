//! Renders the parts that the HTML pages of all measurements share. A page needs no network and no scripts.

mod frame;
pub mod published;
pub mod server;
pub mod setup;
pub mod statistics;
pub mod table;

pub use frame::{Frame, STYLE, state, verdict, while_going_on};

use crate::markup::Escaped;

pub fn section(title: &str, content: &str) -> String {
    format!(
        "<section>\n<h2>{}</h2>\n{content}</section>\n",
        Escaped(title)
    )
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
