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
