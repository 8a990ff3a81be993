//! Questions that the rungs leave open: where one design beats another in everything else, these are asked
//! of the two before everything is asked of all.

use super::ALL_LOOKS;
use super::drop::{Kept, beaten, with_control};
use super::tables::{among, input, open_input};
use crate::compare::{Beaten, Claim, Dropped, Header, Record, SummaryError};
use crate::decide::{DecisionInput, NearlyDominated, Scales, gaps_in};

/// Returns the claims that two rungs of this many rows leave open, those about the best designs first. Fewer or
/// more rungs leave none.
///
/// # Errors
/// The records are not those of a run.
pub fn claims(records: &[Record], rungs: &[u64]) -> Result<Vec<Claim>, SummaryError> {
    let header = header(records)?;
    let [fewer, more] = rungs else {
        return Ok(Vec::new());
    };
    let (fewer, more) = (input(records, *fewer)?, input(records, *more)?);
    let Some((fewer, more)) = fewer.as_ref().zip(more.as_ref()) else {
        return Ok(Vec::new());
    };
    let scales = Scales::Below {
        scales: [fewer, more],
        full_rows: header.scale.full_rows,
    };
    let (dropped, kept) = (dropped_before(records), kept(header, records));
    let mut found = NearlyDominated::find(&scales, ALL_LOOKS);
    found.retain(|nearly| {
        let is_out = |id: &String| dropped.iter().any(|dropped| dropped.design == *id);
        !kept.ids.contains(&nearly.design) && !is_out(&nearly.by)
    });
    found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    Ok(found.iter().map(|nearly| claim(nearly, more)).collect())
}

fn claim(nearly: &NearlyDominated, rung: &DecisionInput) -> Claim {
    let rows = rung.measured_rows;
    let at_rung = beaten(&nearly.gaps, rung).into_iter().map(|beaten| Beaten {
        rows: Some(rows),
        ..beaten
    });
    let questions = nearly.open.iter();
    Claim {
        design: nearly.design.clone(),
        by: nearly.by.clone(),
        rows,
        beaten: at_rung.collect(),
        questions: questions
            .map(|question| rung.questions[*question].name.clone())
            .collect(),
    }
}

/// Returns the designs that may be dropped after the open questions were asked.
///
/// # Errors
/// The records are not those of a run.
pub fn open_drops(records: &[Record]) -> Result<Vec<Dropped>, SummaryError> {
    let header = header(records)?;
    let claims = records.iter().rev().find_map(|record| match record {
        Record::OpenQuestions { claims } => Some(claims.as_slice()),
        _ => None,
    });
    let claims = claims.unwrap_or_default();
    let mut dropped: Vec<Dropped> = Vec::new();
    for claim in claims {
        let is_known = dropped.iter().any(|known| known.design == claim.design);
        if !is_known && let Some(shown) = shown(records, header, claim, claims.len())? {
            dropped.push(shown);
        }
    }
    Ok(with_control(dropped, &kept(header, records)))
}

/// Judges a claim, which is one of so many. The margin for larger tables is asked for at any number of rows,
/// since no twin was asked that would show how much tables of one design differ.
fn shown(
    records: &[Record],
    header: &Header,
    claim: &Claim,
    claims: usize,
) -> Result<Option<Dropped>, SummaryError> {
    let pair = (claim.design.as_str(), claim.by.as_str());
    let records = among(records, [pair.0, pair.1]);
    let (rung, own) = (input(&records, claim.rows)?, open_input(&records)?);
    let Some((rung, own)) = rung.as_ref().zip(own.as_ref()) else {
        return Ok(None);
    };
    let scales = Scales::Below {
        scales: [rung, own],
        full_rows: header.scale.full_rows,
    };
    let questions = { header.queries.iter().enumerate() }
        .filter(|(_, query)| claim.questions.contains(&query.name))
        .map(|(index, _)| index);
    let questions: Vec<usize> = questions.collect();
    let gaps = gaps_in(&scales, &questions, pair, ALL_LOOKS * claims);
    Ok(gaps.map(|gaps| {
        let mut beaten = beaten(&gaps, own);
        beaten.extend(claim.beaten.iter().cloned());
        Dropped {
            design: claim.design.clone(),
            by: claim.by.clone(),
            rows: own.measured_rows,
            at_rung: false,
            rounds: Some(own.rounds),
            beaten,
            is_control: false,
        }
    }))
}

fn header(records: &[Record]) -> Result<&Header, SummaryError> {
    match records {
        [Record::Started(header), ..] => Ok(header),
        _ => Err(SummaryError::NoHeader),
    }
}

fn kept(header: &Header, records: &[Record]) -> Kept {
    let decide = header.decide.as_ref();
    let baseline = decide.and_then(|decide| decide.rule.baseline.clone());
    let before = dropped_before(records);
    let ids = before.iter().map(|dropped| dropped.design.clone());
    Kept {
        ids: ids.chain(baseline).collect(),
        has_control: before.iter().any(|dropped| dropped.is_control),
    }
}

/// Returns what the rungs dropped, unless it takes part again.
fn dropped_before(records: &[Record]) -> Vec<&Dropped> {
    let mut before: Vec<&Dropped> = Vec::new();
    for record in records {
        match record {
            Record::Dropped(dropped) if dropped.at_rung => before.push(dropped),
            Record::Returned { design } => before.retain(|dropped| dropped.design != *design),
            _ => {}
        }
    }
    before
}
