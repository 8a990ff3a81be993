//! The text of a workload with other designs.

use serde::Deserialize;
use toml::{Spanned, Value};

use crate::{Error, Result};

/// What has to be known of a workload's text to put designs into it.
#[derive(Deserialize)]
struct Head {
    title: Option<Spanned<Value>>,
    designs: Option<Spanned<Value>>,
}

/// Returns the text of a workload with these designs in place of its own, each with a comment. Everything outside of
/// its list of designs stays as it is, comments too; without such a list there is one below its title.
///
/// # Errors
/// [`Error::Usage`] if the text is not TOML, or has neither a list of designs nor a title.
pub fn with_designs(text: &str, designs: &[(String, String)]) -> Result<String> {
    let head: Head = toml::from_str(text).map_err(|error| Error::Usage(error.to_string()))?;
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut list = format!("[{newline}");
    for (id, comment) in designs {
        // A comment ends with its line.
        let comment = comment.replace(|c: char| c.is_control(), " ");
        let id = Value::from(id.as_str());
        list.push_str(&format!("  {id}, # {comment}{newline}"));
    }
    list.push(']');
    if let Some(designs) = head.designs {
        let span = designs.span();
        let written = text.get(span.clone()).unwrap_or_default();
        if written.starts_with('[') && written.ends_with(']') {
            return Ok(format!(
                "{}{list}{}",
                &text[..span.start],
                &text[span.end..]
            ));
        }
    } else if let Some(title) = head.title {
        let end = title.span().end;
        let rest = text.get(end..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        let line = end + line.trim_end_matches('\r').len();
        return Ok(format!(
            "{}{newline}{newline}designs = {list}{}",
            &text[..line],
            &text[line..]
        ));
    }
    Err(Error::Usage(
        "the workload has no list of designs that could be replaced: write designs = [] below its title".to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(text: &str) -> String {
        let designs = [
            ("parquet?codec=zstd", "sorted-files"),
            (
                "cassandra/wide?order=desc",
                "newest-first:\nthey are wanted",
            ),
        ];
        let designs = designs.map(|(id, why)| (id.to_owned(), why.to_owned()));
        with_designs(text, &designs).unwrap()
    }

    #[test]
    fn only_the_list_changes() {
        let before = "# Mine.\ntitle = \"t\" # short\n\n# What to compare.\ndesigns = [\n  \"memory\", # ] here\n] \
                      # end\n";
        let after = "\n[table]\nname = \"designs\" # designs = []\n";
        let list = "[\n  \"parquet?codec=zstd\", # sorted-files\n  \
                    \"cassandra/wide?order=desc\", # newest-first: they are wanted\n]";
        let expected = format!(
            "# Mine.\ntitle = \"t\" # short\n\n# What to compare.\ndesigns = {list} # end\n{after}"
        );
        assert_eq!(replaced(&format!("{before}{after}")), expected);
    }

    #[test]
    fn a_workload_without_designs_gets_some_below_its_title() {
        let text = "seed = 1\ntitle = \"t\" # short\n[table]\nname = \"a\"\n";
        let with = replaced(text);
        assert!(
            with.starts_with("seed = 1\ntitle = \"t\" # short\n\ndesigns = [\n  \"parquet"),
            "{with}"
        );
        assert!(with.ends_with("]\n[table]\nname = \"a\"\n"), "{with}");
        let read: toml::Table = toml::from_str(&with).unwrap();
        assert_eq!(read["designs"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn lines_end_as_those_of_the_workload() {
        let (head, tail) = ("\u{feff}# Ä\r\ntitle = \"t\"\r\n", "seed = 1\r\n");
        for designs in ["", "designs = [ \"memory\" ] # \"designs\"\r\n"] {
            let with = replaced(&format!("{head}{designs}{tail}"));
            assert_eq!(with.matches('\n').count(), with.matches("\r\n").count());
            assert_eq!(with.matches('\r').count(), with.matches("\r\n").count());
            assert!(with.starts_with(head) && with.ends_with(tail), "{with}");
            let read: toml::Table = toml::from_str(&with).unwrap();
            assert_eq!(read["designs"].as_array().map(Vec::len), Some(2));
        }
    }

    #[test]
    fn what_is_no_workload_is_refused() {
        for text in ["title = ", "seed = 1\n", "designs = 3\n"] {
            let error = with_designs(text, &[]).unwrap_err();
            assert!(matches!(error, Error::Usage(_)), "{error}");
        }
    }
}
