//! Questions beside a load as they are compared with those of another one: what the load does while they are asked,
//! how long they take, and how many are answered.

use super::super::counted::Value;
use super::super::measured::MeasuredFigure;
use super::super::what::What;
use super::{figure, of_rounds};
use crate::drive::{
    AskedInRound, BesideFigures, DriveDesign, DriveSummary, QuestionBeside, TrialSummary,
    WithAndWithout,
};

/// Response times of the load with questions that are compared: those that its report shows.
const TIMES: [(&str, f64); 2] = [("p50", 0.5), ("p99", 0.99)];

/// Returns the names of the questions, each with its text and who answers it.
pub fn questions(load: &DriveSummary) -> Vec<(String, String)> {
    let Some(beside) = &load.header.beside else {
        return Vec::new();
    };
    let by = beside.design.as_ref().map(|design| design.id.as_str());
    let by = by.unwrap_or("the design itself");
    let questions = beside.questions.iter();
    questions
        .map(|question| {
            (
                question.name.clone(),
                format!("{}, answered by {by}", question.sql),
            )
        })
        .collect()
}

/// Returns each question in one line.
pub fn told(load: &DriveSummary) -> Vec<String> {
    let in_one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let questions = questions(load).into_iter();
    questions
        .map(|(name, text)| format!("{name}: {}", in_one_line(&text)))
        .collect()
}

/// Returns the figures of a design's loads with questions, steady or not, since it is the questions that come and go;
/// then those of each question.
pub fn figures(load: &DriveSummary, design: &DriveDesign, at_a_rate: bool) -> Vec<MeasuredFigure> {
    let Some(beside) = of_design(load, design) else {
        return Vec::new();
    };
    let mut found = of_loads(load, design, at_a_rate);
    for question in &beside.questions {
        found.extend(answers(question));
        found.extend(time(question));
    }
    found
        .into_iter()
        .map(|figure| MeasuredFigure {
            is_beside: true,
            ..figure
        })
        .collect()
}

fn of_design<'a>(load: &'a DriveSummary, design: &DriveDesign) -> Option<&'a BesideFigures> {
    let mut all = load.beside.iter();
    all.find(|figures| figures.design == design.info.id)
}

/// Makes figures of the loads with questions. Of loads at a rate that failed for the most part there are none.
fn of_loads(load: &DriveSummary, design: &DriveDesign, at_a_rate: bool) -> Vec<MeasuredFigure> {
    let with = load.loads_with_questions(design);
    if at_a_rate && with.iter().any(|trial| trial.figures.too_many_failed()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if !at_a_rate {
        let seconds = |trial: &TrialSummary| Some(trial.figures.ops_per_second.recip());
        let rate = What::Rate("operations with questions".to_owned());
        found.extend(figure(rate, None, &with, seconds));
    }
    for (place, operation) in load.header.operations.iter().enumerate() {
        for (suffix, quantile) in TIMES {
            let seconds = |trial: &TrialSummary| {
                let figures = trial.figures.operations.get(place)?;
                figures.well_supported(quantile)
            };
            let what = What::Time(format!("{} {suffix} with questions", operation.name));
            let name = Some(operation.name.clone());
            found.extend(figure(what, name, &with, seconds));
        }
    }
    found
}

/// Makes the figure of the answers a second; `None` unless each round has some, since a round without any has no ratio.
fn answers(question: &QuestionBeside) -> Option<MeasuredFigure> {
    let of_round = |asked: &AskedInRound| (asked.round, asked.lasted / asked.answered as f64);
    let what = What::Rate(format!("{} answers", question.name));
    let rounds = answered(question)?.iter().map(of_round).collect();
    of_rounds(what, None, rounds)
}

/// Makes the figure of a question's time in seconds, the median of each round; `None` unless each round has answers,
/// since of one without any it is only known that the answer takes longer than the load.
fn time(question: &QuestionBeside) -> Option<MeasuredFigure> {
    let of_round = |asked: &AskedInRound| Some((asked.round, asked.p50?));
    let what = What::Time(format!("{} answer p50", question.name));
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
    let Some(beside) = of_design(load, design) else {
        return Vec::new();
    };
    let mut counted = Vec::new();
    let mut add = |name: String, value: Option<Value>| {
        counted.extend(value.map(|value| (name, value)));
    };
    let cost = |both: Option<WithAndWithout>| both.map(|both| Value::Ratio(both.ratio.median));
    let rate = "operations with questions to without".to_owned();
    add(rate, cost(beside.rate));
    for operation in &beside.operations {
        let name = format!("{} p99 with questions to without", operation.name);
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
            add(format!("{} {word}", question.name), share);
        }
    }
    counted
}
