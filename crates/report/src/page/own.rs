//! How a page that this program has written is told from the files of others.

/// What the title of a page in HTML ends with.
pub const TITLE_END: &str = " · Bakeoff</title>";
/// What the last line of a page in Markdown begins with; the version comes behind it.
pub const WRITTEN_BY: &str = "Written by Bakeoff ";
/// What that line ends with.
pub const WRITTEN_FROM: &str = " from the folders of the measurements.";
/// What a page in HTML begins with.
const HTML: &str = "<!doctype html>";

/// Returns whether a file is a page that this program has written, by its beginning, which holds the head of a page in
/// HTML, and its end, which holds its last line.
pub fn is_own(begin: &str, end: &str) -> bool {
    let is_html = begin.starts_with(HTML) && begin.contains(TITLE_END);
    let last = end.trim_end().lines().next_back().unwrap_or_default();
    is_html || (last.starts_with(WRITTEN_BY) && last.ends_with(WRITTEN_FROM))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_others_are_told_apart() {
        let html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<title>A · Bakeoff</title>\n";
        assert!(is_own(html, "</html>\n"));
        assert!(is_own(
            "# A\n",
            "\nWritten by Bakeoff 0.1.0 from the folders of the measurements.\n"
        ));
        for (begin, end) in [
            ("", ""),
            ("# A · Bakeoff</title>\n", "# A"),
            ("<!doctype html>\n<title>Bakeoff</title>\n", "</html>"),
            (
                "# A\n",
                "Written by Bakeoff 0.1.0 from the folders of the measurements.\nMy notes\n",
            ),
        ] {
            assert!(!is_own(begin, end), "{begin}{end}");
        }
    }
}
