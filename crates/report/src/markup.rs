//! Escapes text inside HTML and SVG.

use std::fmt;

/// Text that is shown with every character escaped that has a meaning in an element or a quoted attribute.
pub struct Escaped<T>(pub T);

impl<T: AsRef<str>> fmt::Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .as_ref()
            .chars()
            .try_for_each(|character| match character {
                '&' => f.write_str("&amp;"),
                '<' => f.write_str("&lt;"),
                '>' => f.write_str("&gt;"),
                '"' => f.write_str("&quot;"),
                '\'' => f.write_str("&#39;"),
                other => write!(f, "{other}"),
            })
    }
}

/// Writes the id of a design so that lines may break after its separators.
pub fn design_id(id: &str) -> String {
    let escaped = Escaped(id).to_string();
    ["/", "?", "&amp;"]
        .iter()
        .fold(escaped, |html, at| html.replace(at, &format!("{at}<wbr>")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            Escaped("<a href=\"x\">'&'").to_string(),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;"
        );
    }

    #[test]
    fn ids_break_after_their_separators() {
        assert_eq!(
            design_id("a/b?c=d&e=<"),
            "a/<wbr>b?<wbr>c=d&amp;<wbr>e=&lt;"
        );
    }
}
