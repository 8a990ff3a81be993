//! Questions beside a load as they are compared with those of another one: what the load does while they are asked,
//! how long they take, and how many are answered.

use super::super::counted::Value;
use super::super::measured::MeasuredFigure;
use super::super::what::What;
use super::{figure, of_rounds};
use crate::drive::{
    AskedInRound, Beside, BesideFigures, DriveDesign, DriveSummary, QuestionBeside, TrialSummary,
    WithAndWithout,
};

/// Response times of the load with questions that are compared: those that its report shows.
const TIMES: [(&str, f64); 2] = [("p50", 0.5), ("p99", 0.99)];

/// Returns the names of the questions, each with its text. Who answers them is in the names of their figures, so that
/// figures of the same answering design are compared, whichever others there are.
pub fn questions(load: &DriveSummary) -> Vec<(String, String)> {
    let questions = load.header.beside.iter().flat_map(|b| &b.questions);
    questions
        .map(|question| (question.name.clone(), question.sql.clone()))
        .collect()
}

/// Returns each question in one line, with who answers it.
pub fn told(load: &DriveSummary) -> Vec<String> {
    let in_one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let answering = { load.header.beside.iter() }.flat_map(Beside::answering);
    let by: Vec<&str> = answering
        .map(|by| by.unwrap_or("the design itself"))
        .collect();
    let by = by.join(" and by ");
    let questions = questions(load).into_iter();
    questions
        .map(|(name, sql)| format!("{name}: {}, answered by {by}", in_one_line(&sql)))
        .collect()
}

/// Returns the end of the names of figures of one design that answers: ` by parquet`; nothing where the driven one
/// does.
fn by(beside: &BesideFigures) -> String {
    let design = beside.answered_by.as_ref();
    design.map_or_else(String::new, |design| format!(" by {design}"))
}

/// Returns the figures of a design's loads with questions, steady or not, since it is the questions that come and go;
/// then those of each question.
pub fn figures(load: &DriveSummary, design: &DriveDesign, at_a_rate: bool) -> Vec<MeasuredFigure> {
    let mut found = Vec::new();
    for beside in of_design(load, design) {
        found.extend(of_loads(load, (design, beside), at_a_rate));
        for question in &beside.questions {
            found.extend(answers(question, &by(beside)));
            found.extend(time(question, &by(beside)));
        }
    }
    found
        .into_iter()
        .map(|figure| MeasuredFigure {
            is_beside: true,
            ..figure
        })
        .collect()
}

/// Returns what the questions cost a driven design, by who answered them.
fn of_design<'a>(
    load: &'a DriveSummary,
    design: &'a DriveDesign,
) -> impl Iterator<Item = &'a BesideFigures> {
    let all = load.beside.iter();
    all.filter(move |figures| figures.design == design.info.id)
}

/// Makes figures of the loads with questions. Of loads at a rate that failed for the most part there are none.
fn of_loads(
    load: &DriveSummary,
    (design, beside): (&DriveDesign, &BesideFigures),
    at_a_rate: bool,
) -> Vec<MeasuredFigure> {
    let with = load.loads_with_questions(design, beside.answered_by.as_deref());
    if at_a_rate && with.iter().any(|trial| trial.figures.too_many_failed()) {
        return Vec::new();
    }
    let (mut found, by) = (Vec::new(), by(beside));
    if !at_a_rate {
        let seconds = |trial: &TrialSummary| Some(trial.figures.ops_per_second.recip());
        let rate = What::Rate(format!("operations with questions{by}"));
        found.extend(figure(rate, None, &with, seconds));
    }
    for (place, operation) in load.header.operations.iter().enumerate() {
        for (suffix, quantile) in TIMES {
            let seconds = |trial: &TrialSummary| {
                let figures = trial.figures.operations.get(place)?;
                figures.well_supported(quantile)
            };
            let what = What::Time(format!("{} {suffix} with questions{by}", operation.name));
            let name = Some(operation.name.clone());
            found.extend(figure(what, name, &with, seconds));
        }
    }
    found
}

/// Makes the figure of the answers a second; `None` unless each round has some, since a round without any has no ratio.
fn answers(question: &QuestionBeside, by: &str) -> Option<MeasuredFigure> {
    let of_round = |asked: &AskedInRound| (asked.round, asked.lasted / asked.answered as f64);
    let what = What::Rate(format!("{} answers{by}", question.name));
    let rounds = answered(question)?.iter().map(of_round).collect();
    of_rounds(what, None, rounds)
}

/// Makes the figure of a question's time in seconds, the median of each round; `None` unless each round has answers,
/// since of one without any it is only known that the answer takes longer than the load.
fn time(question: &QuestionBeside, by: &str) -> Option<MeasuredFigure> {
    let of_round = |asked: &AskedInRound| Some((asked.round, asked.p50?));
    let what = What::Time(format!("{} answer p50{by}", question.name));
    let rounds = answered(question)?.iter().filter_map(of_round).collect();
    of_rounds(what, None, rounds)
}

/// Returns the rounds of a question if it was answered in each of them.
fn answered(question: &QuestionBeside) -> Option<&[AskedInRound]> {
    let rounds = question.rounds.as_slice();
    let is_answered = |asked: &AskedInRound| asked.answered > 0;
    rounds.iter().all(is_answered).then_some(rounds)
}

/// Returns what the questions cost the load within its rounds, and the shares of them that went wrong.
pub fn counted(load: &DriveSummary, design: &DriveDesign) -> Vec<(String, Value)> {
    of_design(load, design).flat_map(counted_of).collect()
}

fn counted_of(beside: &BesideFigures) -> Vec<(String, Value)> {
    let (mut counted, by) = (Vec::new(), by(beside));
    let mut add = |name: String, value: Option<Value>| {
        counted.extend(value.map(|value| (name, value)));
    };
    let cost = |both: Option<WithAndWithout>| both.map(|both| Value::Ratio(both.ratio.median));
    let rate = format!("operations with questions to without{by}");
    add(rate, cost(beside.rate));
    for operation in &beside.operations {
        let name = format!("{} p99 with questions to without{by}", operation.name);
        add(name, cost(operation.p99));
    }
    for question in &beside.questions {
        let ended = question.answered.saturating_add(question.failed);
        let of = [
            ("failed", question.failed, ended),
            ("differed", question.differing, question.compared),
        ];
        for (word, part, all) in of {
            let share = (all > 0).then(|| Value::Share(part as f64 / all as f64));
            add(format!("{} {word}{by}", question.name), share);
        }
    }
    counted
}
