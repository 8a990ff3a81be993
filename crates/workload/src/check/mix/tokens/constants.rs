//! The lengths of numbers, durations, UUIDs and bytes, as Cassandra's lexer finds them. They need no space
//! behind them, so that what follows may be a keyword: `TTL 5UPDATE`.

/// Numbers of digits in the groups of a UUID.
const UUID_GROUPS: [usize; 5] = [8, 4, 4, 4, 12];
/// Units of durations, those first that begin with another one.
const UNITS: [&str; 10] = ["mo", "ms", "us", "µs", "ns", "y", "w", "d", "h", "m"];
const SECONDS: &str = "s";

/// Counts the bytes of the longest constant that `text` begins with; 0 if it begins with none.
pub fn length(text: &str) -> usize {
    let signed = usize::from(text.starts_with('-'));
    let unsigned = &text[signed..];
    let after_sign = [number(unsigned), duration(unsigned), iso_duration(unsigned)];
    let named = ["nan", "infinity"].map(|name| match signed {
        1 if begins_with(unsigned, name) => name.len(),
        _ => 0,
    });
    let longest = after_sign.into_iter().chain(named).max().unwrap_or(0);
    let longest = if longest > 0 { signed + longest } else { 0 };
    longest.max(uuid(text)).max(hexadecimal(text))
}

/// Counts the bytes of a whole number or a fraction.
fn number(text: &str) -> usize {
    let whole = digits(text);
    let rest = &text[whole..];
    if whole == 0 || rest.starts_with("..") && !rest.starts_with("...") {
        return whole;
    }
    let mut length = whole;
    if let Some(fraction) = rest.strip_prefix('.') {
        length += 1 + digits(fraction);
    }
    length + exponent(&text[length..])
}

fn exponent(text: &str) -> usize {
    if !begins_with(text, "e") {
        return 0;
    }
    let sign = usize::from(text[1..].starts_with(['+', '-']));
    match digits(&text[1 + sign..]) {
        0 => 0,
        digits => 1 + sign + digits,
    }
}

/// Counts the bytes of a duration such as `1h30m`.
fn duration(text: &str) -> usize {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        let digits = digits(rest);
        let unit = unit(&rest[digits..]);
        if digits == 0 || unit == 0 {
            return length;
        }
        length += digits + unit;
    }
}

fn unit(text: &str) -> usize {
    let mut units = UNITS.iter().chain([&SECONDS]);
    units
        .find(|unit| begins_with(text, unit))
        .map_or(0, |u| u.len())
}

/// Counts the bytes of a duration in one of the forms of ISO 8601, such as `P1Y2M`, `P2W` or
/// `P0001-02-03T04:05:06`.
fn iso_duration(text: &str) -> usize {
    let Some(inside) = text.strip_prefix('P') else {
        return 0;
    };
    let date = designated(inside, b"YMD");
    let time = match inside[date..].strip_prefix('T') {
        Some(time) => designated(time, b"HMS"),
        None => 0,
    };
    let length = date + if time > 0 { 1 + time } else { 0 };
    let longest = length
        .max(designated(inside, b"W"))
        .max(alternative(inside));
    if longest > 0 { 1 + longest } else { 0 }
}

/// Counts the bytes of digits with these designators, in this order, each of which may be missing.
fn designated(text: &str, designators: &[u8]) -> usize {
    let mut length = 0;
    for designator in designators {
        let digits = digits(&text[length..]);
        if digits > 0 && text.as_bytes().get(length + digits) == Some(designator) {
            length += digits + 1;
        }
    }
    length
}

/// Counts the bytes of a duration without designators.
fn alternative(text: &str) -> usize {
    const FORM: &[u8] = b"0000-00-00T00:00:00";
    let fits = |(form, byte): (&u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        other => byte == other,
    };
    let is_one = text.len() >= FORM.len() && FORM.iter().zip(text.as_bytes()).all(fits);
    if is_one { FORM.len() } else { 0 }
}

fn uuid(text: &str) -> usize {
    let mut length = 0;
    for (number, digits) in UUID_GROUPS.into_iter().enumerate() {
        if number > 0 {
            if text.as_bytes().get(length) != Some(&b'-') {
                return 0;
            }
            length += 1;
        }
        let group = text.as_bytes().get(length..length + digits);
        if !group.is_some_and(|group| group.iter().all(u8::is_ascii_hexdigit)) {
            return 0;
        }
        length += digits;
    }
    length
}

/// Counts the bytes of bytes such as `0xCAFE`.
fn hexadecimal(text: &str) -> usize {
    if !begins_with(text, "0x") {
        return 0;
    }
    let digits = text[2..].bytes().take_while(u8::is_ascii_hexdigit);
    2 + digits.count()
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Returns whether `text` begins with a word, regardless of case.
fn begins_with(text: &str, word: &str) -> bool {
    text.get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_end_where_the_next_token_begins() {
        for (constant, next) in [
            ("5", "UPDATE"),
            ("-5", ".."),
            ("1.5e-3", "f"),
            ("1.", "e"),
            ("-nan", "UPDATE"),
            ("-Infinity", "x"),
            ("1h30m", " "),
            ("2mo", "n"),
            ("3µs", ";"),
            ("0xCaFe", "UPDATE"),
            ("P1Y2M3DT4H5M6S", "_"),
            ("-PT1M", "UPDATE"),
            ("P2W", ""),
            ("P0001-02-03T04:05:06", "UPDATE"),
            ("abcdefab-0123-abcd-4567-abcdefabcdef", "UPDATE"),
        ] {
            let found = length(&format!("{constant}{next}"));
            assert_eq!(found, constant.len(), "{constant}{next}");
        }
        for none in [
            "",
            "a",
            "-",
            "-a",
            "P",
            "PT",
            "nan",
            "abcdefab-0123",
            ".5",
            "µs",
        ] {
            assert_eq!(length(none), 0, "{none}");
        }
    }
}
