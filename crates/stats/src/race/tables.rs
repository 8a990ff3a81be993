//! Some tables of a run, taken for those of a run that has no others.

use crate::compare::{Header, Instance, OPEN_ROUND, Record, Summary, SummaryError};
use crate::decide::{AnswerClass, DecisionInput};

/// Tables that are taken for those of the designs.
struct Tables<'a> {
    rows: u64,
    /// The id of each table, with the design that it is of.
    ids: Vec<(String, &'a str)>,
    /// The first of the rounds that count.
    first_round: u32,
}

/// Returns what a decision between the smaller tables of the designs would be made from. Returns `None`
/// if none is loaded.
pub fn input(records: &[Record], rows: u64) -> Result<Option<DecisionInput>, SummaryError> {
    let tables = Tables {
        rows,
        ids: ids(records, |design| Instance::smaller(design, rows).id),
        first_round: 0,
    };
    tables.input(records)
}

/// Returns the same of the designs' own tables, by the rounds of open questions alone.
pub fn open_input(records: &[Record]) -> Result<Option<DecisionInput>, SummaryError> {
    let ids = ids(records, str::to_owned);
    let loaded = records.iter().filter_map(|record| match record {
        Record::Loaded(slice) if ids.iter().any(|(id, _)| *id == slice.design) => {
            Some(slice.first_row + slice.rows)
        }
        _ => None,
    });
    let rows = loaded.max().unwrap_or(0);
    let tables = Tables {
        rows,
        ids,
        first_round: OPEN_ROUND,
    };
    tables.input(records)
}

/// Returns the records with no other designs in their header, so that [`input`] and [`open_input`] take these
/// alone.
pub fn among(records: &[Record], designs: [&str; 2]) -> Vec<Record> {
    let mut records = records.to_vec();
    if let Some(Record::Started(header)) = records.first_mut() {
        let is_among = |id: &str| designs.contains(&id);
        header.designs.retain(|design| is_among(&design.id));
    }
    records
}

/// Returns the ids that the tables of all designs have.
fn ids(records: &[Record], of: impl Fn(&str) -> String) -> Vec<(String, &str)> {
    let designs = header(records).map_or(&[][..], |header| header.designs.as_slice());
    { designs.iter() }
        .map(|design| (of(&design.id), design.id.as_str()))
        .collect()
}

fn header(records: &[Record]) -> Option<&Header> {
    match records {
        [Record::Started(header), ..] => Some(header),
        _ => None,
    }
}

impl Tables<'_> {
    fn input(&self, records: &[Record]) -> Result<Option<DecisionInput>, SummaryError> {
        let own: Vec<Record> = records
            .iter()
            .filter_map(|record| self.renamed(record))
            .collect();
        let mut input = Summary::from_records(&own)?.decision_input();
        let answers = { input.iter_mut() }.flat_map(|input| &mut input.designs);
        for answer in answers.flat_map(|design| &mut design.answers) {
            // A small table may hold no row of what is asked. Looking for it is work all the same.
            if answer.class == AnswerClass::AlwaysEmpty {
                answer.class = AnswerClass::ByKey;
            }
        }
        Ok(input)
    }

    /// Returns the record as one of the design itself, if it is about one of these tables.
    fn renamed(&self, record: &Record) -> Option<Record> {
        let mut record = record.clone();
        match &mut record {
            Record::Started(header) => {
                header.scale.full_rows = self.rows;
                return Some(record);
            }
            Record::Created { design }
            | Record::Settled { design, .. }
            | Record::Failed { design, .. } => *design = self.design(design)?,
            Record::Loaded(slice) => slice.design = self.design(&slice.design)?,
            Record::Footprint(size) => size.design = self.design(&size.design)?,
            Record::Answered(answer) => answer.design = self.design(&answer.design)?,
            Record::Timed(timing) => {
                timing.design = self.design(&timing.design)?;
                timing.round = timing.round.checked_sub(self.first_round)?;
            }
            _ => return None,
        }
        Some(record)
    }

    fn design(&self, table: &str) -> Option<String> {
        let found = self.ids.iter().find(|(id, _)| id == table);
        found.map(|(_, design)| (*design).to_owned())
    }
}
