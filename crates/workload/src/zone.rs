//! Time zones by name, in which local times are meant.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone, TimeZoneDatabase};

/// All zones, as the version of the time zone database has them that the program is built with.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// A time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    /// Its name, as it was written.
    name: String,
    zone: TimeZone,
}

/// What a local time means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalTime {
    /// This time, in milliseconds since 1970.
    Once(i64),
    /// A time that clocks showed twice, since they were put back: the first of both, in milliseconds since 1970.
    Twice(i64),
    /// No time, since clocks that were put forward skipped it.
    Never,
}

impl Zone {
    /// Finds a zone by its name in the time zone database.
    ///
    /// # Errors
    /// There is none.
    pub fn parse(written: &str) -> Result<Zone, String> {
        match ZONES.get(written) {
            Ok(zone) => Ok(Zone {
                name: written.to_owned(),
                zone,
            }),
            Err(_) => Err(format!(
                "`{written}` is no time zone: it is a name such as `Europe/Berlin` or `America/New_York`, or `Etc/GMT-1` \
                 for clocks that are always an hour ahead of UTC"
            )),
        }
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what a local time means, which is given as the milliseconds since 1970 that it would be in UTC.
    pub fn local_time(&self, as_utc: i64) -> LocalTime {
        let Ok(shown) = Timestamp::from_millisecond(as_utc) else {
            return LocalTime::Never;
        };
        let time = self
            .zone
            .to_ambiguous_timestamp(Offset::UTC.to_datetime(shown));
        let offset = time.offset();
        // Of a time that was twice, this is the first.
        let first = time.compatible().map(|time| time.as_millisecond());
        match (offset, first) {
            (AmbiguousOffset::Unambiguous { .. }, Ok(first)) => LocalTime::Once(first),
            (AmbiguousOffset::Fold { .. }, Ok(first)) => LocalTime::Twice(first),
            (AmbiguousOffset::Gap { .. }, _) | (_, Err(_)) => LocalTime::Never,
        }
    }
}

impl LocalTime {
    /// Returns the time in milliseconds since 1970; `None` if there is none.
    pub fn milliseconds(self) -> Option<i64> {
        match self {
            LocalTime::Once(time) | LocalTime::Twice(time) => Some(time),
            LocalTime::Never => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(zone: &str, time: &str) -> LocalTime {
        let shown: Timestamp = format!("{time}Z").parse().unwrap();
        Zone::parse(zone)
            .unwrap()
            .local_time(shown.as_millisecond())
    }

    fn utc(time: &str) -> i64 {
        let time: Timestamp = time.parse().unwrap();
        time.as_millisecond()
    }

    #[test]
    fn local_times_are_those_of_winter_and_of_summer() {
        for (zone, time, in_utc) in [
            (
                "Europe/Berlin",
                "2024-01-15T12:00:00",
                "2024-01-15T11:00:00Z",
            ),
            (
                "Europe/Berlin",
                "2024-07-15T12:00:00",
                "2024-07-15T10:00:00Z",
            ),
            (
                "Europe/Berlin",
                "2024-03-31T01:59:59.999",
                "2024-03-31T00:59:59.999Z",
            ),
            (
                "Europe/Berlin",
                "2024-03-31T03:00:00",
                "2024-03-31T01:00:00Z",
            ),
            (
                "Europe/Berlin",
                "2024-10-27T03:00:00",
                "2024-10-27T02:00:00Z",
            ),
            (
                "America/New_York",
                "1969-12-31T19:00:00",
                "1970-01-01T00:00:00Z",
            ),
            (
                "Asia/Kathmandu",
                "2024-01-01T00:00:00",
                "2023-12-31T18:15:00Z",
            ),
            ("Etc/GMT-1", "2024-07-15T12:00:00", "2024-07-15T11:00:00Z"),
            ("UTC", "2024-07-15T12:00:00", "2024-07-15T12:00:00Z"),
        ] {
            assert_eq!(
                local(zone, time),
                LocalTime::Once(utc(in_utc)),
                "{zone} {time}"
            );
        }
    }

    #[test]
    fn times_that_clocks_show_twice_are_the_first_and_those_that_they_skip_are_none() {
        let twice = local("Europe/Berlin", "2024-10-27T02:30:00");
        assert_eq!(twice, LocalTime::Twice(utc("2024-10-27T00:30:00Z")));
        assert_eq!(twice.milliseconds(), Some(utc("2024-10-27T00:30:00Z")));
        let skipped = local("Europe/Berlin", "2024-03-31T02:30:00");
        assert_eq!((skipped, skipped.milliseconds()), (LocalTime::Never, None));
        // Half an hour is put back here, and a whole day was skipped there.
        let twice = local("Australia/Lord_Howe", "2024-04-07T01:45:00");
        assert_eq!(twice, LocalTime::Twice(utc("2024-04-06T14:45:00Z")));
        let skipped = local("Pacific/Apia", "2011-12-30T12:00:00");
        assert_eq!(skipped, LocalTime::Never);
        let zone = Zone::parse("Europe/Berlin").unwrap();
        assert_eq!(zone.local_time(i64::MAX), LocalTime::Never);
        assert_eq!(zone.local_time(i64::MIN), LocalTime::Never);
    }

    #[test]
    fn a_zone_is_known_by_its_name() {
        assert_eq!(
            Zone::parse("Europe/Berlin").unwrap().name(),
            "Europe/Berlin"
        );
        for written in [
            "",
            "Berlin",
            "Europe/Berln",
            "+01:00",
            "CEST",
            "../etc/passwd",
        ] {
            let error = Zone::parse(written).unwrap_err();
            assert!(error.contains("is no time zone"), "{error}");
        }
    }
}
