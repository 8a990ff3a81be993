//! Kinds of events: CAMEO event codes, with their Goldstein scale.

use super::chance::Weighted;
use super::records::{number, records};
use crate::Stream;

/// One event code; the other columns follow from it.
#[derive(Debug)]
pub struct EventCode {
    pub code: &'static str,
    pub base: &'static str,
    pub root: &'static str,
    pub quad_class: i32,
    pub goldstein: f64,
}

/// All event codes with their frequencies.
#[derive(Debug)]
pub struct EventCodes {
    codes: Vec<EventCode>,
    law: Weighted,
}

impl EventCodes {
    pub fn new() -> Self {
        let mut codes = Vec::new();
        let mut weights = Vec::new();
        for [root, quad_class, events] in records(include_str!("events.txt")) {
            for event in events.split(' ') {
                let mut fields = event.split(':');
                let code = fields.next().unwrap_or(root);
                codes.push(EventCode {
                    code,
                    base: code.get(..3).unwrap_or(code),
                    root,
                    quad_class: number(quad_class) as i32,
                    goldstein: number(fields.next().unwrap_or_default()),
                });
                weights.push(number(fields.next().unwrap_or_default()));
            }
        }
        EventCodes {
            codes,
            law: Weighted::new(weights),
        }
    }

    /// Draws a code by its frequency.
    pub fn draw(&self, stream: &mut Stream) -> &EventCode {
        &self.codes[self.law.draw(stream)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_root_and_a_weight() {
        for [root, quad_class, events] in records(include_str!("events.txt")) {
            assert!(["1", "2", "3", "4"].contains(&quad_class), "{root}");
            for event in events.split(' ') {
                let fields: Vec<&str> = event.split(':').collect();
                assert!(fields.len() == 3 && fields[0].starts_with(root), "{event}");
                assert!(
                    number(fields[1]).abs() <= 10.0 && number(fields[2]) > 0.0,
                    "{event}"
                );
            }
        }
    }

    #[test]
    fn columns_follow_from_the_code() {
        let codes = EventCodes::new();
        let code = codes.codes.iter().find(|code| code.code == "0831").unwrap();
        assert_eq!((code.base, code.root, code.quad_class), ("083", "08", 2));
        assert_eq!(code.goldstein, 5.0);
    }
}
