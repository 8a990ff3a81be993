//! Pauses of the garbage collector, read from the log that the server writes.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::tuning::Collector;
use crate::log::open_of_others;

/// Size at which the JVM rotates the log; a reader that starts later does not see pauses in rotated
/// logs.
const FILE_SIZE: &str = "10M";
/// Highest number of bytes that are read at once: several logs of the highest size.
const MOST_BYTES: u64 = 64 << 20;

/// Largest unit of the sizes in the log.
const GIB: u64 = 1 << 30;

/// Milliseconds that no pause takes, which are eleven days. The line of a longer one is damaged.
const TOO_LONG_MS: f64 = 1e9;

/// Returns the flag that makes a JVM write the log; its path is quoted, since it may hold a colon.
pub(crate) fn flag(path: &str, collector: Collector) -> String {
    let tags = match collector {
        // It logs its pauses as phases of a collection that goes on between them.
        Collector::Zgc => "gc,gc+phases",
        Collector::G1 | Collector::Parallel | Collector::Serial => "gc",
    };
    format!("-Xlog:{tags}:file=\"{path}\":uptime:filecount=2,filesize={FILE_SIZE}")
}

/// Garbage collections that paused the server.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Pauses {
    pub(crate) count: u64,
    pub(crate) seconds: f64,
    /// Bytes that were allocated on the heap between the first pause that was read and the last one; `None` before
    /// there are two that say how full the heap was, as those of ZGC never do.
    pub(crate) allocated_bytes: Option<u64>,
}

/// A pause of one line of the log.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pause {
    milliseconds: f64,
    /// Bytes of the heap in use before and after it.
    heap: Option<(u64, u64)>,
}

impl Pauses {
    /// Adds a pause; `in_use` are the bytes of the heap that the one before left in use.
    fn take(&mut self, pause: Pause, in_use: &mut Option<u64>) {
        self.count += 1;
        self.seconds += pause.milliseconds / 1e3;
        let Some((before, after)) = pause.heap else {
            return;
        };
        if let Some(left) = in_use.replace(after) {
            // What a collector freed between its pauses is missing; it cannot make the sum fall.
            let allocated = before.saturating_sub(left);
            let so_far = self.allocated_bytes.unwrap_or_default();
            self.allocated_bytes = Some(so_far.saturating_add(allocated));
        }
    }
}

/// A reader that continues where it stopped.
#[derive(Debug)]
pub(crate) struct GcLog {
    path: PathBuf,
    /// The open file, which keeps its position when the JVM rotates the log.
    file: Option<File>,
    /// Beginning of a line that is not complete yet.
    torn: Vec<u8>,
    pauses: Pauses,
    /// Bytes of the heap that the last pause left in use.
    in_use: Option<u64>,
}

impl GcLog {
    pub(crate) fn new(path: PathBuf) -> GcLog {
        GcLog {
            path,
            file: None,
            torn: Vec::new(),
            pauses: Pauses::default(),
            in_use: None,
        }
    }

    /// Returns all pauses so far; for a log that was rotated before the first call, those since
    /// then.
    ///
    /// # Errors
    /// Fails with the system's error when the log cannot be read.
    pub(crate) fn read(&mut self) -> std::io::Result<Pauses> {
        let current = fs::metadata(&self.path)?;
        if let Some(file) = &self.file
            && !is_same(&file.metadata()?, &current)
        {
            // It was rotated, and so is complete.
            self.read_on()?;
            self.torn.clear();
            self.file = None;
        }
        if self.file.is_none() {
            self.file = Some(open_of_others(&self.path)?);
        }
        self.read_on()?;
        Ok(self.pauses)
    }

    fn read_on(&mut self) -> std::io::Result<()> {
        if let Some(file) = &mut self.file {
            file.take(MOST_BYTES).read_to_end(&mut self.torn)?;
        }
        let whole = self.torn.iter().rposition(|byte| *byte == b'\n');
        let rest = self.torn.split_off(whole.map_or(0, |end| end + 1));
        let lines = std::mem::replace(&mut self.torn, rest);
        for pause in String::from_utf8_lossy(&lines).lines().filter_map(pause) {
            self.pauses.take(pause, &mut self.in_use);
        }
        Ok(())
    }
}

fn is_same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Returns the pause that a line of the unified log (JEP 271) reports.
fn pause(line: &str) -> Option<Pause> {
    let (_, message) = line.split_once("GC(")?.1.split_once(") ")?;
    if !message.starts_with("Pause ") {
        return None;
    }
    let (what, milliseconds) = message.trim_end().strip_suffix("ms")?.rsplit_once(' ')?;
    // The JVM writes decimals as in its locale.
    let milliseconds: f64 = milliseconds.replace(',', ".").parse().ok()?;
    (0.0..TOO_LONG_MS).contains(&milliseconds).then(|| Pause {
        milliseconds,
        heap: what.rsplit(' ').next().and_then(heap),
    })
}

/// Parses how full the heap was before and after a pause: `305M->40M(512M)`.
fn heap(text: &str) -> Option<(u64, u64)> {
    let (before, rest) = text.split_once("->")?;
    let (after, _) = rest.split_once('(')?;
    Some((size(before)?, size(after)?))
}

/// Parses a size with its unit: `305M`.
fn size(text: &str) -> Option<u64> {
    let units = [("K", 1 << 10), ("M", 1 << 20), ("G", GIB)];
    units.iter().find_map(|(unit, bytes)| {
        let number: u64 = text.strip_suffix(*unit)?.parse().ok()?;
        number.checked_mul(*bytes)
    })
}

/// Returns the path of the log among a server's logs.
pub(crate) fn path(logs: &Path) -> PathBuf {
    logs.join("gc.log")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// Lines of Java 17.0.15 with G1.
    const JAVA_17: &str = "\
[0.011s] Using G1
[1.534s] GC(0) Pause Young (Concurrent Start) (Metadata GC Threshold) 80M->13M(512M) 11.250ms
[1.534s] GC(1) Concurrent Mark Cycle
[1.540s] GC(1) Pause Remark 15M->15M(512M) 2.500ms
[1.541s] GC(1) Pause Cleanup 15M->15M(512M) 0.250ms
[1.549s] GC(1) Concurrent Mark Cycle 15.300ms
[9.102s] GC(2) Pause Young (Normal) (G1 Evacuation Pause) 305M->40M(512M) 26.000ms
";

    /// Lines of Java 11 with G1.
    const JAVA_11: &str = "\
[0.019s][info][gc] Using G1
[2.071s][info][gc] GC(0) Pause Initial Mark (Metadata GC Threshold) 52M->9M(1024M) 9.500ms
[2.071s][info][gc] GC(1) Concurrent Cycle
[2.081s][info][gc] GC(1) Pause Remark 12M->12M(1024M) 3.000ms
[2.089s][info][gc] GC(1) Concurrent Cycle 18.131ms
[7.316s][info][gc] GC(2) To-space exhausted
[7.316s][info][gc] GC(2) Pause Full (G1 Evacuation Pause) 1023M->500M(1024M) 1500,500ms
";

    /// Lines of Java 17.0.21 with ZGC.
    const ZGC: &str = "\
[0.060s] Using The Z Garbage Collector
[0.127s] GC(0) Pause Mark Start 0.008ms
[0.136s] GC(0) Concurrent Mark 8.521ms
[0.136s] GC(0) Pause Mark End 0.013ms
[0.136s] GC(0) Concurrent Mark Free 0.001ms
[0.140s] Allocation Stall (main) 12.617ms
[0.140s] GC(0) Pause Relocate Start 0.004ms
[0.141s] GC(0) Concurrent Relocate 0.379ms
[0.141s] GC(0) Garbage Collection (Allocation Stall) 64M(100%)->14M(22%)
";

    fn log(text: &str) -> (tempfile::TempDir, GcLog) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(path(folder.path()), text).unwrap();
        let log = GcLog::new(path(folder.path()));
        (folder, log)
    }

    fn append(log: &GcLog, text: &str) {
        let mut file = File::options().append(true).open(&log.path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    /// Number and seconds of pauses.
    fn pauses(count: u64, milliseconds: f64) -> (u64, f64) {
        (count, milliseconds / 1e3)
    }

    fn read(log: &mut GcLog) -> (u64, f64) {
        let pauses = log.read().unwrap();
        (pauses.count, pauses.seconds)
    }

    fn allocated_mib(text: &str) -> Option<u64> {
        let bytes = log(text).1.read().unwrap().allocated_bytes;
        bytes.map(|bytes| bytes >> 20)
    }

    #[test]
    fn what_was_allocated_is_the_growth_of_the_heap_between_pauses() {
        // From 13 to 15 and from 15 to 305 MiB; the first pause has nothing before it.
        assert_eq!(allocated_mib(JAVA_17), Some(292));
        // From 9 to 12 and from 12 to 1,023 MiB, across a line that is no pause.
        assert_eq!(allocated_mib(JAVA_11), Some(1014));
        assert_eq!(allocated_mib(ZGC), None);
        let fewer = "[1s] GC(0) Pause Young 9M->8M(9M) 1.0ms\n[2s] GC(1) Pause Young 5M->4M(9M) 1.0ms\n\
                     [3s] GC(2) Pause Young 1G->6144K(2G) 1.0ms\n";
        assert_eq!(
            allocated_mib(fewer),
            Some(1020),
            "what was freed in between adds nothing"
        );
        assert_eq!(heap("99999999999999999999M->1M(2M)"), None);
        assert_eq!(
            heap("18014398509481983G->1M(2M)"),
            None,
            "more bytes than can be counted"
        );
    }

    #[test]
    fn growth_of_the_heap_goes_on_where_the_reader_stopped() {
        let (_folder, mut log) = log("[1s] GC(0) Pause Young 9M->2M(9M) 1.0ms\n");
        assert_eq!(log.read().unwrap().allocated_bytes, None);
        append(&log, "[2s] GC(1) Pause Young 7M->3M(9M) 1.0ms\n");
        assert_eq!(log.read().unwrap().allocated_bytes, Some(5 << 20));
    }

    #[test]
    fn pauses_count_and_concurrent_work_does_not() {
        assert_eq!(read(&mut log(JAVA_17).1), pauses(4, 40.0));
        assert_eq!(read(&mut log(JAVA_11).1), pauses(3, 1513.0));
    }

    #[test]
    fn what_no_pause_takes_does_not_count() {
        let line =
            |milliseconds: &str| format!("[1s] GC(0) Pause Young 1M->1M(2M) {milliseconds}ms\n");
        let text: String = ["nan", "inf", "-1.0", "1e300", "8.000"].map(line).concat();
        assert_eq!(read(&mut log(&text).1), pauses(1, 8.0));
    }

    #[test]
    fn pauses_of_zgc_are_asked_for_and_count() {
        let flag = flag("/gc.log", Collector::Zgc);
        assert!(
            flag.starts_with("-Xlog:gc,gc+phases:file=\"/gc.log\":"),
            "{flag}"
        );
        let found = log(ZGC).1.read().unwrap();
        assert_eq!(found.count, 3);
        assert!((found.seconds - 25e-6).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_torn_line_counts_once_and_when_it_is_whole() {
        let (_folder, mut log) =
            log("[1s] GC(0) Pause Young (Normal) 1M->1M(2M) 4.000ms\n[2s] GC(");
        assert_eq!(read(&mut log), pauses(1, 4.0));
        append(&log, "1) Pause Young (Normal) 1M->1M(2M) 1");
        assert_eq!(read(&mut log), pauses(1, 4.0));
        append(&log, "6.000ms\n");
        assert_eq!(read(&mut log), pauses(2, 20.0));
        assert_eq!(read(&mut log), pauses(2, 20.0));
    }

    #[test]
    fn a_log_that_is_set_aside_is_read_to_its_end() {
        let (_folder, mut log) = log("[1s] GC(0) Pause Young 1M->1M(2M) 1.000ms\n");
        assert_eq!(read(&mut log), pauses(1, 1.0));
        append(&log, "[2s] GC(1) Pause Young 1M->1M(2M) 2.000ms\n");
        fs::rename(&log.path, log.path.with_extension("log.0")).unwrap();
        assert!(log.read().is_err(), "between the two files");
        fs::write(&log.path, "[3s] GC(2) Pause Young 1M->1M(2M) 4.000ms\n").unwrap();
        assert_eq!(read(&mut log), pauses(3, 7.0));
    }
}
