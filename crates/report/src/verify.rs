//! Shows what a check of the questions alone found, as `bakeoff verify` prints it.

use bakeoff_stats::{ENOUGH_CAUGHT, MutationScore, Verified, VerifiedQuestion};

use crate::text::COLUMNS;
use crate::text::layout::{fits, left, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Renders the questions with their right answers, and how many wrong answers were caught.
pub fn render(verified: &Verified) -> String {
    let mut parts = vec![wrap(&headline(verified), COLUMNS, "", "")];
    parts.push(questions(&verified.questions));
    parts.extend(verified.questions.iter().filter_map(answer));
    if !verified.mutations.is_empty() {
        parts.push(wrap(&caught(verified), COLUMNS, "", ""));
        parts.push(mutations(&verified.mutations));
    }
    parts.join("\n\n")
}

/// Renders the check as JSON, for other programs.
///
/// # Errors
/// Fails only if the figures cannot be written as JSON, which plain figures always can.
pub fn json(verified: &Verified) -> serde_json::Result<String> {
    serde_json::to_string_pretty(verified)
}

fn headline(verified: &Verified) -> String {
    let all = verified.questions.len();
    let is_right = |question: &&VerifiedQuestion| question.problem.is_none();
    let right = verified.questions.iter().filter(is_right).count();
    let rows = units::plural(verified.rows, "row", "rows");
    let questions = units::plural(all as u64, "question", "questions");
    let which = match right {
        right if right == all => questions,
        right => format!("{right} of {questions}"),
    };
    let has = if right == 1 { "has" } else { "have" };
    format!(
        "{which} of {} {has} a right answer over the first {rows}.",
        verified.workload
    )
}

fn questions(questions: &[VerifiedQuestion]) -> String {
    let mut table = table(Style { color: false });
    table.set_header([left("Question"), right("Answers"), right("Rows"), left("")]);
    for question in questions {
        table.add_row([
            left(&question.query),
            right(question.answers),
            right(units::count(question.rows)),
            left(&remark(question)),
        ]);
    }
    table.trim_fmt()
}

fn remark(question: &VerifiedQuestion) -> String {
    match (&question.problem, question.rows) {
        (Some(problem), _) => problem.clone(),
        (None, 0) => "always empty: it says nothing about a design".to_owned(),
        _ => String::new(),
    }
}

/// Renders the first rows of an answer to a question, if it has one with rows.
fn answer(question: &VerifiedQuestion) -> Option<String> {
    let first = &question.first;
    if first.rows.is_empty() {
        return None;
    }
    let all = units::plural(first.of, "row", "rows");
    let which = match first.rows.len() as u64 {
        shown if shown == first.of => all,
        shown => format!("{shown} of {all}"),
    };
    let one = if question.answers > 1 {
        format!(
            ", the answer to one of {} sets of parameters",
            question.answers
        )
    } else {
        String::new()
    };
    let mut table = table(Style { color: false });
    table.set_header(first.columns.iter().map(|name| left(name)));
    for row in &first.rows {
        table.add_row(row.iter().map(|cell| left(cell)));
    }
    if !fits(&table, COLUMNS) {
        set_width(&mut table, COLUMNS);
    }
    let name = &question.query;
    Some(format!("{name}: {which}{one}\n{}", table.trim_fmt()))
}

fn caught(verified: &Verified) -> String {
    let (tried, caught) = verified.total();
    if tried == 0 {
        return "No wrong answers could be made: no right answer has a row.".to_owned();
    }
    let too_few = if verified.catches_enough() {
        String::new()
    } else {
        format!(
            ", fewer than the {}% that it has to catch",
            100.0 * ENOUGH_CAUGHT
        )
    };
    format!(
        "The comparison caught {} of {} wrong answers ({}){too_few}.",
        units::count(caught),
        units::count(tried),
        share(caught, tried)
    )
}

/// Writes a share without rounding it up to all.
fn share(caught: u64, tried: u64) -> String {
    let hundredths = (caught as f64 / tried as f64 * 1e4).floor() / 100.0;
    format!("{hundredths}%")
}

fn mutations(scores: &[MutationScore]) -> String {
    let mut table = table(Style { color: false });
    table.set_header([left("Error"), right("Made"), right("Caught")]);
    for score in scores {
        table.add_row([
            left(score.kind.name()),
            right(units::count(score.tried)),
            right(units::count(score.caught)),
        ]);
    }
    table.trim_fmt()
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::{FirstRows, MutationKind};

    use super::*;

    fn question(query: &str, rows: u64, problem: Option<&str>) -> VerifiedQuestion {
        VerifiedQuestion {
            query: query.to_owned(),
            answers: 3,
            rows,
            problem: problem.map(str::to_owned),
            first: FirstRows::default(),
        }
    }

    fn verified(caught: u64) -> Verified {
        Verified {
            workload: "metrics".to_owned(),
            rows: 10_000,
            questions: vec![question("newest", 12, None)],
            mutations: vec![MutationScore {
                kind: MutationKind::StaleValue,
                tried: 3_000,
                caught,
            }],
        }
    }

    #[test]
    fn the_first_line_answers() {
        let text = render(&verified(3_000));
        let first = "1 question of metrics has a right answer over the first 10,000 rows.";
        assert!(text.starts_with(first), "{text}");
        assert!(
            text.contains("caught 3,000 of 3,000 wrong answers (100%)"),
            "{text}"
        );
        assert!(text.contains("another row's value"), "{text}");
    }

    #[test]
    fn first_rows_of_an_answer_are_shown_with_the_number_of_all() {
        let mut verified = verified(3_000);
        assert!(!render(&verified).contains("newest: "));
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        verified.questions[0].first = FirstRows {
            columns: row(["host", "newest"]),
            rows: vec![row(["a", "1.5"]), row(["b", "null"])],
            of: 12,
        };
        let text = render(&verified);
        let told = "newest: 2 of 12 rows, the answer to one of 3 sets of parameters\n";
        assert!(text.contains(told), "{text}");
        let cells: Vec<Vec<&str>> = { text.lines() }
            .map(|line| line.split_whitespace().collect())
            .collect();
        for row in [["host", "newest"], ["a", "1.5"], ["b", "null"]] {
            assert!(cells.iter().any(|cells| *cells == row), "{text}");
        }
        verified.questions[0].first.of = 2;
        verified.questions[0].answers = 1;
        let text = render(&verified);
        assert!(text.contains("newest: 2 rows\n"), "{text}");
    }

    #[test]
    fn all_but_one_are_not_rounded_to_all() {
        let text = render(&verified(2_999));
        assert!(
            text.contains("2,999 of 3,000 wrong answers (99.96%)"),
            "{text}"
        );
    }

    #[test]
    fn too_few_that_are_caught_are_called_so() {
        // The sentence is wrapped.
        let text = render(&verified(2_984)).replace('\n', " ");
        let told = "(99.46%), fewer than the 99.5% that it has to catch.";
        assert!(text.contains(told), "{text}");
        assert!(!render(&verified(2_985)).contains("fewer than"));
    }

    #[test]
    fn questions_without_an_answer_or_a_row_are_marked() {
        let mut verified = verified(0);
        verified.questions.push(question("old", 0, None));
        verified
            .questions
            .push(question("odd", 0, Some("no function odd")));
        verified.mutations.clear();
        let text = render(&verified);
        assert!(
            text.starts_with("2 of 3 questions of metrics have"),
            "{text}"
        );
        assert!(
            text.contains("always empty") && text.contains("no function odd"),
            "{text}"
        );
        assert!(!text.contains("wrong answers"), "{text}");
    }

    #[test]
    fn json_can_be_read_again() {
        let verified = verified(2_999);
        let read: Verified = serde_json::from_str(&json(&verified).unwrap()).unwrap();
        assert_eq!(read, verified);
    }
}
