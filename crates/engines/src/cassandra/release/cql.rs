//! Words of CQL that are new in Cassandra 5.0.

/// Classes of indexes and of compaction.
const CLASSES: [&str; 2] = ["storageattachedindex", "unifiedcompactionstrategy"];
/// Short names of indexes after USING, which the release before takes for custom ones only.
const SHORT_NAMES: [&str; 2] = ["sai", "legacy_local_table"];
/// Functions, but for those that turn values into blobs and back.
const FUNCTIONS: [&str; 33] = [
    "abs",
    "collection_avg",
    "collection_count",
    "collection_max",
    "collection_min",
    "collection_sum",
    "current_date",
    "current_time",
    "current_timestamp",
    "current_timeuuid",
    "exp",
    "from_json",
    "log",
    "log10",
    "map_keys",
    "map_values",
    "mask_default",
    "mask_hash",
    "mask_inner",
    "mask_null",
    "mask_outer",
    "mask_replace",
    "max_timeuuid",
    "maxwritetime",
    "min_timeuuid",
    "round",
    "similarity_cosine",
    "similarity_dot_product",
    "similarity_euclidean",
    "to_date",
    "to_json",
    "to_timestamp",
    "to_unix_timestamp",
];
/// Words after which a name stands, even if a bracket follows: `INSERT INTO log (...)`.
const BEFORE_NAMES: [&str; 9] = [
    "aggregate",
    "exists",
    "function",
    "into",
    "on",
    "table",
    "type",
    "update",
    "view",
];

/// Returns the first word of a statement that CQL has only since 5.0.
pub fn new_in_five(statement: &str) -> Option<String> {
    let statement = statement.to_ascii_lowercase();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut rest, mut previous, mut quotes) = (statement.as_str(), "", 0);
    while let Some(start) = rest.find(is_part) {
        let (gap, from) = rest.split_at(start);
        let end = from.find(|c: char| !is_part(c)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        quotes += gap.matches('\'').count();
        let follows = after.trim_start();
        let is_new = if quotes % 2 == 1 {
            is_new_in_text(word, gap, previous)
        } else {
            is_new_word(word, follows)
                || names_function(gap, previous) && is_new_call(word, follows)
        };
        if is_new {
            return Some(word.to_owned());
        }
        (rest, previous) = (after, word);
    }
    None
}

/// Returns whether a word in quotes names something new: a class, or an index where one is made.
fn is_new_in_text(word: &str, gap: &str, previous: &str) -> bool {
    let is_first = gap.ends_with('\'');
    CLASSES.contains(&word) || is_first && previous == "using" && SHORT_NAMES.contains(&word)
}

fn is_new_word(word: &str, follows: &str) -> bool {
    match word {
        "vector" => follows.starts_with('<'),
        "masked" => follows.starts_with("with"),
        _ => false,
    }
}

/// Returns whether a word in this place may be a function's name, and not that of a table or a column.
fn names_function(gap: &str, previous: &str) -> bool {
    !gap.ends_with(['.', '"']) && !BEFORE_NAMES.contains(&previous)
}

fn is_new_call(word: &str, follows: &str) -> bool {
    let converts = word.starts_with("blob_as_") || word.ends_with("_as_blob");
    follows.starts_with('(') && (converts || FUNCTIONS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_is_found() {
        for (statement, word) in [
            (
                "CREATE TABLE ks.t (k int PRIMARY KEY, v vector<float, 3>)",
                "vector",
            ),
            (
                "CREATE TABLE ks.t (k int PRIMARY KEY, v text MASKED WITH DEFAULT)",
                "masked",
            ),
            (
                "CREATE CUSTOM INDEX ON ks.t (v) USING 'StorageAttachedIndex'",
                "storageattachedindex",
            ),
            (
                "CREATE CUSTOM INDEX ON ks.t (v) USING\n 'org.apache.cassandra.index.sai.StorageAttachedIndex'",
                "storageattachedindex",
            ),
            ("CREATE INDEX i ON ks.t (v) USING 'sai'", "sai"),
            (
                "CREATE INDEX i ON ks.t (v) USING 'legacy_local_table'",
                "legacy_local_table",
            ),
            (
                "ALTER TABLE ks.t WITH compaction = {'class': 'UnifiedCompactionStrategy'}",
                "unifiedcompactionstrategy",
            ),
            (
                "SELECT similarity_cosine(v, ?) FROM ks.t",
                "similarity_cosine",
            ),
            ("SELECT k, round (v) FROM ks.t", "round"),
            (
                "INSERT INTO ks.t (k, v) VALUES (?, text_as_blob(?))",
                "text_as_blob",
            ),
            (
                "SELECT v FROM ks.t WHERE k = ? AND t > to_timestamp(now())",
                "to_timestamp",
            ),
        ] {
            assert_eq!(new_in_five(statement).as_deref(), Some(word), "{statement}");
        }
    }

    #[test]
    fn what_both_releases_have_is_not() {
        for statement in [
            "",
            "CREATE TABLE ks.log (k int, abs int, vector list<double>, PRIMARY KEY (k, abs))",
            "INSERT INTO log (k, round) VALUES (?, ?)",
            "CREATE TABLE IF NOT EXISTS round (k int PRIMARY KEY)",
            "INSERT INTO ${keyspace}.log (k, v) VALUES (?, 'exp (1) using sai')",
            "SELECT toTimestamp(now()), textAsBlob(v), avg(v), floor(t, 1h) FROM ks.t",
            "CREATE CUSTOM INDEX ON ks.t (v) USING 'org.apache.cassandra.index.sasi.SASIIndex'",
            "CREATE INDEX ON log (v)",
        ] {
            assert_eq!(new_in_five(statement), None, "{statement}");
        }
    }
}
