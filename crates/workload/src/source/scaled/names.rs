//! Texts for new series in the form of those of the sample: `host_7` leads to `host_8`, `i-a2eb1cd9` to
//! `i-5f03b1e6`.

mod family;
mod token;

use std::collections::BTreeMap;

use family::Family;
use token::{Kind, Token};

/// Most characters of a token that are counted through, so that their number fits into 64 bits.
const WIDEST: usize = 12;

/// New texts: one for each text of the sample and each copy. None of them is in the sample or comes twice, but by
/// chance where `ab1` and hexadecimal texts such as `ab12` are among the same texts.
pub struct Names {
    /// What is before and after the token of each text of the sample, its family, and its place in it.
    members: Vec<Member>,
    families: Vec<Family>,
}

struct Member {
    before: Box<str>,
    after: Box<str>,
    /// The token of the sample, whose capitals stay where the new one is as long.
    token: Box<str>,
    family: u32,
    place: u64,
}

/// Texts that differ in their tokens only belong together.
type Form = (String, String, Kind);

impl Names {
    /// Makes names for different texts, in up to `copies` copies.
    pub fn new(texts: &[&str], copies: u64, seed: u64) -> Names {
        let mut forms: BTreeMap<Form, Vec<(usize, Token)>> = BTreeMap::new();
        for (number, text) in texts.iter().enumerate() {
            let token = Token::find(text);
            let before = text[..token.range.start].to_owned();
            let after = text[token.range.end..].to_owned();
            let form = (before, after, token.kind);
            forms.entry(form).or_default().push((number, token));
        }
        join_hexadecimal(&mut forms);
        let mut members: Vec<Option<Member>> = texts.iter().map(|_| None).collect();
        let mut families = Vec::new();
        for ((before, after, kind), found) in forms {
            let tokens: Vec<&str> = { found.iter() }
                .map(|(number, token)| &texts[*number][token.range.clone()])
                .collect();
            let (made, placed) = Family::divide(kind, &tokens, copies, seed, WIDEST);
            for (((number, _), token), (family, place)) in found.iter().zip(&tokens).zip(placed) {
                members[*number] = Some(Member {
                    before: before.as_str().into(),
                    after: after.as_str().into(),
                    token: (*token).into(),
                    family: (families.len() + family) as u32,
                    place,
                });
            }
            families.extend(made);
        }
        Names {
            members: members.into_iter().flatten().collect(),
            families,
        }
    }

    /// Writes the text that a copy, from 1 on, has in place of a text of the sample.
    pub fn append(&self, text: usize, copy: u64, out: &mut String) {
        let Some(member) = self.members.get(text) else {
            return;
        };
        out.push_str(&member.before);
        self.families[member.family as usize].append(member.place, copy, &member.token, out);
        out.push_str(&member.after);
    }
}

/// Counts texts with digits alone as hexadecimal where others of the same form are.
fn join_hexadecimal(forms: &mut BTreeMap<Form, Vec<(usize, Token)>>) {
    let hexadecimal: Vec<Form> = { forms.keys() }
        .filter(|(_, _, kind)| *kind == Kind::Hex)
        .cloned()
        .collect();
    for form in hexadecimal {
        let decimal = (form.0.clone(), form.1.clone(), Kind::Decimal);
        let found = forms.remove(&decimal).unwrap_or_default();
        forms.entry(form).or_default().extend(found);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn named(texts: &[&str], copies: u64) -> Vec<Vec<String>> {
        let names = Names::new(texts, copies, 1);
        let of = |text: usize, copy: u64| {
            let mut out = String::new();
            names.append(text, copy, &mut out);
            out
        };
        (1..=copies)
            .map(|copy| (0..texts.len()).map(|text| of(text, copy)).collect())
            .collect()
    }

    fn check_unique(texts: &[&str], copies: u64) {
        let mut seen: HashSet<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        for name in named(texts, copies).into_iter().flatten() {
            assert!(seen.insert(name.clone()), "{name} twice, from {texts:?}");
        }
    }

    #[test]
    fn numbers_go_on_where_they_have_no_gaps() {
        assert_eq!(
            named(&["host_0", "host_1", "host_2"], 3),
            [
                ["host_3", "host_4", "host_5"],
                ["host_6", "host_7", "host_8"],
                ["host_9", "host_10", "host_11"]
            ]
        );
        assert_eq!(named(&["s01.x", "s02.x"], 1), [["s03.x", "s04.x"]]);
    }

    #[test]
    fn other_texts_keep_their_length_and_their_kinds_of_characters() {
        let texts = [
            "i-a2eb1cd9",
            "i-00ff8143",
            "Kitchen",
            "hall",
            "serial 48213377",
        ];
        for copy in named(&texts, 20) {
            for (name, text) in copy.iter().zip(texts) {
                assert_eq!(name.len(), text.len(), "{name}");
                for (new, old) in name.chars().zip(text.chars()) {
                    let is_hex = text.starts_with("i-") && new.is_ascii_hexdigit();
                    let same = new.is_ascii_digit() == old.is_ascii_digit() || is_hex;
                    let same = same && new.is_uppercase() == old.is_uppercase();
                    assert!(same || new == old, "{name} of {text}");
                }
            }
        }
    }

    #[test]
    fn no_name_comes_twice_or_is_one_of_the_sample() {
        check_unique(&["host_0", "host_9", "host_10", "host_007"], 500);
        check_unique(&["a", "b", "Z"], 400);
        check_unique(&["", "1", "北京", "北京2", "-"], 300);
        check_unique(&["ab12", "ab13", "ff00", "x-ab12"], 500);
        check_unique(&["i-a2eb1cd9", "i-12345678", "i-99999999"], 500);
        check_unique(&["90", "95", "99", "901", "999"], 500);
        let many: Vec<String> = (0..3_000).map(|n| format!("k{:04}", n * 3)).collect();
        check_unique(&many.iter().map(String::as_str).collect::<Vec<_>>(), 9);
    }
}
