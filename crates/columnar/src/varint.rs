//! Writing numbers as LEB128, and reading bytes that may be torn.

/// Appends a number with 7 bits per byte, the lowest first. All bytes but the last have the top bit
/// set.
pub(crate) fn push_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a signed number in zigzag encoding: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
pub(crate) fn push_signed(value: i64, out: &mut Vec<u8>) {
    push_varint((value << 1 ^ value >> 63) as u64, out);
}

/// Reads fields from the front of bytes. Each method returns `None` if there are too few bytes, or they
/// are not such a field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the number of bytes that are left.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return None;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub(crate) fn varint_u32(&mut self) -> Option<u32> {
        u32::try_from(self.varint()?).ok()
    }

    pub(crate) fn signed(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Reads a length as varint and that number of bytes.
    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.varint()?).ok()?;
        self.take(length)
    }

    /// Reads the number of items that follow, each of which has at least `least_bytes`. Returns
    /// `None` if there are too few bytes for them, so that no caller reserves memory for items that
    /// cannot be there.
    pub(crate) fn count(&mut self, least_bytes: usize) -> Option<usize> {
        let count = usize::try_from(self.varint()?).ok()?;
        (count <= self.len() / least_bytes.max(1)).then_some(count)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(number in any::<u64>(), signed in any::<i64>()) {
            let mut bytes = Vec::new();
            push_varint(number, &mut bytes);
            push_signed(signed, &mut bytes);
            let mut reader = Reader::new(&bytes);
            prop_assert_eq!(reader.varint(), Some(number));
            prop_assert_eq!(reader.signed(), Some(signed));
            prop_assert!(reader.is_empty());
        }
    }

    #[test]
    fn a_number_of_more_than_64_bits_is_none() {
        let largest = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01];
        assert_eq!(Reader::new(&largest).varint(), Some(u64::MAX));
        let mut larger = largest;
        larger[9] = 0x02;
        assert_eq!(Reader::new(&larger).varint(), None);
        assert_eq!(Reader::new(&[0x80; 20]).varint(), None);
    }
}
