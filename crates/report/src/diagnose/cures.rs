//! What was measured of the designs that a diagnosis proposes, as text whose first line answers, and as JSON.

use bakeoff_stats::diagnose::{Change, Cures, Helped, Tried, TriedDesign, TriedFigure};
use serde::Serialize;

use crate::text::style::wrap;
use crate::units;

/// Blanks before what a design did, and before further lines of it.
const INDENT: &str = "      ";
const FURTHER: &str = "        ";

/// Returns the answer in one line: for how many findings a setting helps.
fn headline(cures: &Cures) -> String {
    let all = cures.findings.len();
    let helped = cures.findings.iter().filter(|tried| tried.is_helped());
    match helped.count() {
        0 => "No setting that was measured is shown to help.".to_owned(),
        some => {
            let findings = units::plural(all as u64, "finding", "findings");
            format!("A setting helps with {some} of {findings}.")
        }
    }
}

/// Renders what was measured, for a terminal of this width.
pub fn render_cures(cures: &Cures, rows: u64, width: usize) -> String {
    let compared = format!(
        "Each design is compared with the present one, {}, over {} of the table. Ratios are to that one, with \
         intervals that hold for all of them at once with 95%.",
        cures.present,
        units::plural(rows, "row", "rows")
    );
    let mut parts = vec![headline(cures), wrap(&compared, width, "", "")];
    parts.extend(cures.findings.iter().map(|tried| finding(tried, width)));
    parts.join("\n\n")
}

fn finding(tried: &Tried, width: usize) -> String {
    let title = format!("{}: {} ({})", tried.about, tried.says, tried.rule);
    let mut lines = vec![wrap(&title, width, "  ", "    ")];
    for design in &tried.designs {
        lines.push(format!("    {} {}", design.design, verdict(design.helped)));
        lines.extend(what_changed(design, width));
    }
    for not in &tried.not_tried {
        let line = format!("{} was not measured: {}", not.design, not.why);
        lines.push(wrap(&line, width, "    ", INDENT));
    }
    if tried.designs.is_empty() && tried.not_tried.is_empty() {
        lines.push("    the table has what is proposed already".to_owned());
    }
    lines.join("\n")
}

fn verdict(helped: Helped) -> &'static str {
    match helped {
        Helped::Helps => "helps",
        Helped::Hurts => "makes it slower",
        Helped::Mixed => "makes some of it faster and some slower",
        Helped::NotSettled => "is not settled",
        Helped::NotMeasured => "has no figures",
    }
}

fn what_changed(design: &TriedDesign, width: usize) -> Vec<String> {
    let of = |change: &Change| -> Vec<String> {
        let figures = design.figures.iter();
        figures
            .filter(|figure| figure.change == *change)
            .map(in_words)
            .collect()
    };
    let mut lines = Vec::new();
    let mut add = |label: &str, text: &str| {
        lines.push(wrap(&format!("{label}: {text}"), width, INDENT, FURTHER));
    };
    for (label, change) in [
        ("faster", Change::Faster),
        ("slower", Change::Slower),
        ("not settled", Change::NotSettled),
    ] {
        let figures = of(&change);
        if !figures.is_empty() {
            add(label, &figures.join("; "));
        }
    }
    let mut reasons: Vec<&str> = Vec::new();
    for figure in &design.figures {
        if let Change::NotMeasured(why) = &figure.change
            && !reasons.contains(&why.as_str())
        {
            reasons.push(why);
        }
    }
    for why in reasons {
        add("not measured", why);
    }
    if let (Some(before), Some(after)) = (design.bytes_before, design.bytes_after) {
        let (before, after) = (before as f64, after as f64);
        let bytes = format!(
            "{} before, {} after",
            units::bytes(before),
            units::bytes(after)
        );
        let ratio = if before > 0.0 {
            format!(" ({})", factor(after / before))
        } else {
            String::new()
        };
        add("bytes", &format!("{bytes}{ratio}"));
    }
    lines
}

/// Writes a figure as `time of the query row 0.71× (0.62×–0.81×)`.
fn in_words(figure: &TriedFigure) -> String {
    let ratio = figure.ratio.map(|ratio| format!(" {}", factor(ratio)));
    let interval = figure.interval;
    let interval = interval.map(|(low, high)| format!(" ({}–{})", factor(low), factor(high)));
    format!(
        "{}{}{}",
        figure.figure,
        ratio.unwrap_or_default(),
        interval.unwrap_or_default()
    )
}

fn factor(ratio: f64) -> String {
    format!("{ratio:.2}×")
}

#[derive(Serialize)]
struct Json<'a> {
    answer: String,
    /// Rows of the copy.
    rows: u64,
    /// What the copy does not have as the table has it.
    notes: &'a [String],
    #[serde(flatten)]
    cures: &'a Cures,
}

/// Renders what was measured as JSON, for other programs, with what the copy of the table lacks.
///
/// # Errors
/// Fails only if the figures cannot be written as JSON, which plain figures always can.
pub fn cures_json(cures: &Cures, rows: u64, notes: &[String]) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&Json {
        answer: headline(cures),
        rows,
        notes,
        cures,
    })
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::diagnose::NotTried;

    use super::*;

    fn figure(name: &str, change: Change) -> TriedFigure {
        TriedFigure {
            figure: name.to_owned(),
            ratio: Some(0.71),
            interval: Some((0.62, 0.81)),
            change,
        }
    }

    fn cures(helped: Helped) -> Cures {
        Cures {
            present: "cassandra/wide?chunk=64KiB".to_owned(),
            findings: vec![
                Tried {
                    rule: "chunk-length",
                    about: "shop.orders".to_owned(),
                    says: "chunks are long".to_owned(),
                    designs: vec![TriedDesign {
                        design: "cassandra/wide?chunk=4KiB".to_owned(),
                        helped,
                        figures: vec![
                            figure("time of the query row", Change::Faster),
                            figure("p99 of row in the mix", Change::NotSettled),
                            TriedFigure {
                                ratio: None,
                                interval: None,
                                ..figure("other", Change::NotMeasured("it failed".to_owned()))
                            },
                        ],
                        bytes_before: Some(1 << 20),
                        bytes_after: Some(2 << 20),
                    }],
                    not_tried: vec![NotTried {
                        design: "cassandra/wide?bucket=1d".to_owned(),
                        why: "no time".to_owned(),
                    }],
                },
                Tried {
                    rule: "tombstones",
                    about: "shop.orders".to_owned(),
                    says: "there are many".to_owned(),
                    designs: Vec::new(),
                    not_tried: Vec::new(),
                },
            ],
        }
    }

    #[test]
    fn the_first_line_answers_and_each_design_has_what_changed() {
        let text = render_cures(&cures(Helped::Helps), 1200, 100);
        let first = text.lines().next().unwrap();
        assert_eq!(first, "A setting helps with 1 of 2 findings.");
        for line in [
            "  shop.orders: chunks are long (chunk-length)",
            "    cassandra/wide?chunk=4KiB helps",
            "      faster: time of the query row 0.71× (0.62×–0.81×)",
            "      not settled: p99 of row in the mix 0.71× (0.62×–0.81×)",
            "      not measured: it failed",
            "      bytes: 1.00 MiB before, 2.00 MiB after (2.00×)",
            "    cassandra/wide?bucket=1d was not measured: no time",
            "    the table has what is proposed already",
        ] {
            assert!(
                text.lines().any(|l| l == line),
                "`{line}` is not in\n{text}"
            );
        }
        assert!(text.contains("over 1,200 rows of the\ntable."), "{text}");
        let text = render_cures(&cures(Helped::NotSettled), 1, 100);
        assert!(
            text.starts_with("No setting that was measured is shown to help."),
            "{text}"
        );
    }

    #[test]
    fn json_has_figures_with_what_changed() {
        let notes = ["left out: tags".to_owned()];
        let json = cures_json(&cures(Helped::Helps), 7, &notes).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["answer"], "A setting helps with 1 of 2 findings.");
        assert_eq!(json["rows"], 7);
        assert_eq!(json["notes"][0], "left out: tags");
        assert_eq!(json["present"], "cassandra/wide?chunk=64KiB");
        let design = &json["findings"][0]["designs"][0];
        assert_eq!(design["helped"], "helps");
        assert_eq!(design["figures"][0]["change"], "faster");
        assert_eq!(design["figures"][2]["why"], "it failed");
        assert_eq!(design["bytes_after"], 2 << 20);
        assert_eq!(json["findings"][0]["not_tried"][0]["why"], "no time");
    }
}
