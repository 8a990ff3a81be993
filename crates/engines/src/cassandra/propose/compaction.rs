//! Rules on compaction, which shows under a load that writes.

use bakeoff_workload::ColumnType;

use super::base::Base;
use super::sources::{APACHE, HADDAD};
use crate::advice::{Advice, Facts, Rank, Stated, duration, percent};

const UNIFIED: Stated = Stated {
    rule: "unified-compaction",
    source: HADDAD,
};
const LEVELED: Stated = Stated {
    rule: "leveled-compaction",
    source: "Montecristo, the checks of DataStax's consultants, where a read also finds more than 5 SSTables",
};
const WINDOWS: Stated = Stated {
    rule: "time-windows",
    source: "The Last Pickle: 20 to 50 windows within the time to live; against J. Haddad, unified compaction for all",
};
const NO_END: Stated = Stated {
    rule: "windows-without-end",
    source: APACHE,
};

/// The rule on rows that are deleted since they are old, why that goes wrong, and what to do instead.
pub const DELETES: Stated = Stated {
    rule: "delete-to-expire",
    source: HADDAD,
};
pub const WHY_NOT_DELETE: &str = "each leaves a tombstone, which reads pass over and compaction keeps until \
                                  gc_grace_seconds are over";
pub const DELETE_INSTEAD: &str =
    "rows with a time to live and compaction by windows, or a table for each month that is dropped";

/// Share of the operations that write from which on writing decides.
const MOSTLY_WRITES: f64 = 0.5;
/// How many times as many reads as writes make leveled compaction worth its work.
const READS_TO_WRITES: f64 = 10.0;
/// Windows within the time to live, between which experts disagree.
const NUMBERS_OF_WINDOWS: [u64; 3] = [30, 20, 50];
/// Seconds of the shortest window, since windows are rounded to minutes.
const SHORTEST_WINDOW: u64 = 600;

/// Proposes a compaction strategy by the shares of reads and writes.
pub fn strategy(facts: &Facts) -> Vec<Advice> {
    let Some(load) = &facts.load else {
        return Vec::new();
    };
    let base = Base::of(facts);
    let (writes, reads) = (load.writes, 1.0 - load.writes);
    if writes == 0.0 {
        // What is only read is compacted once.
        return Vec::new();
    }
    let shares = format!("{} of the operations write", percent(writes));
    let with = |strategy: &str| base.with("compaction", strategy);
    let mut advice = Vec::new();
    let mostly_reads = reads > READS_TO_WRITES * writes;
    let (tiered, levels) = if writes > MOSTLY_WRITES {
        (Rank::Likely, Rank::Further)
    } else {
        (Rank::Further, Rank::Likely)
    };
    advice.push(UNIFIED.measure(
        tiered,
        with("UCS:T4"),
        format!("{shares}: tiers of four, instead of compaction by size"),
    ));
    advice.push(UNIFIED.measure(
        levels,
        with("UCS:L10"),
        format!("{shares}: levels of ten, in which a read finds fewer SSTables"),
    ));
    let is_series = facts
        .order_column()
        .is_some_and(|c| c.kind == ColumnType::Timestamp);
    if is_series {
        let says = "a time series: tiers of four, then of eight";
        advice.push(UNIFIED.measure(Rank::Further, with("UCS:T4+T8"), says));
    }
    if mostly_reads {
        let says = format!("more than {READS_TO_WRITES} times as many reads as writes");
        advice.push(LEVELED.measure(Rank::Likely, with("LCS"), says));
    }
    advice
}

/// Proposes windows of time for rows that end and are never changed, and names them for other ones.
pub fn windows(facts: &Facts) -> Vec<Advice> {
    let is_series = facts
        .order_column()
        .is_some_and(|c| c.kind == ColumnType::Timestamp);
    let Some(load) = facts
        .load
        .as_ref()
        .filter(|load| is_series && load.writes > 0.0)
    else {
        return Vec::new();
    };
    let base = Base::of(facts);
    let why = match facts.ttl_seconds {
        None => "rows never end, so that no window is ever dropped as a whole",
        Some(_) if load.changes_rows => {
            "rows are changed or deleted later, in another window than they are in"
        }
        Some(seconds) => {
            let numbers = NUMBERS_OF_WINDOWS.into_iter();
            let numbers = numbers.filter(|number| seconds / number >= SHORTEST_WINDOW);
            let windows = numbers.map(|number| {
                let milliseconds = i64::try_from(seconds / number).unwrap_or(i64::MAX);
                let length = duration(milliseconds.saturating_mul(1_000));
                let design = base.with("compaction", &format!("TWCS:{length}"));
                let rank = if number == NUMBERS_OF_WINDOWS[0] {
                    Rank::Likely
                } else {
                    Rank::Further
                };
                let says = format!("rows end and are never changed; {number} windows until then");
                WINDOWS.measure(rank, design, says)
            });
            return windows.collect();
        }
    };
    let instead = format!("unified compaction: {}", base.with("compaction", "UCS:T4"));
    vec![NO_END.avoid(base.with("compaction", "TWCS"), why, instead)]
}

/// Names the deletion of rows of a time series, which a time to live or a dropped window takes less for.
pub fn deletes(facts: &Facts) -> Vec<Advice> {
    let is_series = facts
        .order_column()
        .is_some_and(|c| c.kind == ColumnType::Timestamp);
    let share = facts.load.as_ref().map_or(0.0, |load| load.deletes);
    if !is_series || share == 0.0 {
        return Vec::new();
    }
    let what = format!("DELETE in {} of the operations", percent(share));
    vec![DELETES.avoid(what, WHY_NOT_DELETE, DELETE_INSTEAD)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::Load;
    use crate::advice::testing::{avoided, designs, facts};

    fn written(writes: f64) -> Facts {
        let mut facts = facts();
        facts.load = Some(Load {
            writes,
            ..Load::default()
        });
        facts
    }

    #[test]
    fn a_strategy_is_for_a_load_that_writes() {
        assert_eq!(strategy(&facts()), []);
        assert_eq!(strategy(&written(0.0)), []);
        let ids = |facts: &Facts| {
            let advice = strategy(facts);
            designs(&advice)
                .into_iter()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let mostly_written = ids(&written(0.9));
        assert!(mostly_written.contains(&"cassandra/wide?compaction=UCS:T4".to_owned()));
        let leveled = "cassandra/wide?compaction=LCS".to_owned();
        assert!(!mostly_written.contains(&leveled));
        assert!(ids(&written(0.05)).contains(&leveled));
    }

    #[test]
    fn rows_of_a_time_series_are_not_deleted_one_by_one() {
        let mut facts = written(0.9);
        assert_eq!(deletes(&facts), []);
        facts.load.as_mut().unwrap().deletes = 0.05;
        assert_eq!(
            avoided(&deletes(&facts)),
            ["DELETE in 5.0% of the operations"]
        );
        facts.table.order_key.clear();
        assert_eq!(deletes(&facts), []);
        facts.load = None;
        assert_eq!(deletes(&facts), []);
    }

    #[test]
    fn windows_of_time_are_for_rows_that_end() {
        let mut facts = written(0.9);
        assert_eq!(
            avoided(&windows(&facts)),
            ["cassandra/wide?compaction=TWCS"]
        );
        facts.ttl_seconds = Some(86_400);
        let advice = windows(&facts);
        let expected = [
            "cassandra/wide?compaction=TWCS:48m",
            "cassandra/wide?compaction=TWCS:72m",
            "cassandra/wide?compaction=TWCS:28m",
        ];
        assert_eq!(designs(&advice), expected);
        // Thirty windows would be shorter than ten minutes.
        facts.ttl_seconds = Some(12_000);
        let advice = windows(&facts);
        assert_eq!(designs(&advice), ["cassandra/wide?compaction=TWCS:10m"]);
        facts.ttl_seconds = Some(u64::MAX);
        assert_eq!(designs(&windows(&facts)).len(), 3);
        facts.load.as_mut().unwrap().changes_rows = true;
        let advice = windows(&facts);
        assert!(designs(&advice).is_empty());
        assert_eq!(avoided(&advice), ["cassandra/wide?compaction=TWCS"]);
        facts.load = None;
        assert_eq!(windows(&facts), []);
    }
}
