use std::io::Write;
use std::time::Duration;

use bakeoff_testing::times;

use super::*;

fn names() -> Vec<String> {
    ["read", "insert"].map(str::to_owned).to_vec()
}

fn tally(times: impl IntoIterator<Item = u64>) -> Tally {
    let mut tally = Tally::default();
    times.into_iter().for_each(|ns| tally.record(ns, ns / 2));
    tally
}

fn started_at() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(1_790_000_000_250)
}

fn written(seconds: &[Vec<Tally>]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = HistogramLog::path(dir.path(), 7);
    let mut log = HistogramLog::create(&path, started_at()).unwrap();
    for (second, tallies) in (0..).zip(seconds) {
        log.write(second, &names(), tallies).unwrap();
    }
    (dir, path)
}

fn read(path: &Path) -> Vec<LoggedSecond> {
    let reader = HistogramLogReader::open(path, &names()).unwrap();
    reader.collect::<Result<_, _>>().unwrap()
}

#[test]
fn histograms_are_read_back_as_they_were() {
    let seconds = [
        vec![tally((1..=5_000).map(|n| n * 997)), tally([3_000_000])],
        vec![
            tally([1, 1_250_000_000, super::super::MAX_NANOSECONDS]),
            tally([]),
        ],
    ];
    let (_dir, path) = written(&seconds);
    let back = read(&path);
    assert_eq!(back.len(), 2);
    for ((number, second), logged) in (0..).zip(&seconds).zip(&back) {
        assert_eq!(logged.second, number);
        for (written, read) in second.iter().zip(&logged.tallies) {
            assert_eq!(written.response, read.response);
            assert_eq!(written.service, read.service);
        }
    }
}

#[test]
fn the_file_is_as_the_format_asks() {
    let (_dir, path) = written(&[vec![tally([1_250_000_000]), tally([2_000])]]);
    assert!(path.ends_with("trials/007.hlog"));
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "#[Histogram log format version 1.3]");
    assert_eq!(
        lines[2],
        "#[StartTime: 1790000000.250 (seconds since epoch)]"
    );
    assert_eq!(
        lines[3],
        "#[BaseTime: 1790000000.250 (seconds since epoch)]"
    );
    assert!(lines[4].starts_with("\"StartTimestamp\""));
    let tags = ["read", "read.service", "insert", "insert.service"];
    assert_eq!(lines.len(), 5 + tags.len());
    for (line, tag) in lines[5..].iter().zip(tags) {
        let prefix = format!("Tag={tag},0.000,1.000,");
        assert!(
            line.starts_with(&prefix) && line.contains(",HISTFAAAA"),
            "{line}"
        );
    }
    // 1.25 s in milliseconds, to three digits.
    assert!(
        lines[5].starts_with("Tag=read,0.000,1.000,1250.951"),
        "{}",
        lines[5]
    );
}

/// Output of `HistogramLogWriter` in the Java package HdrHistogram 2.1.12 for 1.25 ms, 2.5 ms, ...
/// 1.25 s in second 3, in a histogram with the bounds and digits of a [`Tally`].
const OF_THE_REFERENCE: &str = "\
    Tag=read,3.000,1.000,1250.951,HISTFAAAAJ942pNpmSzMwMBexQABzFCaEch0M9ixgMH+A0SgfT\
    Mj019+psOcTNvZmO6zMD1kYWpnYVrLxLSeCUpCGNcZmabC0HTcjE5GJm8mTyTojYONyrNlUmVSxglVyZ\
    DBLSfOJAiE/Dgwbhl+MvXRxy5+JlYmdihkxUFTV4be9g0n17MyMQAhMxSjs4aHzHD332gID04ZMGDAS5\
    IuQQNpAMkrPH0=\n";

#[test]
fn lines_are_those_of_the_reference_implementation() {
    let mut expected = Tally::default();
    (1..=1000).for_each(|n| expected.record(n * 1_250_000, 1));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("reference.hlog");
    fs::write(&path, OF_THE_REFERENCE).unwrap();
    let back = read(&path);
    assert_eq!(back[0].second, 3);
    assert_eq!(back[0].tallies[0].response, expected.response);

    let own = line(
        "read",
        3,
        &expected.response,
        &mut V2DeflateSerializer::new(),
    )
    .unwrap();
    let columns = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
    assert_eq!(columns(&own), columns(OF_THE_REFERENCE));
}

#[test]
fn a_torn_last_line_is_left_out() {
    let second = || vec![tally([1_000]), tally([2_000])];
    let (_dir, path) = written(&[second(), second()]);
    let whole = fs::read(&path).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|&b| b == b'\n').collect();
    let last = lines[lines.len() - 1].len();
    for cut in [1, last / 2, last - 1] {
        fs::write(&path, &whole[..whole.len() - cut]).unwrap();
        let back = read(&path);
        assert_eq!(back.len(), 2, "{cut}");
        assert_eq!(back[1].tallies[1].response.len(), 1, "{cut}");
        assert!(back[1].tallies[1].service.is_empty(), "{cut}");
    }
}

#[test]
fn a_last_second_that_a_power_cut_tore_is_left_out() {
    let second = |ns| vec![tally([ns]), tally([2 * ns])];
    let (_dir, path) = written(&[second(1_000), second(2_000), second(4_000)]);
    let whole = fs::read(&path).unwrap();
    let text = String::from_utf8(whole.clone()).unwrap();
    let last = text.find("Tag=read,2.000").unwrap();
    let responses = |bytes: &[u8]| -> Vec<u64> {
        fs::write(&path, bytes).unwrap();
        let seconds = read(&path).into_iter();
        seconds.map(|s| s.tallies[0].response.max()).collect()
    };
    let all = responses(&whole);
    assert_eq!(all.len(), 3);
    for at in (last..whole.len() - 1).step_by(times(41, 1)) {
        let with_zeros = |end: usize| {
            let mut bytes = whole.clone();
            bytes[at..end].fill(0);
            bytes
        };
        let to_the_end = with_zeros(whole.len());
        let a_block = with_zeros((at + 64).min(whole.len() - 1));
        for bytes in [&whole[..at], &to_the_end[..], &a_block[..]] {
            let left = responses(bytes);
            assert!(left.len() >= 2, "{at}: {left:?}");
            assert_eq!(left[..2], all[..2], "{at}");
        }
    }
}

#[test]
fn zeros_in_a_second_that_was_on_the_disk_are_damage() {
    let second = || vec![tally([1_000]), tally([2_000])];
    let (_dir, path) = written(&[second(), second()]);
    let whole = fs::read(&path).unwrap();
    let text = String::from_utf8(whole.clone()).unwrap();
    let first = text.find("Tag=read,0.000").unwrap();
    let mut bytes = whole;
    bytes[first + 20] = 0;
    fs::write(&path, bytes).unwrap();
    let reader = HistogramLogReader::open(&path, &names()).unwrap();
    let error = reader.collect::<Result<Vec<_>, _>>().unwrap_err();
    let said = error.to_string();
    assert!(said.contains("a line has zeros"), "{said}");
    assert!(said.contains(&format!("byte {first}:")), "{said}");
}

#[test]
fn any_other_damage_is_named_with_its_place() {
    let (_dir, path) = written(&[vec![tally([1_000]), tally([2_000])]]);
    let whole = fs::read_to_string(&path).unwrap();
    let first = whole.find("Tag=").unwrap();
    for (from, to) in [
        ("HISTF", "HISTG"),
        ("HISTF", "!"),
        ("Tag=read,0.000", "Tag=read,zero"),
    ] {
        fs::write(&path, whole.replacen(from, to, 1)).unwrap();
        let reader = HistogramLogReader::open(&path, &names()).unwrap();
        let error = reader.collect::<Result<Vec<_>, _>>().unwrap_err();
        let at = format!("007.hlog, byte {first}:");
        assert!(error.to_string().contains(&at), "{error}");
    }
}

#[test]
fn more_operations_than_a_second_can_have_are_damage() {
    let (_dir, path) = written(&[vec![tally([1_000]), tally([2_000])]]);
    let mut histogram = Histogram::new(3).unwrap();
    histogram.record_n(1_000, 1 << 62).unwrap();
    histogram.record_n(9_000, 1 << 62).unwrap();
    let line = line("read", 1, &histogram, &mut V2DeflateSerializer::new()).unwrap();
    let whole = fs::read_to_string(&path).unwrap() + &line;
    fs::write(&path, whole).unwrap();
    let reader = HistogramLogReader::open(&path, &names()).unwrap();
    let error = reader
        .collect::<Result<Vec<_>, _>>()
        .unwrap_err()
        .to_string();
    assert!(error.contains("than a second can have"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_that_says_what_to_do_and_leaves_no_half_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = HistogramLog::path(dir.path(), 1);
    let mut log = HistogramLog::create(&path, started_at()).unwrap();
    let second = [tally([1_000]), tally([2_000])];
    log.write(0, &names(), &second).unwrap();
    let whole = std::mem::replace(
        &mut log.file,
        OpenOptions::new().append(true).open("/dev/full").unwrap(),
    );
    let message = log.write(1, &names(), &second).unwrap_err().to_string();
    assert!(message.contains("make room on the disk"), "{message}");
    log.file = whole;
    log.file.write_all(b"Tag=read,1.0").unwrap();
    log.write(2, &names(), &second).unwrap();
    let seconds: Vec<u32> = read(&path).iter().map(|s| s.second).collect();
    assert_eq!(seconds, [0, 2]);
}

#[test]
fn a_log_is_never_written_over() {
    let (_dir, path) = written(&[]);
    assert!(HistogramLog::create(&path, started_at()).is_err());
}

#[test]
fn tags_are_allowed_and_all_different() {
    let names = [
        "read row, newest",
        "read_row__newest",
        "a",
        "a.service",
        "a",
    ];
    let tags = tags(&names.map(str::to_owned));
    let mut all: Vec<&String> = tags.iter().flatten().collect();
    assert!(all.iter().all(|t| Tag::new(t).is_some()));
    all.sort();
    all.dedup();
    assert_eq!((tags.len(), all.len()), (5, 10));
    assert_eq!(tags[0][0], "read_row__newest");
}
