//! Estimate of the bytes a second that a disk has to give for a rate of reads.
//!
//! What the server read from the disk while the load lasted is shared out to its reads: to fetch rows is what reading
//! from the disk is for, and compaction goes with it. Beside it is the usual calculation, that each read fetches
//! a whole chunk of compressed data.

use serde::Serialize;

use super::disk::NoDiskForecast;
use super::{DriveDesign, DriveHeader, DriveSummary};
use crate::DesignInfo;

/// Name of the length of a chunk among the options of a table.
const CHUNK_LENGTH: &str = "chunk_length_in_kb";

/// Bytes a second that a design needs from its disk for a rate of reads, estimated.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DiskForReads {
    pub design: String,
    /// Bytes that were read from the disk for each read, compaction and other operations included.
    pub read_per_read: f64,
    /// Bytes a second at that rate.
    pub bytes_per_second: f64,
    /// Uncompressed bytes of a chunk; `None` where the table is not compressed, or its chunks are not known.
    pub chunk_bytes: Option<u64>,
    /// Bytes a second if each read fetched one whole chunk that compression leaves as it is.
    pub chunks_per_second: Option<f64>,
}

impl DriveSummary {
    /// Estimates the bytes a second that each design needs from its disk for this many reads a second. Designs of
    /// which the bytes are not known are left out.
    ///
    /// # Errors
    /// No operation of the load reads, or the bytes of no design are known.
    pub fn disk_for_reads(&self, reads: f64) -> Result<Vec<DiskForReads>, NoDiskForecast> {
        if self.header.operations.iter().all(|o| o.writes) {
            return Err(NoDiskForecast::NoReads);
        }
        let designs = self.designs.iter();
        let known: Vec<DiskForReads> = { designs }
            .filter_map(|design| for_reads(&self.header, design, reads))
            .collect();
        if known.is_empty() {
            return Err(NoDiskForecast::NoBytes);
        }
        Ok(known)
    }
}

fn for_reads(header: &DriveHeader, design: &DriveDesign, reads: f64) -> Option<DiskForReads> {
    let figures = design.figures.as_ref()?;
    let operations = header.operations.iter().zip(&figures.operations);
    let measured: f64 = { operations }
        .filter(|(operation, _)| !operation.writes)
        .map(|(_, figures)| figures.ops_per_second)
        .sum();
    if measured <= 0.0 {
        return None;
    }
    let read_per_read = figures.disk_read_per_op? * figures.ops_per_second / measured;
    let chunk_bytes = chunk_bytes(&design.info);
    Some(DiskForReads {
        design: design.info.id.clone(),
        read_per_read,
        bytes_per_second: read_per_read * reads,
        chunk_bytes,
        chunks_per_second: chunk_bytes.map(|bytes| bytes as f64 * reads),
    })
}

/// Returns the bytes of a chunk of a design's compressed table, by its settings or else its statements.
fn chunk_bytes(info: &DesignInfo) -> Option<u64> {
    let settings = info.settings.iter().map(|(_, value)| value);
    let mut texts = settings.chain(&info.statements);
    texts.find_map(|text| {
        let (_, rest) = text.split_once(CHUNK_LENGTH)?;
        let rest = rest.trim_start_matches(['\'', ':', ' ']);
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        let kib: u64 = digits.parse().ok()?;
        kib.checked_mul(1024)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::testing::*;

    /// A load of 40 reads and 20 inserts a second, in which each operation reads 300 bytes from the disk.
    fn loaded(change: impl Fn(&mut DriveSummary)) -> DriveSummary {
        let dir = folder(&header(), |log| {
            let start = start(1, DESIGN, 1);
            write_trial(log, &start, &even_seconds(30, 40, 20), true);
            finish(log);
        });
        let mut summary = summary(dir.path());
        change(&mut summary);
        summary
    }

    #[test]
    fn bytes_from_the_disk_are_those_of_reads() {
        let found = loaded(|_| {}).disk_for_reads(10_000.0).unwrap().remove(0);
        assert!((found.read_per_read - 450.0).abs() < 1e-9, "{found:?}");
        assert!((found.bytes_per_second - 4.5e6).abs() < 1e-3, "{found:?}");
        assert_eq!((found.chunk_bytes, found.chunks_per_second), (None, None));
    }

    #[test]
    fn whole_chunks_are_calculated_beside_it() {
        let compressed = |text: &str| {
            loaded(|summary| {
                let setting = ("compression".to_owned(), text.to_owned());
                summary.designs[0].info.settings.push(setting);
            })
        };
        let lz4 = compressed("{'class': 'LZ4Compressor', 'chunk_length_in_kb': 256}");
        let found = lz4.disk_for_reads(10_000.0).unwrap().remove(0);
        assert_eq!(found.chunk_bytes, Some(262_144));
        assert_eq!(found.chunks_per_second, Some(2_621_440_000.0));
        for text in ["{'enabled': 'false'}", "{'chunk_length_in_kb': many}"] {
            let found = compressed(text).disk_for_reads(1.0).unwrap().remove(0);
            assert_eq!(found.chunk_bytes, None, "{text}");
        }
    }

    #[test]
    fn the_chunks_of_a_table_as_written_are_in_its_statement() {
        let written = loaded(|summary| {
            summary.designs[0].info.statements = vec![
                "CREATE TABLE t (k int PRIMARY KEY) WITH compression = {'chunk_length_in_kb' : '4'}"
                    .to_owned(),
            ];
        });
        let found = written.disk_for_reads(1.0).unwrap().remove(0);
        assert_eq!(found.chunk_bytes, Some(4096));
    }

    #[test]
    fn loads_without_reads_and_without_bytes_are_refused() {
        let written = loaded(|summary| summary.header.operations[0].writes = true);
        assert_eq!(written.disk_for_reads(1.0), Err(NoDiskForecast::NoReads));
        let unknown = loaded(|summary| {
            let designs = summary.designs.iter_mut();
            for figures in { designs }.filter_map(|d| d.figures.as_mut()) {
                figures.disk_read_per_op = None;
            }
        });
        assert_eq!(unknown.disk_for_reads(1.0), Err(NoDiskForecast::NoBytes));
    }
}
