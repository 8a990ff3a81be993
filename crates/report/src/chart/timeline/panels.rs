//! Chooses the panels of a chart, and names the figures of servers that stayed 0 in place of their panels.

use crate::chart::panel::{LINE, Panel, lines_of_text};
use crate::markup::Escaped;

/// Room below the last line of text.
const BELOW: f64 = 5.0;

/// The panels of a chart from top to bottom.
pub struct Panels {
    pub drawn: Vec<Panel>,
    /// Names of figures of servers that are 0 throughout.
    zero: Vec<String>,
}

impl Panels {
    /// Puts what the client saw above what servers did. Panels without a value are left out, and so are those of
    /// servers that are 0 throughout, unless there is nothing else to draw.
    pub fn new(client: Vec<Panel>, server: Vec<Panel>) -> Panels {
        let server = server.into_iter().filter(Panel::has_values);
        let (zero, server): (Vec<Panel>, Vec<Panel>) = server.partition(Panel::is_zero);
        let client = client.into_iter().filter(Panel::has_values);
        let drawn: Vec<Panel> = client.chain(server).collect();
        if drawn.is_empty() {
            return Panels {
                drawn: zero,
                zero: Vec::new(),
            };
        }
        let zero = zero.iter().map(|panel| figure(&panel.heading)).collect();
        Panels { drawn, zero }
    }

    /// Says which figures stayed 0; `None` if none did.
    fn zero_throughout(&self) -> Option<String> {
        let names = self.zero.join(", ");
        (!names.is_empty()).then(|| format!("0 throughout: {names}."))
    }

    /// Names the panels for the text alternative of the chart, and the figures that stayed 0.
    pub fn described(&self) -> String {
        let headings: Vec<&str> = self.drawn.iter().map(|p| p.heading.as_str()).collect();
        let drawn = format!("From top to bottom: {}.", headings.join("; "));
        match self.zero_throughout() {
            Some(zero) => format!("{drawn} {zero}"),
            None => drawn,
        }
    }

    /// Writes which figures stayed 0, from `top` on in lines of no more than `width`. Returns the height that they take,
    /// too, which is 0 if none did.
    pub fn zero_svg(&self, left: f64, top: f64, width: f64) -> (String, f64) {
        let Some(words) = self.zero_throughout() else {
            return (String::new(), 0.0);
        };
        let lines = lines_of_text(&words, width);
        let line = |(number, line): (usize, &String)| {
            format!(
                "<text class=\"name\" x=\"{left:.1}\" y=\"{:.1}\">{}</text>\n",
                top + (number + 1) as f64 * LINE,
                Escaped(line)
            )
        };
        let height = lines.len() as f64 * LINE + BELOW;
        (lines.iter().enumerate().map(line).collect(), height)
    }
}

/// Returns what a heading names, without units and what its lines are, for the middle of a sentence.
fn figure(heading: &str) -> String {
    let name = heading.split([',', ':']).next().unwrap_or(heading);
    let mut characters = name.chars();
    let first = characters.next();
    let is_word = characters.clone().next().is_some_and(char::is_lowercase);
    match first.filter(|_| is_word) {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => name.to_owned(),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::chart::line::{Line, Stroke};

    /// A panel with lines of one value each.
    pub fn panel(heading: &str, values: &[Option<f64>]) -> Panel {
        let line = |value: &Option<f64>| Line {
            class: "plain".to_owned(),
            stroke: Stroke::Dashed,
            mark: None,
            points: vec![(1.0, *value)],
        };
        Panel {
            heading: heading.to_owned(),
            height: 62.0,
            logarithmic: false,
            lines: values.iter().map(line).collect(),
            tick: |value| value.to_string(),
        }
    }

    fn headings(panels: &Panels) -> Vec<&str> {
        panels.drawn.iter().map(|p| p.heading.as_str()).collect()
    }

    #[test]
    fn figures_of_servers_that_stayed_zero_are_named_and_those_without_a_value_are_not() {
        let client = vec![
            panel("Operations a second", &[Some(0.0)]),
            panel("Failed operations a second", &[]),
        ];
        let server = vec![
            panel(
                "Server disk, MB/s: read, written dashed",
                &[Some(0.0), Some(2.0)],
            ),
            panel("Garbage collection pauses, ms/s", &[Some(0.0), None]),
            panel("CPU of the server's machines, cores in use", &[Some(0.0)]),
            panel("Cache hits, %: chunks strong", &[None]),
        ];
        let panels = Panels::new(client, server);
        let drawn = [
            "Operations a second",
            "Server disk, MB/s: read, written dashed",
        ];
        assert_eq!(headings(&panels), drawn);
        let zero = "0 throughout: garbage collection pauses, CPU of the server's machines.";
        assert_eq!(panels.zero_throughout().as_deref(), Some(zero));
        assert!(panels.described().ends_with(&format!("dashed. {zero}")));
        let (wide, height_of_wide) = panels.zero_svg(62.0, 100.0, 684.0);
        assert_eq!((wide.matches("<text ").count(), height_of_wide), (1, 20.0));
        assert!(wide.contains("y=\"115.0\">0 throughout: "), "{wide}");
        let (phone, height_of_phone) = panels.zero_svg(62.0, 100.0, 284.0);
        let lines = phone.matches("<text ").count();
        assert_eq!((lines, height_of_phone), (2, 35.0), "{phone}");
    }

    #[test]
    fn without_zeros_nothing_is_said_and_alone_they_are_drawn() {
        let some = Panels::new(Vec::new(), vec![panel("Server CPU", &[Some(1.0)])]);
        assert_eq!(some.described(), "From top to bottom: Server CPU.");
        assert_eq!(some.zero_svg(0.0, 0.0, 684.0), (String::new(), 0.0));
        let alone = Panels::new(Vec::new(), vec![panel("Server CPU", &[Some(0.0)])]);
        assert_eq!(headings(&alone), ["Server CPU"]);
        assert_eq!(alone.zero_throughout(), None);
    }
}
