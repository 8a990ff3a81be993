//! Values of a load.

use bakeoff_stats::drive::{
    BesideFigures, DriveDesign, DriveSummary, FoundRate, TrialEnd, TrialSummary,
};

use super::{Collected, Figure, Measured, Values, server};

/// Collects the values of a load, whose folder has this name.
pub fn of_drive(summary: &DriveSummary, run: &str) -> Values {
    let designs = summary.designs.iter();
    Values {
        run: run.to_owned(),
        kind: "drive",
        workload: summary.header.workload.clone(),
        bakeoff_version: summary.header.bakeoff_version.clone(),
        started_at: summary.header.started_at.clone(),
        finished: summary.finished,
        values: designs
            .flat_map(|design| of_design(summary, design))
            .collect(),
    }
}

fn of_design(summary: &DriveSummary, design: &DriveDesign) -> Vec<Measured> {
    let mut collected = Collected::of(&design.info.id);
    let rows = design.rows.map(|rows| rows as f64);
    collected.add(Figure::LoadedRows, None, rows);
    collected.add(Figure::LoadTime, None, design.load_seconds);
    let bytes = design.footprint.as_ref().and_then(|f| f.bytes());
    collected.add(Figure::StoredBytes, None, bytes.map(|bytes| bytes as f64));
    for trial in summary.rounds_of(design) {
        let figures = [
            Figure::OperationsRate,
            Figure::ResponseP50,
            Figure::ResponseP99,
        ];
        add_load(&mut collected, trial, figures);
        for operation in &trial.figures.operations {
            let failed = Some(operation.failed() as f64);
            let round = Some(trial.start.round);
            collected.add_of(Figure::FailedOperations, &operation.name, round, failed);
        }
        add_server(&mut collected, trial);
    }
    for found in &design.found {
        let round = Some(found.round);
        collected.add(Figure::HighestRate, round, FoundRate::highest(found));
    }
    add_passes(&mut collected, summary, design);
    let own = summary.trials.iter().filter(|trial| {
        let complete = trial.end.as_ref().is_some_and(TrialEnd::is_complete);
        trial.start.beside && complete && trial.start.design == design.info.id
    });
    let asked = summary.header.beside.as_ref();
    for trial in own {
        collected.answered_by = asked.and_then(|asked| trial.start.answered_by(asked));
        let figures = [Figure::BesideRate, Figure::BesideP50, Figure::BesideP99];
        add_load(&mut collected, trial, figures);
    }
    let beside = summary.beside.iter().filter(|b| b.design == design.info.id);
    for figures in beside {
        collected.answered_by = figures.answered_by.as_deref();
        add_questions(&mut collected, figures);
    }
    collected.values
}

fn add_load(collected: &mut Collected<'_>, trial: &TrialSummary, figures: [Figure; 3]) {
    let [rate, p50, p99] = figures;
    let round = Some(trial.start.round);
    collected.add(rate, round, Some(trial.figures.ops_per_second));
    for operation in &trial.figures.operations {
        let name = operation.name.as_str();
        collected.add_of(p50, name, round, operation.supported(0.5));
        collected.add_of(p99, name, round, operation.supported(0.99));
    }
}

/// Adds what the server did in a load after its warm-up, from the last sample before.
fn add_server(collected: &mut Collected<'_>, trial: &TrialSummary) {
    let from = trial.warm_up_seconds.saturating_sub(1);
    let seconds = trial.seconds.iter().filter(|s| s.second >= from);
    let span = seconds.map(|s| (f64::from(s.second) + 1.0, &s.server));
    let span: Vec<server::At> = span.collect();
    server::add(collected, None, Some(trial.start.round), &[span]);
}

fn add_passes(collected: &mut Collected<'_>, summary: &DriveSummary, design: &DriveDesign) {
    let passes = summary
        .trials
        .iter()
        .filter_map(|trial| trial.pass.as_ref());
    let all = summary
        .header
        .passes
        .as_ref()
        .map_or(&[][..], |all| &all.passes[..]);
    for pass in passes.filter(|pass| pass.design == design.info.id && pass.is_whole()) {
        let Some(info) = all.get(pass.place) else {
            continue;
        };
        // One operation may have several passes.
        let name = format!("{} {}", pass.place + 1, info.operation);
        collected.add_of(Figure::PassTime, &name, Some(pass.round), Some(pass.real));
    }
}

fn add_questions(collected: &mut Collected<'_>, figures: &BesideFigures) {
    for question in &figures.questions {
        let name = question.name.as_str();
        let p50 = question.p50.map(|p50| p50.median);
        collected.add_of(Figure::Answers, name, None, Some(question.answered as f64));
        collected.add_of(Figure::AnswerP50, name, None, p50);
        let failed = Some(question.failed as f64);
        collected.add_of(Figure::FailedQuestions, name, None, failed);
    }
}
