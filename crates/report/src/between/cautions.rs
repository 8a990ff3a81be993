//! Words what else differs between two runs, loads or sweeps.

use bakeoff_stats::between::{Between, Caution, Side};

/// Writes each difference in a clause. What only one side has is in one clause for that side, and so is that both were
/// measured by programs whose times mean nothing. Where nothing is compared, what would bear on times or on one figure
/// is left out.
pub fn clauses(between: &Between) -> Vec<String> {
    let is_compared = between.obstacles.is_empty();
    let all = &between.cautions;
    let are_both_debug =
        [Side::A, Side::B].map(|side| all.contains(&Caution::Debug { side })) == [true, true];
    let mut clauses: Vec<String> = Vec::new();
    for caution in all {
        let clause = match caution {
            Caution::Debug { .. }
            | Caution::Query { .. }
            | Caution::Operation { .. }
            | Caution::Questions
                if !is_compared =>
            {
                continue;
            }
            Caution::Debug { .. } if are_both_debug => {
                "A and B were run by programs built without optimisation: their times mean nothing"
                    .to_owned()
            }
            Caution::OnlyIn { side, .. } => format!("only {side} has {}", only_in(all, *side)),
            other => other.to_string(),
        };
        if !clauses.contains(&clause) {
            clauses.push(clause);
        }
    }
    clauses
}

/// Lists what only this side has.
fn only_in(cautions: &[Caution], of: Side) -> String {
    let names = cautions.iter().filter_map(|caution| match caution {
        Caution::OnlyIn { side, what } if *side == of => Some(what.as_str()),
        _ => None,
    });
    names.collect::<Vec<_>>().join(", ")
}
