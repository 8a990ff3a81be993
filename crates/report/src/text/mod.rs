//! What the terminal reports of all measurements have.

pub mod layout;
pub mod style;

use style::Style;

pub fn section(title: &str, style: Style, body: &str) -> String {
    format!("{}\n{body}", style.bold(title))
}
