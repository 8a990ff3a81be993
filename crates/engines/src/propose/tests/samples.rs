//! Samples that grow, of which the first rows show a part.

use bakeoff_stats::propose::SameTable;

use super::*;

const MINUTES_OF_EACH: u32 = 60;
const TURBINES: u32 = 40;

/// A workload over a file of three hours that is sorted by turbine, of which each has rows of one hour.
const WORKLOAD: &str = r#"title = "Turbines"
designs = ["memory", "timescale/hypertable?chunk=30d"]

[table]
name = "turbines"
partition_key = ["turbine"]
order_key = ["time"]

[table.columns]
turbine = "text"
time = "timestamp"
power = "double"

[data]
file = "turbines.csv"
GROWTH

[[queries]]
name = "one"
sql = "SELECT turbine, time, power FROM turbines WHERE turbine = 'r1' ORDER BY time"

[scale]
rows = 1000
full_rows = ROWS
replication = 1

[decide]
baseline = "timescale/hypertable?chunk=30d"
"#;

/// What is proposed for the workload that grows so, of which the first rows are read.
async fn grown(growth: &str, full_rows: u64, read: u64) -> Proposals {
    let folder = tempfile::tempdir().unwrap();
    let row = |row: u32| {
        let turbine = row / MINUTES_OF_EACH;
        let minute = turbine * 37 % 121 + row % MINUTES_OF_EACH;
        let (hour, minute) = (minute / 60, minute % 60);
        let power = row % 7;
        format!("r{turbine},2024-01-01T{hour:02}:{minute:02}:00Z,{power}.5\n")
    };
    let rows: String = (0..TURBINES * MINUTES_OF_EACH).map(row).collect();
    let text = format!("turbine,time,power\n{rows}");
    std::fs::write(folder.path().join("turbines.csv"), text).unwrap();
    let text = WORKLOAD.replace("GROWTH", growth);
    let text = text.replace("ROWS", &full_rows.to_string());
    let workload = Workload::parse(&text, &folder.path().join("turbines.toml")).unwrap();
    proposed(&workload, read).await
}

/// Lengths of chunks that are proposed, each with what the first rule says of it.
fn chunks(proposals: &Proposals) -> Vec<(&str, &str)> {
    let begin = "timescale/hypertable?chunk=";
    let chunks = proposals.designs.iter().filter_map(|proposal| {
        let length = proposal.design.strip_prefix(begin)?;
        Some((length, proposal.reasons[0].says.as_str()))
    });
    chunks.filter(|(length, _)| !length.contains('&')).collect()
}

#[tokio::test]
async fn a_month_is_a_month_however_many_series_there_are_and_the_first_rows_show() {
    // Three hours become 30.4 days, and 40 turbines 2,000.
    for read in [400, 65_536] {
        let proposals = grown("grow = \"2000 machines, one month\"", 29_548_315, read).await;
        let told = &proposals.facts[1];
        let expected = "with 2,000 partition keys the largest partition would have about 14,77";
        assert!(told.contains(expected), "{read}: {told}");
        let chunks = chunks(&proposals);
        let expected = "the whole table has about 5 such chunks";
        let is_expected =
            |(length, says): &(&str, &str)| *length == "7d" && says.contains(expected);
        assert!(chunks.iter().any(is_expected), "{read}: {chunks:?}");
    }
}

#[tokio::test]
async fn chunks_of_a_week_and_of_a_month_are_the_same_where_all_rows_are_of_three_hours() {
    let id = |chunk: &str| format!("timescale/hypertable?chunk={chunk}");
    let of_file = grown("", 2_400, 65_536).await;
    let expected = SameTable {
        design: id("7d"),
        measured: id("30d"),
    };
    assert_eq!(of_file.same, [expected]);
    let lengths = |proposals: &Proposals| {
        let chunks = chunks(proposals).into_iter();
        chunks
            .map(|(length, _)| length.to_owned())
            .collect::<Vec<String>>()
    };
    let measured = lengths(&of_file);
    assert!(measured.contains(&"30d".to_owned()) && !measured.contains(&"7d".to_owned()));
    // The lengths differ where the table grows to a month, and may differ where only a part of the file was read.
    let month = grown("grow = \"2000 machines, one month\"", 29_548_315, 65_536).await;
    let unread = grown("", 2_400, 400).await;
    for proposals in [month, unread] {
        assert_eq!(proposals.same, []);
        assert!(lengths(&proposals).contains(&"7d".to_owned()));
    }
}
