//! Histograms of a trial in the HdrHistogram log format, version 1.3, which the tools of the
//! HdrHistogram project read. Each second and operation has one line of response times, tagged with
//! the operation's name, and one of service times, tagged `NAME.service`. Values are nanoseconds;
//! the column of maxima is in milliseconds, as those tools write it.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{
    IntervalLogHistogram, IntervalLogIterator, IntervalLogWriterBuilder, LogEntry, Tag,
};
use hdrhistogram::serialization::{V2DeflateSerializer, V2Serializer};

use super::Tally;
use crate::JournalError;
use crate::histogram_text;
use crate::lines::{io_error, sync_folder};
use crate::system::{call, write_all};

const FOLDER: &str = "trials";
const LEGEND: &str = "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\
                      \"Interval_Compressed_Histogram\"\n";
const NANOSECONDS_PER_MILLISECOND: f64 = 1e6;

/// Writes the log of a trial.
#[derive(Debug)]
pub struct HistogramLog {
    path: PathBuf,
    file: File,
    buffer: Vec<u8>,
    /// Bytes of whole seconds; after a failed write the file can have more.
    length: u64,
    torn: bool,
}

impl HistogramLog {
    /// Returns the path of a trial's log: `trials/NNN.hlog` in the run folder.
    pub fn path(dir: &Path, trial: u32) -> PathBuf {
        dir.join(FOLDER).join(format!("{trial:03}.hlog"))
    }

    /// Begins the log of a trial that started at this moment.
    ///
    /// # Errors
    /// The file exists, or cannot be written.
    pub fn create(path: &Path, started_at: SystemTime) -> Result<HistogramLog, JournalError> {
        let folder = path.parent().unwrap_or(Path::new("."));
        call(|| fs::create_dir_all(folder)).map_err(io_error("create the folder", folder))?;
        let mut options = OpenOptions::new();
        options.append(true).create_new(true);
        let file = call(|| options.open(path)).map_err(io_error("create", path))?;
        let mut log = HistogramLog {
            path: path.to_owned(),
            file,
            buffer: Vec::new(),
            length: 0,
            torn: false,
        };
        log.begin(started_at).map_err(io_error("write to", path))?;
        log.flush()?;
        sync_folder(folder)?;
        Ok(log)
    }

    fn begin(&mut self, started_at: SystemTime) -> std::io::Result<()> {
        IntervalLogWriterBuilder::new()
            .add_comment("[Histogram log format version 1.3]")
            .add_comment("[Logged by Bakeoff; values are nanoseconds, maxima milliseconds]")
            .with_start_time(started_at)
            .with_base_time(started_at)
            .begin_log_with(&mut self.buffer, &mut V2Serializer::new())?;
        self.buffer.extend_from_slice(LEGEND.as_bytes());
        Ok(())
    }

    /// Writes one second of all operations; it is on the disk when this returns.
    ///
    /// # Errors
    /// The disk is full or failed.
    pub fn write(
        &mut self,
        second: u32,
        operations: &[String],
        tallies: &[Tally],
    ) -> Result<(), JournalError> {
        let mut serializer = V2DeflateSerializer::new();
        for (tags, tally) in tags(operations).iter().zip(tallies) {
            for (tag, histogram) in tags.iter().zip([&tally.response, &tally.service]) {
                let line = line(tag, second, histogram, &mut serializer)
                    .map_err(io_error("write a histogram to", &self.path))?;
                self.buffer.extend_from_slice(line.as_bytes());
            }
        }
        self.flush()
    }

    fn flush(&mut self) -> Result<(), JournalError> {
        let written = self.write_buffer();
        self.buffer.clear();
        written.map_err(io_error("write to", &self.path))
    }

    fn write_buffer(&mut self) -> std::io::Result<()> {
        if self.torn {
            call(|| self.file.set_len(self.length))?;
        }
        self.torn = true;
        write_all(&self.file, &self.buffer)?;
        call(|| self.file.sync_data())?;
        self.torn = false;
        self.length += self.buffer.len() as u64;
        Ok(())
    }
}

fn line(
    tag: &str,
    second: u32,
    histogram: &Histogram<u64>,
    serializer: &mut V2DeflateSerializer,
) -> std::io::Result<String> {
    let max = histogram.max() as f64 / NANOSECONDS_PER_MILLISECOND;
    let histogram = histogram_text::encode(histogram, serializer).map_err(std::io::Error::other)?;
    Ok(format!(
        "Tag={tag},{second}.000,1.000,{max:.3},{histogram}\n"
    ))
}

/// Returns the tags of each operation's response and service times. All tags differ, and none has a
/// character that the format forbids.
fn tags(operations: &[String]) -> Vec<[String; 2]> {
    let mut taken: Vec<[String; 2]> = Vec::new();
    for name in operations {
        let allowed: String = name
            .chars()
            .map(|c| {
                if Tag::new(c.encode_utf8(&mut [0; 4])).is_some() {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        let tags = (1..)
            .map(|n| match n {
                1 => allowed.clone(),
                n => format!("{allowed}-{n}"),
            })
            .map(|tag| [tag.clone(), format!("{tag}.service")])
            .find(|tags| !taken.iter().flatten().any(|t| tags.contains(t)));
        taken.extend(tags);
    }
    taken
}

/// Histograms of one second; all other fields of its tallies are empty.
#[derive(Debug)]
pub struct LoggedSecond {
    pub second: u32,
    /// Tallies in the order of the operations.
    pub tallies: Vec<Tally>,
}

/// Reads a log second by second, without what was torn by a kill or a power cut at its end.
#[derive(Debug)]
pub struct HistogramLogReader {
    path: PathBuf,
    file: BufReader<File>,
    offset: u64,
    tags: Vec<[String; 2]>,
    /// First line of the next second.
    ahead: Option<LoggedLine>,
}

#[derive(Debug)]
struct LoggedLine {
    second: u32,
    /// Indices of the operation, and of response (0) or service (1); `None` for a line of another
    /// program.
    position: Option<(usize, usize)>,
    histogram: Histogram<u64>,
}

impl HistogramLogReader {
    /// Opens a log for reading.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open(path: &Path, operations: &[String]) -> Result<HistogramLogReader, JournalError> {
        let file = File::open(path).map_err(io_error("read", path))?;
        Ok(HistogramLogReader {
            path: path.to_owned(),
            file: BufReader::new(file),
            offset: 0,
            tags: tags(operations),
            ahead: None,
        })
    }

    fn next_second(&mut self) -> Result<Option<LoggedSecond>, JournalError> {
        let first = match self.ahead.take() {
            Some(line) => line,
            None => match self.next_line()? {
                Some(line) => line,
                None => return Ok(None),
            },
        };
        let mut logged = LoggedSecond {
            second: first.second,
            tallies: vec![Tally::default(); self.tags.len()],
        };
        self.add(&mut logged, &first)?;
        while let Some(line) = self.next_line()? {
            if line.second != logged.second {
                self.ahead = Some(line);
                break;
            }
            self.add(&mut logged, &line)?;
        }
        Ok(Some(logged))
    }

    fn add(&self, logged: &mut LoggedSecond, line: &LoggedLine) -> Result<(), JournalError> {
        let Some((operation, kind)) = line.position else {
            return Ok(());
        };
        let tally = &mut logged.tallies[operation];
        let into = [&mut tally.response, &mut tally.service];
        let [response, service] = into;
        let into = if kind == 0 { response } else { service };
        into.add(&line.histogram)
            .map_err(|_| self.damaged("it has times above an hour"))
    }

    fn next_line(&mut self) -> Result<Option<LoggedLine>, JournalError> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = self
                .file
                .read_until(b'\n', &mut line)
                .map_err(io_error("read", &self.path))?;
            if line.last() != Some(&b'\n') {
                return Ok(None);
            }
            if line.contains(&0) {
                return if self.rest_is_of_one_second()? {
                    Ok(None)
                } else {
                    Err(self.damaged("a line has zeros"))
                };
            }
            match IntervalLogIterator::new(&line).next() {
                Some(Ok(LogEntry::Interval(interval))) => {
                    let decoded = self.decode(&interval)?;
                    self.offset += read as u64;
                    return Ok(Some(decoded));
                }
                Some(Err(_)) => return Err(self.damaged("a line is not one of the format")),
                // A comment, a legend, or the time that seconds count from.
                _ => self.offset += read as u64,
            }
        }
    }

    /// Reads on to the end after a line with zeros, which the format does not have. Returns whether all lines that
    /// follow are of one second. So they are after a power cut, which leaves zeros in place of blocks that were
    /// never written: a second is on the disk before the next one is written.
    fn rest_is_of_one_second(&mut self) -> Result<bool, JournalError> {
        let (mut line, mut second) = (Vec::new(), None);
        loop {
            line.clear();
            self.file
                .read_until(b'\n', &mut line)
                .map_err(io_error("read", &self.path))?;
            if line.last() != Some(&b'\n') {
                return Ok(true);
            }
            if line.contains(&0) {
                continue;
            }
            match IntervalLogIterator::new(&line).next() {
                Some(Ok(LogEntry::Interval(interval))) => {
                    let this = interval.start_timestamp();
                    if *second.get_or_insert(this) != this {
                        return Ok(false);
                    }
                }
                _ => return Ok(false),
            }
        }
    }

    fn decode(&self, interval: &IntervalLogHistogram) -> Result<LoggedLine, JournalError> {
        let histogram = histogram_text::decode(interval.encoded_histogram())
            .map_err(|reason| self.damaged(&reason))?;
        let tag = interval.tag().map_or("", |tag| tag.as_str());
        let position = self.tags.iter().enumerate().find_map(|(operation, tags)| {
            let kind = tags.iter().position(|t| t == tag)?;
            Some((operation, kind))
        });
        Ok(LoggedLine {
            second: u32::try_from(interval.start_timestamp().as_secs()).unwrap_or(u32::MAX),
            position,
            histogram,
        })
    }

    fn damaged(&self, reason: &str) -> JournalError {
        JournalError::Histogram {
            path: self.path.clone(),
            offset: self.offset,
            reason: reason.to_owned(),
        }
    }
}

impl Iterator for HistogramLogReader {
    type Item = Result<LoggedSecond, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_second().transpose()
    }
}

#[cfg(test)]
mod tests;
