//! The run of the fixture with designs that differ in the rows of a page alone, and without twins.

use bakeoff_stats::*;

use super::fixture;

/// Design without the setting; the others have its records, with other times and bytes.
const OTHERS: &str = "cassandra/blob";
/// Rows of a page of [`OTHERS`].
const DEFAULT: &str = "5000";

/// Rows of a page, and what times and bytes are multiplied by.
pub type Page = (&'static str, f64, f64);

const PAGES: [Page; 4] = [
    ("50000", 0.8, 1.0),
    ("100", 3.7, 1.1),
    ("1000", 1.4, 1.02),
    ("80000", 0.81, 1.0),
];

pub fn summary() -> Result<Summary, SummaryError> {
    Summary::from_records(&records())
}

pub fn records() -> Vec<Record> {
    records_of(&PAGES)
}

pub fn records_of(pages: &[Page]) -> Vec<Record> {
    let mut records = fixture::records();
    records.retain(|record| !is_of_twin(record));
    let mut further = Vec::new();
    for page in pages {
        further.extend(records.iter().filter_map(|record| of_page(record, *page)));
    }
    if let Some(Record::Started(header)) = records.first_mut() {
        let mut paged = Vec::new();
        for info in header.designs.iter_mut().filter(|d| d.id == OTHERS) {
            paged.extend(
                pages
                    .iter()
                    .map(|(page, ..)| with_page(info, id(page), page)),
            );
            *info = with_page(info, info.id.clone(), DEFAULT);
        }
        header.designs.extend(paged);
    }
    let last = records.len() - 1;
    records.splice(last..last, further);
    records
}

fn id(page: &str) -> String {
    format!("{OTHERS}?page={page}")
}

fn with_page(info: &DesignInfo, id: String, page: &str) -> DesignInfo {
    let page = ("page".to_owned(), format!("{page} rows"));
    DesignInfo {
        id,
        settings: info.settings.iter().cloned().chain([page]).collect(),
        ..info.clone()
    }
}

fn is_of_twin(record: &Record) -> bool {
    let is_twin = |design: &str| design.ends_with("#twin");
    match record {
        Record::Instances { .. } => true,
        Record::Created { design } | Record::Settled { design, .. } => is_twin(design),
        Record::Loaded(slice) => is_twin(&slice.design),
        Record::Footprint(footprint) => is_twin(&footprint.design),
        Record::Answered(answered) => is_twin(&answered.design),
        Record::Timed(timing) => is_twin(&timing.design),
        _ => false,
    }
}

/// Makes the record of a page from that of the design without the setting.
fn of_page(record: &Record, (page, times, bytes): Page) -> Option<Record> {
    let id = id(page);
    match record.clone() {
        Record::Created { design } if design == OTHERS => Some(Record::Created { design: id }),
        Record::Settled {
            design,
            seconds,
            how,
        } if design == OTHERS => Some(Record::Settled {
            design: id,
            seconds,
            how,
        }),
        Record::Loaded(slice) if slice.design == OTHERS => Some(Record::Loaded(LoadSlice {
            design: id,
            ..slice
        })),
        Record::Footprint(footprint) if footprint.design == OTHERS => {
            let more = |own: u64| (own as f64 * bytes).round() as u64;
            Some(Record::Footprint(Footprint {
                design: id,
                file_bytes: footprint.file_bytes.map(more),
                ..footprint
            }))
        }
        Record::Answered(answered) if answered.design == OTHERS => {
            Some(Record::Answered(Answered {
                design: id,
                ..answered
            }))
        }
        Record::Timed(timing) if timing.design == OTHERS => Some(Record::Timed(Timing {
            design: id,
            seconds: timing.seconds * times,
            ..timing
        })),
        _ => None,
    }
}
