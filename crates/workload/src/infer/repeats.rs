//! Says what becomes of rows whose key an earlier row has.

use super::Inferred;

/// Largest share of the rows that are set aside since an earlier row has their key.
pub const MOST_SET_ASIDE: f64 = 0.01;

impl Inferred {
    /// Returns the number of rows that are set aside since an earlier row has their key: 0 if they are kept, since they
    /// are many, or the file has types, of which no rows are set aside.
    pub fn repeats_set_aside(&self) -> u64 {
        let may_be = self.made.is_none() && !self.is_typed && self.repeated > 0.0;
        let rows = self.rows as f64;
        let repeats = (self.repeated * rows).round().max(1.0);
        if may_be && repeats <= MOST_SET_ASIDE * rows {
            repeats as u64
        } else {
            0
        }
    }

    /// Says how many rows are set aside since an earlier row has their key; `None` if there are none.
    pub(super) fn counted_repeats(&self) -> Option<String> {
        let repeats = self.repeats_set_aside();
        let about = if self.counted_one_in > 1 {
            "about "
        } else {
            ""
        };
        let have = if repeats == 1 { "has" } else { "have" };
        let rows = self.rows;
        (repeats > 0).then(|| format!("{about}{repeats} of {rows} rows {have}"))
    }

    /// Describes in a line how often the key repeats, and what becomes of rows that repeat one.
    pub fn repeated_keys(&self) -> Option<String> {
        let key: Vec<&str> = { self.partition_key.iter().chain(&self.order_key) }
            .map(String::as_str)
            .collect();
        let key = key.join(", ");
        if let Some(counted) = self.counted_repeats() {
            return Some(format!(
                "{counted} a key ({key}) that an earlier row has: set aside (repeated_keys), so that all designs hold \
                 the same rows. `repeated_keys = \"keep\"` in the workload loads them, too: Cassandra and columnar \
                 tables keep the last row of a key, so that designs which do cannot be chosen. Or name other columns \
                 with --key"
            ));
        }
        let counted = if self.counted_one_in > 1 {
            format!(" (estimated from one in {} keys)", self.counted_one_in)
        } else {
            String::new()
        };
        (self.repeated > 0.0).then(|| {
            format!(
                "{} of the rows repeat the key ({key}) of an earlier row{counted}: Cassandra and columnar tables keep \
                 the last row of each key only, so that such designs cannot be chosen; name other columns with --key",
                percent(self.repeated)
            )
        })
    }
}

/// Returns a share in percent, with a digit after the point where it is small.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 0.1 {
        "less than 0.1%".to_owned()
    } else if percent < 10.0 {
        format!("{percent:.1}%")
    } else if percent > 99.0 && share < 1.0 {
        // Rounded down, since it is not all.
        format!("{:.1}%", (percent * 10.0).floor() / 10.0)
    } else {
        format!("{percent:.0}%")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::{Asked, infer};
    use crate::{Workload, source};

    /// A file with a row each minute and, at its end, so many that repeat the first keys.
    fn text(rows: u32, repeats: u32) -> String {
        let line = |row: u32, value: u32| {
            let (hour, minute) = (row / 60 % 24, row % 60);
            format!(
                "a,2024-01-{:02}T{hour:02}:{minute:02}:00Z,{value}\n",
                1 + row / 1440
            )
        };
        let all = (0..rows).map(|row| line(row, row));
        let again = (0..repeats).map(|row| line(row, rows + row));
        "sensor,time,value\n".to_owned() + &all.chain(again).collect::<String>()
    }

    /// Returns what is told of a file, its workload, and the number of rows that are loaded.
    fn loaded(text: &str) -> (Inferred, String, u64) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.csv");
        std::fs::write(&path, text).unwrap();
        let found = infer(&path, &Asked::default()).unwrap();
        let written = found.workload("x.csv", &["memory".to_owned()], &[]);
        let workload = Workload::parse(&written, &folder.path().join("w.toml"));
        let workload = workload.unwrap_or_else(|error| panic!("{error}\n{written}"));
        let source = source::open(&workload, None).unwrap();
        let rows = source.count_rows(u64::MAX).unwrap().unwrap();
        (found, written, rows)
    }

    #[test]
    fn few_rows_that_repeat_a_key_are_set_aside_and_many_are_kept() {
        for (rows, repeats, written) in [(399, 1, true), (396, 4, true), (395, 5, false)] {
            let (found, workload, loaded) = loaded(&text(rows, repeats));
            let aside = if written { repeats } else { 0 };
            assert_eq!(found.repeats_set_aside(), u64::from(aside));
            assert_eq!(loaded, u64::from(400 - aside), "{workload}");
            assert_eq!(found.rows_that_fit(), loaded);
            assert!(
                workload.contains(&format!("\nrows = {loaded} ")),
                "{workload}"
            );
            for line in ["repeated_keys = \"set aside\"\n", "bad_rows = \"2%\"\n"] {
                assert_eq!(workload.contains(line), written, "{workload}");
            }
            let told = found.repeated_keys().unwrap();
            assert_eq!(
                told.contains("`repeated_keys = \"keep\"`"),
                written,
                "{told}"
            );
            assert!(told.contains("cannot be chosen"), "{told}");
        }
        let (found, workload, _) = loaded(&text(400, 0));
        assert_eq!(
            (found.repeated_keys(), found.repeats_set_aside()),
            (None, 0)
        );
        assert!(!workload.contains("repeated_keys"), "{workload}");
    }

    #[test]
    fn few_repeats_among_more_keys_than_find_the_key_are_counted_all_the_same() {
        let days = 31 * 1440;
        let mut all = text(days, 0);
        for sensor in ["b", "c"] {
            let others = text(days, 0).replace("\na,", &format!("\n{sensor},"));
            all.push_str(others.split_once('\n').unwrap().1);
        }
        all.push_str("c,2024-01-07T08:09:00Z,5\n");
        let (found, _, loaded) = loaded(&all);
        assert_eq!((found.counted_one_in, found.repeats_set_aside()), (1, 1));
        assert_eq!(loaded, 3 * u64::from(days));
    }

    #[test]
    fn rows_of_a_file_with_types_are_kept() {
        let (mut found, ..) = loaded(&text(399, 1));
        found.is_typed = true;
        assert_eq!(found.repeats_set_aside(), 0);
        let told = found.repeated_keys().unwrap();
        let expected = "of the rows repeat the key (sensor, time) of an earlier row";
        assert!(told.contains(expected), "{told}");
        assert!(told.contains("--key"), "{told}");
    }

    #[test]
    fn shares_are_written_in_percent() {
        assert_eq!(percent(0.000_1), "less than 0.1%");
        assert_eq!(percent(0.11), "11%");
        assert_eq!(percent(0.0101), "1.0%");
        assert_eq!(percent(0.999_9), "99.9%", "not all");
        assert_eq!(percent(1.0), "100%");
    }
}
