//! The paragraph that answers the two questions: how much storage do I need to buy, and how fast
//! can my questions be answered?

use bakeoff_stats::{Basis, Forecast, QueryForecast, Summary};

use super::engine_choice;
use crate::answer::Answer;
use crate::units;

pub fn storage_to_buy(summary: &Summary) -> Option<Answer> {
    let forecast = summary.forecast.as_ref()?;
    let smallest = forecast.storage.first()?;
    Some(Answer {
        question: "How much storage do I need to buy?".to_owned(),
        figure: units::bytes(smallest.bytes),
        basis: format!(
            "{} of {} rows with {}",
            copies(summary),
            units::count(forecast.full_rows),
            smallest.design
        ),
    })
}

pub fn time_to_answer(summary: &Summary) -> Option<Answer> {
    let forecast = summary.forecast.as_ref()?;
    let seconds = || forecast.queries.iter().map(|q| q.seconds);
    let least = units::duration(seconds().min_by(f64::total_cmp)?);
    let greatest = units::duration(seconds().max_by(f64::total_cmp)?);
    Some(Answer {
        question: "How fast can my questions be answered?".to_owned(),
        figure: if least == greatest {
            least
        } else {
            format!("{least} to {greatest}")
        },
        basis: format!(
            "at full scale, {}, each query on its fastest design",
            load(summary)
        ),
    })
}

pub fn paragraph(summary: &Summary) -> String {
    let Some(forecast) = &summary.forecast else {
        return "No design has loaded rows and answered without a failure, so there is nothing to \
                recommend."
            .to_owned();
    };
    let sentences = [
        storage(summary, forecast),
        fastest(summary, forecast),
        ties(forecast),
        engine_choice::sentences(summary),
        at_full_scale(summary, forecast),
        basis(forecast),
        left_out(summary),
    ];
    sentences
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

fn storage(summary: &Summary, forecast: &Forecast) -> Option<String> {
    let smallest = forecast.storage.first()?;
    let design = summary.design(&smallest.design)?;
    let mut text = format!(
        "Storage to buy: {} for {} of {} rows with {}, the smallest at {} a row",
        units::bytes(smallest.bytes),
        copies(summary),
        units::count(forecast.full_rows),
        smallest.design,
        units::bytes(design.bytes_per_row?),
    );
    if let Some(largest) = forecast
        .storage
        .last()
        .filter(|l| l.design != smallest.design)
    {
        let times = units::factor(largest.bytes / smallest.bytes);
        let bytes = units::bytes(largest.bytes);
        text += &format!("; {bytes} with {}, the largest ({times})", largest.design);
    }
    Some(text + ".")
}

/// The fastest designs, each with its queries.
fn fastest(summary: &Summary, forecast: &Forecast) -> Option<String> {
    let mut by_design: Vec<(&str, Vec<String>)> = Vec::new();
    for query in &forecast.queries {
        let shown = one_query(summary, query);
        match by_design
            .iter_mut()
            .find(|(design, _)| *design == query.design)
        {
            Some((_, queries)) => queries.push(shown),
            None => by_design.push((&query.design, vec![shown])),
        }
    }
    let parts: Vec<String> = by_design
        .into_iter()
        .map(|(design, queries)| format!("{design} for {}", list(&queries)))
        .collect();
    (!parts.is_empty()).then(|| {
        format!(
            "Fastest answers, and how much faster than the slowest: {}.",
            parts.join("; ")
        )
    })
}

fn one_query(summary: &Summary, forecast: &QueryForecast) -> String {
    let time = units::duration(forecast.measured.median);
    let factor = summary
        .design(&forecast.design)
        .and_then(|d| d.query(&forecast.query)?.times_faster)
        .filter(|&factor| factor > 1.0)
        .map(|factor| format!(", {}", units::factor(factor)));
    format!("{} ({time}{})", forecast.query, factor.unwrap_or_default())
}

fn ties(forecast: &Forecast) -> Option<String> {
    let mut by_designs: Vec<(String, Vec<String>)> = Vec::new();
    for query in forecast.queries.iter().filter(|q| !q.not_slower.is_empty()) {
        let mut designs = vec![query.design.clone()];
        designs.extend(query.not_slower.iter().cloned());
        designs.sort();
        let designs = list(&designs);
        match by_designs.iter_mut().find(|(known, _)| *known == designs) {
            Some((_, queries)) => queries.push(query.query.clone()),
            None => by_designs.push((designs, vec![query.query.clone()])),
        }
    }
    let parts: Vec<String> = by_designs
        .into_iter()
        .map(|(designs, queries)| format!("between {designs} for {}", list(&queries)))
        .collect();
    (!parts.is_empty()).then(|| format!("No difference was shown {}.", parts.join("; ")))
}

fn at_full_scale(summary: &Summary, forecast: &Forecast) -> Option<String> {
    let query = |q: &QueryForecast| {
        let bound = if q.basis == Basis::UpperBound {
            "at most "
        } else {
            ""
        };
        format!("{} {bound}{}", q.query, units::duration(q.seconds))
    };
    let queries: Vec<String> = forecast.queries.iter().map(query).collect();
    (!queries.is_empty()).then(|| {
        format!(
            "At full scale, {}, expect {}.",
            load(summary),
            list(&queries)
        )
    })
}

fn copies(summary: &Summary) -> String {
    units::plural(
        u64::from(summary.header.scale.replication.max(1)),
        "copy",
        "copies",
    )
}

fn load(summary: &Summary) -> String {
    let scale = &summary.header.scale;
    let users = units::plural(u64::from(scale.users), "user", "users");
    let cores = units::plural(u64::from(scale.cores), "core", "cores");
    format!("{users} at once on {cores}")
}

fn basis(forecast: &Forecast) -> Option<String> {
    let measured = units::count(forecast.measured_rows);
    let times = forecast.full_rows as f64 / forecast.measured_rows as f64;
    let bounds = forecast
        .queries
        .iter()
        .any(|q| q.basis == Basis::UpperBound);
    let bounds = if bounds {
        "; where a query reads by key this is an upper bound"
    } else {
        ""
    };
    Some(if times > 1.0 {
        format!(
            "This extrapolates in proportion from {measured} rows on this machine, {} fewer{bounds}.",
            units::factor(times)
        )
    } else {
        format!("This extrapolates in proportion from {measured} rows on this machine{bounds}.")
    })
}

fn left_out(summary: &Summary) -> Option<String> {
    let failed: Vec<String> = summary
        .designs
        .iter()
        .filter(|d| !d.is_right())
        .map(|d| d.info.id.clone())
        .collect();
    let all = summary.designs.len();
    match failed.len() {
        0 => None,
        1 => Some(format!(
            "Left out: {}, which failed or answered wrong.",
            failed[0]
        )),
        n => Some(format!(
            "Left out: {n} of {all} designs, which failed or answered wrong."
        )),
    }
}

/// `a`, `a and b`, `a, b and c`.
fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::list;

    #[test]
    fn lists_read_as_sentences() {
        let items = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(
            [0, 1, 2, 3].map(|n| list(&items[..n])),
            ["", "a", "a and b", "a, b and c"]
        );
    }
}
