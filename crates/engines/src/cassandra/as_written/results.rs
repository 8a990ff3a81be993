//! Values that a statement takes from the result of the one before it.

use scylla::cluster::metadata::{ColumnType, NativeType};

/// Name of the column of a conditional write's result that says whether its condition held.
pub const APPLIED: &str = "[applied]";

/// Adds a number to a value of a result.
///
/// Adding 0 returns a value of any type unchanged. Otherwise `None` means that the value is not an
/// int, bigint or counter, or that the number does not fit into its type.
pub fn number_plus(kind: &ColumnType<'_>, bytes: &[u8], plus: i64) -> Option<Vec<u8>> {
    if plus == 0 {
        return Some(bytes.to_vec());
    }
    match kind {
        ColumnType::Native(NativeType::Int) => {
            let value = i32::from_be_bytes(bytes.try_into().ok()?);
            let plus = i32::try_from(plus).ok()?;
            Some(value.wrapping_add(plus).to_be_bytes().to_vec())
        }
        ColumnType::Native(NativeType::BigInt | NativeType::Counter) => {
            let value = i64::from_be_bytes(bytes.try_into().ok()?);
            Some(value.wrapping_add(plus).to_be_bytes().to_vec())
        }
        _ => None,
    }
}

/// Returns the other one of two texts, or the first one if the value is neither.
pub fn toggled(bytes: &[u8], between: &[String; 2]) -> Vec<u8> {
    let [first, second] = between;
    if bytes == first.as_bytes() {
        second.clone().into_bytes()
    } else {
        first.clone().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_two_widths_are_added_to_and_texts_are_not() {
        let int = ColumnType::Native(NativeType::Int);
        let counter = ColumnType::Native(NativeType::Counter);
        let text = ColumnType::Native(NativeType::Text);
        let five = 5i32.to_be_bytes();
        assert_eq!(number_plus(&int, &five, 1), Some(6i32.to_be_bytes().into()));
        assert_eq!(number_plus(&int, &five, 1 << 32), None);
        let most = i64::MAX.to_be_bytes();
        let least = i64::MIN.to_be_bytes();
        assert_eq!(number_plus(&counter, &most, 1), Some(least.into()));
        assert_eq!(number_plus(&text, b"a", 0), Some(b"a".into()));
        assert_eq!(number_plus(&text, b"abcd", 1), None);
    }

    #[test]
    fn a_toggle_goes_back_and_forth() {
        let between = ["open".to_owned(), "locked".to_owned()];
        assert_eq!(toggled(b"open", &between), b"locked");
        assert_eq!(toggled(b"locked", &between), b"open");
        assert_eq!(toggled(b"?", &between), b"open");
    }
}
