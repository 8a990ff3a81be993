//! UUIDs: their texts, those that stand for a number, and new ones in place of others.
//!
//! A column of them is one of texts in Arrow: their canonical form of 36 characters in lower case.

use std::collections::HashMap;

use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field};
use arrow::error::ArrowError;
use uuid::{Builder, Uuid};
use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::Stream;

/// Characters of a UUID with its hyphens.
pub const CHARACTERS: usize = 36;
/// Its hexadecimal digits.
const DIGITS: usize = 32;
/// Metadata of a field of a typed file whose texts are UUIDs.
const MARK: (&str, &str) = ("bakeoff.type", "uuid");
/// Metadata by which Arrow says that bytes are UUIDs.
const OF_ARROW: (&str, &str) = ("ARROW:extension:name", "arrow.uuid");
/// Bytes of a UUID.
const BYTES: i32 = 16;
/// Keys of the stream of the bits of a UUID that do not tell its number.
const REST: u64 = 0x7575_6964;
/// Multipliers of SplitMix64 (see [`Stream`]), and their inverses modulo 2^64.
const FACTORS: [u64; 2] = [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];
const INVERSES: [u64; 2] = [inverse(FACTORS[0]), inverse(FACTORS[1])];

/// Returns the UUID of a text: 32 hexadecimal digits, in lower case or not, with the four hyphens.
pub fn parsed(text: &str) -> Option<Uuid> {
    if text.len() != CHARACTERS {
        return None;
    }
    Uuid::try_parse(text).ok()
}

/// Returns the UUID of a text as people write it: 32 hexadecimal digits in lower case or not, with hyphens or without,
/// in braces or not.
pub fn in_any_spelling(text: &str) -> Option<Uuid> {
    let text = text.trim();
    let inside = text
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    let digits = inside.unwrap_or(text).replace('-', "");
    if digits.len() != DIGITS {
        return None;
    }
    Uuid::try_parse(&digits).ok()
}

/// Returns the UUID that stands for a number. It looks like one of random bits.
pub fn numbered(number: i64) -> Uuid {
    let told = mixed(number as u64);
    let rest = Stream::new(&[REST, number as u64]).next_u64();
    // Of the first 64 bits, four are the version. What is left of the number begins the others, behind two bits.
    let high = (told & !0xffff) | ((told >> 4) & 0xfff);
    let low = ((told & 0xf) << 58) | (rest >> 6);
    Builder::from_random_bytes(((u128::from(high) << 64) | u128::from(low)).to_be_bytes())
        .into_uuid()
}

/// Returns the number for which a UUID stands; `None` if it stands for none.
pub fn number_of(uuid: Uuid) -> Option<i64> {
    let bits = uuid.as_u128();
    let (high, low) = ((bits >> 64) as u64, bits as u64);
    let told = (high & !0xffff) | ((high & 0xfff) << 4) | ((low >> 58) & 0xf);
    let number = unmixed(told) as i64;
    (numbered(number) == uuid).then_some(number)
}

/// Returns the UUID of a copy in place of that of a cell.
pub fn renamed(cell: &str, copy: u64, seed: u64) -> Uuid {
    let seed = Stream::new(&[seed, copy]).next_u64();
    let bits = xxh3_128_with_seed(cell.as_bytes(), seed);
    Builder::from_random_bytes(bits.to_be_bytes()).into_uuid()
}

/// Draws a UUID of random bits.
pub fn drawn(draws: &mut Stream) -> Uuid {
    let bits = (u128::from(draws.next_u64()) << 64) | u128::from(draws.next_u64());
    Builder::from_random_bytes(bits.to_be_bytes()).into_uuid()
}

/// Returns the metadata of a field whose texts are UUIDs, by which a file that is read back is known to have some.
pub fn mark() -> HashMap<String, String> {
    HashMap::from([(MARK.0.to_owned(), MARK.1.to_owned())])
}

/// Returns whether a field of a file says that its values are UUIDs.
pub fn is_of_uuids(field: &Field) -> bool {
    let says = |(key, value): (&str, &str)| {
        let said = field.metadata().get(key);
        said.is_some_and(|said| said == value)
    };
    match field.data_type() {
        DataType::Utf8 => says(MARK),
        DataType::FixedSizeBinary(BYTES) => says(OF_ARROW),
        _ => false,
    }
}

/// Returns whether values of a stored type may be UUIDs.
pub fn may_be(stored: &DataType) -> bool {
    use DataType::{FixedSizeBinary, LargeUtf8, Utf8, Utf8View};
    matches!(stored, Utf8 | LargeUtf8 | Utf8View | FixedSizeBinary(BYTES))
}

/// Returns the canonical texts of stored UUIDs: of texts, or of 16 bytes each. Where a value is none, the inner error
/// is its row.
///
/// # Errors
/// They are neither texts nor bytes.
pub fn canonical(stored: &ArrayRef) -> Result<Result<StringArray, usize>, ArrowError> {
    if let DataType::Dictionary(_, values) = stored.data_type() {
        return canonical(&cast(stored, values)?);
    }
    if let DataType::FixedSizeBinary(BYTES) = stored.data_type() {
        let cells = stored.as_fixed_size_binary().iter();
        let uuids = cells.map(|cell| cell.and_then(|cell| Uuid::from_slice(cell).ok()));
        return Ok(Ok(uuids
            .map(|uuid| uuid.map(|uuid| uuid.to_string()))
            .collect()));
    }
    let texts = cast(stored, &DataType::Utf8)?;
    let texts = texts.as_string::<i32>();
    let uuids: Vec<Option<Uuid>> = { texts.iter() }.map(|text| text.and_then(parsed)).collect();
    let misfit = (0..uuids.len()).find(|row| uuids[*row].is_none() && texts.is_valid(*row));
    Ok(match misfit {
        Some(row) => Err(row),
        None => Ok({ uuids.into_iter() }
            .map(|uuid| uuid.map(|uuid| uuid.to_string()))
            .collect()),
    })
}

/// Mixes bits as SplitMix64 does, so that each number becomes another one.
fn mixed(number: u64) -> u64 {
    let z = (number ^ (number >> 30)).wrapping_mul(FACTORS[0]);
    let z = (z ^ (z >> 27)).wrapping_mul(FACTORS[1]);
    z ^ (z >> 31)
}

/// Returns the number that was mixed.
fn unmixed(mixed: u64) -> u64 {
    let z = unshifted(mixed, 31).wrapping_mul(INVERSES[1]);
    let z = unshifted(z, 27).wrapping_mul(INVERSES[0]);
    unshifted(z, 30)
}

/// Returns the bits that became these when they were combined with themselves, shifted by so many places.
fn unshifted(bits: u64, places: u32) -> u64 {
    let mut found = bits;
    for _ in 0..u64::BITS / places {
        found = bits ^ (found >> places);
    }
    found
}

/// Returns the inverse of an odd number modulo 2^64, by Newton's method.
const fn inverse(factor: u64) -> u64 {
    let mut inverse = factor;
    let mut steps = 0;
    while steps < 6 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(factor.wrapping_mul(inverse)));
        steps += 1;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use arrow::array::FixedSizeBinaryArray;

    use super::*;

    #[test]
    fn a_number_comes_back_from_its_uuid_and_no_other_uuid_has_one() {
        let numbers = [0, 1, 2, -1, 1_000_000, i64::MIN, i64::MAX];
        let mut seen = HashSet::new();
        for number in numbers {
            let uuid = numbered(number);
            assert_eq!(number_of(uuid), Some(number), "{uuid}");
            assert_eq!(uuid.get_version_num(), 4);
            assert!(seen.insert(uuid));
            let other = Uuid::from_u128(uuid.as_u128() ^ 1);
            assert_eq!(number_of(other), None, "{other}");
        }
        assert_eq!(number_of(Uuid::nil()), None);
    }

    #[test]
    fn texts_are_uuids_with_their_hyphens_in_any_case() {
        let text = "6a1f0b0c-8a7e-11ee-b962-0242ac120002";
        assert_eq!(parsed(text), parsed(&text.to_uppercase()));
        assert_eq!(
            parsed(text).map(|uuid| uuid.to_string()).as_deref(),
            Some(text)
        );
        let (plain, braced) = (text.replace('-', ""), format!("{{{text}}}"));
        for other in [plain.as_str(), braced.as_str(), "", &text[1..]] {
            assert_eq!(parsed(other), None, "{other}");
        }
    }

    #[test]
    fn people_write_uuids_in_several_ways() {
        let text = "6a1f0b0c-8a7e-11ee-b962-0242ac120002";
        let (plain, upper) = (text.replace('-', ""), text.to_uppercase());
        for other in [
            &plain,
            &upper,
            &format!("{{{upper}}}"),
            &format!(" {plain}"),
        ] {
            assert_eq!(in_any_spelling(other), parsed(text), "{other}");
        }
        for none in [
            "",
            "6a1f",
            &plain[1..],
            &format!("{plain}0"),
            &format!("{{{text}"),
        ] {
            assert_eq!(in_any_spelling(none), None, "{none}");
        }
        assert_eq!(in_any_spelling(&"\u{e9}".repeat(16)), None);
    }

    #[test]
    fn copies_have_uuids_of_their_own() {
        let cell = numbered(7).to_string();
        let all = [
            renamed(&cell, 1, 5),
            renamed(&cell, 2, 5),
            renamed(&cell, 1, 6),
        ];
        assert_eq!(all[0], renamed(&cell, 1, 5));
        assert_eq!(HashSet::from(all).len(), 3);
        assert_eq!(drawn(&mut Stream::new(&[1])), drawn(&mut Stream::new(&[1])));
    }

    #[test]
    fn stored_texts_and_bytes_become_canonical() {
        let text = "6a1f0b0c-8a7e-11ee-b962-0242ac120002";
        let upper = text.to_uppercase();
        let texts: ArrayRef = Arc::new(StringArray::from(vec![Some(upper.as_str()), None]));
        let expected = StringArray::from(vec![Some(text), None]);
        assert_eq!(canonical(&texts).unwrap(), Ok(expected));
        let wrong: ArrayRef = Arc::new(StringArray::from(vec![None, Some(text), Some("x")]));
        assert_eq!(canonical(&wrong).unwrap(), Err(2));
        let bytes = parsed(text).unwrap().into_bytes();
        let bytes: ArrayRef = Arc::new(FixedSizeBinaryArray::try_from(vec![&bytes]).unwrap());
        assert_eq!(
            canonical(&bytes).unwrap(),
            Ok(StringArray::from(vec![text]))
        );
        let field = Field::new("id", DataType::Utf8, true);
        assert!(!is_of_uuids(&field) && is_of_uuids(&field.with_metadata(mark())));
    }
}
