//! Histograms as text: the compressed binary form of HdrHistogram, version 2, in Base64.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::read::ZlibDecoder;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{
    Deserializer, Serializer, V2DeflateSerializeError, V2DeflateSerializer,
};

/// The first bytes of a histogram that is compressed.
const COMPRESSED: u32 = 0x1c84_9314;
/// The most bytes of counts in a histogram. The 33,000 counts of up to an hour take at most 9 bytes each.
const MOST_BYTES_OF_COUNTS: u32 = 1 << 20;
/// The most operations in a histogram: with more, the sums over all seconds could overflow.
const MOST_COUNTED: u64 = 1 << 40;

/// Returns a histogram as text.
///
/// # Errors
/// The histogram has more counts than the form can hold, which none of ours has.
pub fn encode(
    histogram: &Histogram<u64>,
    serializer: &mut V2DeflateSerializer,
) -> Result<String, V2DeflateSerializeError> {
    let mut encoded = Vec::new();
    serializer.serialize(histogram, &mut encoded)?;
    Ok(BASE64.encode(&encoded))
}

/// Reads a histogram from its text.
///
/// # Errors
/// The text is none of a histogram, or of one that no run has written, in words.
pub fn decode(text: &str) -> Result<Histogram<u64>, String> {
    let bytes = BASE64.decode(text).map_err(|error| error.to_string())?;
    if bytes_of_counts(&bytes) > Some(MOST_BYTES_OF_COUNTS) {
        return Err("a histogram claims to have more counts than there can be".to_owned());
    }
    let histogram: Histogram<u64> = Deserializer::new()
        .deserialize(&mut bytes.as_slice())
        .map_err(|error| error.to_string())?;
    if histogram.len() > MOST_COUNTED {
        return Err("a histogram counts more operations than a second can have".to_owned());
    }
    Ok(histogram)
}

/// Returns how many bytes of counts a histogram claims to have, for which a decoder reserves memory before it
/// looks for them; `None` if the bytes are no histogram.
fn bytes_of_counts(histogram: &[u8]) -> Option<u32> {
    let number = |bytes: &[u8; 4]| u32::from_be_bytes(*bytes);
    let (first, rest) = histogram.split_first_chunk()?;
    let (length, compressed) = rest.split_first_chunk()?;
    if number(first) != COMPRESSED {
        return Some(number(length));
    }
    let mut head = [0; 8];
    ZlibDecoder::new(compressed).read_exact(&mut head).ok()?;
    head.last_chunk().map(number)
}
