//! Charts as inline SVG, one file each. Colours are classes that the page's style sheet defines
//! for light and dark; sizes are in the view box's units, about one pixel each.

mod axis;
mod bars;
mod client_bars;
mod column_lines;
mod heat_map;
mod line;
mod load_bars;
mod load_setting_lines;
mod log_lines;
mod node_lines;
mod palette;
mod panel;
mod percentiles;
mod placement;
mod probes;
mod query_bars;
mod rate_bars;
mod rows_lines;
mod run_bars;
mod run_lines;
mod scale;
mod scatter;
mod series_lines;
mod setting_line;
mod speed_up_lines;
mod storage_bars;
mod timeline;

pub use client_bars::{client_rate_bars, client_time_bars};
pub use column_lines::column_lines;
pub use heat_map::heat_map;
pub use load_bars::load_bars;
pub use load_setting_lines::{bytes_by_setting, p99_by_setting, rates_by_setting};
pub use node_lines::{money_lines, node_lines, node_time_lines, question_lines};
pub use palette::{Marker, Palette, nth_class};
pub use percentiles::{percentiles, percentiles_of_runs};
pub use probes::probes;
pub use query_bars::query_bars;
pub use rate_bars::{p99_bars, rate_bars};
pub use rows_lines::{MOST_LINES, grown_designs, rows_lines};
pub use run_bars::{OfRun, run_bars};
pub use run_lines::{Axes, RunCurve, run_lines};
pub use scatter::{Size, scatter};
pub use series_lines::{designs_by_series, series_lines};
pub use setting_line::{setting_bytes, setting_times};
pub use speed_up_lines::{percent, speed_up_lines};
pub use storage_bars::storage_bars;
pub use timeline::{
    MOST_POINTS as POINTS_OF_A_TIMELINE, Overlaid, StepsOf, overlay, overlay_of_servers,
    parts_of_steps, steps, steps_together, timeline,
};

use crate::markup::Escaped;

/// Cuts a label to so many characters. It keeps the end, since designs of one layout differ in their settings.
fn cut(label: &str, room: usize) -> String {
    let over = label.chars().count().saturating_sub(room);
    if over == 0 {
        return label.to_owned();
    }
    let end: String = label.chars().skip(over + 1).collect();
    // What is kept begins with a whole word.
    let word = end.find(['/', '?', '&']).map_or(0, |sign| sign + 1);
    format!("…{}", &end[word..])
}

/// Builds an SVG element with a text alternative: a short title, and the figures in words.
fn svg(width: f64, height: f64, title: &str, description: &str, content: &str) -> String {
    format!(
        "<svg role=\"img\" viewBox=\"0 0 {width:.0} {height:.0}\">\n<title>{}</title>\n\
         <desc>{}</desc>\n{content}</svg>\n",
        Escaped(title),
        Escaped(description),
    )
}
