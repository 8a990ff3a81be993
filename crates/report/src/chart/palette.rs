//! A colour and a shape for each engine, so that colour alone never carries a meaning.

use bakeoff_stats::{DesignInfo, Summary};

/// As many as the style sheet has colours.
const COLORS: usize = 6;

pub struct Palette<'a> {
    /// In the order of the run's designs; yardsticks have a colour of their own.
    engines: Vec<&'a str>,
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
    pub fn of(summary: &'a Summary) -> Palette<'a> {
        let mut engines: Vec<&str> = Vec::new();
        for design in summary.designs.iter().filter(|d| !d.info.is_yardstick()) {
            if !engines.contains(&design.info.engine.as_str()) {
                engines.push(&design.info.engine);
            }
        }
        Palette { engines }
    }

    /// The class that sets `--color`.
    pub fn class(&self, design: &DesignInfo) -> String {
        match self.index(design) {
            Some(index) => format!("e{}", index % COLORS),
            None => "yardstick".to_owned(),
        }
    }

    pub fn marker(&self, design: &DesignInfo) -> Marker {
        const SHAPES: [Marker; 4] = [
            Marker::Circle,
            Marker::Square,
            Marker::Triangle,
            Marker::Diamond,
        ];
        self.index(design)
            .map_or(Marker::Cross, |index| SHAPES[index % SHAPES.len()])
    }

    fn index(&self, design: &DesignInfo) -> Option<usize> {
        self.engines.iter().position(|e| *e == design.engine)
    }
}

impl Marker {
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
