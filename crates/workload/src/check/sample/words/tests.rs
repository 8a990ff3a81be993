use super::*;
use crate::Column;

fn table(time: ColumnType) -> Table {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    Table {
        name: "t".to_owned(),
        columns: vec![column("station_id", ColumnType::Text), column("at", time)],
        partition_key: vec!["station_id".to_owned(), "x_of_plant".to_owned()],
        order_key: vec!["at".to_owned()],
    }
}

fn read(text: &str) -> ScaleSample {
    let read = parse(text, &table(ColumnType::Timestamp));
    read.unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn lengths_series_and_factors_are_read() {
    use SampleAxis::{Series, Time};
    for (text, along, to) in [
        (
            "three years",
            Time,
            SampleSize::Milliseconds(94_672_800_000),
        ),
        ("1.5 days", Time, SampleSize::Milliseconds(129_600_000)),
        ("A week", Time, SampleSize::Milliseconds(604_800_000)),
        ("10d", Time, SampleSize::Milliseconds(864_000_000)),
        ("1.5D", Time, SampleSize::Milliseconds(129_600_000)),
        ("12h", Time, SampleSize::Milliseconds(43_200_000)),
        ("2w", Time, SampleSize::Milliseconds(1_209_600_000)),
        ("3y", Time, SampleSize::Milliseconds(94_672_800_000)),
        ("1,000h", Time, SampleSize::Milliseconds(3_600_000_000)),
        ("50 times the sensors", Series, SampleSize::Times(50.0)),
        ("10x stations", Series, SampleSize::Times(10.0)),
        ("sensors x50", Series, SampleSize::Times(50.0)),
        ("Time x1.5", Time, SampleSize::Times(1.5)),
        ("5 x_of_plant", Series, SampleSize::Series(5)),
        (
            "ten times as many station_id",
            Series,
            SampleSize::Times(10.0),
        ),
        ("two hundred times the time", Time, SampleSize::Times(200.0)),
        ("5_000 devices", Series, SampleSize::Series(5_000)),
        ("ten thousand series", Series, SampleSize::Series(10_000)),
        ("5,000 sensors", Series, SampleSize::Series(5_000)),
        ("1,500,000 sensors", Series, SampleSize::Series(1_500_000)),
        (
            "one billion sensors",
            Series,
            SampleSize::Series(1_000_000_000),
        ),
        ("500k sensors", Series, SampleSize::Series(500_000)),
        ("1.5k sensors", Series, SampleSize::Series(1_500)),
        ("1,000x sensors", Series, SampleSize::Times(1_000.0)),
        ("sensors x1,000", Series, SampleSize::Times(1_000.0)),
    ] {
        assert_eq!(read(text), ScaleSample::along(along, to), "{text}");
    }
}

#[test]
fn what_is_not_known_is_refused_with_the_words_that_are() {
    for text in [
        "",
        "big",
        "50",
        "50 times",
        "50 times the moons",
        "three",
        "10x",
        "x years",
        "years x3",
        "sensors x",
        "5 days 2",
    ] {
        let error = parse(text, &table(ColumnType::Timestamp)).unwrap_err();
        for word in ["three years", "station_id", "sensors", "month", "thousand"] {
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}

#[test]
fn the_word_that_is_not_known_is_named_in_a_short_line() {
    for (text, told) in [
        (
            "500 moons, three years",
            ": `moons` is not known; if the table has a series for each, write `500 series, three years`",
        ),
        ("two and a half years", ": `half` is not known"),
        ("500kk sensors", ": `500kk` is not known"),
        // Minutes, or months?
        ("3m", ": `3m` is not known"),
        ("d", ": `d` is not known"),
        // A word for series is there already.
        ("5 zillion sensors", ": `zillion` is not known"),
        ("50,00 moons", ": `moons` is not known"),
        // All words are known, but not what they say together.
        ("50", ""),
        ("5 days 2", ""),
        ("5,00 sensors", ""),
        ("5000,000 sensors", ""),
        ("1,5 days", ""),
    ] {
        let error = parse(text, &table(ColumnType::Timestamp)).unwrap_err();
        let (first, _) = error.split_once('\n').unwrap();
        let expected = format!("`{text}` does not say how far the sample grows{told}");
        assert_eq!(first, expected);
    }
}

#[test]
fn series_of_several_columns_are_not_counted_by_one_of_them() {
    let keyed = |partition_key: &[&str]| {
        let mut table = keyed(partition_key);
        table.columns = { partition_key.iter() }
            .map(|name| Column {
                name: (*name).to_owned(),
                kind: match *name {
                    "day" => ColumnType::Timestamp,
                    _ => ColumnType::Text,
                },
            })
            .chain([Column {
                name: "at".to_owned(),
                kind: ColumnType::Timestamp,
            }])
            .collect();
        table
    };
    let both = keyed(&["site", "device"]);
    for (text, instead) in [
        ("60 sites", "60 series"),
        ("60 devices", "60 series"),
        ("60 sites, three years", "60 series"),
        ("sites x5", "5 times the series"),
    ] {
        let error = parse(text, &both).unwrap_err();
        let expected = format!(
            "`{text}` does not say how many series there are: series are the pairs of (site, device); write \
             `{instead}`"
        );
        assert_eq!(error, expected);
    }
    let error = parse("60 racks", &keyed(&["site", "rack", "device"])).unwrap_err();
    assert!(
        error.contains("the combinations of (site, rack, device)"),
        "{error}"
    );
    let sixty = ScaleSample::along(SampleAxis::Series, SampleSize::Series(60));
    for (key, text) in [
        (&["site", "device"][..], "60 series"),
        (&["site", "device"][..], "60 machines"),
        (&["site", "device"][..], "60 site devices"),
        (&["series", "device"][..], "60 series"),
        // A time only divides the partitions of a series.
        (&["device", "day"][..], "60 devices"),
    ] {
        assert_eq!(parse(text, &keyed(key)), Ok(sixty), "{text} for {key:?}");
    }
}

#[test]
fn a_word_for_a_column_outside_of_the_key_is_not_taken_for_its_series() {
    let with = |partition_key: &[&str], others: &[&str]| {
        let mut table = keyed(partition_key);
        table.columns = { partition_key.iter().chain(others) }
            .map(|name| Column {
                name: (*name).to_owned(),
                kind: ColumnType::Int,
            })
            .chain([Column {
                name: "at".to_owned(),
                kind: ColumnType::Timestamp,
            }])
            .collect();
        table
    };
    let site = with(&["site_name"], &["user_location_city", "user_id"]);
    for (text, instead) in [
        ("three years, users x50", "three years, series x50"),
        ("500 Users", "500 series"),
        ("50 times the users", "50 times the series"),
    ] {
        let error = parse(text, &site).unwrap_err();
        let expected = format!(
            "`users` names the column `user_id`, but the rows have a series for each `site_name`: --key user_id (in a \
             workload file partition_key = [\"user_id\"]) makes it the key; or write `{instead}` for the series that \
             there are"
        );
        assert_eq!(error, expected);
    }
    for column in ["user", "userid", "User ID", "users", "user-name"] {
        let error = parse("500 users", &with(&["site"], &[column])).unwrap_err();
        let told = format!("names the column `{column}`, but");
        assert!(error.contains(&told), "{error}");
    }
    let error = parse("500 users", &with(&["site", "room"], &["user"])).unwrap_err();
    assert!(
        error.contains("a series for each pair of (site, room): "),
        "{error}"
    );
    let some = ScaleSample::along(SampleAxis::Series, SampleSize::Series(500));
    for (text, key, others) in [
        ("500 users", &["user_id"][..], &["users"][..]),
        ("500 hosts", &["hostname"][..], &["host_id"][..]),
        ("500 series", &["site"][..], &["series", "user_id"][..]),
        ("500 keys", &["site"][..], &["key"][..]),
        // No column identifies one.
        (
            "500 users",
            &["site"][..],
            &["user_location_city", "used"][..],
        ),
    ] {
        let table = with(key, others);
        assert_eq!(parse(text, &table), Ok(some), "{text} for {key:?}");
    }
    // The time of users is a time.
    assert!(parse("time x3", &site).is_ok());
}

#[test]
fn impossible_numbers_are_refused() {
    for text in [
        "0 days",
        "-1 days",
        "0.5 times the time",
        "inf years",
        "nan days",
    ] {
        let error = parse(text, &table(ColumnType::Timestamp)).unwrap_err();
        assert!(error.contains("has to be above 0"), "{text}: {error}");
    }
}

#[test]
fn whole_numbers_have_no_length_of_time() {
    let numbers = table(ColumnType::Bigint);
    let error = parse("three years", &numbers).unwrap_err();
    assert!(error.contains("column `at` has whole numbers"), "{error}");
    assert!(parse("3 times the time", &numbers).is_ok());
}

/// A table of series with this partition key.
fn keyed(partition_key: &[&str]) -> Table {
    let mut table = table(ColumnType::Timestamp);
    table.partition_key = partition_key.iter().map(|&name| name.to_owned()).collect();
    table
}

#[test]
fn a_word_of_a_key_column_is_one_for_series_in_the_plural_too() {
    let to = |size| ScaleSample::along(SampleAxis::Series, size);
    let (some, times) = (to(SampleSize::Series(500)), to(SampleSize::Times(3.0)));
    for (column, text, expected) in [
        ("wind_turbine_name", "500 turbines", some),
        ("VendorID", "500 vendors", some),
        ("wind_turbine_name", "500 wind turbines", some),
        ("Wind_Turbine_Name", "three times the wind turbines", times),
        ("wind_turbine_name", "wind turbines x3", times),
        ("wind_turbine_name", "3x wind_turbine", times),
        ("station_code", "500 stations", some),
        ("company_id", "500 companies", some),
        ("name_of_the_switch", "500 switches", some),
        ("address", "3 times as many addresses", times),
        ("day_of_station", "500 stations", some),
    ] {
        let read = parse(text, &keyed(&[column]));
        assert_eq!(read.as_ref(), Ok(&expected), "{text} for {column}");
    }
    for (column, text) in [
        ("turbine_name", "500 names"),
        ("turbine_id", "500 ids"),
        ("turbine_number", "500 numbers"),
        ("time_of_turbine", "500 times"),
        ("turbine_name", "500 turb"),
        ("turbine_name", "500 readings"),
    ] {
        let error = parse(text, &keyed(&[column])).unwrap_err();
        assert!(error.contains("does not say"), "{text}: {error}");
    }
    // A word for time stays one.
    let days = parse("5 days", &keyed(&["day_of_station"])).unwrap();
    assert_eq!((days.series, days.time.is_some()), (None, true));
}

#[test]
fn two_growths_are_joined_in_either_order() {
    let years = SampleSize::Milliseconds(94_672_800_000);
    let (some, ten) = (SampleSize::Series(500), SampleSize::Times(10.0));
    for (text, series, time) in [
        ("500 stations, three years", some, years),
        ("500 stations,3 years", some, years),
        ("three years of 500 machines", some, years),
        ("500 stations for three years", some, years),
        ("500 stations over three years", some, years),
        ("three years and ten times as many sensors", ten, years),
        ("500 sensors and 10 times the time", some, ten),
        ("sensors x10, time x10", ten, ten),
        ("five hundred sensors with history x10", some, ten),
    ] {
        let (series, time) = (Some(series), Some(time));
        assert_eq!(read(text), ScaleSample { series, time }, "{text}");
    }
    for (text, what) in [
        ("three years and six months", "how long the time is"),
        ("500 stations, 10x sensors", "how many series there are"),
    ] {
        let error = parse(text, &table(ColumnType::Timestamp)).unwrap_err();
        assert!(error.contains(&format!("says twice {what}")), "{error}");
    }
    for text in [
        "500 stations, three",
        "two and a half years",
        "500 stations, three years, 10x sensors",
        ",",
    ] {
        let error = parse(text, &table(ColumnType::Timestamp)).unwrap_err();
        let lines: Vec<&str> = error.lines().collect();
        assert_eq!(lines.len(), 3, "{text}: {error}");
        assert!(
            lines[1].contains("`500 sensors, three years`"),
            "{text}: {error}"
        );
        assert!(lines[2].starts_with("Known are numbers"), "{text}: {error}");
    }
    let numbers = table(ColumnType::Bigint);
    let error = parse("500 stations, three years", &numbers).unwrap_err();
    assert!(error.contains("column `at` has whole numbers"), "{error}");
    assert!(parse("500 stations, 3 times the time", &numbers).is_ok());
}
