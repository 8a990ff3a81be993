//! Options of twins and of smaller tables, which show what figures are worth and how they grow.

use bakeoff_driver::{FurtherTables, Scales, rows_to_forecast};
use bakeoff_stats::DesignInfo;
use bakeoff_workload::Workload;
use clap::Args;

/// Most scales and the largest ratio that can be asked for.
const MOST_SCALES: u32 = 8;
const LARGEST_RATIO: u32 = 16;

#[derive(Args, Debug)]
pub struct FurtherOptions {
    /// Numbers of rows at which every design is measured for the forecast, as count x ratio: 5x2
    /// adds tables of 1/2, 1/4, 1/8 and 1/16 of the rows, and 1 adds none [default: by how far the
    /// workload's full scale is, up to 5x4]
    #[arg(long, value_name = "COUNTxRATIO", value_parser = parse_scales)]
    scales: Option<Scales>,

    /// Load no design twice; how far a design differs from itself is unknown then
    #[arg(long)]
    no_twins: bool,
}

impl FurtherOptions {
    /// The further tables of a run.
    pub fn tables(&self) -> FurtherTables {
        FurtherTables {
            scales: self.scales,
            twins: !self.no_twins,
        }
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
        if !self.no_twins {
            let twins = "and load two of the designs a second time, as twins (--no-twins: none).";
            lines.push(twins.to_owned());
        }
        let further = self.tables();
        let smaller = rows.map(|rows| {
            let fewest = rows_to_forecast(infos.iter());
            let scales = further.scales(rows, workload.scale.full_rows, fewest);
            scales.smaller_than(rows)
        });
        match smaller {
            None => lines
                .push("and smaller tables of every design if enough rows are loaded.".to_owned()),
            Some(sizes) if sizes.is_empty() => {}
            Some(sizes) => {
                let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
                let sizes = sizes.join(", ");
                lines.push(format!(
                    "and smaller tables of every design, of {sizes} rows (--scales 1: none)."
                ));
            }
        }
        lines
    }
}

fn parse_scales(text: &str) -> Result<Scales, String> {
    if text == "1" {
        return Ok(Scales::ONE);
    }
    let numbers = text.split_once('x').and_then(|(count, ratio)| {
        let (count, ratio) = (count.parse().ok()?, ratio.parse().ok()?);
        Some(Scales { count, ratio })
    });
    let is_possible = |scales: &Scales| {
        (2..=MOST_SCALES).contains(&scales.count) && (2..=LARGEST_RATIO).contains(&scales.ratio)
    };
    numbers.filter(is_possible).ok_or_else(|| {
        format!(
            "write 1 for no smaller tables, or count x ratio, such as 5x2, with 2 to {MOST_SCALES} \
             scales and a ratio of 2 to {LARGEST_RATIO}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_a_count_and_a_ratio() {
        assert_eq!(parse_scales("1"), Ok(Scales::ONE));
        assert_eq!(parse_scales("5x2"), Ok(Scales { count: 5, ratio: 2 }));
        for bad in [
            "", "0", "2", "x", "1x2", "5x1", "9x2", "2x17", "-1x2", "5x2x2", "5 x 2",
        ] {
            let message = parse_scales(bad).unwrap_err();
            assert!(message.contains("such as 5x2"), "{bad}: {message}");
        }
    }
}
