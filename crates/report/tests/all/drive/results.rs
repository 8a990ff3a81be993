//! When a load has a result, and how much one rests on.

use bakeoff_report::drive::html;
use bakeoff_report::drive::terminal::render;
use bakeoff_stats::Estimate;
use bakeoff_stats::drive::{DriveDesign, DriveSummary, FailureKind};

use super::fixture::DESIGNS;
use super::read::{COMPARISON, RATE, SEARCH, STALL, compared, verdict};

fn has_headline(summary: &DriveSummary) -> bool {
    html::render(summary).contains("class=\"answers\"")
}

/// As a design whose server ended during every of its loads.
fn kill(summary: &mut DriveSummary, design: &str) {
    for trial in &mut summary.trials {
        if trial.start.design == design {
            trial.end.as_mut().unwrap().stopped = true;
        }
    }
    let design = summary.designs.iter_mut().find(|d| d.info.id == design);
    let why = "its server ended during the load: it was killed (SIGKILL)";
    design.unwrap().failures.push(why.to_owned());
}

/// As a load of which this share failed, beside what succeeded.
fn fail(design: &mut DriveDesign, share: f64) {
    let figures = design.figures.as_mut().unwrap();
    let failed = figures.successes() as f64 * share / (1.0 - share);
    figures.operations[0].failures = vec![(FailureKind::Connection, failed as u64)];
}

/// As an operation that came less often, and took longer.
fn rarefy(design: &mut DriveDesign, operation: usize, count: u64) {
    design.figures.as_mut().unwrap().operations[operation].count = count;
    design.response_p99[operation] = Estimate::from_samples(&[9.5, 9.6]);
}

#[test]
fn a_load_whose_server_ended_has_no_headline() {
    for original in [&*STALL, &*COMPARISON] {
        let mut summary = original.clone();
        for design in original.designs.iter().map(|d| &d.info.id) {
            kill(&mut summary, design);
        }
        let verdict = verdict(&summary);
        assert!(verdict.starts_with("No load came to its end"), "{verdict}");
        assert!(!has_headline(&summary));
        let text = render(&summary, 100, false);
        assert!(text.contains("it was killed (SIGKILL)"), "{text}");
    }
}

#[test]
fn a_design_whose_server_ended_is_left_out_beside_another() {
    let [killed, other] = DESIGNS;
    for original in [&*RATE, &*COMPARISON] {
        let mut summary = original.clone();
        kill(&mut summary, killed);
        let verdict = verdict(&summary);
        assert!(verdict.contains(&format!("Without a result: {killed} (failed).")));
        assert!(
            verdict.split(" within ").next().unwrap().contains(other),
            "{verdict}"
        );
        assert!(has_headline(&summary));
    }
}

#[test]
fn a_round_that_came_to_its_end_is_a_result_though_a_later_one_did_not() {
    let mut summary = RATE.clone();
    kill(&mut summary, DESIGNS[0]);
    summary.trials[0].end.as_mut().unwrap().stopped = false;
    let first = &summary.trials[0].start;
    assert_eq!((first.design.as_str(), first.round), (DESIGNS[0], 1));
    let verdict = verdict(&summary);
    let expected =
        "cassandra/wide?chunk=4KiB has a p99 of 2.77 ms (0.51× ?), but it did not finish.";
    assert!(verdict.contains(expected), "{verdict}");
}

#[test]
fn times_of_what_is_left_of_a_load_are_no_result() {
    let mut summary = RATE.clone();
    fail(&mut summary.designs[0], 0.93);
    let beside = verdict(&summary);
    let left_out = "Without a result: cassandra/wide?chunk=4KiB (failed 93.00% of its operations).";
    assert!(beside.contains(left_out), "{beside}");
    assert!(
        beside.starts_with("At 500 ops/s, cassandra/wide?chunk=64KiB"),
        "{beside}"
    );
    fail(&mut summary.designs[1], 0.06);
    let alone = verdict(&summary);
    let expected = "Response times of what is left are no result: cassandra/wide?chunk=4KiB failed \
                    93.00% of its operations and cassandra/wide?chunk=64KiB failed 6.00% of its \
                    operations.";
    assert!(alone.starts_with(expected), "{alone}");
    assert!(!has_headline(&summary));
    // Few failures are a reason for doubt only.
    fail(&mut summary.designs[1], 0.04);
    assert!(verdict(&summary).contains(", but it failed 4.00% of its operations"));
    assert!(has_headline(&summary));
}

#[test]
fn as_fast_as_it_goes_a_rate_is_left_without_times() {
    let mut summary = COMPARISON.clone();
    summary.designs.truncate(1);
    fail(&mut summary.designs[0], 0.5);
    let page = html::render(&summary);
    assert!(page.contains("Throughput with 32 in flight"));
    assert!(
        !page.contains("Response time of 99%"),
        "of the half that succeeded"
    );
    let verdict = verdict(&summary);
    assert!(!verdict.contains("Response times"), "{verdict}");
}

#[test]
fn a_search_is_headed_by_what_its_objective_measured() {
    let page = html::render(&SEARCH);
    let (_, answers) = page.split_once("class=\"answers\"").unwrap();
    let (answers, _) = answers.split_once("</dl>").unwrap();
    assert!(
        answers.contains("Highest rate within p99&lt;10ms"),
        "{answers}"
    );
    let measured = "Measured for p99&lt;10ms, at that rate</dt><dd class=\"figure\">9.18 ms</dd>";
    assert!(answers.contains(measured), "{answers}");
    assert!(!answers.contains("Response time of 99%"), "{answers}");
}

#[test]
fn the_slowest_operation_is_none_of_which_there_were_few() {
    let mut summary = RATE.clone();
    summary.designs.truncate(1);
    rarefy(&mut summary.designs[0], 1, 999);
    let headline = verdict(&summary);
    assert!(
        headline.contains("its slowest operation, read, within"),
        "{headline}"
    );
    rarefy(&mut summary.designs[0], 1, 1_000);
    assert!(verdict(&summary).contains("its slowest operation, write, within 9.55 s"));
    // Where there is no other it says so.
    rarefy(&mut summary.designs[0], 0, 400);
    rarefy(&mut summary.designs[0], 1, 300);
    let few = verdict(&summary);
    assert!(
        few.contains("over 2 rounds), from only 300 operations."),
        "{few}"
    );
    assert!(html::render(&summary).contains("from only "));
}

#[test]
fn a_quantile_of_few_operations_is_marked_and_of_fewer_not_shown() {
    let mut summary = RATE.clone();
    summary.designs.truncate(1);
    let row = |summary: &DriveSummary| {
        let text = render(summary, 200, false);
        let row = text.lines().find(|line| line.contains(" write "));
        row.unwrap().to_owned()
    };
    let note = "~ before a time: fewer than ten operations took longer";
    assert!(!row(&summary).contains('~'));
    assert!(!render(&summary, 200, false).contains(note));
    rarefy(&mut summary.designs[0], 1, 500);
    assert_eq!(
        row(&summary).matches('~').count(),
        3,
        "the p99 of rounds, of all rounds and of service, and no p99.9"
    );
    assert!(render(&summary, 200, false).contains(note));
    assert!(html::render(&summary).contains(note));
    rarefy(&mut summary.designs[0], 1, 50);
    assert!(!row(&summary).contains('~'), "{}", row(&summary));
    assert!(verdict(&summary).contains("(too few for a p99)"));
}

/// As a design of several rounds of which one had a long pause: the p99 of all operations is that of the pause.
fn with_a_pause(summary: &mut DriveSummary) {
    let design = &mut summary.designs[0];
    for operation in &mut design.figures.as_mut().unwrap().operations {
        operation.response.as_mut().unwrap().p99 = 8.88;
    }
    for p99 in &mut design.response_p99 {
        *p99 = Estimate::from_samples(&[0.011, 0.012, 0.013, 0.011, 0.012, 0.013, 9.0]);
    }
}

#[test]
fn one_p99_leads_in_tables_charts_and_verdict_and_the_other_is_named() {
    let mut summary = RATE.clone();
    summary.designs.truncate(1);
    with_a_pause(&mut summary);
    let summary = compared(&summary);
    let text = render(&summary, 220, false);
    let row = text.lines().find(|line| line.contains(" write ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    let row = cells.join(" ");
    assert!(row.contains(" 12.0 ms 8.88 s "), "{row}");
    assert!(text.contains("p99, all rounds"), "{text}");
    assert!(text.contains("p99 is the median of the rounds"), "{text}");
    let verdict = verdict(&summary);
    assert!(verdict.contains(" and 12.0 ms"), "{verdict}");
    assert!(!verdict.contains("8.88"), "{verdict}");
    let page = html::render(&summary);
    let (_, table) = page.split_once("<h2>Operations</h2>").unwrap();
    let table = table.split("</section>").next().unwrap();
    assert!(table.contains(">12.0 ms<small>"), "{table}");
    assert!(table.contains("p99, all rounds</th>") && table.contains(">8.88 s<"));
    assert!(table.contains("p99 is the median of the rounds"), "{table}");
}

#[test]
fn the_p99_of_service_times_is_the_median_of_the_rounds_too() {
    let mut summary = RATE.clone();
    summary.designs.truncate(1);
    let trials = summary.designs[0].trials.clone();
    for (trial, p99) in trials.into_iter().zip([0.003, 0.005]) {
        let mut trials = summary.trials.iter_mut();
        let trial = trials.find(|t| t.start.trial == trial).unwrap();
        trial.figures.operations[1].service.as_mut().unwrap().p99 = p99;
    }
    let figures = summary.designs[0].figures.as_mut().unwrap();
    figures.operations[1].service.as_mut().unwrap().p99 = 7.77;
    let text = render(&summary, 220, false);
    let row = text.lines().find(|line| line.contains(" write ")).unwrap();
    assert!(row.contains(" 4.00 ms "), "{row}");
    assert!(!row.contains("7.77 s"), "{row}");
    let page = html::render(&summary);
    let (_, table) = page.split_once("<h2>Operations</h2>").unwrap();
    let table = table.split("</section>").next().unwrap();
    assert!(table.contains(">4.00 ms<"), "{table}");
    assert!(!table.contains(">7.77 s<"), "{table}");
}

#[test]
fn an_operation_that_a_round_has_none_of_has_the_p99_of_all_rounds_alone() {
    let mut summary = RATE.clone();
    summary.designs.truncate(1);
    with_a_pause(&mut summary);
    summary.designs[0].response_p99[1] = None;
    let text = render(&summary, 220, false);
    let row = text.lines().find(|line| line.contains(" write ")).unwrap();
    assert!(row.contains(" 8.88 s "), "{row}");
    assert!(!row.contains("12.0 ms"), "{row}");
}

#[test]
fn what_was_read_from_the_disk_is_not_written_as_nothing() {
    let mut summary = RATE.clone();
    summary.designs.truncate(1);
    summary.designs[0]
        .figures
        .as_mut()
        .unwrap()
        .disk_read_per_byte = Some(0.0008);
    let words = "read <0.01 bytes from disk for each byte returned";
    let verdict = verdict(&summary);
    assert!(verdict.contains(words), "{verdict}");
    assert!(html::render(&summary).contains(">&lt;0.01<"));
}

#[test]
fn a_single_round_has_one_p99_and_needs_no_words() {
    let text = render(&STALL, 200, false) + &html::render(&STALL);
    assert!(!text.contains("p99, all rounds"), "{text}");
    assert!(!text.contains("median of the rounds"), "{text}");
}
