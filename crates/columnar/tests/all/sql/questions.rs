//! Random queries.

use super::rows::Random;

/// A query, and the part of its answer that is certain.
#[derive(Debug)]
pub struct Question {
    pub sql: String,
    pub in_order: bool,
    /// Whether the choice of rows is open, so that only their number is compared.
    pub any_rows: bool,
}

fn question(sql: String, in_order: bool) -> Question {
    Question {
        sql,
        in_order,
        any_rows: false,
    }
}

fn time(random: &mut Random) -> String {
    format!("to_timestamp_millis({})", random.between(-900, 3500))
}

fn condition(random: &mut Random) -> String {
    let n = random.between(-100, 320);
    let op = *random.pick(&["<", "<=", ">", ">=", "=", "<>"]);
    let series = random.below(10);
    match random.below(32) {
        0..=3 => format!("series = 's{series}'"),
        4 => format!(
            "series IN ('s{series}', 's{}', 's1', 'x')",
            random.below(10)
        ),
        5 => format!("series {op} 's{series}'"),
        6..=8 => format!("time {op} {}", time(random)),
        9..=11 => format!("time BETWEEN {} AND {}", time(random), time(random)),
        12 => format!("time >= {} AND time < {}", time(random), time(random)),
        13 => format!("number = {}", random.below(3)),
        14 => format!("whole {op} {n}"),
        15 => format!("{n} {op} small"),
        16 => format!("value {op} {n}.5"),
        17 => "value IS NULL".to_owned(),
        18 => "small IS NOT NULL".to_owned(),
        19 => format!("word LIKE 'w{}%'", random.below(3)),
        20 => "flag".to_owned(),
        21 => "NOT flag".to_owned(),
        22 => format!("day {op} DATE '1970-02-{:02}'", random.between(1, 28)),
        23 => format!("single BETWEEN 10 AND {n}"),
        24 => format!("small IN ({n}, {}, 7, NULL, 12, 15)", n + 3),
        25 => format!("whole + small > {n}"),
        26 => format!("({} OR {})", condition(random), condition(random)),
        27 => format!("NOT ({} AND {})", condition(random), condition(random)),
        28 => format!(
            "value {op} {}",
            random.pick(&["CAST('NaN' AS DOUBLE)", "CAST('-0' AS DOUBLE)", "0.0"])
        ),
        29 => format!("single {op} CAST({n} AS REAL)"),
        30 => format!("coalesce(small, {n}) {op} 20"),
        _ => "bytes = X'010101'".to_owned(),
    }
}

fn filter(random: &mut Random) -> String {
    let count = *random.pick(&[0, 1, 1, 2, 2, 3]);
    let conditions: Vec<String> = (0..count).map(|_| condition(random)).collect();
    if conditions.is_empty() {
        String::new()
    } else {
        format!("WHERE {}", conditions.join(" AND "))
    }
}

const AGGREGATES: [&str; 24] = [
    "count(*)",
    "count(small)",
    "count(word)",
    "sum(whole)",
    "sum(small)",
    "sum(value)",
    "sum(single)",
    "avg(whole)",
    "avg(small)",
    "avg(value)",
    "avg(single)",
    "min(whole)",
    "max(small)",
    "min(single)",
    "max(single)",
    "min(time)",
    "max(time)",
    "min(day)",
    "max(word)",
    "min(word)",
    "max(series)",
    "min(bytes)",
    "max(flag)",
    "count(series)",
];

fn aggregates(random: &mut Random) -> String {
    let count = random.between(1, 4);
    let mut chosen: Vec<&str> = (0..count).map(|_| *random.pick(&AGGREGATES)).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen.join(", ")
}

fn columns(random: &mut Random) -> &'static str {
    const COLUMNS: [&str; 6] = [
        "*",
        "series, time, number",
        "value, time",
        "word, small",
        "time",
        "flag, bytes",
    ];
    random.pick::<&str>(&COLUMNS)
}

fn limit(random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("LIMIT {}", random.between(0, 4)),
        1 => format!(
            "LIMIT {} OFFSET {}",
            random.between(1, 90),
            random.between(0, 40)
        ),
        _ => String::new(),
    }
}

/// Makes a query with less common parts: filters of aggregates and groups, subqueries, unions,
/// casts, windows.
fn less_common(random: &mut Random, filter: &str) -> Question {
    let (one, other) = (condition(random), condition(random));
    let and = if filter.is_empty() {
        "WHERE".to_owned()
    } else {
        format!("{filter} AND")
    };
    let n = random.between(-100, 320);
    let sql = match random.below(9) {
        0 => format!(
            "SELECT count(*) FILTER (WHERE {one}), max(small) FILTER (WHERE {other}), count(*) \
             FROM t {filter}"
        ),
        1 => format!(
            "SELECT series, count(*) FILTER (WHERE {one}), max(time) FROM t {filter} GROUP BY series"
        ),
        2 => format!(
            "SELECT series, min(time), sum(small) FROM t {filter} GROUP BY series \
             HAVING count(*) > {} AND max(small) > {n}",
            random.between(0, 20)
        ),
        3 => format!(
            "SELECT count(DISTINCT small), sum(DISTINCT whole), min(day), count(DISTINCT series) \
             FROM t {filter}"
        ),
        4 => format!(
            "SELECT count(*), max(small) FROM t {and} series IN (SELECT series FROM t WHERE {one})"
        ),
        5 => format!(
            "SELECT series, time, number FROM t {and} small > (SELECT avg(small) FROM t WHERE {one})"
        ),
        6 => format!(
            "SELECT series, small FROM t {filter} UNION ALL SELECT word, number FROM t WHERE {one}"
        ),
        7 => format!(
            "SELECT CAST(time AS DATE), CAST(small AS DOUBLE) / 2, CAST(flag AS INT) FROM t \
             {and} CAST(small AS BIGINT) < {n} AND CAST(time AS DATE) < DATE '2000-01-01'"
        ),
        _ => format!(
            "SELECT series, time, number, row_number() OVER (PARTITION BY series ORDER BY time, \
             number), lag(small) OVER (PARTITION BY series ORDER BY time, number) FROM t {filter}"
        ),
    };
    question(sql, false)
}

/// Makes a query with one group column, mostly of texts.
fn groups(random: &mut Random, filter: &str) -> Question {
    const OTHERS: [&str; 9] = [
        "count(DISTINCT small)",
        "stddev(value)",
        "sum(small * 2), max(small * 2)",
        "max(upper(word))",
        "count(*) FILTER (WHERE flag)",
        "min(small) FILTER (WHERE word > 'w2')",
        "bool_or(flag)",
        "avg(length(series))",
        "last_value(small ORDER BY time, number, series)",
    ];
    let by = *random.pick(&["series", "word", "bytes", "bytes", "upper(word)", "day"]);
    let some = aggregates(random);
    let other = *random.pick(&OTHERS);
    let having = match random.below(4) {
        0 => format!("HAVING count(*) > {}", random.between(0, 20)),
        1 => format!("HAVING max(small) > {}", random.between(-100, 320)),
        _ => String::new(),
    };
    let sql = format!("SELECT {by}, {some}, {other} FROM t {filter} GROUP BY {by} {having}");
    question(sql, false)
}

pub fn random_question(random: &mut Random) -> Question {
    let filter = filter(random);
    let and = if filter.is_empty() {
        "WHERE".to_owned()
    } else {
        format!("{filter} AND")
    };
    let columns = columns(random);
    let limit = limit(random);
    let series = format!("s{}", random.below(9));
    match random.below(28) {
        0..=3 => question(
            format!("SELECT {} FROM t {filter}", aggregates(random)),
            false,
        ),
        4 => {
            let by = *random.pick(&["series", "word", "number", "flag", "series, number", "day"]);
            let sql = format!(
                "SELECT {by}, count(*), sum(small), max(time), avg(single) FROM t {filter} GROUP BY {by}"
            );
            question(sql, false)
        }
        5 => question(format!("SELECT {columns} FROM t {filter}"), false),
        6 => {
            let way = *random.pick(&["", "DESC"]);
            let order = format!("series {way}, time {way}, number {way}");
            question(
                format!("SELECT {columns} FROM t {filter} ORDER BY {order} {limit}"),
                true,
            )
        }
        7 | 8 => {
            let way = *random.pick(&["", "DESC"]);
            let order = format!("time {way}, number {way}");
            let sql = format!(
                "SELECT {columns} FROM t {and} series = '{series}' ORDER BY {order} {limit}"
            );
            question(sql, true)
        }
        9 => {
            let by = *random.pick(&["whole", "small", "time", "day DESC", "word", "time DESC"]);
            let order = format!("{by}, series, time, number");
            question(
                format!("SELECT {columns} FROM t {filter} ORDER BY {order} {limit}"),
                true,
            )
        }
        10 => {
            let by = *random.pick(&["series", "number", "series, number", "time"]);
            question(format!("SELECT DISTINCT {by} FROM t {filter}"), false)
        }
        11 => question(
            format!(
                "SELECT DISTINCT ON (series) series, time, number, value, word FROM t {filter} ORDER BY series, time DESC, number DESC"
            ),
            true,
        ),
        12 => {
            let by = *random.pick(&["series", "number", "series, number"]);
            let what = *random.pick(&[
                "last_value(small ORDER BY time, number, series)",
                "first_value(word ORDER BY time DESC, number DESC, series DESC)",
                "last_value(small ORDER BY time, series, number), count(*)",
                "last_value(single ORDER BY number, time, series)",
                "first_value(small ORDER BY time, number, series)",
            ]);
            let latest = *random.pick(&["max(time)", "max(number)", "max(time), min(time)"]);
            question(
                format!("SELECT {by}, {what}, {latest} FROM t {filter} GROUP BY {by}"),
                false,
            )
        }
        13 => {
            let sql = format!(
                "SELECT {columns} FROM t {filter} LIMIT {}",
                random.between(0, 60)
            );
            Question {
                sql,
                in_order: false,
                any_rows: true,
            }
        }
        14 => question(
            format!(
                "SELECT count(*), count(value) IS NOT NULL FROM (SELECT * FROM t {filter} LIMIT {})",
                random.between(0, 200)
            ),
            false,
        ),
        15 => {
            let by = *random.pick(&["time DESC", "small", "single DESC", "word", "time"]);
            let (many, few) = (random.between(1, 30), random.between(1, 5));
            let first = format!(
                "SELECT * FROM t {and} series = '{series}' ORDER BY time, number LIMIT {many}"
            );
            let order = format!("{by}, time DESC, number DESC");
            question(
                format!("SELECT * FROM ({first}) ORDER BY {order} LIMIT {few}"),
                true,
            )
        }
        16..=22 => less_common(random, &filter),
        23..=26 => groups(random, &filter),
        _ => question(
            format!(
                "SELECT a.series, a.time, a.number, b.small FROM t a JOIN t b ON a.series = b.series AND a.time = b.time AND a.number < b.number {}",
                filter
                    .replace("series", "a.series")
                    .replace("time ", "a.time ")
                    .replace("number", "a.number")
                    .replace("whole", "a.whole")
                    .replace("small", "b.small")
                    .replace("value", "b.value")
                    .replace("word", "b.word")
                    .replace("flag", "a.flag")
                    .replace("day", "a.day")
                    .replace("single", "a.single")
                    .replace("bytes", "a.bytes")
            ),
            false,
        ),
    }
}
