//! What an Arrow IPC file says of its own lengths, checked before it is read: the library reserves as much memory
//! as they say, and a process that cannot have it ends.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use arrow::ipc;

/// The bytes after the footer of a file: its length, and `ARROW1`.
const TRAILER_BYTES: u64 = 10;
/// The bytes of a length.
const LENGTH_BYTES: u64 = 4;
/// What is in front of the length of a message, except in the first versions of the format.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// The bytes in front of a compressed buffer: its length when it is unpacked.
const UNPACKED_BYTES: u64 = 8;
/// The most bytes that a byte of LZ4 unpacks to. Each further byte of a length adds at most 255.
const LZ4_RATIO: u64 = 256;
/// The most bytes that a byte of Zstandard unpacks to. A block of 128 KiB takes at least 4 bytes.
const ZSTD_RATIO: u64 = 32 << 10;
/// The most values that a byte has: booleans take a bit.
const VALUES_OF_A_BYTE: u64 = 8;
/// The bytes that a value takes when it is converted, which is a guess for texts.
const VALUE_BYTES: u64 = 8;

/// What a file says of itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct IpcLengths {
    /// Rows of all batches.
    pub rows: u64,
    /// Memory for the largest batch, in bytes.
    pub most_bytes: u64,
}

/// Checks a file, or a stream, which has no footer.
///
/// # Errors
/// Fails with the reason why it cannot be read.
pub fn check(file: &File, is_stream: bool) -> Result<IpcLengths, String> {
    let bytes = file.metadata().map_err(unreadable)?.len();
    let mut lengths = Lengths {
        file,
        bytes,
        found: IpcLengths::default(),
    };
    if is_stream {
        lengths.check_stream()?;
    } else {
        lengths.check_file()?;
    }
    Ok(lengths.found)
}

struct Lengths<'a> {
    file: &'a File,
    bytes: u64,
    found: IpcLengths,
}

impl Lengths<'_> {
    fn check_file(&mut self) -> Result<(), String> {
        let no_footer = || damaged("it has no footer");
        let end = self.bytes.checked_sub(TRAILER_BYTES);
        let end = end.ok_or_else(no_footer)?;
        let length = i32::from_le_bytes(self.read_array(end)?);
        let length = u64::try_from(length).ok().filter(|length| *length <= end);
        let length = length.ok_or_else(no_footer)?;
        let footer = self.read(end - length, length)?;
        let footer = ipc::root_as_footer(&footer).map_err(|_| no_footer())?;
        let dictionaries = footer.dictionaries().into_iter().flatten();
        let batches = footer.recordBatches().into_iter().flatten();
        let mut sum: u64 = 0;
        for block in dictionaries.chain(batches) {
            let (at, head) = (
                whole(block.offset())?,
                whole(block.metaDataLength().into())?,
            );
            self.fits(at, head)?;
            let message = self.read(at, head)?;
            let message = without_length(&message)?;
            let body = self.check_message(message, at + head, Some(block.bodyLength()))?;
            sum = sum.saturating_add(head).saturating_add(body);
            if sum > self.bytes {
                return Err(damaged("several batches of it are in one place"));
            }
        }
        Ok(())
    }

    fn check_stream(&mut self) -> Result<(), String> {
        let mut at = 0;
        // A stream may end without a mark.
        while self.bytes - at >= LENGTH_BYTES {
            let mut length: [u8; 4] = self.read_array(at)?;
            at += LENGTH_BYTES;
            if length == CONTINUATION {
                self.fits(at, LENGTH_BYTES)?;
                length = self.read_array(at)?;
                at += LENGTH_BYTES;
            }
            let length = whole(i32::from_le_bytes(length).into())?;
            if length == 0 {
                return Ok(());
            }
            self.fits(at, length)?;
            let message = self.read(at, length)?;
            at += length;
            at += self.check_message(&message, at, None)?;
        }
        Ok(())
    }

    /// Checks a message by its head. `body` is the length of its body, if that is not in its head. Returns that
    /// length.
    fn check_message(&mut self, head: &[u8], at: u64, body: Option<i64>) -> Result<u64, String> {
        let message = ipc::root_as_message(head)
            .map_err(|_| damaged("what should be the head of a batch is none"))?;
        let body = whole(body.unwrap_or_else(|| message.bodyLength()))?;
        self.fits(at, body)?;
        let batch = match message.header_type() {
            ipc::MessageHeader::RecordBatch => message.header_as_record_batch(),
            ipc::MessageHeader::DictionaryBatch => {
                let dictionary = message.header_as_dictionary_batch();
                dictionary.and_then(|dictionary| dictionary.data())
            }
            _ => None,
        };
        if let Some(batch) = batch {
            self.check_batch(batch, at, body)?;
            if message.header_type() == ipc::MessageHeader::RecordBatch {
                let rows = whole(batch.length())?;
                self.found.rows = self.found.rows.saturating_add(rows);
            }
        }
        Ok(body)
    }

    fn check_batch(
        &mut self,
        batch: ipc::RecordBatch<'_>,
        body_at: u64,
        body: u64,
    ) -> Result<(), String> {
        let codec = batch.compression().map(|compression| compression.codec());
        let (mut stored, mut unpacked): (u64, u64) = (0, 0);
        for buffer in batch.buffers().into_iter().flatten() {
            let (offset, length) = (whole(buffer.offset())?, whole(buffer.length())?);
            let end = offset.checked_add(length);
            if end.is_none_or(|end| end > body) {
                return Err(damaged("a column of it goes on behind its batch"));
            }
            stored = stored.saturating_add(length);
            let at = body_at + offset;
            unpacked = unpacked.saturating_add(self.unpacked(codec, at, length)?);
        }
        if stored > body {
            return Err(damaged("several columns of it are in one place"));
        }
        let most_values = unpacked.saturating_mul(VALUES_OF_A_BYTE);
        let columns = batch.nodes().into_iter().flatten();
        let lengths = columns.map(|column| column.length());
        for length in lengths.chain([batch.length()]) {
            if whole(length)? > most_values {
                let said = format!("it says that {length} rows are in {unpacked} bytes");
                return Err(damaged(&said));
            }
        }
        let unpacked = codec.map_or(0, |_| unpacked);
        let converted = whole(batch.length())?.saturating_mul(VALUE_BYTES);
        let needed = body.saturating_add(unpacked).saturating_add(converted);
        self.found.most_bytes = self.found.most_bytes.max(needed);
        Ok(())
    }

    /// Returns how many bytes a buffer says that it has when it is unpacked.
    fn unpacked(
        &self,
        codec: Option<ipc::CompressionType>,
        at: u64,
        length: u64,
    ) -> Result<u64, String> {
        let ratio = match codec {
            None => return Ok(length),
            Some(_) if length == 0 => return Ok(0),
            Some(ipc::CompressionType::LZ4_FRAME) => LZ4_RATIO,
            Some(_) => ZSTD_RATIO,
        };
        let packed = length.checked_sub(UNPACKED_BYTES);
        let packed = packed.ok_or_else(|| damaged("a compressed column of it has no length"))?;
        let unpacked = i64::from_le_bytes(self.read_array(at)?);
        match u64::try_from(unpacked) {
            Ok(unpacked) if unpacked <= packed.saturating_mul(ratio) => Ok(unpacked),
            // They are not compressed, since they would have become longer.
            Err(_) if unpacked == -1 => Ok(packed),
            _ => Err(damaged(&format!(
                "it says that {packed} bytes unpack to {unpacked}"
            ))),
        }
    }

    /// Checks that the file has so many bytes at a place.
    fn fits(&self, at: u64, length: u64) -> Result<(), String> {
        let end = at.checked_add(length);
        if end.is_some_and(|end| end <= self.bytes) {
            return Ok(());
        }
        let has = self.bytes;
        Err(damaged(&format!(
            "it says that {length} bytes begin at {at}, and ends at {has}"
        )))
    }

    /// Reads bytes of a place that [`Lengths::fits`].
    fn read(&self, at: u64, length: u64) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; length as usize];
        let read = self.file.read_exact_at(&mut bytes, at);
        read.map(|()| bytes).map_err(unreadable)
    }

    fn read_array<const N: usize>(&self, at: u64) -> Result<[u8; N], String> {
        let mut bytes = [0; N];
        let read = self.file.read_exact_at(&mut bytes, at);
        read.map(|()| bytes).map_err(unreadable)
    }
}

/// Returns a message without the length in front of it.
fn without_length(message: &[u8]) -> Result<&[u8], String> {
    let whole = message.strip_prefix(&CONTINUATION).unwrap_or(message);
    whole
        .get(LENGTH_BYTES as usize..)
        .ok_or_else(|| damaged("a batch of it has no head"))
}

fn whole(length: i64) -> Result<u64, String> {
    u64::try_from(length).map_err(|_| damaged(&format!("it has a length of {length}")))
}

fn damaged(what: &str) -> String {
    format!("not an Arrow file, or a damaged one: {what}; try another copy of it")
}

fn unreadable(error: io::Error) -> String {
    error.to_string()
}
