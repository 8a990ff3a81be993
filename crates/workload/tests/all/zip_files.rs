//! ZIP files: what is in them is read in order, and nothing but that.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::raw_files::{Folder, series, times};

/// Where the first header and the first entry of the directory have their flags, method, size and place,
/// from their beginning.
const FLAGS: (usize, usize) = (6, 8);
const METHOD: (usize, usize) = (8, 10);
const UNPACKED_SIZE_IN_DIRECTORY: usize = 24;
const PLACE_IN_DIRECTORY: usize = 42;

/// Packs texts by their names; one that ends with a slash is a folder.
pub fn packed(method: CompressionMethod, texts: &[(&str, &[u8])]) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(method);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in texts {
        if name.ends_with('/') {
            writer.add_directory(*name, options).unwrap();
        } else {
            writer.start_file(*name, options).unwrap();
            writer.write_all(text).unwrap();
        }
    }
    writer.finish().unwrap().into_inner()
}

fn deflated(texts: &[(&str, &[u8])]) -> Vec<u8> {
    packed(CompressionMethod::Deflated, texts)
}

/// Returns where the entries of the directory begin.
fn entries(zip: &[u8]) -> Vec<usize> {
    let is_entry = |at: &usize| zip[*at..].starts_with(b"PK\x01\x02");
    (0..zip.len()).filter(is_entry).collect()
}

/// Returns the file with other bytes in the header and the entry of the first member.
fn changed(mut zip: Vec<u8>, (in_header, in_entry): (usize, usize), to: u16) -> Vec<u8> {
    let entry = entries(&zip)[0];
    for place in [in_header, entry + in_entry] {
        zip[place..place + 2].copy_from_slice(&to.to_le_bytes());
    }
    zip
}

fn error(zip: &[u8]) -> String {
    let error = Folder::with("x.csv.zip", zip).error("file = 'x.csv.zip'\nheader = false");
    assert!(error.contains("x.csv.zip"), "{error}");
    error
}

const ROWS: &[u8] = b"a,5,1\nb,6,2\n";

#[test]
fn members_are_read_in_order_and_nothing_is_unpacked() {
    for method in [CompressionMethod::Deflated, CompressionMethod::Stored] {
        let zip = packed(
            method,
            &[
                ("data/", b""),
                ("data/2.csv", b"a,5,1\nb,6,2"),
                ("empty.csv", b""),
                ("../../1.csv", b"c,7,3\n"),
            ],
        );
        let folder = Folder::with("X.ZIP", zip);
        let data = "file = 'X.ZIP'\nheader = false";
        let batch = folder.read(data, 0).unwrap();
        assert_eq!(
            (series(&batch), times(&batch)),
            (vec!["a", "b", "c"], vec![5, 6, 7])
        );
        assert_eq!(times(&folder.read(data, 2).unwrap()), [7]);
        assert_eq!(folder.names(), ["X.ZIP"]);
    }
}

#[test]
fn a_name_outside_or_inside_says_what_separates_the_fields() {
    let rows: &[u8] = b"a\t5\t1\n";
    for (outside, inside) in [("x.tsv.zip", "1979"), ("1979.zip", "x.TSV")] {
        let folder = Folder::with(outside, deflated(&[(inside, rows)]));
        let batch = folder.read(&format!("file = '{outside}'\nheader = false"), 0);
        assert_eq!(times(&batch.unwrap()), [5]);
    }
    let folder = Folder::with("1979.zip", deflated(&[("1979.export", rows)]));
    let error = folder.error("file = '1979.zip'\nheader = false");
    assert!(
        error.contains("the name does not say the format"),
        "{error}"
    );
    let data = "file = '1979.zip'\nheader = false\ndelimiter = 'tab'";
    assert_eq!(times(&folder.read(data, 0).unwrap()), [5]);
}

#[test]
fn errors_name_the_member_and_its_line() {
    let zip = deflated(&[("1.csv", b"a,5,1\nb,6,2"), ("2.csv", b"c,7,3\nd,8\n")]);
    let folder = Folder::with("x.zip", zip);
    assert_eq!(
        folder.error("file = 'x.zip'\nheader = false"),
        "x.zip, line 2: of `2.csv` in it: 2 fields instead of the 3 columns of the table"
    );
    let heading: &[u8] = b"series,time,value\na,5,1\n";
    let same = deflated(&[
        ("1.csv", heading),
        ("2.csv", b"series,time,value\nb,soon,1"),
    ]);
    let error = Folder::with("x.zip", same).error("file = 'x.zip'");
    assert!(
        error.starts_with("x.zip, line 2: of `2.csv` in it: column `time`"),
        "{error}"
    );
    let other = deflated(&[("1.csv", heading), ("2.csv", ROWS)]);
    let error = Folder::with("x.zip", other).error("file = 'x.zip'");
    assert!(
        error.starts_with("x.zip: the first line of `2.csv` in it is not"),
        "{error}"
    );
}

#[test]
fn members_that_cannot_be_read_are_refused() {
    let zip = || deflated(&[("a\x1b.csv", ROWS)]);
    let encrypted = error(&changed(zip(), FLAGS, 1));
    assert!(
        encrypted.contains("`a\\u{1b}.csv` in it is encrypted"),
        "{encrypted}"
    );
    let lzma = error(&changed(zip(), METHOD, 14));
    assert!(lzma.contains("by another method than deflate"), "{lzma}");
    let no_file = error(&deflated(&[("data/", b""), ("empty.csv", b"")]));
    assert!(no_file.contains("no file with any text in it"), "{no_file}");
    assert!(error(ROWS).contains("not a ZIP file"));
    let cut = zip();
    assert!(error(&cut[..cut.len() - 30]).contains("not a ZIP file"));
}

#[test]
fn text_that_is_not_what_was_packed_is_noticed() {
    let mut stored = packed(CompressionMethod::Stored, &[("a.csv", ROWS)]);
    let text = stored.windows(ROWS.len()).position(|bytes| bytes == ROWS);
    stored[text.unwrap() + 2] = b'8';
    assert!(error(&stored).contains("`a.csv` in it is damaged"));
    let mut larger = deflated(&[("a.csv", ROWS)]);
    let entry = entries(&larger)[0];
    larger[entry + UNPACKED_SIZE_IN_DIRECTORY] -= 1;
    assert!(error(&larger).contains("`a.csv` in it is damaged"));
}

/// A small file whose members share their bytes would unpack to any size.
#[test]
fn members_that_share_their_bytes_are_refused() {
    let mut zip = deflated(&[("a.csv", ROWS), ("b.csv", ROWS)]);
    let second = entries(&zip)[1] + PLACE_IN_DIRECTORY;
    zip[second..second + 4].copy_from_slice(&[0; 4]);
    assert!(error(&zip).contains("share their packed bytes"));
}

#[test]
fn too_many_members_are_refused() {
    let names: Vec<String> = (0..10_001).map(|number| format!("{number}.csv")).collect();
    let texts: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), ROWS)).collect();
    let said = error(&packed(CompressionMethod::Stored, &texts));
    assert!(
        said.contains("10001 files in it, and 10000 are possible"),
        "{said}"
    );
}
