//! Whether the rules that proposed designs held on these data, in words.

use bakeoff_stats::Summary;
use bakeoff_stats::propose::{Bytes, Held, RulesHeld, rules_held};

use crate::units::plural;

pub const TITLE: &str = "Rules that proposed designs";
pub const HINT: &str = "Each design is compared with the one that differs least from it, by the times of the \
    questions and by its bytes at rest, of which differences up to 5% are ignored.";

/// Designs of one finding that a sentence names, at most.
const MOST_NAMED: usize = 5;

/// Said of a design that leads although the rules that named it lost.
const LEADS: &str = "ahead all the same, by all that the decision weighs";

/// Findings in the order in which they are shown, each with its title.
const FINDINGS: [(Held, &str); 6] = [
    (
        Held::Won,
        "Won: something is faster or smaller, and nothing slower or larger",
    ),
    (
        Held::Lost,
        "Lost: something is slower or larger, and nothing faster or smaller",
    ),
    (Held::Mixed, "Something is better, and something else worse"),
    (Held::Same, "Makes no difference"),
    (Held::NotSettled, "Not settled"),
    (
        Held::NotMeasured,
        "Not measured: a design failed, or a race dropped it",
    ),
];

/// A finding that there is, with a sentence for each design.
pub struct Finding {
    pub title: &'static str,
    pub designs: Vec<String>,
}

/// Lists what a run shows of the rules, by finding; nothing if its workload notes none.
pub fn findings(summary: &Summary) -> Vec<Finding> {
    let (held, leading) = (rules_held(summary), leading(summary));
    let of = |(finding, title): (Held, &'static str)| {
        let found = held.iter().filter(|rules| rules.held() == finding);
        let designs: Vec<String> = found.map(|rules| in_words(rules, leading)).collect();
        (!designs.is_empty()).then_some(Finding { title, designs })
    };
    FINDINGS.into_iter().filter_map(of).collect()
}

/// Says which rules have won and lost, in one sentence without a full stop; `None` if the workload notes none.
pub fn in_short(summary: &Summary) -> Option<String> {
    shortened(&rules_held(summary), leading(summary))
}

/// Returns the design that is recommended, or is ahead at the measured rows.
fn leading(summary: &Summary) -> Option<&str> {
    let decision = summary.decision.as_ref()?;
    Some(&decision.recommendation.as_ref()?.design)
}

/// Returns whether the rules lost and named the design that leads all the same: they are judged by each question alone,
/// and against the design that differs least from it.
fn leads_all_the_same(held: &RulesHeld, leading: Option<&str>) -> bool {
    held.held() == Held::Lost && leading == Some(held.design.as_str())
}

fn shortened(held: &[RulesHeld], leading: Option<&str>) -> Option<String> {
    if held.is_empty() {
        return None;
    }
    let named = [(Held::Won, "won"), (Held::Lost, "lost")].map(|(finding, word)| {
        let found = held.iter().filter(|rules| rules.held() == finding);
        let designs: Vec<String> = found.map(|rules| named(rules, leading)).collect();
        let (first, more) = designs.split_at(designs.len().min(MOST_NAMED));
        let more = match more.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!first.is_empty()).then(|| format!("{word}: {}{more}", first.join("; ")))
    });
    let is_other = |rules: &&RulesHeld| !matches!(rules.held(), Held::Won | Held::Lost);
    let others = held.iter().filter(is_other).count() as u64;
    let others = (others > 0).then(|| {
        let designs = plural(others, "further design", "further designs");
        format!("{designs} neither won nor lost")
    });
    let parts: Vec<String> = named.into_iter().flatten().chain(others).collect();
    Some(parts.join("; "))
}

/// Names rules with their design, and says what they lost by if that design leads all the same.
fn named(held: &RulesHeld, leading: Option<&str>) -> String {
    let (rules, design) = (held.rules.join(", "), &held.design);
    if leads_all_the_same(held, leading) {
        return format!(
            "{rules} ({design}, {LEADS}; against {}: {})",
            held.against,
            found(held).join(", ")
        );
    }
    format!("{rules} ({design})")
}

/// Lists what is found of a design against the other one.
fn found(held: &RulesHeld) -> Vec<String> {
    let mut says = Vec::new();
    for (queries, word) in [(&held.faster, "faster"), (&held.slower, "slower")] {
        let named = queries.iter();
        let named: Vec<String> = named
            .map(|(query, ratio)| format!("{query} ({ratio:.2}×)"))
            .collect();
        if !named.is_empty() {
            says.push(format!("{word} in {}", named.join(", ")));
        }
    }
    let questions = |number: u32| plural(u64::from(number), "question", "questions");
    if held.same > 0 {
        says.push(format!("the same in {}", questions(held.same)));
    }
    if held.not_settled > 0 {
        says.push(format!("not settled in {}", questions(held.not_settled)));
    }
    let ratio = held.bytes.unwrap_or(1.0);
    match held.bytes_are() {
        Bytes::Fewer => says.push(format!("fewer bytes ({ratio:.2}×)")),
        Bytes::More => says.push(format!("more bytes ({ratio:.2}×)")),
        Bytes::Same => says.push("the same bytes".to_owned()),
        Bytes::Unknown => {}
    }
    says
}

fn in_words(held: &RulesHeld, leading: Option<&str>) -> String {
    let says = found(held);
    let leads = if leads_all_the_same(held, leading) {
        format!(" ({LEADS})")
    } else {
        String::new()
    };
    format!(
        "{}: {}{leads} against {}{}{}",
        held.rules.join(", "),
        held.design,
        held.against,
        if says.is_empty() { "" } else { ": " },
        says.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(rule: &str, faster: bool, bytes: f64) -> RulesHeld {
        RulesHeld {
            rules: vec![rule.to_owned()],
            design: format!("a/{rule}"),
            against: "a/b".to_owned(),
            faster: { faster.then(|| ("q".to_owned(), 0.5)).into_iter() }.collect(),
            slower: Vec::new(),
            same: 1,
            not_settled: 0,
            bytes: Some(bytes),
        }
    }

    #[test]
    fn what_won_and_lost_is_named_and_the_rest_is_counted() {
        let all = [
            held("zstd", false, 0.7),
            held("index", true, 1.3),
            held("chunk-length", false, 1.5),
            held("sort", false, 1.0),
        ];
        assert_eq!(
            shortened(&all, None).unwrap(),
            "won: zstd (a/zstd); lost: chunk-length (a/chunk-length); 2 further designs neither won nor lost"
        );
        assert_eq!(
            shortened(&all[3..], None).unwrap(),
            "1 further design neither won nor lost"
        );
        assert_eq!(shortened(&[], None), None);
        let many = (0..MOST_NAMED + 2).map(|_| held("zstd", false, 0.7));
        let many: Vec<RulesHeld> = many.collect();
        let text = shortened(&many, None).unwrap();
        assert_eq!(text.matches("zstd (a/zstd)").count(), MOST_NAMED, "{text}");
        assert!(text.ends_with(" and 2 more"), "{text}");
    }

    #[test]
    fn a_design_has_its_questions_and_its_bytes() {
        assert_eq!(
            in_words(&held("index", true, 1.3), Some("a/index")),
            "index: a/index against a/b: faster in q (0.50×); the same in 1 question; more bytes (1.30×)"
        );
        assert!(in_words(&held("zstd", false, 0.7), None).ends_with("; fewer bytes (0.70×)"));
        assert!(in_words(&held("sort", false, 1.01), None).ends_with("; the same bytes"));
    }

    #[test]
    fn a_design_that_leads_is_not_told_to_have_lost_without_why_it_leads() {
        let slower = RulesHeld {
            slower: vec![("q".to_owned(), 1.2)],
            not_settled: 2,
            ..held("index", false, 1.3)
        };
        let leads = "a/index, ahead all the same, by all that the decision weighs; against a/b: slower in q (1.20×), the \
                     same in 1 question, not settled in 2 questions, more bytes (1.30×)";
        assert_eq!(
            shortened(std::slice::from_ref(&slower), Some("a/index")).unwrap(),
            format!("lost: index ({leads})")
        );
        let of_page = in_words(&slower, Some("a/index"));
        assert!(
            of_page.starts_with("index: a/index (ahead all the same, by "),
            "{of_page}"
        );
        assert!(!in_words(&slower, Some("a/b")).contains("all the same"));
        // Bytes alone are no loss where it is open what is faster.
        let open = RulesHeld {
            not_settled: 2,
            ..held("index", false, 1.3)
        };
        assert_eq!(
            shortened(&[open], Some("a/index")).unwrap(),
            "1 further design neither won nor lost"
        );
    }
}
