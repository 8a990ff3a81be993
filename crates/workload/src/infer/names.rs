//! Names of columns and tables that every engine takes without quotes.

use std::collections::{HashMap, HashSet};

use crate::check::usable_name;

/// Words that SQL or CQL reserves, so that a name may not be one of them without quotes.
const RESERVED: [&str; 141] = [
    "add",
    "all",
    "allow",
    "alter",
    "analyse",
    "analyze",
    "and",
    "any",
    "apply",
    "array",
    "as",
    "asc",
    "asymmetric",
    "authorization",
    "authorize",
    "batch",
    "begin",
    "between",
    "binary",
    "both",
    "by",
    "case",
    "cast",
    "check",
    "collate",
    "collation",
    "column",
    "columnfamily",
    "commit",
    "concurrently",
    "constraint",
    "create",
    "cross",
    "current_date",
    "current_time",
    "current_timestamp",
    "current_user",
    "default",
    "deferrable",
    "delete",
    "desc",
    "describe",
    "distinct",
    "do",
    "drop",
    "else",
    "end",
    "entries",
    "except",
    "execute",
    "exists",
    "false",
    "fetch",
    "for",
    "foreign",
    "freeze",
    "from",
    "full",
    "grant",
    "group",
    "having",
    "if",
    "ilike",
    "in",
    "index",
    "infinity",
    "initially",
    "inner",
    "insert",
    "intersect",
    "interval",
    "into",
    "is",
    "isnull",
    "join",
    "keyspace",
    "lateral",
    "leading",
    "left",
    "like",
    "limit",
    "localtime",
    "localtimestamp",
    "materialized",
    "modify",
    "nan",
    "natural",
    "norecursive",
    "not",
    "notnull",
    "null",
    "of",
    "offset",
    "on",
    "only",
    "or",
    "order",
    "outer",
    "overlaps",
    "partition",
    "placing",
    "primary",
    "qualify",
    "references",
    "rename",
    "replace",
    "returning",
    "revoke",
    "right",
    "row",
    "rows",
    "schema",
    "select",
    "session_user",
    "set",
    "similar",
    "some",
    "symmetric",
    "table",
    "then",
    "to",
    "token",
    "trailing",
    "true",
    "truncate",
    "union",
    "unique",
    "unlogged",
    "unset",
    "update",
    "use",
    "user",
    "using",
    "values",
    "variadic",
    "verbose",
    "view",
    "when",
    "where",
    "window",
    "with",
];

/// Beginnings and ends of names that say which rows belong together.
const LIKE_KEYS: [&str; 28] = [
    "id", "uuid", "key", "code", "name", "series", "metric", "host", "hostname", "sensor",
    "station", "device", "site", "symbol", "ticker", "city", "country", "state", "region", "room",
    "location", "airport", "origin", "vehicle", "truck", "user", "carrier", "flight",
];

/// Words of names of whole numbers that are parts of a time, or groups.
const LIKE_GROUPS: [&str; 16] = [
    "year", "yr", "month", "mon", "day", "week", "quarter", "decade", "hour", "minute", "second",
    "age", "zip", "rank", "index", "number",
];

/// Most characters of a name, since PostgreSQL takes 63 bytes.
const MOST_CHARACTERS: usize = 60;

/// Returns a name for a column or table that is called so elsewhere, or for one without a usable name.
pub fn name(written: &str, otherwise: &str) -> String {
    let usable = usable_name(written.trim()).or_else(|| usable_name(&format!("c {written}")));
    let usable = usable.filter(|name| name != "c" || written.trim().eq_ignore_ascii_case("c"));
    let mut name = usable.unwrap_or_else(|| otherwise.to_owned());
    name.truncate(MOST_CHARACTERS);
    if is_reserved(&name) {
        name.push('_');
    }
    name
}

/// Returns whether SQL or CQL reserves a word, in any letter case, so that it is a name only in quotes.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word.to_ascii_lowercase().as_str())
}

/// Returns whether a column's name says that its values name something, and measure nothing.
pub fn is_like_key(name: &str) -> bool {
    let mut words = name.split('_');
    let last = words.next_back().unwrap_or_default();
    let first = words.next().unwrap_or(last);
    let like = |word: &str| LIKE_KEYS.contains(&word) || word.ends_with("id");
    like(last) || like(first)
}

/// Returns whether a column's name says that its numbers are parts of a time, groups or names of something, rather than
/// measured.
pub fn is_like_group(name: &str) -> bool {
    is_like_key(name) || name.split('_').any(|word| LIKE_GROUPS.contains(&word))
}

/// Returns whether a column's name says that its values, of which so many are different, are parts of a time.
pub fn is_part_of_time(name: &str, distinct: u64) -> bool {
    let most = match name.rsplit('_').next().unwrap_or_default() {
        "year" | "yr" => 300,
        "quarter" => 4,
        "month" | "mon" => 12,
        "week" => 54,
        "day" | "weekday" => 31,
        "hour" | "hr" => 25,
        "minute" | "second" => 60,
        _ => return false,
    };
    distinct <= most
}

/// Returns names for the columns of a file, of which no two are the same. Those that are names already keep them, and
/// others that would be called so get a number.
pub fn columns(written: &[String]) -> Vec<String> {
    let wanted: Vec<String> = { written.iter().enumerate() }
        .map(|(index, written)| name(written, &format!("column_{}", index + 1)))
        .collect();
    let mut taken = HashSet::new();
    let mut names: Vec<Option<String>> = Vec::with_capacity(written.len());
    for (written, wanted) in written.iter().zip(&wanted) {
        let keeps = written.trim().to_lowercase() == *wanted && taken.insert(wanted.clone());
        names.push(keeps.then(|| wanted.clone()));
    }
    // The last number of each name that several columns want.
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let named = names.into_iter().zip(&wanted).map(|(kept, wanted)| {
        kept.unwrap_or_else(|| {
            let number = numbers.entry(wanted.as_str()).or_insert(1);
            let mut free = wanted.clone();
            while !taken.insert(free.clone()) {
                *number += 1;
                free = format!("{wanted}_{number}");
            }
            free
        })
    });
    named.collect()
}

/// Says which columns of a file got a number behind their name since another one is called so; `None` if none did.
pub fn numbered(written: &[String], names: &[String]) -> Option<String> {
    let both = written.iter().zip(names).enumerate();
    let numbered = both.filter_map(|(index, (written, given))| {
        let wanted = name(written, &format!("column_{}", index + 1));
        (wanted != *given).then(|| format!("`{}` is `{given}`", written.trim()))
    });
    let numbered: Vec<String> = numbered.collect();
    (!numbered.is_empty()).then(|| {
        format!(
            "{}, since in plain letters the name is that of another column",
            numbered.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Read;

    use bakeoff_servers::cassandra::Release;
    use zip::ZipArchive;

    use super::*;
    use crate::java::java_with_cassandra;

    #[test]
    fn names_can_be_written_without_quotes() {
        for (written, expected) in [
            ("Flight Date", "flight_date"),
            ("Cost: Total $", "cost_total"),
            ("2019", "c_2019"),
            ("order", "order_"),
            ("User", "user_"),
            ("c", "c"),
            ("", "none"),
            ("***", "none"),
            ("Z\u{e4}hler", "zahler"),
            ("Gr\u{f6}\u{df}e (m)", "grosse_m"),
            ("D\u{e9}bit", "debit"),
        ] {
            assert_eq!(name(written, "none"), expected, "{written}");
        }
        assert!(name(&"x".repeat(200), "none").len() <= MOST_CHARACTERS + 1);
    }

    /// Compares them with the lists in the jars of both releases.
    #[tokio::test]
    async fn a_word_that_cassandra_reserves_is_no_name() {
        for release in [Release::Five, Release::Four] {
            let Some((_, class_path)) = java_with_cassandra(release).await else {
                return;
            };
            let mut jars = class_path.split(':');
            let jar = jars.find(|jar| jar.contains("/cassandra-all-")).unwrap();
            let mut jar = ZipArchive::new(File::open(jar).unwrap()).unwrap();
            let mut list = jar
                .by_name("org/apache/cassandra/cql3/reserved_keywords.txt")
                .unwrap();
            let mut words = String::new();
            list.read_to_string(&mut words).unwrap();
            assert!(words.lines().count() > 50, "{words}");
            for word in words.lines() {
                assert!(is_reserved(word.trim()), "{release:?} reserves {word}");
            }
        }
    }

    #[test]
    fn parts_of_times_are_told_by_their_name_and_their_number() {
        assert!(is_part_of_time("month", 12) && is_part_of_time("start_hour", 24));
        assert!(!is_part_of_time("month", 13) && !is_part_of_time("month_name_of", 12));
    }

    #[test]
    fn no_two_columns_have_the_same_name() {
        let written = ["a b", "A_B", "", "a-b", "1"].map(str::to_owned);
        assert_eq!(
            columns(&written),
            ["a_b_2", "a_b", "column_3", "a_b_3", "c_1"]
        );
        // Letters of other alphabets are left out.
        let written = [
            "Zahler",
            "Z\u{e4}hler",
            "\u{422}\u{435}\u{43c}\u{43f}",
            "\u{3b8}\u{3ad}\u{3c3}\u{3b7}",
            "\u{422} 1",
            "\u{3b8} 1",
        ];
        assert_eq!(
            columns(&written.map(str::to_owned)),
            ["zahler", "zahler_2", "column_3", "column_4", "c_1", "c_1_2"]
        );
    }

    #[test]
    fn a_plain_name_is_kept_and_others_are_numbered() {
        let written = [
            "Stra\u{df}e",
            "strasse",
            "Gr\u{f6}\u{df}e",
            "Grosse",
            "grosse_2",
        ];
        let written = written.map(str::to_owned);
        let names = columns(&written);
        assert_eq!(
            names,
            ["strasse_2", "strasse", "grosse_3", "grosse", "grosse_2"]
        );
        let note = numbered(&written, &names).unwrap();
        let begin = "`Stra\u{df}e` is `strasse_2`, `Gr\u{f6}\u{df}e` is `grosse_3`, since ";
        assert!(note.starts_with(begin), "{note}");
        assert_eq!(
            numbered(&written[1..3], &["strasse", "grosse"].map(str::to_owned)),
            None
        );
        // A word that is reserved is no name, either.
        let written = ["order", "order_"].map(str::to_owned);
        assert_eq!(columns(&written), ["order__2", "order_"]);
    }
}
