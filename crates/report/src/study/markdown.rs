//! Renders a study as Markdown, with its charts as files beside it.

use bakeoff_stats::study::Judged;

use super::{Cell, Chart, Page, Part, Table};
use crate::page::table::NONE;
use crate::page::{STYLE, WRITTEN_BY, WRITTEN_FROM};

/// What the style sheet leaves to the page around a chart.
const ALONE: &str =
    "svg { font-family: system-ui, -apple-system, \"Segoe UI\", Arial, sans-serif; }";

/// A page and its charts.
pub struct Markdown {
    pub text: String,
    /// Name and text of each file in the folder of charts.
    pub charts: Vec<(String, String)>,
}

/// Renders the page; `folder` is where it finds its charts, relative to itself.
pub fn render(page: &Page<'_>, folder: &str) -> Markdown {
    let judged = page.study.judge(page.steps);
    let mut text = head(page, &judged);
    let mut charts = Vec::new();
    for part in page.parts(&judged) {
        text.push('\n');
        text += &markdown(&part, folder);
        if let Part::Chart(chart) = part {
            charts.push((file_name(&chart), alone(&chart.svg)));
        }
    }
    text += &format!("\n{WRITTEN_BY}{}{WRITTEN_FROM}\n", plain(page.version));
    Markdown { text, charts }
}

fn head(page: &Page<'_>, judged: &[Judged]) -> String {
    format!(
        "# {}\n\n{}\n\n**{}**\n",
        plain(&page.study.title),
        plain(&page.facts()),
        plain(&page.verdict(judged))
    )
}

fn markdown(part: &Part, folder: &str) -> String {
    match part {
        Part::Section(title) => format!("## {}\n", plain(title)),
        Part::Heading(title) => format!("### {}\n", plain(title)),
        Part::Text(text) => format!("{}\n", plain(text)),
        Part::Link { before, title, url } => {
            format!("{}[{}](<{}>)\n", plain(before), plain(title), address(url))
        }
        Part::Items(items) => {
            let items = items.iter();
            items.map(|item| format!("- {}\n", plain(item))).collect()
        }
        Part::Table(table) => table_text(table),
        Part::Chart(chart) => format!(
            "![{}]({}/{})\n",
            plain(&chart.title),
            in_address(folder),
            file_name(chart)
        ),
        Part::Script(text) => format!("```sh\n{}\n```\n", text.trim_end()),
    }
}

fn table_text(table: &Table) -> String {
    let head = table.head.iter().map(|column| plain(&column.title));
    let rules = table.head.iter().map(|_| "---".to_owned());
    let mut text = line(head) + &line(rules);
    for row in &table.rows {
        text += &line(row.iter().map(cell));
    }
    match table.caption.as_str() {
        "" => text,
        caption => format!("{}\n\n{text}", plain(caption)),
    }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("| {} |\n", cells.join(" | "))
}

fn cell(lines: &Cell) -> String {
    let lines: Vec<String> = lines.iter().map(|line| plain(line)).collect();
    if lines.is_empty() {
        NONE.to_owned()
    } else {
        lines.join("<br>")
    }
}

fn file_name(chart: &Chart) -> String {
    format!("{}.svg", chart.name)
}

/// Makes a file of a chart: the style sheet of the page goes into it.
fn alone(svg: &str) -> String {
    let named = svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
    named.replacen('>', &format!(">\n<style>\n{STYLE}{ALONE}\n</style>"), 1)
}

/// Escapes what has a meaning in Markdown. A line break would end a cell or a heading.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            // Escaped by a backslash it would still begin code for those who look for it.
            '`' => plain.push_str("&#96;"),
            '\\' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => {
                plain.push('\\');
                plain.push(character);
            }
            '<' => plain.push_str("&lt;"),
            '>' => plain.push_str("&gt;"),
            '&' => plain.push_str("&amp;"),
            '\n' | '\r' => plain.push(' '),
            other => plain.push(other),
        }
    }
    plain
}

/// Writes the name of a folder in a link: every character that could end it has its number.
fn in_address(folder: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let character = |byte: u8| {
        if is_plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    folder.bytes().map(character).collect()
}

/// Leaves out of an address what would end it.
fn address(url: &str) -> String {
    url.chars()
        .filter(|c| !['<', '>', '\n', '\r'].contains(c))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_meaning_in_markdown_becomes_text() {
        assert_eq!(
            plain("a|b `c` <d>\n*e*"),
            "a\\|b &#96;c&#96; &lt;d&gt; \\*e\\*"
        );
        assert_eq!(address("https://a/<b>\n"), "https://a/b");
        assert_eq!(in_address("my (s1)"), "my%20%28s1%29");
    }

    #[test]
    fn a_chart_alone_has_its_name_space_and_its_style_once() {
        let chart = alone("<svg role=\"img\" viewBox=\"0 0 1 1\">\n<title>t</title></svg>\n");
        assert!(chart.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\""));
        assert_eq!(chart.matches("<style>").count(), 1, "{chart}");
        assert!(
            chart.contains("--c0") && chart.ends_with("</svg>\n"),
            "{chart}"
        );
    }
}
