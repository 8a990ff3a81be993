//! What a publication says of the same question, beside what was measured.

use bakeoff_stats::{DesignSummary, Summary};

use crate::units;

pub fn of_run(summary: &Summary) -> String {
    let header = &summary.header;
    let ours = |what: &str| {
        let ours = summary.designs.iter();
        ours.filter_map(|d| Some((d.info.id.as_str(), ours_of(d, what)?)))
            .collect()
    };
    let source = header
        .published_source
        .as_deref()
        .unwrap_or("an unnamed publication");
    crate::page::published::of(source, &header.published, &header.published_notes, ours)
}

fn ours_of(design: &DesignSummary, what: &str) -> Option<String> {
    match what {
        "load" => design
            .load_rate
            .map(|r| format!("{} rows/s", units::rate(r.median))),
        "storage" => design.bytes_per_row.map(|b| format!("{b:.1} bytes/row")),
        query => {
            let query = design.query(query)?;
            let factor = query
                .times_faster
                .map(|f| format!(", {}", units::factor(f)));
            let time = units::duration(query.time?.median);
            Some(format!("{time}{}", factor.unwrap_or_default()))
        }
    }
}
