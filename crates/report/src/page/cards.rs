//! Renders tables whose rows become cards on a narrow screen. On any other one they scroll inside their own box.

use crate::markup::Escaped;

/// Style sheet of [`Cards`], in addition to the one of all pages.
pub const STYLE: &str = include_str!("cards.css");

/// A table of cards. Cells are HTML already; caption and headings are text.
pub struct Cards {
    pub caption: &'static str,
    /// Headings, each with the CSS class of its cells. The first one heads the rows' names.
    pub head: Vec<(String, &'static str)>,
    pub rows: Vec<Vec<String>>,
}

impl Cards {
    /// Renders the table. Its roles are written out, since browsers drop them when a style sheet changes
    /// how tables are laid out.
    pub fn html(&self) -> String {
        let head: String = { self.head.iter() }
            .map(|(text, class)| {
                let text = Escaped(text);
                format!("<th role=\"columnheader\" scope=\"col\" class=\"{class}\">{text}</th>")
            })
            .collect();
        let rows: String = self.rows.iter().map(|row| self.row(row)).collect();
        let caption = match self.caption {
            "" => String::new(),
            text => format!("<caption>{}</caption>", Escaped(text)),
        };
        format!(
            "<div class=\"scroll\" tabindex=\"0\"><table role=\"table\" class=\"cards\">{caption}\n\
             <thead role=\"rowgroup\"><tr role=\"row\">{head}</tr></thead>\n\
             <tbody role=\"rowgroup\">\n{rows}</tbody></table></div>\n"
        )
    }

    fn row(&self, cells: &[String]) -> String {
        let cells = cells.iter().zip(&self.head).enumerate();
        let cells = cells.map(|(index, (cell, (heading, class)))| match index {
            0 => format!("<th role=\"rowheader\" scope=\"row\" class=\"id\">{cell}</th>"),
            _ => format!(
                "<td role=\"cell\" class=\"{class}\" data-heading=\"{}\"><div>{cell}</div></td>",
                Escaped(heading)
            ),
        });
        format!("<tr role=\"row\">{}</tr>\n", cells.collect::<String>())
    }
}
