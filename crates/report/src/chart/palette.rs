//! A colour and a shape for each engine, design or operation, so that colour alone never carries a meaning.

use bakeoff_stats::{DesignInfo, Summary};

/// As many as the style sheet has colours.
const COLORS: usize = 6;

pub struct Palette<'a> {
    /// Names in the order of the run's designs; yardsticks have a colour of their own.
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
    /// One for each engine of a run.
    pub fn of(summary: &'a Summary) -> Palette<'a> {
        let infos = summary.designs.iter().map(|d| &d.info);
        Palette::new(infos, |design| &design.engine)
    }

    /// One for each design, where most have the same engine.
    pub fn of_designs(infos: impl Iterator<Item = &'a DesignInfo>) -> Palette<'a> {
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

    /// The class that sets `--color`.
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

/// The class that sets `--color` for the one at this place.
pub fn nth_class(index: usize) -> String {
    format!("e{}", index % COLORS)
}

impl Marker {
    pub fn nth(index: usize) -> Marker {
        const SHAPES: [Marker; 4] = [
            Marker::Circle,
            Marker::Square,
            Marker::Triangle,
            Marker::Diamond,
        ];
        SHAPES[index % SHAPES.len()]
    }

    /// The same shape as a character, for legends.
    pub fn character(self) -> char {
        match self {
            Marker::Circle => '●',
            Marker::Square => '■',
            Marker::Triangle => '▲',
            Marker::Diamond => '◆',
            Marker::Cross => '✕',
        }
    }

    /// Path data of about the same area for each shape.
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
