//! Numbers as LEB128, and a reader of bytes that may be torn.

/// Appends 7 bits a byte, the lowest first; all bytes but the last have the top bit set.
pub(crate) fn push_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Zigzag: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
pub(crate) fn push_signed(value: i64, out: &mut Vec<u8>) {
    push_varint((value << 1 ^ value >> 63) as u64, out);
}

/// Takes fields from the front of bytes; none if there are too few, or they cannot be.
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

    /// Bytes that are left.
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

    /// A length as varint, and as many bytes.
    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.varint()?).ok()?;
        self.take(length)
    }

    /// A number of things that have at least so many bytes each: never more than can be there.
    pub(crate) fn count(&mut self, least_bytes: usize) -> Option<usize> {
        let count = usize::try_from(self.varint()?).ok()?;
        (count <= self.len() / least_bytes.max(1)).then_some(count)
    }
}
