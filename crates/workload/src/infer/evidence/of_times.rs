//! Columns of times, and of texts that would be times if more were known of them.

use super::{Decision, Evidence, text};
use crate::infer::guessed_form::guessed;
use crate::infer::times::{FoundTime, OF_A_YEAR};
use crate::{ColumnType, TimeFormat};

impl Evidence {
    /// Decides for times in a form that is known, also where they are text since they lack their year or were shown by
    /// no clock of their zone; `None` for all other values.
    pub(super) fn of_times(&self, is_named_as_time: bool) -> Option<Decision> {
        let is_named_as_time = is_named_as_time || self.times.is_said;
        let found = self.times.found(is_named_as_time);
        let may_be_times =
            is_named_as_time || self.distinct.distinct() > 1 || self.plain.whole == 0;
        if let Some(found) = found.filter(|found| may_be_times && self.is_enough(found.fits)) {
            return Some(if found.odd.never * 2 > found.fits {
                self.mostly_skipped(&found)
            } else {
                self.timestamp(found)
            });
        }
        // The last four digits may be a year in place of hour and minute.
        let has_year = { self.times.found(true) }.is_some_and(|found| self.is_enough(found.fits));
        if has_year {
            return None;
        }
        let may_lack_year = is_named_as_time || self.leading_zeros > 0;
        if may_lack_year && self.is_enough(self.times.without_year) {
            let why = format!(
                "month, day, hour and minute without a year, and so no times: as text they keep their zeros and their \
                 order; --time-format 'COLUMN={OF_A_YEAR}' would say their year"
            );
            return Some(Decision {
                lacks_year: true,
                ..text(why)
            });
        }
        let of_year = self.times.yearless.found(is_named_as_time);
        let (form, _) = of_year.filter(|(_, fits)| self.is_enough(*fits))?;
        let why = format!(
            "times without a year, and so text: --time-format 'COLUMN={}' would say their year",
            form.written()
        );
        Some(Decision {
            lacks_year: true,
            ..text(why)
        })
    }

    fn timestamp(&self, found: FoundTime) -> Decision {
        let written = found.format.written();
        let mut why = match &found.format {
            TimeFormat::Iso => "times as ISO 8601 has them".to_owned(),
            TimeFormat::Epoch(_) => format!("{written} since 1970"),
            TimeFormat::Pattern(_) | TimeFormat::OfYear { .. } => {
                format!("times written as {written}")
            }
        };
        if let Some(or) = &found.or {
            why.push_str(&format!(
                ", which may also be {}: check days and months",
                or.written()
            ));
        }
        why.push_str(&self.times.about_zone(&found));
        let is_cut = found.finer > 0 || matches!(written, "us" | "ns");
        if is_cut {
            why.push_str("; what is below a millisecond is cut");
        }
        let is_usual = match found.format {
            TimeFormat::Iso => found.finer == 0,
            // A column without a form reads whole milliseconds only.
            _ => written == "ms" && self.plain.whole >= found.fits,
        };
        Decision {
            kind: ColumnType::Timestamp,
            format: (!is_usual).then(|| found.format.clone()),
            misfits: self.values - found.fits + found.odd.never,
            time: Some(found),
            ..text(why)
        }
    }

    /// Decides for times most of which the clocks of their zone skip, so that it is hardly the zone of these clocks.
    fn mostly_skipped(&self, found: &FoundTime) -> Decision {
        let zone = self.times.zone.as_ref().map_or("UTC", |zone| zone.name());
        let why = format!(
            "{} of {} times are in an hour that the clocks of {zone} skip, and so they are text: correct them, or name \
             the zone of the clocks that showed them, such as --zone Etc/GMT-1 for an hour ahead of UTC all year",
            found.odd.never, found.fits
        );
        Decision {
            may_be_times: true,
            ..text(why)
        }
    }

    /// Decides for texts that look like times in a form that is not tried; `None` for all others.
    pub(super) fn of_untried_times(&self) -> Option<Decision> {
        if self.plain.all * 2 > self.values {
            return None;
        }
        let guess = guessed(&self.first_texts)?;
        let (_, shown) = self.no_number.as_ref()?;
        let mut why = format!(
            "text; if values such as `{shown}` are times, --time-format 'COLUMN={}' says so",
            guess.form.written()
        );
        if let Some(or) = guess.or {
            why.push_str(&format!(
                ", or 'COLUMN={}' by the order of days and months",
                or.written()
            ));
        }
        Some(Decision {
            may_be_times: true,
            ..text(why)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NULL_WORDS, Zone};

    /// The evidence of some values.
    fn of(cells: &[&str]) -> Evidence {
        let null = NULL_WORDS.map(str::to_owned);
        let mut evidence = Evidence::new(100, None);
        for (line, cell) in (2..).zip(cells) {
            evidence.see(line, cell, &null);
        }
        evidence
    }

    /// The decision on times of Berlin.
    fn of_berlin(cells: &[&str]) -> Decision {
        let zone = Zone::parse("Europe/Berlin").unwrap();
        let mut evidence = Evidence::new(100, None).in_zone(Some(&zone));
        for (line, cell) in (2..).zip(cells) {
            evidence.see(line, cell, &[]);
        }
        evidence.decide(false)
    }

    #[test]
    fn some_times_that_the_clocks_of_a_zone_skip_are_bad_rows_and_most_make_a_text() {
        let hours = ["2024-03-31 01:30", "2024-03-31 02:30", "2024-03-31 03:30"];
        let decision = of_berlin(&hours);
        assert_eq!(
            (decision.kind, decision.misfits),
            (ColumnType::Timestamp, 1)
        );
        assert!(
            decision
                .why
                .contains("1 time in an hour that its clocks skip")
        );
        let time = decision.time.unwrap();
        // 2024-03-31T00:30:00Z and 01:30:00Z
        assert_eq!(
            (time.first, time.last),
            (1_711_845_000_000, 1_711_848_600_000)
        );
        // The form is the one of all times, and not of those that there are.
        let other = [
            "31.03.2024 02:10",
            "31.03.2024 02:20",
            "31.03.2024 03:00",
            "31.03.2024 04:00",
        ];
        let decision = of_berlin(&other);
        assert_eq!(
            (decision.kind, decision.misfits),
            (ColumnType::Timestamp, 2)
        );
        for cells in [
            &hours[1..2],
            &["2024-03-31 02:00", "2024-03-31 02:30", "2024-03-31"],
        ] {
            let decision = of_berlin(cells);
            assert_eq!((decision.kind, decision.misfits), (ColumnType::Text, 0));
            assert!(decision.may_be_times && decision.time.is_none());
            let why =
                "times are in an hour that the clocks of Europe/Berlin skip, and so they are text";
            assert!(decision.why.contains(why), "{}", decision.why);
            assert!(
                decision.why.contains("--zone Etc/GMT-1"),
                "{}",
                decision.why
            );
        }
    }

    #[test]
    fn texts_that_look_like_times_say_the_option_that_makes_them_some() {
        let decision = of(&["13-02-2024 14:30", "14-02-2024 09:00"]).decide(false);
        assert_eq!(
            (decision.kind, decision.may_be_times),
            (ColumnType::Text, true)
        );
        assert_eq!(
            decision.why,
            "text; if values such as `13-02-2024 14:30` are times, --time-format 'COLUMN=%d-%m-%Y %H:%M' says so"
        );
        let decision = of(&["01-02-2024 14:30", "03-04-2024 09:00"]).decide(false);
        let or = ", or 'COLUMN=%m-%d-%Y %H:%M' by the order of days and months";
        assert!(decision.why.ends_with(or), "{}", decision.why);
        let decision = of(&["13-02-2024 14:30", "soon"]).decide(false);
        assert_eq!(
            (decision.may_be_times, decision.why.as_str()),
            (false, "text")
        );
    }
}
