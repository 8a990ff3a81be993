//! Renders tables that scroll inside their own box.

use crate::markup::Escaped;

pub const NONE: &str = "–";

/// A table. Cells are HTML already; caption and headings are text.
pub struct Table<'a> {
    pub caption: &'a str,
    pub head: Vec<Heading>,
    pub rows: Vec<Vec<String>>,
}

pub enum Heading {
    Text(String),
    /// Heading of cells with several words, which keep some width even if there is little.
    Words(String),
    Number(String),
}

impl Table<'_> {
    pub fn html(&self) -> String {
        let head: String = self.head.iter().map(Heading::html).collect();
        let rows: String = self.rows.iter().map(|row| self.row(row)).collect();
        let caption = match self.caption {
            "" => String::new(),
            text => format!("<caption><span>{}</span></caption>", Escaped(text)),
        };
        format!(
            "<div class=\"scroll\" tabindex=\"0\"><table>{caption}\n<thead><tr>{head}</tr></thead>\n\
             <tbody>\n{rows}</tbody></table></div>\n"
        )
    }

    fn row(&self, cells: &[String]) -> String {
        let mut row = "<tr>".to_owned();
        for (index, (cell, heading)) in cells.iter().zip(&self.head).enumerate() {
            row += &match (index, heading) {
                (0, _) => format!("<th scope=\"row\" class=\"id\">{cell}</th>"),
                (_, Heading::Number(_)) => format!("<td class=\"number\">{cell}</td>"),
                (_, Heading::Words(_)) => format!("<td class=\"words\">{cell}</td>"),
                (_, Heading::Text(_)) => format!("<td>{cell}</td>"),
            };
        }
        row + "</tr>\n"
    }
}

impl Heading {
    pub fn text(text: &str) -> Heading {
        Heading::Text(text.to_owned())
    }

    pub fn words(text: &str) -> Heading {
        Heading::Words(text.to_owned())
    }

    pub fn number(text: &str) -> Heading {
        Heading::Number(text.to_owned())
    }

    fn html(&self) -> String {
        match self {
            Heading::Text(text) | Heading::Words(text) => {
                format!("<th scope=\"col\">{}</th>", Escaped(text))
            }
            Heading::Number(text) => {
                format!("<th scope=\"col\" class=\"number\">{}</th>", Escaped(text))
            }
        }
    }
}

pub fn or_none<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), show)
}
