//! Plans of queries: what a design's engine says that it does for them.

use serde::{Deserialize, Serialize};

/// Plan of a query on a design, asked for once and outside of any clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    pub design: String,
    pub query: String,
    pub plan: QueryPlan,
}

/// What is known of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum QueryPlan {
    /// The engine told it.
    Known {
        /// What made the plan, such as `DataFusion` or `PostgreSQL`.
        by: String,
        /// Lines of text without control characters.
        text: String,
        /// Whether its end was cut off.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_cut: bool,
    },
    /// The engine could not tell it; says why.
    Unknown { reason: String },
}

impl QueryPlan {
    /// Largest number of bytes of a plan's text that are kept.
    pub const MOST_BYTES: usize = 16 << 10;

    /// Makes a plan of what an engine told: without control characters, and no longer than
    /// [`QueryPlan::MOST_BYTES`].
    pub fn told(by: &str, text: &str) -> QueryPlan {
        let (text, is_cut) = kept(text);
        QueryPlan::Known {
            by: by.to_owned(),
            text,
            is_cut,
        }
    }

    /// Makes a plan that an engine could not tell for this reason, which is cleaned and cut as a plan is.
    pub fn unknown(reason: &str) -> QueryPlan {
        QueryPlan::Unknown {
            reason: kept(reason).0,
        }
    }

    /// Returns whether the plan says that no row of any table or file is read. Only DuckDB is known to say so: it
    /// computes the answer from its statistics while it plans, and scans nothing but the rows of that answer.
    pub fn reads_no_row(&self) -> bool {
        let QueryPlan::Known {
            by,
            text,
            is_cut: false,
        } = self
        else {
            return false;
        };
        let operators = text.split(|c: char| !c.is_ascii_uppercase() && c != '_');
        let mut scans = operators
            .filter(|word| word.ends_with("_SCAN") || word.starts_with("READ_"))
            .peekable();
        by == "DuckDB" && scans.peek().is_some() && scans.all(|scan| scan == "COLUMN_DATA_SCAN")
    }

    /// Returns the same without what [`QueryPlan::told`] and [`QueryPlan::unknown`] leave out. Those that are read
    /// from a journal may have been written by anyone.
    pub fn cleaned(&self) -> QueryPlan {
        match self {
            QueryPlan::Known { by, text, is_cut } => {
                let (text, is_cut_now) = kept(text);
                QueryPlan::Known {
                    by: kept(by).0,
                    text,
                    is_cut: *is_cut || is_cut_now,
                }
            }
            QueryPlan::Unknown { reason } => QueryPlan::unknown(reason),
        }
    }
}

/// Returns what is kept of a text, and whether its end was cut off.
pub(super) fn kept(text: &str) -> (String, bool) {
    let mut text = cleaned(text);
    let is_cut = text.len() > QueryPlan::MOST_BYTES;
    let mut end = text.len().min(QueryPlan::MOST_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    (text, is_cut)
}

/// Returns a text with spaces in place of tabs and without other control characters than the ends of lines.
fn cleaned(text: &str) -> String {
    let kept = text.chars().filter_map(|character| match character {
        '\n' => Some('\n'),
        '\t' => Some(' '),
        character => (!character.is_control()).then_some(character),
    });
    kept.collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(plan: &QueryPlan) -> (&str, bool) {
        match plan {
            QueryPlan::Known { text, is_cut, .. } => (text, *is_cut),
            QueryPlan::Unknown { .. } => panic!("{plan:?}"),
        }
    }

    #[test]
    fn nothing_that_a_terminal_acts_on_is_kept() {
        let plan = QueryPlan::told("DuckDB", "\u{1b}[31mScan\r\n\tof t\u{7}\u{9b}2J\n\n");
        assert_eq!(text(&plan), ("[31mScan\n of t2J", false));
        let reason = "gone\u{1b}]0;x\u{7}".to_owned();
        let cleaned = QueryPlan::Unknown {
            reason: "gone]0;x".to_owned(),
        };
        assert_eq!(QueryPlan::unknown(&reason), cleaned);
        assert_eq!(QueryPlan::Unknown { reason }.cleaned(), cleaned);
        let from_journal = QueryPlan::Known {
            by: "Duck\u{1b}DB".to_owned(),
            text: "\u{1b}[31mScan".to_owned(),
            is_cut: true,
        };
        let cleaned = QueryPlan::Known {
            by: "DuckDB".to_owned(),
            text: "[31mScan".to_owned(),
            is_cut: true,
        };
        assert_eq!(from_journal.cleaned(), cleaned);
    }

    #[test]
    fn an_answer_that_was_computed_while_it_was_planned_reads_no_row() {
        let constant = "┌───────────┐\n│ COLUMN_DATA_SCAN │\n│ ~1 row │\n└───────────┘";
        let table =
            "│ UNGROUPED_AGGREGATE │\n│ count_star() │\n│ SEQ_SCAN │\n│ Table: memory.main.t │";
        let file = "│ PROJECTION │\n│ READ_PARQUET │\n│ Function: │\n│ READ_PARQUET │";
        let list = "│ HASH_JOIN │\n│ SEQ_SCAN ││ COLUMN_DATA_SCAN │";
        assert!(QueryPlan::told("DuckDB", constant).reads_no_row());
        for plan in [table, file, list, "│ EMPTY_RESULT │"] {
            assert!(!QueryPlan::told("DuckDB", plan).reads_no_row(), "{plan}");
        }
        assert!(!QueryPlan::told("PostgreSQL", constant).reads_no_row());
        assert!(!QueryPlan::unknown(constant).reads_no_row());
    }

    #[test]
    fn a_long_plan_is_cut_between_characters() {
        let long = "a".to_owned() + &"é".repeat(QueryPlan::MOST_BYTES);
        let plan = QueryPlan::told("PostgreSQL", &long);
        let (text, is_cut) = text(&plan);
        assert!(is_cut);
        assert_eq!(text.len(), QueryPlan::MOST_BYTES - 1);
        assert!(long.starts_with(text));
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        for plan in [
            QueryPlan::told("Spark", "*(1) Scan"),
            QueryPlan::Unknown {
                reason: "gone".to_owned(),
            },
        ] {
            let planned = Planned {
                design: "a".to_owned(),
                query: "q".to_owned(),
                plan,
            };
            let record = crate::Record::Planned(planned);
            let json = serde_json::to_string(&record).unwrap();
            assert_eq!(
                serde_json::from_str::<crate::Record>(&json).unwrap(),
                record
            );
        }
    }
}
