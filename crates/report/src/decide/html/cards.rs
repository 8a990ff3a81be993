//! Tables whose rows are cards where the screen is narrow.

use crate::markup::Escaped;

/// Cells are HTML already; captions and headings are text.
pub struct Cards {
    pub caption: &'static str,
    /// Each heading with the class of its cells. The first one is that of the rows' names.
    pub head: Vec<(String, &'static str)>,
    pub rows: Vec<Vec<String>>,
}

impl Cards {
    /// Roles are written out, since browsers forget them where a style sheet changes how tables are laid
    /// out.
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
            "<table role=\"table\" class=\"cards\">{caption}\n\
             <thead role=\"rowgroup\"><tr role=\"row\">{head}</tr></thead>\n\
             <tbody role=\"rowgroup\">\n{rows}</tbody></table>\n"
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
