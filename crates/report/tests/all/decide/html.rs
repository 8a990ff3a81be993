use bakeoff_report::decide::html::{page, section};
use bakeoff_stats::decide::{Decision, DecisionInput, Status, Timed};

use super::fixture;
use crate::compare::html::open_elements;

fn events() -> String {
    page(&Decision::of(&fixture::events()), "Events")
}

#[test]
fn elements_are_closed_in_order() {
    for input in [
        fixture::events(),
        fixture::crowd(),
        fixture::nothing(),
        fixture::not_settled(),
    ] {
        let page = page(&Decision::of(&input), "Events");
        assert_eq!(open_elements(&page), Ok(Vec::new()));
    }
}

#[test]
fn nothing_is_loaded_and_nothing_runs() {
    let page = events();
    for forbidden in [
        "http://", "https://", "<script", "<link", "<img", "@import", "url(", "src=",
    ] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf%"));
}

#[test]
fn the_sentence_comes_first_and_the_recommended_design_is_marked() {
    let html = section(&Decision::of(&fixture::events()));
    let sentence = html.find("Take local/columnar. This is settled.").unwrap();
    assert!(sentence < html.find("<table").unwrap());
    assert!(html.contains("<strong>local/<wbr>columnar</strong>"));
    assert!(html.contains("class=\"chosen\""));
}

#[test]
fn limits_have_a_column_only_where_a_question_has_one() {
    let mut input = fixture::events();
    let heading = ">Limit</th>";
    assert!(section(&Decision::of(&input)).contains(heading));
    input.rule.limits.clear();
    let html = section(&Decision::of(&input));
    assert!(!html.contains(heading), "{html}");
    assert!(html.contains(">Rests on</th></tr>"), "{html}");
}

#[test]
fn every_cell_of_the_map_names_its_question_and_has_its_number() {
    let html = section(&Decision::of(&fixture::events()));
    let map = html.split_once("heat-map").unwrap().1;
    assert_eq!(map.matches("data-question=").count(), 7 * 5);
    assert_eq!(map.matches("data-question=\"scan\"").count(), 7);
    assert!(map.contains("<b>best</b>") && map.contains("metadata<small>"));
}

#[test]
fn every_order_has_a_button_a_place_for_each_design_and_a_rule_of_style() {
    let input = fixture::crowd();
    let html = page(&Decision::of(&input), "Crowd");
    let buttons = html.matches("type=\"radio\"").count();
    // Two weights, storage, loading, cost, and sixteen questions.
    assert_eq!(buttons, 21);
    assert_eq!(html.matches(" checked/>").count(), 1);
    for order in 0..buttons {
        assert!(html.contains(&format!("#order{order}:checked) .by{order} ")));
        let mark = format!("--o{order}:");
        let mut places: Vec<usize> = { html.split(&mark).skip(1) }
            .map(|rest| rest.split(';').next().unwrap().parse().unwrap())
            .collect();
        places.sort_unstable();
        assert_eq!(places, (0..40).collect::<Vec<_>>());
    }
}

#[test]
fn text_from_outside_is_escaped() {
    let evil = "<script>alert('x')</script>\"&";
    let mut input = fixture::events();
    input.questions[0].name = evil.to_owned();
    input.questions[2].name = evil.to_owned();
    input.rule.limits[0].text = evil.to_owned();
    input.rule.baseline = Some(evil.to_owned());
    input.not_measured.push(evil.to_owned());
    input.designs[0].keeps_rows_if = Some(evil.to_owned());
    input.designs[1].status = Status::Failed(evil.to_owned());
    for design in &mut input.designs {
        design.id += evil;
        for answer in &mut design.answers {
            answer.basis = evil.to_owned();
        }
    }
    let page = page(&Decision::of(&input), evil);
    assert!(!page.contains("<script"));
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
    assert_eq!(open_elements(&page), Ok(Vec::new()));
}

#[test]
fn forecasts_whose_intervals_overlap_are_marked_as_not_settled() {
    let mut input = fixture::events();
    input.designs.truncate(2);
    input.designs[1].answers = input.designs[0].answers.clone();
    for answer in &mut input.designs[1].answers {
        if let Timed::Seconds(figure) = &mut answer.time {
            figure.point *= 1.01;
        }
    }
    let decision = Decision::of(&input);
    assert!(decision.forecasts_times());
    let html = section(&decision);
    let map = html.split_once("heat-map").unwrap().1;
    assert!(map.contains("0.99× ?<small>"), "{map}");
}

#[test]
fn nothing_is_called_recommended_where_nothing_is_yet() {
    let mut input = fixture::events();
    input.no_forecast = Some("30 rows are too few".to_owned());
    let html = section(&Decision::of(&input));
    let told = "There is no forecast for 4,160,000 rows yet: 30 rows are too few.";
    assert!(html.contains(told), "{html}");
    assert!(!html.contains(">recommended<"), "{html}");
}

#[test]
fn too_few_rounds_are_why_twins_are_not_compared() {
    let mut input = fixture::events();
    input.noise.twins = None;
    let floor_of = |rounds: u32| {
        let input = DecisionInput {
            rounds,
            ..input.clone()
        };
        section(&Decision::of(&input))
    };
    let few = floor_of(2);
    let words = "Floor unknown: 2 rounds are too few to compare twins, second tables of a design; it takes 5.";
    assert!(few.contains(words), "{few}");
    assert!(!few.contains("no twin") && !few.contains("Without twins"));
    let enough = floor_of(5);
    assert!(enough.contains("Floor unknown: no twin"), "{enough}");
}
