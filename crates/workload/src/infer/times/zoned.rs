//! Local times, which clocks that are changed show twice or never.

use super::FoundTime;
use crate::{LocalTime, Zone};

/// Numbers of local times of a column that are not once.
#[derive(Debug, Clone, Copy, Default)]
pub struct OddTimes {
    /// Those that clocks show twice, which are taken as the first of both.
    pub twice: u64,
    /// Those that clocks skip, which are no times.
    pub never: u64,
}

impl OddTimes {
    /// Counts a time, and returns it in milliseconds since 1970, if there is one.
    pub fn see(&mut self, time: LocalTime) -> Option<i64> {
        self.twice += u64::from(matches!(time, LocalTime::Twice(_)));
        self.never += u64::from(time == LocalTime::Never);
        time.milliseconds()
    }
}

/// Returns what is said of the zone of times that were found.
pub fn about(zone: Option<&Zone>, found: &FoundTime) -> String {
    let without = found.fits - found.with_zone.min(found.fits);
    let is_mixed = found.with_zone > 0 && without > 0;
    let Some(zone) = zone else {
        return if is_mixed {
            format!(
                "; {} have a zone, and the other {without} are taken as UTC",
                found.with_zone
            )
        } else {
            String::new()
        };
    };
    if without == 0 || found.format.says_offset("") {
        return String::new();
    }
    let name = zone.name();
    let mut about = if is_mixed {
        format!(
            "; {} have a zone, and the other {without} are those of {name}",
            found.with_zone
        )
    } else {
        format!(", those of {name}")
    };
    if found.odd.twice > 0 {
        let times = counted(found.odd.twice);
        about.push_str(&format!(
            "; {times} in an hour that its clocks show twice, taken as the first one"
        ));
    }
    if found.odd.never > 0 {
        let times = counted(found.odd.never);
        about.push_str(&format!(
            "; {times} in an hour that its clocks skip, and so none, unless another zone is meant, such as Etc/GMT-1 \
             for clocks that are never changed"
        ));
    }
    about
}

/// Says how many times there are.
fn counted(times: u64) -> String {
    format!("{times} time{}", if times == 1 { "" } else { "s" })
}
