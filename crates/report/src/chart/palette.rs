//! Assigns a colour and a shape to each engine, design or operation, so that colour alone never carries a
//! meaning.

use bakeoff_stats::{DesignInfo, Summary};

/// Number of colours in the style sheet.
const COLORS: usize = 6;

pub struct Palette<'a> {
    /// Names in the order of the run's designs, without yardsticks, which have a separate colour.
    names: Vec<&'a str>,
    name_of: fn(&DesignInfo) -> &str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
}

impl<'a> Palette<'a> {
    /// Assigns a colour to each engine of a run.
    pub fn by_engine(summary: &'a Summary) -> Palette<'a> {
        let infos = summary.designs.iter().map(|d| &d.info);
        Palette::new(infos, |design| &design.engine)
    }

    /// Assigns a colour to each design, for measurements in which most designs share an engine.
    pub fn by_design(infos: impl Iterator<Item = &'a DesignInfo>) -> Palette<'a> {
        Palette::new(infos, |design| &design.id)
    }

    fn new(
        infos: impl Iterator<Item = &'a DesignInfo>,
        name_of: fn(&DesignInfo) -> &str,
    ) -> Palette<'a> {
        let mut names: Vec<&str> = Vec::new();
        for design in infos.filter(|d| !d.is_yardstick()) {
            if !names.contains(&name_of(design)) {
                names.push(name_of(design));
            }
        }
        Palette { names, name_of }
    }

    /// Returns the CSS class that sets `--color`.
    pub fn class(&self, design: &DesignInfo) -> String {
        self.index(design)
            .map_or_else(|| "yardstick".to_owned(), nth_class)
    }

    pub fn marker(&self, design: &DesignInfo) -> Marker {
        self.index(design).map_or(Marker::Cross, Marker::nth)
    }

    fn index(&self, design: &DesignInfo) -> Option<usize> {
        self.names.iter().position(|n| *n == (self.name_of)(design))
    }
}

/// Returns the CSS class that sets `--color` for the item with this index.
pub fn nth_class(index: usize) -> String {
    format!("e{}", index % COLORS)
}

impl Marker {
    /// Returns the shape for the item with this index. Neighbours differ in shape and colour, and 24 items in one of
    /// the two at least.
    pub fn nth(index: usize) -> Marker {
        const SHAPES: [Marker; 4] = [
            Marker::Circle,
            Marker::Square,
            Marker::Triangle,
            Marker::Diamond,
        ];
        // Colours and shapes repeat together after this many.
        const BOTH: usize = 12;
        SHAPES[(index + index / BOTH) % SHAPES.len()]
    }

    /// Returns the shape as a character, for legends.
    pub fn character(self) -> char {
        match self {
            Marker::Circle => '●',
            Marker::Square => '■',
            Marker::Triangle => '▲',
            Marker::Diamond => '◆',
            Marker::Cross => '✕',
        }
    }

    /// Builds the path data of the shape; all shapes have about the same area.
    pub fn path(self, x: f64, y: f64) -> String {
        let start = format!("M{x:.1} {y:.1}");
        match self {
            Marker::Circle => format!("{start}m-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z"),
            Marker::Square => format!("{start}m-5.3 -5.3h10.6v10.6h-10.6z"),
            Marker::Triangle => format!("{start}m0 -7l7 12h-14z"),
            Marker::Diamond => format!("{start}m0 -7.5l7.5 7.5l-7.5 7.5l-7.5 -7.5z"),
            Marker::Cross => {
                format!("{start}m-6 -4l2 -2l4 4l4 -4l2 2l-4 4l4 4l-2 2l-4 -4l-4 4l-2 -2l4 -4z")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_items_differ_as_there_are_pairs_of_colour_and_shape() {
        let mut looks: Vec<(String, char)> = Vec::new();
        for index in 0..24 {
            let look = (nth_class(index), Marker::nth(index).character());
            assert!(!looks.contains(&look), "{index}: {look:?}");
            looks.push(look);
        }
        for two in looks.windows(2) {
            assert!(two[0].0 != two[1].0 && two[0].1 != two[1].1, "{two:?}");
        }
    }
}
