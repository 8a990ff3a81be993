//! Rules on questions that read or aggregate many rows.

use bakeoff_workload::ColumnType;

use super::base::Base;
use super::sources::HADDAD;
use crate::advice::{
    Advice, Facts, Filter, FilterKind, Question, Rank, Stated, at_least, duration,
};

const COLUMNAR: Stated = Stated {
    rule: "columnar",
    source: "J. Haddad: aggregates over many rows are not for CQL; the study of 2016: columns scan 100 times faster",
};
const IN_CASSANDRA: Stated = Stated {
    rule: "aggregate-in-cassandra",
    source: "The study of 2016 on aggregates: in Cassandra for one partition, or by ranges that are merged",
};
const ALL_ROWS: Stated = Stated {
    rule: "aggregate-of-all-rows",
    source: HADDAD,
};
const SUMMARY: Stated = Stated {
    rule: "summary-table",
    source: "Apache Cassandra's documentation: a table for each query, with what it would compute",
};
const SERIES: Stated = Stated {
    rule: "series",
    source: "The Time Series Benchmark Suite: a partition for each series, metric and day",
};

/// Rows in an interval from which on a summary has much fewer of them.
const WORTH_A_SUMMARY: f64 = 10.0;
/// Milliseconds of a minute, the shortest interval that is proposed.
const MINUTE: i64 = 60_000;
/// Metrics from which on a question of one of them reads much less where each is by itself.
const MANY_METRICS: usize = 5;
/// Rows of a short chunk of columns.
const SHORT_CHUNK: &str = "4096";

/// Proposes chunks of columns for questions, with other settings of them.
pub fn columnar(facts: &Facts) -> Vec<Advice> {
    if facts.questions.is_empty() {
        return Vec::new();
    }
    let table = &facts.table;
    let scan = facts.question(|q| !q.names_partition(table));
    let says = match scan {
        Some(name) => format!("{name} reads rows of all partition keys"),
        None => "questions read some columns of many rows".to_owned(),
    };
    let plain = "cassandra/columnar";
    let mut advice = vec![COLUMNAR.measure(Rank::First, plain, says)];
    advice.push(COLUMNAR.measure(
        Rank::Likely,
        format!("{plain}?profile=compact"),
        "smaller chunks in bytes, at the cost of CPU time",
    ));
    if let Some(name) = facts.question(|q| q.names_partition(table)) {
        advice.push(COLUMNAR.measure(
            Rank::Further,
            format!("{plain}?rows={SHORT_CHUNK}"),
            format!("{name} reads one partition key, and less beside it in short chunks"),
        ));
    }
    if let Some(column) = facts.divided_column() {
        let asked = facts.questions.iter();
        let widths = asked.filter_map(|q| Some((q.range_width(&column.name)?, &q.name)));
        if let Some((width, name)) = widths.max()
            && let Some(bucket) = at_least(column.kind, width as f64)
        {
            advice.push(COLUMNAR.measure(
                Rank::Further,
                format!("{plain}?bucket={}", bucket.text),
                format!("{name} asks for a range that is one or two such buckets"),
            ));
        }
    }
    advice
}

/// Proposes that Cassandra aggregates one partition, and names that it aggregates all of them at once.
pub fn aggregates(facts: &Facts) -> Vec<Advice> {
    let table = &facts.table;
    let base = Base::of(facts);
    let mut advice = Vec::new();
    // Further conditions are no business of Cassandra, and neither are several partition keys.
    let is_of_one = |q: &Question| {
        let mut filters = q.filters.iter();
        let is_one = |f: &Filter| {
            let is_value = f.kind == FilterKind::Equals { values: 1 };
            let is_range = matches!(f.kind, FilterKind::Range { .. });
            is_value && table.is_key(&f.column) || is_range && table.order_key.contains(&f.column)
        };
        q.names_partition(table) && filters.all(is_one)
    };
    let of_partition = facts.question(|q| q.aggregates && !q.groups && is_of_one(q));
    if let Some(name) = of_partition {
        let says = format!("{name} is one figure of one partition key");
        advice.push(IN_CASSANDRA.measure(Rank::Likely, base.with("aggregate", "server"), says));
    }
    let of_all = facts.question(|q| q.aggregates && !q.groups && q.is_of_all_rows);
    if let Some(name) = of_all {
        let ranges = base.with("aggregate", "ranges");
        let says = format!("{name} is one figure of all rows, by ranges in parallel");
        advice.push(IN_CASSANDRA.measure(Rank::Further, ranges.clone(), says));
        advice.push(ALL_ROWS.avoid(
            format!("one statement of CQL for {name}"),
            "one node reads all rows of all the others, and ends by a time-out when the table has grown",
            format!("ranges in parallel ({ranges}), or columns"),
        ));
    }
    advice
}

/// Proposes a summary table for questions about whole intervals.
pub fn summary(facts: &Facts) -> Vec<Advice> {
    let can_have = !facts.keys_repeat && facts.ttl_seconds.is_none();
    let is_timestamp = |kind: ColumnType| kind == ColumnType::Timestamp;
    let has_time = facts.divided_column().is_some_and(|c| is_timestamp(c.kind));
    if !can_have || !has_time {
        return Vec::new();
    }
    let asked = facts.questions.iter().filter(|q| q.aggregates);
    let widths = asked.filter_map(|q| Some((q.group_width?, &q.name)));
    let is_worth = |width: i64| {
        let rows = facts.rows_in(width as f64);
        width % MINUTE == 0 && rows.is_some_and(|rows| rows >= WORTH_A_SUMMARY)
    };
    let Some((width, name)) = widths.filter(|(width, _)| is_worth(*width)).min() else {
        return Vec::new();
    };
    let design = Base::of(facts).with("summary", &duration(width));
    let says = format!("{name} wants figures of intervals of {}", duration(width));
    vec![SUMMARY.measure(Rank::Likely, design, says)]
}

/// Proposes a partition for each series, metric and day for tables with many metrics.
pub fn series(facts: &Facts) -> Vec<Advice> {
    let table = &facts.table;
    let ([key], [_]) = (&table.partition_key[..], &table.order_key[..]) else {
        return Vec::new();
    };
    let kind = |name: &str| table.column(name).map(|column| column.kind);
    let is_time = facts
        .order_column()
        .is_some_and(|c| c.kind == ColumnType::Timestamp);
    let outside = { table.columns.iter() }.filter(|column| !table.is_key(&column.name));
    let (metrics, others): (Vec<_>, Vec<_>) = outside.partition(|c| c.kind == ColumnType::Double);
    let is_tag = |name: &String| {
        let rows = facts.rows.as_ref();
        rows.is_some_and(|rows| rows.tags.contains(name))
    };
    let fits = kind(key) == Some(ColumnType::Text)
        && is_time
        && metrics.len() >= MANY_METRICS
        && others.iter().all(|column| is_tag(&column.name));
    let reads_one = facts.question(|q| q.columns < table.columns.len() / 2);
    match reads_one {
        Some(name) if fits => {
            let says = format!(
                "{name} reads few of {} metrics; texts have to be the same in all rows of a key, as in the first rows",
                metrics.len()
            );
            let design = Base::of(facts).unordered("series");
            vec![SERIES.measure(Rank::Further, design, says)]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::Column;

    use super::*;
    use crate::advice::testing::{avoided, designs, equals, facts, question, range};

    fn aggregating(question: Question) -> Question {
        Question {
            aggregates: true,
            ..question
        }
    }

    #[test]
    fn columns_are_for_questions() {
        let mut facts = facts();
        let plain = ["cassandra/columnar", "cassandra/columnar?profile=compact"];
        assert_eq!(designs(&columnar(&facts)), plain);
        let asked = vec![equals("series", None), range("time", Some(3_000_000))];
        facts.questions = vec![question("one", asked)];
        let advice = columnar(&facts);
        let further = [
            "cassandra/columnar?rows=4096",
            "cassandra/columnar?bucket=1h",
        ];
        assert_eq!(designs(&advice)[2..], further);
        facts.questions.clear();
        assert_eq!(columnar(&facts), []);
    }

    #[test]
    fn one_figure_of_a_partition_is_computed_by_cassandra_and_one_of_all_rows_is_not() {
        let mut facts = facts();
        assert_eq!(aggregates(&facts), []);
        facts.questions = vec![aggregating(question("mean", vec![equals("series", None)]))];
        let advice = aggregates(&facts);
        assert_eq!(designs(&advice), ["cassandra/wide?aggregate=server"]);
        assert!(avoided(&advice).is_empty());
        facts.questions[0].filters.push(equals("status", None));
        assert_eq!(aggregates(&facts), []);
        facts.questions = vec![aggregating(question("count", Vec::new()))];
        let advice = aggregates(&facts);
        assert_eq!(designs(&advice), ["cassandra/wide?aggregate=ranges"]);
        assert_eq!(avoided(&advice), ["one statement of CQL for count"]);
        facts.questions[0].is_of_all_rows = false;
        assert_eq!(aggregates(&facts), []);
    }

    #[test]
    fn summaries_are_of_intervals_with_several_rows() {
        let mut facts = facts();
        let hours = Question {
            group_width: Some(3_600_000),
            ..aggregating(question("hours", Vec::new()))
        };
        facts.questions = vec![hours];
        assert_eq!(designs(&summary(&facts)), ["cassandra/wide?summary=1h"]);
        facts.keys_repeat = true;
        assert_eq!(summary(&facts), []);
        facts.keys_repeat = false;
        // A minute has six rows of a series.
        facts.questions[0].group_width = Some(60_000);
        assert_eq!(summary(&facts), []);
    }

    #[test]
    fn series_are_for_many_metrics() {
        let mut facts = facts();
        assert_eq!(series(&facts), []);
        for number in 0..5 {
            facts.table.columns.push(Column {
                name: format!("metric{number}"),
                kind: ColumnType::Double,
            });
        }
        // Two texts are not known to be the same in all rows of a series.
        assert_eq!(series(&facts), []);
        let rows = facts.rows.as_mut().unwrap();
        rows.tags = vec!["status".to_owned(), "other".to_owned()];
        assert_eq!(designs(&series(&facts)), ["cassandra/series"]);
    }
}
