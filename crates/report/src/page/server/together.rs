//! Renders what the servers of several designs did over each other.

use bakeoff_stats::{DesignInfo, During, ServerWindow};

use crate::chart::{self, Marker, Size, StepsOf, nth_class};
use crate::listing;
use crate::markup::Escaped;
use crate::page::legend;

/// End of the title of what several designs did.
pub const TOGETHER: &str = "designs on one time axis";
/// Most designs that are drawn over each other: more lines could not be told apart.
const MOST_TOGETHER: usize = 8;
/// Most designs that are not and are named.
const MOST_NAMED: usize = 12;

/// Kind of the steps that are drawn of several designs: of unlike ones, loading of one would lie over answers of
/// another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Answers,
    Loading,
    Settings,
}

impl Kind {
    /// All kinds, in the order in which they are drawn.
    const ALL: [Kind; 3] = [Kind::Answers, Kind::Loading, Kind::Settings];

    fn of(during: &During) -> Option<Kind> {
        match during {
            During::Answer { .. } => Some(Kind::Answers),
            During::Load { .. } => Some(Kind::Loading),
            During::Setting { .. } => Some(Kind::Settings),
            During::Settle => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Answers => "Answers",
            Kind::Loading => "Loading",
            Kind::Settings => "Settings",
        }
    }

    /// Says what a line of the chart is of.
    fn caption(self) -> &'static str {
        match self {
            Kind::Answers => {
                "Answers alone, end to end: each line begins with the first sampled answer of its design, whenever \
                 that was."
            }
            Kind::Loading => {
                "Loading alone, end to end: each line begins with the first sampled slice of its design, whenever \
                 that was."
            }
            Kind::Settings => {
                "Settings, end to end with gaps between them: each line begins with the first sampled setting of its \
                 design, whenever that was, so that unlike settings may lie over each other."
            }
        }
    }
}

/// Draws the figures of several designs over each other, those of each kind of steps by themselves; empty if fewer than
/// two have some of steps of one kind.
pub fn together(designs: &[(&DesignInfo, Vec<&ServerWindow>)]) -> String {
    let charts = { Kind::ALL.into_iter() }.filter_map(|kind| together_in(kind, designs));
    charts.collect()
}

/// Draws the figures of one kind of steps; `None` if fewer than two designs have some.
fn together_in(kind: Kind, designs: &[(&DesignInfo, Vec<&ServerWindow>)]) -> Option<String> {
    let steps: Vec<(&str, Vec<&ServerWindow>)> = { designs.iter() }
        .map(|(info, windows)| {
            let own = windows.iter().copied();
            let own = own.filter(|window| Kind::of(&window.during) == Some(kind));
            (info.id.as_str(), own.collect())
        })
        .collect();
    let all = steps.iter().map(|steps| StepsOf {
        name: steps.0,
        windows: &steps.1,
    });
    let (known, unknown): (Vec<StepsOf>, Vec<StepsOf>) = all.partition(StepsOf::has_figures);
    let (drawn, others) = known.split_at(known.len().min(MOST_TOGETHER));
    if drawn.len() < 2 {
        return None;
    }
    let title = match drawn.len() {
        number if number == designs.len() => format!("{}: all {TOGETHER}", kind.name()),
        number => format!("{}: {number} of {} {TOGETHER}", kind.name(), designs.len()),
    };
    let [wide, phone] =
        [Size::Wide, Size::Phone].map(|size| chart::steps_together(&title, drawn, size));
    let (wide, phone) = (wide?, phone?);
    let named = |why: &str, designs: &[StepsOf]| {
        let names: Vec<&str> = designs.iter().map(|design| design.name).collect();
        match listing::list(&names, MOST_NAMED).as_str() {
            "" => String::new(),
            names => format!(" {why}: {names}."),
        }
    };
    let left_out = named(
        &format!("Not drawn, since there is room for {MOST_TOGETHER}"),
        others,
    ) + &named("Without figures of these steps", &unknown);
    let caption = kind.caption();
    let names = drawn.iter().map(|design| design.name).enumerate();
    let legend = legend(names.map(|(place, name)| {
        let mark = Marker::nth(place).character();
        (nth_class(place), mark, name)
    }));
    Some(format!(
        "<details><summary>{title}</summary>\n<figure class=\"time-line\">\n{legend}\
         <div class=\"wide\">{wide}</div>\n\
         <div class=\"phone\">{phone}</div><figcaption>{caption}{}</figcaption></figure>\n</details>\n",
        Escaped(&left_out)
    ))
}
