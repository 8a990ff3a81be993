//! Rules of experts on tables of PostgreSQL and TimescaleDB: pure functions from what is known of a workload.

use bakeoff_workload::ColumnType;

use super::Flavour;
use crate::advice::{
    Advice, Facts, MOSTLY_IN_ORDER, Question, Rank, Rule, Stated, Width, apply, at_least, at_most,
    bytes, count, percent,
};

const BY_KEY: Stated = Stated {
    rule: "b-tree-by-key",
    source: "Timescale's pg-aiguide: an index on the key with the newest time first",
};
const TIME_INDEX: Stated = Stated {
    rule: "time-index",
    source: "PostgreSQL's documentation: an index serves conditions on its first columns",
};
const UNUSED_INDEX: Stated = Stated {
    rule: "unused-index",
    source: "PostgreSQL's documentation: an index that no question uses makes only inserts slower",
};
const BRIN: Stated = Stated {
    rule: "brin",
    source: "PostgreSQL's documentation: BRIN is for columns in whose order rows come",
};
const PARTITIONED: Stated = Stated {
    rule: "range-partitions",
    source: "PostgreSQL's documentation: partitions by the range that questions ask for, and not too many",
};
const CHUNKS: Stated = Stated {
    rule: "chunk-interval",
    source: "TimescaleDB's documentation: 7 days, if the indexes of the chunks that are written fit into 25% of the \
             memory",
};
const COLUMNSTORE: Stated = Stated {
    rule: "columnstore",
    source: "Timescale's pg-aiguide: rows of a key compressed together, more than 100 of them in a chunk, and never \
             fewer than 10",
};

/// Partitions or chunks of the whole table: a number to begin with, and a few and many to compare it with.
const BEGUN: f64 = 20.0;
const OTHERS: [f64; 2] = [4.0, 100.0];
/// Share of the memory that indexes of a chunk may take.
const OF_MEMORY: f64 = 0.25;
/// Bytes that an entry of a B-tree takes beside its key.
const ENTRY_BYTES: f64 = 16.0;
const TIME_BYTES: f64 = 8.0;
/// The default of TimescaleDB in milliseconds.
const WEEK: f64 = 7.0 * 86_400_000.0;
/// The same as a setting has it.
const DEFAULT_CHUNK: &str = "7d";
/// Share of the rows that come in order below which BRIN is not worth measuring.
const OUT_OF_ORDER: f64 = 0.8;
/// Rows of a partition key in a chunk below which compressing them together gains little.
const FEW_TOGETHER: f64 = 10.0;

const OF_POSTGRES: [Rule; 4] = [begin, time_index, brin, partitions];
const OF_TIMESCALE: [Rule; 3] = [chunks, chunk_in_memory, columnstore];

/// Applies all rules of an engine.
pub fn advise(flavour: Flavour, facts: &Facts) -> Vec<Advice> {
    if facts.is_wide || facts.is_written_in_cql {
        return Vec::new();
    }
    match flavour {
        Flavour::Postgres => apply(&OF_POSTGRES, facts),
        Flavour::Timescale => apply(&OF_TIMESCALE, facts),
    }
}

/// Proposes the table that others are compared with.
fn begin(facts: &Facts) -> Vec<Advice> {
    let key: Vec<&str> = facts.table.key().collect();
    let says = format!("one table, in which rows are found by {}", key.join(", "));
    vec![BY_KEY.measure(Rank::First, "postgres/plain", says)]
}

/// Proposes an index on the order key where a range of it is asked for without the partition key.
fn time_index(facts: &Facts) -> Vec<Advice> {
    let Some(name) = facts.asks_range_of_all() else {
        return Vec::new();
    };
    let says = format!("{name} asks for a range of all partition keys");
    vec![TIME_INDEX.measure(Rank::Likely, "postgres/plain?time-index=on", says)]
}

/// Proposes BRIN for rows that come in order, and names it for other ones.
fn brin(facts: &Facts) -> Vec<Advice> {
    let (Some(name), Some(column)) = (facts.asks_range_of_all(), facts.order_column()) else {
        return Vec::new();
    };
    let order = &column.name;
    let in_order = facts.rows.as_ref().map(|rows| rows.in_order);
    match in_order {
        Some(share) if share < OUT_OF_ORDER => {
            let why = format!(
                "only {} of the rows come in the order of {order}, so that most ranges of pages match",
                percent(share)
            );
            let instead = "an index on it: postgres/plain?time-index=on";
            vec![BRIN.avoid("postgres/brin", why, instead)]
        }
        Some(share) if share < MOSTLY_IN_ORDER => Vec::new(),
        _ => {
            let come = match in_order {
                Some(_) => "in whose order rows come",
                None => "if rows come in its order, which nobody has looked at",
            };
            let says = format!("{name} asks for a range of {order}, {come}");
            let finer =
                "ranges of a quarter of the pages, which skip more and take more to look at";
            vec![
                BRIN.measure(Rank::Likely, "postgres/brin", says),
                BRIN.measure(Rank::Further, "postgres/brin?pages=32", finer),
            ]
        }
    }
}

/// Proposes partitions by ranges where a range is asked for.
fn partitions(facts: &Facts) -> Vec<Advice> {
    let Some(column) = facts.divided_column() else {
        return Vec::new();
    };
    let asked = facts.question(|q| q.has_range(&column.name));
    // Of a very long time even the widest ranges are too many.
    let is_enough = |width: &Width| {
        let span = facts.full_span().unwrap_or_default();
        span / width.units as f64 <= BEGUN + 1.0
    };
    let width = width_of(facts, BEGUN).filter(is_enough);
    let (Some(name), Some(width)) = (asked, width) else {
        return Vec::new();
    };
    let says = format!(
        "{name} asks for a range of {}, and needs no others",
        column.name
    );
    let design = format!("postgres/partitioned?width={}", width.text);
    vec![PARTITIONED.measure(Rank::Likely, design, says)]
}

/// Proposes chunks in a number to begin with, in other numbers, and without the index that no question uses.
fn chunks(facts: &Facts) -> Vec<Advice> {
    let Some(column) = facts.divided_column() else {
        return Vec::new();
    };
    let Some(width) = width_of(facts, BEGUN) else {
        // Of times the default of TimescaleDB is known to be one that people have.
        let is_time = column.kind == ColumnType::Timestamp;
        let says = "the default of TimescaleDB, since the first rows do not show how long the table's time is";
        let design = format!("timescale/hypertable?chunk={DEFAULT_CHUNK}");
        let default = is_time.then(|| CHUNKS.measure(Rank::First, design, says));
        return default.into_iter().collect();
    };
    let id = |width: &Width| format!("timescale/hypertable?chunk={}", width.text);
    let about = |width: &Width| {
        let span = facts.full_span().unwrap_or_default();
        let number = (span / width.units as f64).ceil();
        let chunks = if number > 1.0 {
            format!("{} such chunks", count(number))
        } else {
            "one such chunk".to_owned()
        };
        format!("to compare lengths: the whole table has about {chunks}")
    };
    let mut advice = vec![CHUNKS.measure(Rank::First, id(&width), about(&width))];
    for number in OTHERS {
        if let Some(other) = width_of(facts, number).filter(|other| *other != width) {
            advice.push(CHUNKS.measure(Rank::Further, id(&other), about(&other)));
        }
    }
    let wants_newest_of_all = |q: &Question| q.wants_newest && !q.names_partition(&facts.table);
    let is_used =
        facts.asks_range_of_all().is_some() || facts.question(wants_newest_of_all).is_some();
    if !is_used && !facts.questions.is_empty() {
        let design = format!("{}&time-index=off", id(&width));
        let says =
            "no question asks for a range of time, or the newest rows, of all partition keys";
        advice.push(UNUSED_INDEX.measure(Rank::Further, design, says));
    }
    advice
}

/// Proposes chunks whose indexes fit into a quarter of the memory.
fn chunk_in_memory(facts: &Facts) -> Vec<Advice> {
    let (Some(column), Some(rows), Some(span)) =
        (facts.divided_column(), &facts.rows, facts.full_span())
    else {
        return Vec::new();
    };
    if facts.memory_bytes == 0 || span <= 0.0 {
        return Vec::new();
    }
    let of_row = (rows.key_bytes + ENTRY_BYTES) + (TIME_BYTES + ENTRY_BYTES);
    let room = OF_MEMORY * facts.memory_bytes as f64;
    let units = room / of_row / (facts.full_rows as f64 / span);
    let longest = match column.kind {
        ColumnType::Timestamp => units.min(WEEK),
        _ => units.min(span),
    };
    let Some(width) = at_most(column.kind, longest) else {
        return Vec::new();
    };
    let says = format!(
        "indexes of a chunk within {}, with about {} of them a row",
        bytes(room),
        bytes(of_row)
    );
    let design = format!("timescale/hypertable?chunk={}", width.text);
    vec![CHUNKS.measure(Rank::Likely, design, says)]
}

/// Proposes compressed chunks for questions of rows that nobody changes, and names them where a chunk has too few rows
/// of a partition key.
fn columnstore(facts: &Facts) -> Vec<Advice> {
    let is_changed = facts.load.as_ref().is_some_and(|load| load.changes_rows);
    let Some(column) = facts.divided_column() else {
        return Vec::new();
    };
    if is_changed || facts.questions.is_empty() {
        return Vec::new();
    }
    let width = width_of(facts, BEGUN);
    let together = width
        .as_ref()
        .and_then(|width| facts.rows_in(width.units as f64));
    let chunk = match width {
        Some(width) => width.text,
        None if column.kind == ColumnType::Timestamp => DEFAULT_CHUNK.to_owned(),
        None => return Vec::new(),
    };
    let design = format!("timescale/hypertable?chunk={chunk}&columnstore=on");
    let key = facts.table.partition_key.join(", ");
    let rows = together.map_or(String::new(), |rows| {
        format!(", of which a chunk has about {}", count(rows))
    });
    let advice = if together.is_some_and(|rows| rows < FEW_TOGETHER) {
        let why = format!("rows of a {key} are compressed together{rows}");
        COLUMNSTORE.avoid(design, why, "longer chunks, or none that are compressed")
    } else {
        let says = format!("columns of a chunk are compressed, rows of a {key} together{rows}");
        COLUMNSTORE.measure(Rank::Likely, design, says)
    };
    vec![advice]
}

/// Returns the smallest round width that divides the whole table into at most so many ranges, or the widest one if all
/// divide it into more.
fn width_of(facts: &Facts, number: f64) -> Option<Width> {
    let column = facts.divided_column()?;
    let span = facts.full_span().filter(|span| *span > 0.0)?;
    at_least(column.kind, span / number).or_else(|| at_most(column.kind, f64::INFINITY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::Load;
    use crate::advice::testing::{avoided, designs, equals, facts, question, range};

    /// Facts with a question for twelve hours of all series.
    fn ranged() -> Facts {
        let mut facts = facts();
        let asked = vec![range("time", Some(12 * 3_600_000))];
        facts.questions = vec![question("half_day", asked)];
        facts
    }

    #[test]
    fn a_time_index_is_for_ranges_of_all_partition_keys() {
        assert_eq!(
            designs(&time_index(&ranged())),
            ["postgres/plain?time-index=on"]
        );
        let mut facts = ranged();
        facts.questions[0].filters.push(equals("series", None));
        assert_eq!(time_index(&facts), []);
        assert_eq!(designs(&begin(&facts)), ["postgres/plain"]);
    }

    #[test]
    fn brin_is_for_rows_that_come_in_order() {
        let mut facts = ranged();
        assert_eq!(
            designs(&brin(&facts)),
            ["postgres/brin", "postgres/brin?pages=32"]
        );
        facts.rows.as_mut().unwrap().in_order = 0.9;
        assert_eq!(brin(&facts), []);
        facts.rows.as_mut().unwrap().in_order = 0.01;
        assert_eq!(avoided(&brin(&facts)), ["postgres/brin"]);
        facts.questions.clear();
        assert_eq!(brin(&facts), []);
    }

    #[test]
    fn the_whole_table_is_divided_into_some_tens_of_parts() {
        let mut facts = ranged();
        // 10,000 rows of ten seconds are 28 hours.
        let expected = ["postgres/partitioned?width=6h"];
        assert_eq!(designs(&partitions(&facts)), expected);
        let advice = chunks(&facts);
        let expected = [
            "timescale/hypertable?chunk=6h",
            "timescale/hypertable?chunk=12h",
            "timescale/hypertable?chunk=1h",
        ];
        assert_eq!(designs(&advice), expected);
        let mut days = facts.clone();
        // Ten seconds are 43.2 here, and 28 hours five days.
        days.rows.as_mut().unwrap().step = Some(43_200.0);
        let advice = chunks(&days);
        assert_eq!(designs(&advice)[1], "timescale/hypertable?chunk=7d");
        assert!(
            matches!(&advice[1], Advice::Measure(c) if c.reason.says.ends_with("about one such chunk")),
            "{advice:?}"
        );
        let mut long = facts.clone();
        // Ten seconds are a year here: a thousand years in each series.
        long.rows.as_mut().unwrap().step = Some(365.0 * 86_400_000.0);
        long.full_rows = 100_000;
        assert_eq!(partitions(&long), []);
        let advice = chunks(&long);
        assert_eq!(designs(&advice)[..1], ["timescale/hypertable?chunk=365d"]);
        assert!(
            matches!(&advice[0], Advice::Measure(c) if c.reason.says.contains("about 1,000 such chunks")),
            "{advice:?}"
        );
        facts.rows = None;
        assert_eq!(partitions(&facts), []);
        assert_eq!(designs(&chunks(&facts)), ["timescale/hypertable?chunk=7d"]);
        facts.table.order_key.clear();
        assert_eq!(chunks(&facts), []);
    }

    #[test]
    fn an_index_that_no_question_uses_is_left_out_to_compare() {
        let advice = chunks(&facts());
        let without = "timescale/hypertable?chunk=6h&time-index=off";
        assert!(designs(&advice).contains(&without), "{advice:?}");
        let mut facts = facts();
        facts.questions[0].wants_newest = true;
        assert!(!designs(&chunks(&facts)).contains(&without));
    }

    #[test]
    fn indexes_of_a_chunk_fit_into_a_quarter_of_the_memory() {
        let mut facts = facts();
        let week = ["timescale/hypertable?chunk=7d"];
        assert_eq!(designs(&chunk_in_memory(&facts)), week);
        // A quarter of it are 16 MiB: 300,000 rows of 56 B, of the 10 that come in a second.
        facts.memory_bytes = 64 << 20;
        let short = ["timescale/hypertable?chunk=6h"];
        assert_eq!(designs(&chunk_in_memory(&facts)), short);
        facts.memory_bytes = 0;
        assert_eq!(chunk_in_memory(&facts), []);
    }

    #[test]
    fn chunks_are_compressed_if_rows_of_a_key_are_together_and_stay_as_they_are() {
        let mut facts = ranged();
        let six_hours = ["timescale/hypertable?chunk=6h&columnstore=on"];
        assert_eq!(designs(&columnstore(&facts)), six_hours);
        facts.load = Some(Load::default());
        assert_eq!(designs(&columnstore(&facts)), six_hours);
        facts.load.as_mut().unwrap().changes_rows = true;
        assert_eq!(columnstore(&facts), []);
        facts.load = None;
        // An hour between two readings of a series: six of them in six hours.
        let rows = facts.rows.as_mut().unwrap();
        (rows.step, facts.full_rows) = (Some(3_600_000.0), 10_000);
        rows.span = Some(99_000_000.0);
        assert_eq!(avoided(&columnstore(&facts)), six_hours);
        facts.rows = None;
        let week = ["timescale/hypertable?chunk=7d&columnstore=on"];
        assert_eq!(designs(&columnstore(&facts)), week);
        facts.questions.clear();
        assert_eq!(columnstore(&facts), []);
    }

    #[test]
    fn nothing_is_proposed_for_a_table_of_very_many_columns() {
        let mut facts = facts();
        assert_ne!(advise(Flavour::Postgres, &facts), []);
        facts.is_wide = true;
        for flavour in [Flavour::Postgres, Flavour::Timescale] {
            assert_eq!(advise(flavour, &facts), []);
        }
    }
}
