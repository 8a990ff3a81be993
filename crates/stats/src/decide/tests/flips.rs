//! Points at which the recommendation changes: each is checked by deciding again on both sides of it.

use super::fixture::{design, input};
use crate::decide::{
    Curve, Decision, DecisionInput, Figure, Flip, KnownRows, Minimise, StoragePrice, Timed,
};

fn recommended(input: &DecisionInput) -> String {
    Decision::of(input).recommendation.unwrap().design
}

#[test]
fn a_share_of_a_question_flips_the_recommendation_exactly_there() {
    let designs = vec![
        design("a", 1e9, 1e5, &[0.010, 0.030, 0.05]),
        design("b", 1e9, 1e5, &[0.100, 0.006, 0.05]),
        design("c", 1e9, 1e5, &[1.0, 1.0, 1.0]),
    ];
    let questions = [("month", 4.0), ("usa", 1.0), ("top", 3.0)];
    let mut input = input(Minimise::Time, &questions, designs);
    input.rule.same_within = 0.0;
    let decision = Decision::of(&input);
    assert_eq!(decision.recommendation.unwrap().design, "a");
    let of_usa = decision
        .flips
        .iter()
        .find(|flip| matches!(flip, Flip::Share { question: 1, .. }));
    let Some(Flip::Share {
        now, at, design, ..
    }) = of_usa
    else {
        panic!("{:?}", decision.flips);
    };
    assert_eq!((*now, design.as_str()), (0.125, "b"));
    for (share, winner) in [(at - 0.001, "a"), (at + 0.001, "b")] {
        // The others keep their proportions.
        input.questions[0].weight = (1.0 - share) * 4.0 / 7.0;
        input.questions[1].weight = share;
        input.questions[2].weight = (1.0 - share) * 3.0 / 7.0;
        assert_eq!(recommended(&input), winner, "{share}");
    }
    // The third question takes both equally long, so that none of it changes anything.
    assert!(
        !decision
            .flips
            .iter()
            .any(|flip| matches!(flip, Flip::Share { question: 2, .. }))
    );
}

#[test]
fn the_price_of_storage_flips_the_recommendation_exactly_there() {
    let gib = 1_073_741_824.0;
    let mut designs = vec![
        design("small", 100.0 * gib, 1e5, &[0.01]),
        design("large", 500.0 * gib, 1e5, &[0.01]),
    ];
    // Machines cost 300 and 200.
    let month = |price: f64| [300.0 + 100.0 * price, 200.0 + 500.0 * price];
    let at = |price: f64, designs: &mut Vec<_>| {
        let designs: &mut Vec<crate::decide::Contender> = designs;
        for (design, month) in designs.iter_mut().zip(month(price)) {
            design.month = Some(Figure::exact(month));
        }
        let mut input = input(Minimise::Month, &[("month", 1.0)], designs.clone());
        input.rule.same_within = 0.0;
        input.price = Some(StoragePrice {
            currency: "EUR".to_owned(),
            gib_month: price,
        });
        input
    };
    let decision = Decision::of(&at(0.10, &mut designs));
    assert_eq!(decision.recommendation.unwrap().design, "large");
    let [
        Flip::StoragePrice {
            now,
            at: flips_at,
            design,
        },
    ] = decision.flips.as_slice()
    else {
        panic!("{:?}", decision.flips);
    };
    assert_eq!((*now, design.as_str()), (0.10, "small"));
    assert!((flips_at - 0.25).abs() < 1e-9);
    assert_eq!(recommended(&at(0.249, &mut designs)), "large");
    assert_eq!(recommended(&at(0.251, &mut designs)), "small");
}

#[test]
fn curves_that_cross_flip_the_recommendation_there() {
    let mut designs = vec![
        design("server", 1e9, 1e5, &[0.0]),
        design("scan", 1e9, 1e5, &[0.0]),
    ];
    // 100 ms and 10 ns a row, against 1 ms and 100 ns a row: they cross at 1.1 million rows.
    let curves = [(0.1, 1e-8), (0.001, 1e-7)].map(|(constant, linear)| Curve {
        constant,
        linear,
        ..Curve::default()
    });
    for (design, curve) in designs.iter_mut().zip(curves) {
        let figure = Figure::exact(curve.at(4e6)).with_curve(curve);
        design.answers[0].time = Timed::Seconds(figure);
    }
    let mut input = input(Minimise::Time, &[("month", 1.0)], designs);
    input.rows = 4_000_000;
    input.known_rows = Some(KnownRows {
        from: 100_000,
        to: 40_000_000,
        beyond: None,
    });
    let decision = Decision::of(&input);
    assert_eq!(decision.recommendation.unwrap().design, "server");
    let [Flip::Rows { at, design, .. }] = decision.flips.as_slice() else {
        panic!("{:?}", decision.flips);
    };
    assert!((at - 1.1e6).abs() < 1.0, "{at}");
    assert_eq!(design, "scan");
    // Where the curves may not be read, they say nothing.
    input.known_rows = Some(KnownRows {
        from: 2_000_000,
        to: 40_000_000,
        beyond: None,
    });
    assert!(Decision::of(&input).flips.is_empty());
}

#[test]
fn the_front_is_short_and_every_design_on_it_has_a_reason() {
    let designs: Vec<_> = (0..40)
        .map(|index| {
            let x = f64::from(index) / 40.0;
            let seconds = [0.01 * (1.0 + x), 0.05 * (2.0 - x)];
            design(
                &format!("d{index:02}"),
                1e9 * (1.0 + (x - 0.5).abs()),
                1e5 * (1.0 + x),
                &seconds,
            )
        })
        .collect();
    let decision = Decision::of(&input(Minimise::Time, &[("q", 1.0), ("r", 1.0)], designs));
    assert!((2..=4).contains(&decision.front.len()));
    assert!(decision.front[0].is_recommended);
    assert!(
        decision.front[1..]
            .iter()
            .all(|choice| !choice.advantages.is_empty())
    );
    assert!(decision.front_not_shown > 0);
}
