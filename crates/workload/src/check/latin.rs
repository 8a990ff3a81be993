//! Latin letters as the letters of ASCII that they are made of.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Letters in lower case that are not made of one of ASCII and marks, and what is usually written in their place.
const OTHERS: [(char, &str); 12] = [
    ('ß', "ss"),
    ('æ', "ae"),
    ('œ', "oe"),
    ('ø', "o"),
    ('đ', "d"),
    ('ð', "d"),
    ('þ', "th"),
    ('ł', "l"),
    ('ı', "i"),
    ('ħ', "h"),
    ('ŧ', "t"),
    ('ŋ', "n"),
];

/// Returns a text in lower case without the marks on letters of ASCII: `zähler` as `zahler`, `straße` as `strasse`.
/// Other letters stay what they are.
pub fn in_ascii_letters(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.nfd() {
        let is_on_letter = plain.ends_with(|before: char| before.is_ascii_lowercase());
        if is_combining_mark(c) && is_on_letter {
            continue;
        }
        match OTHERS.iter().find(|(letter, _)| *letter == c) {
            Some((_, instead)) => plain.push_str(instead),
            None => plain.push(c),
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_letters_are_those_of_ascii_without_marks() {
        for (written, plain) in [
            ("zähler", "zahler"),
            ("größe", "grosse"),
            ("öl für ümlaute", "ol fur umlaute"),
            ("températures à l'été", "temperatures a l'ete"),
            ("año", "ano"),
            ("façade", "facade"),
            ("łódź", "lodz"),
            ("smørrebrød på ærø", "smorrebrod pa aero"),
            ("žluťoučký kůň", "zlutoucky kun"),
            ("hơn", "hon"),
            // The marks may be characters of their own already, and several.
            ("a\u{308}u\u{308}", "au"),
            ("e\u{302}\u{301}", "e"),
            ("plain", "plain"),
            ("", ""),
        ] {
            assert_eq!(in_ascii_letters(written), plain, "{written}");
        }
    }

    #[test]
    fn other_letters_and_signs_stay() {
        for text in ["температура", "日本", "m\u{b2}", "\u{20ac}", "\u{301}"] {
            assert_eq!(
                in_ascii_letters(text),
                text.nfd().collect::<String>(),
                "{text}"
            );
        }
    }
}
