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

/// Sentences that are shown escaped, in which no line ends within the name of an option: a browser breaks lines after
/// hyphens.
pub struct Sentences<T>(pub T);

impl<T: AsRef<str>> fmt::Display for Sentences<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.as_ref();
        while let Some(at) = first_option(rest) {
            let (before, from) = rest.split_at(at);
            let is_end = |c: char| !(c == '-' || c.is_ascii_alphanumeric());
            let (option, after) = from.split_at(from.find(is_end).unwrap_or(from.len()));
            write!(
                f,
                "{}<span class=\"option\">{option}</span>",
                Escaped(before)
            )?;
            rest = after;
        }
        write!(f, "{}", Escaped(rest))
    }
}

/// Returns where the first option of a text begins: two hyphens before a letter, and none before them.
fn first_option(text: &str) -> Option<usize> {
    let begins = |at: &usize| {
        let (before, from) = text.split_at(*at);
        let is_within = before.ends_with(|c: char| c == '-' || c.is_alphanumeric());
        !is_within && from[2..].starts_with(|c: char| c.is_ascii_lowercase())
    };
    text.match_indices("--").map(|(at, _)| at).find(begins)
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
    fn no_line_ends_within_an_option() {
        for (text, html) in [
            (
                "a longer --budget, or --no-twins <=",
                "a longer <span class=\"option\">--budget</span>, or <span class=\"option\">--no-twins</span> &lt;=",
            ),
            ("(--rows 9)", "(<span class=\"option\">--rows</span> 9)"),
            ("a--b --- --5 -- ---c", "a--b --- --5 -- ---c"),
            ("ends with --", "ends with --"),
            ("ä --é", "ä --é"),
        ] {
            assert_eq!(Sentences(text).to_string(), html);
        }
    }

    #[test]
    fn ids_break_after_their_separators() {
        assert_eq!(
            design_id("a/b?c=d&e=<"),
            "a/<wbr>b?<wbr>c=d&amp;<wbr>e=&lt;"
        );
    }
}
