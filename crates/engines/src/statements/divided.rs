//! How statements of SQL divide a table: into chunks of TimescaleDB, or into partitions of PostgreSQL.

use bakeoff_workload::ColumnType;

use super::asked_table::AskedTable;
use super::asking::Language;
use super::moments::{milliseconds, window};
use super::table::{TableStatement, Written};
use super::words::{is, is_sign, name, table_at, words};
use crate::dialect::tokens::{Kind, Token};
use crate::live::duration;

/// The width of chunks where a statement names none.
const USUAL_CHUNK: &str = "7d";
/// Microseconds of a second, in which TimescaleDB counts a width that is a number.
const MICROSECONDS: u64 = 1_000_000;
/// Functions that set when chunks are compressed.
const COMPRESS: [&str; 2] = ["add_compression_policy", "add_columnstore_policy"];

/// Gives tables that statements divide the designs that are divided alike, and notes what no design has.
pub fn divide(tables: &mut [TableStatement], statements: &[Written<'_>]) {
    let all = statements
        .iter()
        .filter_map(|statement| Some((statement.line, words(statement.sql)?)));
    let all: Vec<(usize, Vec<Token<'_>>)> = all.collect();
    for (line, tokens) in &all {
        if let Some(by) = partitioned_by(tokens) {
            let made = tables.iter_mut().find(|table| table.line == *line);
            if let Some(table) = made {
                let of = table.asked();
                let first = all.iter().find(|(_, other)| is_partition(other, &of));
                let first = first.map(|(_, tokens)| tokens.as_slice());
                partition(table, by.as_deref(), first);
            }
        }
        if let Some(called) = call(tokens, &["create_hypertable"])
            && let Some(table) = find(tables, called.table.as_ref())
        {
            chunk(table, &called);
        }
        if let Some(of) = compressed(tokens)
            && let Some(table) = find(tables, Some(&of))
        {
            table.notes.push(format!(
                "`{}`: line {line} compresses chunks of TimescaleDB, which is not taken over: add columnstore=on to a \
                 design of timescale/hypertable",
                table.place
            ));
        }
    }
}

fn find<'a>(
    tables: &'a mut [TableStatement],
    of: Option<&AskedTable>,
) -> Option<&'a mut TableStatement> {
    let of = of?;
    tables.iter_mut().find(|table| table.asked().may_be(of))
}

/// Returns the column by whose ranges a statement divides the table that it makes; `Some(None)` if it divides it
/// otherwise, `None` if not at all.
fn partitioned_by(tokens: &[Token<'_>]) -> Option<Option<String>> {
    if !is(tokens.first(), "create") {
        return None;
    }
    let at = (0..tokens.len())
        .find(|at| is(tokens.get(*at), "partition") && is(tokens.get(at + 1), "by"))?;
    let column = name(tokens.get(at + 4));
    let is_plain = is(tokens.get(at + 2), "range")
        && is_sign(tokens.get(at + 3), '(')
        && is_sign(tokens.get(at + 5), ')');
    Some(column.filter(|_| is_plain))
}

/// Returns whether a statement makes or attaches a partition of this table.
fn is_partition(tokens: &[Token<'_>], of: &AskedTable) -> bool {
    let has = |one: &str, two: &str| {
        (0..tokens.len()).find(|at| is(tokens.get(*at), one) && is(tokens.get(at + 1), two))
    };
    let whole = if let Some(at) = has("partition", "of") {
        table_at(tokens, at + 2)
    } else if has("attach", "partition").is_some() {
        let at = if is(tokens.get(2), "only") { 3 } else { 2 };
        table_at(tokens, at)
    } else {
        None
    };
    whole.is_some_and(|(table, _)| table.may_be(of))
}

/// Gives a table the design of PostgreSQL that is partitioned alike. `first` is the statement of its first partition.
fn partition(table: &mut TableStatement, by: Option<&str>, first: Option<&[Token<'_>]>) {
    let order = table
        .order_key
        .first()
        .filter(|order| by == Some(order.as_str()));
    let kind = order.and_then(|order| table.kind(order));
    let bounds = first.and_then(bounds);
    let width = bounds.and_then(|(low, high)| match kind {
        Some(ColumnType::Timestamp) => {
            let (low, high) = (time(low)?, time(high)?);
            (low < high).then(|| window(Some(low), Some(high)))
        }
        _ => {
            let (low, high): (i64, i64) = (low.parse().ok()?, high.parse().ok()?);
            let width = high.checked_sub(low).filter(|width| *width > 0)?;
            Some(width.to_string())
        }
    });
    let design = match (kind, width) {
        (Some(ColumnType::Timestamp | ColumnType::Int | ColumnType::Bigint), Some(width)) => {
            Some(format!("postgres/partitioned?width={width}"))
        }
        (Some(ColumnType::Timestamp), None) => Some("postgres/partitioned".to_owned()),
        _ => None,
    };
    if design.is_some() {
        table.design = design;
        return;
    }
    table.notes.push(format!(
        "`{}` has a PARTITION BY that is not taken over: postgres/partitioned is divided by ranges of the first column \
         that orders rows",
        table.place
    ));
}

fn time(text: &str) -> Option<i64> {
    milliseconds(text, Language::Sql)
}

/// Returns the bounds that a statement gives a partition.
fn bounds<'a>(tokens: &[Token<'a>]) -> Option<(&'a str, &'a str)> {
    let value = |keyword: &str| {
        let at = tokens
            .windows(2)
            .position(|two| is(two.first(), keyword) && is_sign(two.get(1), '('))?;
        let token = tokens.get(at + 2)?;
        let is_value = matches!(token.kind, Kind::Text | Kind::Number);
        is_value.then(|| token.text.trim_matches('\''))
    };
    Some((value("from")?, value("to")?))
}

/// A call of a function of TimescaleDB.
struct Call<'a> {
    table: Option<AskedTable>,
    /// The column with the times.
    column: Option<&'a str>,
    /// The width of its chunks as a length of time.
    length: Option<String>,
    /// The same as a number.
    number: Option<&'a str>,
}

/// Returns the call of one of these functions that a statement is; `None` if it is another one.
fn call<'a>(tokens: &[Token<'a>], functions: &[&str]) -> Option<Call<'a>> {
    let is_called = |at: &usize| {
        let is_it = functions
            .iter()
            .any(|function| is(tokens.get(*at), function));
        is_it && is_sign(tokens.get(at + 1), '(')
    };
    let at = (0..tokens.len()).find(is_called)?;
    let inside = &tokens[at + 2..];
    let texts = inside.iter().filter(|token| token.kind == Kind::Text);
    let mut texts = texts.map(|token| token.text.trim_matches('\''));
    let table = texts.next().map(AskedTable::parse);
    let column = texts.next();
    let named = ["chunk_time_interval", "partition_interval"];
    let is_named = |token: &Token<'_>| named.iter().any(|name| is(Some(token), name));
    // Behind the name are `=>` or `:=`; without it the number is behind the column of by_range.
    let begin = inside
        .iter()
        .position(is_named)
        .map(|at| at + 1)
        .or_else(|| {
            let at = inside
                .iter()
                .position(|token| is(Some(token), "by_range"))?;
            Some(at + 3)
        });
    let behind = begin
        .and_then(|begin| inside.get(begin..))
        .unwrap_or_default();
    let is_sign = |token: &Token<'_>| matches!(token.kind, Kind::Sign('=' | '>' | ':' | ','));
    let first = behind.iter().find(|token| !is_sign(token));
    let number = first.filter(|token| token.kind == Kind::Number);
    Some(Call {
        table,
        column,
        length: texts.find_map(width),
        number: number.map(|token| token.text),
    })
}

/// Gives a table the design of TimescaleDB with chunks of the same width.
fn chunk(table: &mut TableStatement, called: &Call<'_>) {
    let order = table
        .order_key
        .first()
        .filter(|order| called.column == Some(order.as_str()));
    let kind = order.and_then(|order| table.kind(order));
    let width = match kind {
        Some(ColumnType::Timestamp) => {
            let seconds = called.number.and_then(|number| number.parse::<u64>().ok());
            let of_number = seconds.map(|number| duration((number / MICROSECONDS).max(1)));
            let width = called.length.clone().or(of_number);
            Some(width.unwrap_or_else(|| USUAL_CHUNK.to_owned()))
        }
        Some(ColumnType::Int | ColumnType::Bigint) => called.number.map(str::to_owned),
        _ => None,
    };
    match width {
        Some(width) => table.design = Some(format!("timescale/hypertable?chunk={width}")),
        None => table.notes.push(format!(
            "`{}` is a hypertable of TimescaleDB, which is not taken over: timescale/hypertable has chunks of the first \
             column that orders rows; name it with --time",
            table.place
        )),
    }
}

/// Returns the table whose chunks a statement compresses; `None` if it does not.
fn compressed(tokens: &[Token<'_>]) -> Option<AskedTable> {
    if let Some(called) = call(tokens, &COMPRESS) {
        return called.table;
    }
    let is_setting = |three: &[Token<'_>]| {
        let of = is(three.first(), "timescaledb") && is_sign(three.get(1), '.');
        let called = three.get(2).map(|token| token.text.to_ascii_lowercase());
        of && called
            .is_some_and(|called| called.contains("compress") || called.contains("columnstore"))
    };
    if !is(tokens.first(), "alter") || !tokens.windows(3).any(is_setting) {
        return None;
    }
    let before = ["table", "if", "exists", "only"];
    let is_before = |token: &&Token<'_>| before.iter().any(|word| is(Some(*token), word));
    let at = 1 + tokens.iter().skip(1).take_while(is_before).count();
    table_at(tokens, at).map(|(table, _)| table)
}

/// Returns a length of time such as `1 day` as a design writes it; `None` if it is none.
fn width(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let number: u64 = words.next()?.parse().ok()?;
    let unit = words.next()?.to_ascii_lowercase();
    let seconds = match unit.trim_end_matches('s') {
        "year" => 365 * 86_400,
        "month" | "mon" => 30 * 86_400,
        "week" => 7 * 86_400,
        "day" => 86_400,
        "hour" => 3_600,
        "minute" | "min" => 60,
        "second" | "sec" => 1,
        _ => return None,
    };
    let all = number.checked_mul(seconds).filter(|all| *all > 0)?;
    words.next().is_none().then(|| duration(all))
}

#[cfg(test)]
mod tests {
    use super::super::StatementsFile;
    use super::*;

    /// Returns the design that is like the only table of statements, and its notes.
    fn of(text: &str) -> (Option<String>, Vec<String>) {
        let file = StatementsFile::parse(text, Language::Sql).unwrap();
        let declared = file.declared(Some("r"), "x.sql", &[], None).unwrap();
        (declared.origin.design, declared.notes)
    }

    const TABLE: &str =
        "CREATE TABLE public.r (a text, at timestamptz, v int, PRIMARY KEY (a, at))";

    #[test]
    fn hypertables_have_chunks_of_the_same_width() {
        for (call, width) in [
            (
                "create_hypertable('r', 'at', chunk_time_interval => INTERVAL '1 day')",
                "1d",
            ),
            (
                "create_hypertable('public.r', by_range('at', INTERVAL '12 hours'))",
                "12h",
            ),
            (
                "create_hypertable('r', 'at', chunk_time_interval => 3600000000)",
                "1h",
            ),
            ("create_hypertable('r', by_range('at', 60000000))", "1m"),
            ("create_hypertable('r', 'at')", "7d"),
        ] {
            let (design, notes) = of(&format!("{TABLE};\nSELECT {call};"));
            let expected = format!("timescale/hypertable?chunk={width}");
            assert_eq!(design.as_deref(), Some(expected.as_str()), "{call}");
            assert!(notes.is_empty(), "{notes:?}");
        }
        let (design, notes) = of(&format!("{TABLE};\nSELECT create_hypertable('r', 'v');"));
        assert_eq!(design.as_deref(), Some("postgres/plain"));
        assert!(notes[0].contains("name it with --time"), "{notes:?}");
    }

    #[test]
    fn compression_is_told() {
        for statement in [
            "ALTER TABLE r SET (timescaledb.compress, timescaledb.compress_segmentby = 'a')",
            "SELECT add_compression_policy('r', INTERVAL '7 days')",
        ] {
            let (_, notes) = of(&format!("{TABLE};\n{statement};"));
            assert_eq!(notes.len(), 1, "{notes:?}");
            assert!(
                notes[0].starts_with("`public.r`: line 2 compresses"),
                "{notes:?}"
            );
        }
    }

    #[test]
    fn partitions_by_ranges_of_time_are_a_design_and_others_are_told() {
        let month = "CREATE TABLE r_1 PARTITION OF public.r FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');";
        for (by, then, design) in [
            ("RANGE (at)", month, "postgres/partitioned?width=31d"),
            ("RANGE (at)", "", "postgres/partitioned"),
            (
                "RANGE (at)",
                "ALTER TABLE ONLY public.r ATTACH PARTITION p FOR VALUES FROM ('2026-01-01') TO ('2026-01-02');",
                "postgres/partitioned?width=1d",
            ),
        ] {
            let (found, notes) = of(&format!("{TABLE} PARTITION BY {by};\n{then}"));
            assert_eq!(found.as_deref(), Some(design), "{notes:?}");
            assert!(notes.is_empty(), "{notes:?}");
        }
        for by in ["RANGE (v)", "LIST (a)", "RANGE (date_trunc('day', at))"] {
            let (found, notes) = of(&format!("{TABLE} PARTITION BY {by};"));
            assert_eq!(found.as_deref(), Some("postgres/plain"), "{by}");
            assert!(notes[0].contains("is not taken over"), "{notes:?}");
        }
    }
}
