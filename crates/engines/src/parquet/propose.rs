//! Rules of experts on Parquet files: pure functions from what is known of a workload.

use bakeoff_workload::DesignId;

use super::codec::DEFAULT_ROWS;
use crate::advice::{
    Advice, Facts, Filter, Finds, FoundBy, Question, Rank, Rule, Stated, apply, bytes, count,
    percent,
};
use crate::settings::COLUMNS;

const BY_KEY: Stated = Stated {
    rule: "sorted-files",
    source: "DuckDB's performance guide: rows in the order by which they are found",
};
const CODEC: Stated = Stated {
    rule: "codec",
    source: "DuckDB's performance guide: Zstandard, unless the CPU is what is short",
};
const SORT: Stated = Stated {
    rule: "sort",
    source: "DuckDB's performance guide: sorted by what is filtered, 2.5 times smaller and 1.5 times faster",
};
const FOLDERS: Stated = Stated {
    rule: "folders",
    source: "DuckDB's performance guide: folders by what is filtered, with files of 100 MB to 10 GB",
};
const ROW_GROUPS: Stated = Stated {
    rule: "row-groups",
    source: "DuckDB's performance guide: 100,000 to 1,000,000 rows in a row group, and at least as many groups as \
             threads; against it, smaller ones for questions of few rows",
};

/// Rows of the row groups that are proposed beside those of 131,072 rows: fewer, and more.
const SMALL_GROUP: u64 = 30_720;
const LARGE_GROUP: u64 = 1_048_576;
/// Share of the rows up to which a question finds few.
const FEW_FOUND: f64 = 0.01;
/// Smallest file in bytes, before it is compressed.
const LEAST_FILE: f64 = 100e6;
/// Most folders that are proposed.
const MOST_FOLDERS: u64 = 500;
/// Share of the rows above which sorting by a column skips little.
const MOST_FOUND: f64 = 0.5;
/// Most columns for which there are proposals.
const MOST_COLUMNS: usize = 2;

const RULES: [Rule; 5] = [begin, codec, sort, folders, row_groups];

/// Applies all rules.
pub fn advise(facts: &Facts) -> Vec<Advice> {
    if facts.is_written_in_cql {
        return Vec::new();
    }
    apply(&RULES, facts)
}

/// Proposes the files that others are compared with.
fn begin(facts: &Facts) -> Vec<Advice> {
    let key: Vec<&str> = facts.table.key().collect();
    let says = format!("one file in the order of {}", key.join(", "));
    vec![BY_KEY.measure(Rank::First, "parquet?codec=zstd", says)]
}

/// Proposes the codec that takes less CPU time.
fn codec(_: &Facts) -> Vec<Advice> {
    let says = "larger files than with Zstandard, and less work to read them";
    vec![CODEC.measure(Rank::Likely, "parquet?codec=snappy", says)]
}

/// Proposes to sort by what questions filter instead of by the key.
fn sort(facts: &Facts) -> Vec<Advice> {
    let mut advice = Vec::new();
    let first_of_key = facts.table.key().next();
    if let (Some(name), Some(column)) = (facts.asks_range_of_all(), facts.order_column())
        && is_sorted(facts, &column.name)
        && first_of_key != Some(column.name.as_str())
    {
        let says = format!("{name} asks for a range of {} of all keys", column.name);
        let design = format!("parquet?codec=zstd&sort={}", column.name);
        advice.push(SORT.measure(Rank::Likely, design, says));
    }
    let found = facts.found_by().into_iter();
    let selective = found.filter(|(column, share)| {
        is_sorted(facts, column) && share.is_none_or(|share| share <= MOST_FOUND)
    });
    for (column, share) in selective.take(MOST_COLUMNS) {
        let some = share.map_or("some".to_owned(), percent);
        let says = format!("a question finds {some} of the rows by {column}");
        let design = format!("parquet?codec=zstd&sort={column}");
        advice.push(SORT.measure(Rank::Likely, design, says));
    }
    advice
}

/// Proposes folders by what questions filter, and names those with small files.
fn folders(facts: &Facts) -> Vec<Advice> {
    let Some(rows) = &facts.rows else {
        return Vec::new();
    };
    let mut filtered: Vec<(&str, u64)> = Vec::new();
    if let [key] = &facts.table.partition_key[..] {
        let is_asked = facts
            .question(|q| q.names_partition(&facts.table))
            .is_some();
        let are_known = rows.has_all_partitions || facts.sample.is_some();
        let keys = facts.partition_keys();
        let keys = keys.filter(|_| is_asked && are_known && !rows.partitions_end);
        filtered.extend(keys.map(|keys| (key.as_str(), keys.round() as u64)));
    }
    let found = facts.found_by();
    let found = found.keys().take(MOST_COLUMNS);
    filtered.extend(found.filter_map(|column| Some((*column, *rows.distinct.get(*column)?))));
    let mut advice = Vec::new();
    for (column, values) in filtered.into_iter().filter(|(_, values)| *values > 1) {
        if !is_sorted(facts, column) {
            continue;
        }
        let design = format!("parquet?codec=zstd&partition={column}");
        let file = facts.full_rows as f64 * rows.row_bytes / values as f64;
        let figures = format!(
            "{} folders of about {} before compression",
            count(values as f64),
            bytes(file)
        );
        advice.push(if file >= LEAST_FILE && values <= MOST_FOLDERS {
            FOLDERS.measure(Rank::Further, design, figures)
        } else {
            let instead = format!("one file that is sorted by it: sort={column}, or the key");
            FOLDERS.avoid(design, figures, instead)
        });
    }
    advice
}

/// Proposes smaller row groups for questions of few rows and for more cores than there are groups, and larger ones for
/// questions of all rows.
fn row_groups(facts: &Facts) -> Vec<Advice> {
    let rows = facts.full_rows;
    let cores = u64::from(facts.cores);
    let groups = rows.div_ceil(u64::from(DEFAULT_ROWS));
    let finds_few = |q: &Question| {
        let is_rare = |f: &Filter| f.share.is_some_and(|share| share <= FEW_FOUND);
        q.names_partition(&facts.table) || q.filters.iter().any(is_rare)
    };
    let of_few = facts.question(finds_few).filter(|_| groups > 1);
    let small = if let Some(name) = of_few {
        Some(format!(
            "{name} asks for few of the rows, and smaller groups skip more of the others"
        ))
    } else if groups < cores && rows > SMALL_GROUP {
        Some(format!(
            "of 131,072 rows each there are {groups} groups for {cores} cores"
        ))
    } else {
        None
    };
    let of_all = facts.question(|q| q.is_of_all_rows);
    let large = of_all.filter(|_| rows / LARGE_GROUP >= cores.max(1));
    let large =
        large.map(|name| format!("{name} reads all rows, and larger groups compress better"));
    let measured = [(SMALL_GROUP, small), (LARGE_GROUP, large)].into_iter();
    let measured = measured.filter_map(|(size, says)| Some((size, says?)));
    let advice = measured.map(|(size, says)| {
        ROW_GROUPS.measure(
            Rank::Further,
            format!("parquet?codec=zstd&rows={size}"),
            says,
        )
    });
    advice.collect()
}

/// Returns whether files have statistics of a column, by which parts of them are skipped.
fn is_sorted(facts: &Facts, column: &str) -> bool {
    let column = facts.table.column(column);
    column.is_some_and(|c| c.kind.can_be_key())
}

/// Returns by what a design finds rows: by the highest and lowest values of row groups, where it is sorted by them.
pub fn finds(id: &DesignId) -> Option<Finds> {
    if id.settings.contains_key(COLUMNS) {
        return None;
    }
    let by_columns = ["sort", "partition"].map(|setting| id.settings.get(setting).cloned());
    let by_columns = by_columns.into_iter().flatten().map(FoundBy::Column);
    Some(Finds {
        surely: Vec::new(),
        perhaps: [FoundBy::Key, FoundBy::Order]
            .into_iter()
            .chain(by_columns)
            .collect(),
        has_statistics: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::testing::{avoided, designs, equals, facts, question, range};

    #[test]
    fn both_codecs_are_compared() {
        let advice = advise(&facts());
        let expected = ["parquet?codec=zstd", "parquet?codec=snappy"];
        assert_eq!(designs(&advice), expected);
        let mut written = facts();
        written.is_written_in_cql = true;
        assert_eq!(advise(&written), []);
    }

    #[test]
    fn files_are_sorted_by_what_is_filtered() {
        let mut facts = facts();
        facts.questions = vec![
            question("half_day", vec![range("time", None)]),
            question("faults", vec![equals("status", Some(0.2))]),
            question("most", vec![equals("other", Some(0.8))]),
            question("exact", vec![equals("value", Some(0.001))]),
        ];
        let expected = [
            "parquet?codec=zstd&sort=time",
            "parquet?codec=zstd&sort=status",
        ];
        assert_eq!(designs(&sort(&facts)), expected);
        facts.table.partition_key = vec!["time".to_owned()];
        assert_eq!(designs(&sort(&facts)), ["parquet?codec=zstd&sort=status"]);
    }

    #[test]
    fn row_groups_are_small_for_few_rows_or_many_cores_and_large_for_all_rows() {
        let mut facts = facts();
        let small = ["parquet?codec=zstd&rows=30720"];
        let large = ["parquet?codec=zstd&rows=1048576"];
        // Eight groups for eight cores.
        assert_eq!(row_groups(&facts), []);
        facts.cores = 16;
        assert_eq!(designs(&row_groups(&facts)), small);
        facts.full_rows = 20_000;
        assert_eq!(row_groups(&facts), []);
        facts.full_rows = 100_000_000;
        assert_eq!(designs(&row_groups(&facts)), large);
        for filter in [equals("series", None), equals("status", Some(0.001))] {
            facts.questions = vec![question("few", vec![filter])];
            assert_eq!(designs(&row_groups(&facts)), small);
        }
        facts.questions = vec![question("many", vec![equals("status", Some(0.2))])];
        assert_eq!(row_groups(&facts), []);
    }

    #[test]
    fn folders_are_for_large_files() {
        let mut facts = facts();
        facts.questions = vec![question("faults", vec![equals("status", Some(0.2))])];
        let rows = facts.rows.as_mut().unwrap();
        rows.distinct.insert("status".to_owned(), 4);
        let folders_by_status = ["parquet?codec=zstd&partition=status"];
        // 12.5 MB each.
        assert_eq!(avoided(&folders(&facts)), folders_by_status);
        facts.full_rows = 100_000_000;
        assert_eq!(designs(&folders(&facts)), folders_by_status);
        facts.questions = vec![question("one", vec![equals("series", None)])];
        let advice = folders(&facts);
        // A hundred series of 50 MB.
        assert_eq!(avoided(&advice), ["parquet?codec=zstd&partition=series"]);
        facts.rows = None;
        assert_eq!(folders(&facts), []);
    }
}
