//! Options of twins and of smaller tables, which show what figures are worth and how they grow.

use anyhow::{Result, anyhow};
use bakeoff_driver::{FurtherTables, SmallerTables, rows_to_forecast};
use bakeoff_engines::registry::engine;
use bakeoff_stats::{DesignInfo, Ladder, Role};
use bakeoff_workload::{DesignId, Workload};
use clap::Args;

use crate::exit::Misuse;

/// Most scales and the largest ratio that can be asked for.
const MOST_SCALES: u32 = 8;
const LARGEST_RATIO: u32 = 16;
/// Word for smaller tables along the axes of growth.
const STAR: &str = "star";

#[derive(Args, Debug)]
pub struct FurtherOptions {
    /// Sizes at which every design is measured for the forecast, as count x ratio: 5x2 adds tables of
    /// 1/2, 1/4, 1/8 and 1/16 of the rows, and 1 adds none; star adds tables of a share of the series and
    /// of the time, star:4x2 of 1/2, 1/4 and 1/8 of each [default: by how far the workload's full scale
    /// is, and a star where [scale.grows] has series]
    #[arg(long, value_name = "SCALES", value_parser = parse_scales)]
    scales: Option<Asked>,

    /// Load no design twice; how far a design differs from itself is unknown then
    #[arg(long)]
    no_twins: bool,
}

/// Smaller tables that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Asked {
    star: bool,
    /// `None` leaves their number open.
    scales: Option<Ladder>,
}

impl FurtherOptions {
    /// The further tables of a run.
    pub fn tables(&self) -> FurtherTables {
        FurtherTables {
            scales: self.scales.and_then(|asked| asked.scales),
            star: self.scales.is_some_and(|asked| asked.star),
            twins: !self.no_twins,
        }
    }

    /// Checks that a star has axes.
    ///
    /// # Errors
    /// The workload names none.
    pub fn check(&self, workload: &Workload) -> Result<()> {
        if !self.tables().star || workload.scale.grows.is_some() {
            return Ok(());
        }
        let unnamed = anyhow!(
            "--scales star makes smaller tables along the axes that grow, and {} names none; write \
             by how many times they grow into it, such as [scale.grows] with series = 40 and time = 3",
            workload.path.display()
        );
        Err(Misuse::new(unnamed).into())
    }

    /// Says for a dry run which further tables there would be. `rows` is `None` where a budget
    /// decides.
    pub fn describe(
        &self,
        workload: &Workload,
        infos: &[DesignInfo],
        rows: Option<u64>,
    ) -> Vec<String> {
        let mut lines = Vec::new();
        let own = infos.iter().filter(|info| info.has_own_table());
        let twins = match own.filter(|info| may_have(info)).count() {
            // Neither are there smaller tables.
            0 => return lines,
            1 => "and load one design a second time, as its twin (--no-twins: none).",
            _ => "and load two of the designs a second time, as twins (--no-twins: none).",
        };
        if !self.no_twins {
            lines.push(twins.to_owned());
        }
        let fewest = rows_to_forecast(infos.iter());
        let tables = self.tables();
        let smaller = |rows| described(tables.smaller(&workload.scale, rows, &fewest), rows);
        match rows.map(smaller) {
            None => lines
                .push("and smaller tables of every design if enough rows are loaded.".to_owned()),
            Some(None) => {}
            Some(Some(sizes)) => lines.push(format!(
                "and smaller tables of every design, of {sizes} (--scales 1: none)."
            )),
        }
        lines
    }
}

/// Returns whether a design can have further tables: a yardstick has none.
fn may_have(info: &DesignInfo) -> bool {
    let takes = |id: DesignId| engine(&id).is_ok_and(|engine| engine.takes_instances(&id));
    info.role == Role::Store && info.id.parse::<DesignId>().is_ok_and(takes)
}

/// Says how large smaller tables are; `None` if there are none.
fn described(tables: SmallerTables, rows: u64) -> Option<String> {
    let (sizes, of): (Vec<String>, _) = match tables {
        SmallerTables::First(scales) => {
            let sizes = scales.smaller_than(rows);
            (sizes.iter().map(u64::to_string).collect(), "rows")
        }
        SmallerTables::Star(star) => {
            let divided = star.divided().into_iter().map(share);
            (divided.collect(), "of what is loaded")
        }
    };
    (!sizes.is_empty()).then(|| format!("{} {of}", sizes.join(", ")))
}

/// Writes what series and time are divided by: `1/4 of the series and 1/2 of the time`.
fn share(divided: (u32, u32)) -> String {
    match divided {
        (series, 1) => format!("1/{series} of the series"),
        (1, time) => format!("1/{time} of the time"),
        (series, time) => format!("1/{series} of the series and 1/{time} of the time"),
    }
}

fn parse_scales(text: &str) -> Result<Asked, String> {
    let (star, scales) = match text.strip_prefix(STAR) {
        Some("") => {
            return Ok(Asked {
                star: true,
                scales: None,
            });
        }
        Some(rest) => (true, rest.strip_prefix(':')),
        None => (false, Some(text)),
    };
    let scales = scales.and_then(|scales| counted(scales, star));
    let asked = scales.map(|scales| Asked {
        star,
        scales: Some(scales),
    });
    asked.ok_or_else(|| {
        format!(
            "write 1 for no smaller tables, count x ratio, such as 5x2, with 2 to {MOST_SCALES} \
             scales and a ratio of 2 to {LARGEST_RATIO}, or star or star:4x2 for tables along the \
             axes that grow"
        )
    })
}

/// Reads count x ratio, or 1 where that is not along axes.
fn counted(text: &str, star: bool) -> Option<Ladder> {
    if text == "1" && !star {
        return Some(Ladder::ONE);
    }
    let (count, ratio) = text.split_once('x')?;
    let (count, ratio) = (count.parse().ok()?, ratio.parse().ok()?);
    let is_possible = (2..=MOST_SCALES).contains(&count) && (2..=LARGEST_RATIO).contains(&ratio);
    is_possible.then_some(Ladder { count, ratio })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(scales: Ladder) -> Asked {
        Asked {
            star: false,
            scales: Some(scales),
        }
    }

    #[test]
    fn scales_are_a_count_and_a_ratio() {
        assert_eq!(parse_scales("1"), Ok(rows(Ladder::ONE)));
        let five = Ladder { count: 5, ratio: 2 };
        assert_eq!(parse_scales("5x2"), Ok(rows(five)));
        for bad in [
            "", "0", "2", "x", "1x2", "5x1", "9x2", "2x17", "-1x2", "5x2x2", "5 x 2", "stars",
            "star:", "star:1", "star5x2", "star:1x2", "3xstar",
        ] {
            let message = parse_scales(bad).unwrap_err();
            assert!(message.contains("such as 5x2"), "{bad}: {message}");
        }
    }

    #[test]
    fn a_star_may_have_scales() {
        let star = |scales| Asked { star: true, scales };
        let four = Ladder { count: 4, ratio: 3 };
        assert_eq!(parse_scales("star"), Ok(star(None)));
        assert_eq!(parse_scales("star:4x3"), Ok(star(Some(four))));
    }
}
