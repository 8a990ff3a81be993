//! New tokens of texts that have all else in common.

use std::collections::BTreeMap;

use super::token::Kind;
use crate::Stream;
use crate::source::scaled::blocks::coprime;

/// Tokens of one kind and width, or numbers that go on, whatever their width.
pub enum Family {
    /// Numbers from `next` on, with zeros in front up to `width`.
    GoesOn {
        next: u64,
        members: u64,
        width: usize,
    },
    /// Numbers of a range that the sample does not have, scattered.
    Scattered {
        kind: Kind,
        width: usize,
        /// The first number of the range, and how many of the range are not used.
        first: u64,
        free: u64,
        /// Distances from `first` of those that the sample uses, ascending.
        used: Vec<u64>,
        members: u64,
        /// The number *i* of those that are free is at `factor * i + offset`, modulo `free`.
        factor: u64,
        offset: u64,
    },
}

impl Family {
    /// Makes families for different tokens of a kind. Returns them with the family and the place in it of each
    /// token. Where a width has too few names for `copies` copies, its tokens get longer names.
    pub fn divide(
        kind: Kind,
        tokens: &[&str],
        copies: u64,
        seed: u64,
        widest: usize,
    ) -> (Vec<Family>, Vec<(usize, u64)>) {
        if let Some(family) = Family::that_goes_on(kind, tokens) {
            let placed = (0..tokens.len()).map(|place| (0, place as u64));
            return (vec![family], placed.collect());
        }
        // Which tokens have names of which width, from the narrowest to the widest.
        let mut widths: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, token) in tokens.iter().enumerate() {
            widths.entry(token.len()).or_default().push(number);
        }
        let mut families = Vec::new();
        let mut placed = vec![(0, 0); tokens.len()];
        while let Some((width, members)) = widths.pop_first() {
            let family = Family::scattered(kind, width, tokens, members.len() as u64, seed);
            let needed = copies.saturating_mul(members.len() as u64);
            if family.free() < needed && width < widest {
                widths.entry(width + 1).or_default().extend(members);
                continue;
            }
            for (place, number) in members.into_iter().enumerate() {
                placed[number] = (families.len(), place as u64);
            }
            families.push(family);
        }
        (families, placed)
    }

    /// Returns the family of numbers of which most up to the largest one are used.
    fn that_goes_on(kind: Kind, tokens: &[&str]) -> Option<Family> {
        if kind != Kind::Decimal || tokens.iter().any(|token| token.is_empty()) {
            return None;
        }
        let members = tokens.len() as u64;
        let largest = tokens.iter().map(|token| kind.number(token)).max()?;
        let has_zeros = |token: &&str| token.len() > 1 && token.starts_with('0');
        let zeros = tokens.iter().filter(|token| has_zeros(token)).count();
        let widest = tokens.iter().map(|token| token.len()).max()?;
        // Of numbers with zeros in front all have one width, or else `007` and `7` could both be there.
        let is_padded = zeros > 0;
        let is_regular = !is_padded || tokens.iter().all(|token| token.len() == widest);
        (is_regular && largest <= 2 * members + 8).then_some(Family::GoesOn {
            next: largest + 1,
            members,
            width: if is_padded { widest } else { 1 },
        })
    }

    fn scattered(kind: Kind, width: usize, tokens: &[&str], members: u64, seed: u64) -> Family {
        let of_width = || tokens.iter().filter(move |token| token.len() == width);
        let all = kind.radix().saturating_pow(width as u32);
        // Numbers that never begin with a zero go on not to.
        let has_zeros = of_width().any(|token| token.starts_with('0'));
        let first = match kind {
            Kind::Decimal if width > 1 && !has_zeros => all / 10,
            _ => 0,
        };
        let mut used: Vec<u64> = { of_width() }
            .filter_map(|token| kind.number(token).checked_sub(first))
            .collect();
        used.sort_unstable();
        // Capitals and small letters have the same number.
        used.dedup();
        let free = (all - first).saturating_sub(used.len() as u64);
        let mut draws = Stream::new(&[seed, width as u64]);
        Family::Scattered {
            kind,
            width,
            first,
            free,
            used,
            members,
            factor: coprime(draws.next_u64(), free.max(1)),
            offset: draws.below(free.max(1)),
        }
    }

    fn free(&self) -> u64 {
        match self {
            Family::GoesOn { .. } => u64::MAX,
            Family::Scattered { free, .. } => *free,
        }
    }

    /// Writes the token of a copy, from 1 on, in place of a token of the sample.
    pub fn append(&self, place: u64, copy: u64, token: &str, out: &mut String) {
        let number = |members: u64| (copy - 1).saturating_mul(members).saturating_add(place);
        match self {
            Family::GoesOn {
                next,
                members,
                width,
            } => {
                let number = next.saturating_add(number(*members));
                out.push_str(&format!("{number:0width$}", width = *width));
            }
            Family::Scattered {
                kind,
                width,
                first,
                free,
                used,
                members,
                factor,
                offset,
            } => {
                let place =
                    u128::from(*factor) * u128::from(number(*members)) + u128::from(*offset);
                let place = (place % u128::from(*free).max(1)) as u64;
                let before = skipped(used, place);
                put(*kind, *width, first + place + before, token, out);
            }
        }
    }
}

/// Returns how many used numbers come before the free one of this place.
fn skipped(used: &[u64], place: u64) -> u64 {
    // Before the used number i there are used[i] - i free ones.
    let (mut low, mut high) = (0, used.len());
    while low < high {
        let middle = (low + high) / 2;
        if used[middle] - middle as u64 <= place {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low as u64
}

/// Writes a number with this many digits; letters are capitals where those of an equally long token are.
fn put(kind: Kind, width: usize, mut number: u64, token: &str, out: &mut String) {
    let mut digits = [0_u64; 20];
    let width = width.min(digits.len());
    for digit in digits[..width].iter_mut().rev() {
        *digit = number % kind.radix();
        number /= kind.radix();
    }
    let is_as_long = token.len() == width;
    for (at, digit) in digits[..width].iter().enumerate() {
        let is_capital = is_as_long && token.as_bytes()[at].is_ascii_uppercase();
        let digit = kind.digit(*digit);
        out.push(if is_capital {
            digit.to_ascii_uppercase()
        } else {
            digit
        });
    }
}
