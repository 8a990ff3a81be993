//! Loads with questions beside them.

use bakeoff_stats::drive::{
    AskedBeside, Beside, BesideQuestion, BesideRecord, DriveHeader, DriveRecord,
};

use super::writer::{Shape, Writer};
use super::{DESIGNS, Load, Result, design, header};

/// Designs that answer in turn in [`answered_by_several`], in the order of their names.
const ANSWERING: [&str; 3] = [
    "spark/cassandra/wide",
    "local/columnar",
    "parquet?codec=zstd",
];

/// One design in five rounds of two loads each, of which the one with questions is two thirds as fast and has a
/// failed question in the last round.
pub fn questions() -> Result<Load> {
    Load::write(&asking(&[]), |writer| {
        for round in 1..=5 {
            trial(writer, round, (450, 64_000), None)?;
            let trial = trial(writer, round, (300, 96_000), Some(None))?;
            let mut asked = asked(&[1.5, 1.7, 2.5]);
            if round == 5 {
                asked.failed = 1;
                asked.messages = vec!["no memory <left>".to_owned()];
            }
            record(writer, round, trial, asked)?;
        }
        writer.finish()
    })
}

/// One design in five rounds of four loads each: Spark costs it a third of its operations, the two others little and
/// about the same.
pub fn answered_by_several() -> Result<Load> {
    Load::write(&asking(&ANSWERING), |writer| {
        for round in 1..=5 {
            trial(writer, round, (450, 64_000), None)?;
            let columnar = if round % 2 == 1 { 425 } else { 435 };
            let loads = [(300, 96_000), (columnar, 68_000), (430, 67_000)];
            let times = [[2.5, 2.6, 2.7], [0.4, 0.5, 0.6], [0.2, 0.3, 0.4]];
            for ((load, by), times) in loads.into_iter().zip(ANSWERING).zip(times) {
                let trial = trial(writer, round, load, Some(Some(by)))?;
                record(writer, round, trial, asked(&times))?;
            }
        }
        writer.finish()
    })
}

fn asking(answering: &[&str]) -> DriveHeader {
    DriveHeader {
        designs: vec![design(DESIGNS[0])],
        beside: Some(Beside {
            designs: answering.iter().map(|id| design(id)).collect(),
            driven: false,
            questions: vec![BesideQuestion {
                name: "question 1".to_owned(),
                sql: "SELECT count(*) AS n FROM keyvalue WHERE value < 'b'".to_owned(),
            }],
            compared: !answering.is_empty(),
        }),
        ..header("as fast as it goes", None)
    }
}

/// Writes a load of so many operations a second, each of which takes so many microseconds: without questions, or with
/// those that a design answers, or the driven one.
fn trial(
    writer: &mut Writer<'_>,
    round: u32,
    (rate, service_us): (u64, u64),
    answered_by: Option<Option<&str>>,
) -> Result<u32> {
    writer.answered_by = answered_by.flatten().map(str::to_owned);
    writer.trial(&Shape {
        design: DESIGNS[0],
        round,
        schedule: "as fast as it goes",
        even: true,
        scheduled_rate: None,
        rate: rate + u64::from(round),
        service_us,
        read_bytes: 5_100,
        warm_up: 0,
        stall: None,
        beside: answered_by.is_some(),
    })
}

fn asked(seconds: &[f64]) -> AskedBeside {
    let mut asked = AskedBeside {
        name: "question 1".to_owned(),
        unfinished: 1,
        ..AskedBeside::default()
    };
    asked.set_times(seconds);
    asked
}

fn record(writer: &mut Writer<'_>, round: u32, trial: u32, asked: AskedBeside) -> Result<()> {
    writer.log.append(&DriveRecord::Beside(BesideRecord {
        trial,
        design: DESIGNS[0].to_owned(),
        round,
        questions: vec![asked],
    }))?;
    Ok(())
}
