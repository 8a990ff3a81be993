use std::collections::HashSet;
use std::path::Path;
use std::sync::LazyLock;

use arrow::array::{Array, AsArray};
use arrow::compute::concat_batches;
use arrow::datatypes::{Float64Type, Int32Type, Int64Type};

use super::*;
use crate::Workload;

static ROWS: LazyLock<RecordBatch> = LazyLock::new(|| read(0, 8_192, 200_000));

fn read(from: u64, batch_rows: usize, rows: usize) -> RecordBatch {
    let source = Gdelt::new(1);
    let batches: Vec<_> = source
        .read(from, batch_rows)
        .unwrap()
        .take(rows.div_ceil(batch_rows))
        .map(|batch| batch.unwrap().rows)
        .collect();
    concat_batches(&source.schema(), &batches)
        .unwrap()
        .slice(0, rows)
}

fn ints(rows: &RecordBatch, column: &str) -> Vec<i32> {
    rows.column_by_name(column)
        .unwrap()
        .as_primitive::<Int32Type>()
        .values()
        .to_vec()
}

fn doubles(rows: &RecordBatch, column: &str) -> Vec<f64> {
    rows.column_by_name(column)
        .unwrap()
        .as_primitive::<Float64Type>()
        .values()
        .to_vec()
}

fn texts<'a>(rows: &'a RecordBatch, column: &str) -> Vec<Option<&'a str>> {
    rows.column_by_name(column)
        .unwrap()
        .as_string::<i32>()
        .iter()
        .collect()
}

/// Counts the rows whose first actor is from this country.
fn rows_of_country(rows: &RecordBatch, iso: &str) -> usize {
    texts(rows, "actor1countrycode")
        .iter()
        .filter(|code| **code == Some(iso))
        .count()
}

/// The columns of GDELT's files of events, which have no header, in order. Since April 2013 another one follows,
/// SOURCEURL.
const COLUMNS_OF_FILES: &str = "GLOBALEVENTID SQLDATE MonthYear Year FractionDate Actor1Code Actor1Name \
    Actor1CountryCode Actor1KnownGroupCode Actor1EthnicCode Actor1Religion1Code Actor1Religion2Code \
    Actor1Type1Code Actor1Type2Code Actor1Type3Code Actor2Code Actor2Name Actor2CountryCode \
    Actor2KnownGroupCode Actor2EthnicCode Actor2Religion1Code Actor2Religion2Code Actor2Type1Code \
    Actor2Type2Code Actor2Type3Code IsRootEvent EventCode EventBaseCode EventRootCode QuadClass \
    GoldsteinScale NumMentions NumSources NumArticles AvgTone Actor1Geo_Type Actor1Geo_FullName \
    Actor1Geo_CountryCode Actor1Geo_ADM1Code Actor1Geo_Lat Actor1Geo_Long Actor1Geo_FeatureID \
    Actor2Geo_Type Actor2Geo_FullName Actor2Geo_CountryCode Actor2Geo_ADM1Code Actor2Geo_Lat \
    Actor2Geo_Long Actor2Geo_FeatureID ActionGeo_Type ActionGeo_FullName ActionGeo_CountryCode \
    ActionGeo_ADM1Code ActionGeo_Lat ActionGeo_Long ActionGeo_FeatureID DATEADDED";

#[test]
fn columns_are_those_of_the_files_in_their_order() {
    let columns = table().columns;
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let of_files = COLUMNS_OF_FILES.to_lowercase();
    assert_eq!(names, of_files.split(' ').collect::<Vec<_>>());
}

#[test]
fn rows_do_not_depend_on_batches_or_on_where_reading_starts() {
    let whole = ROWS.slice(0, 1_000);
    assert_eq!(whole, read(0, 7, 1_000));
    assert_eq!(whole.slice(333, 500), read(333, 100, 500));
}

#[test]
fn another_seed_gives_other_rows() {
    let mut other = Gdelt::new(2).read(0, 1_000).unwrap();
    assert_ne!(ROWS.slice(0, 1_000), other.next().unwrap().unwrap().rows);
}

#[test]
fn the_last_possible_rows_are_rows_too() {
    assert_eq!(read(u64::MAX - 5, 4, 20).num_rows(), 20);
}

#[test]
fn the_table_has_the_57_columns_of_gdelt() {
    let table = table();
    assert_eq!(table.columns.len(), 57);
    assert_eq!(
        table.key().collect::<Vec<_>>(),
        ["monthyear", "globaleventid"]
    );
    for (index, name) in [(5, "actor1code"), (24, "actor2type3code"), (34, "avgtone")] {
        assert_eq!(table.columns[index].name, name);
    }
    assert_eq!(ROWS.schema(), table.schema());
}

#[test]
fn keys_are_unique() {
    let ids = ROWS
        .column_by_name("globaleventid")
        .unwrap()
        .as_primitive::<Int64Type>();
    assert_eq!(
        ids.values().iter().collect::<HashSet<_>>().len(),
        ROWS.num_rows()
    );
}

#[test]
fn filters_of_the_study_pick_its_shares() {
    let per_mille = |rows: usize| rows as f64 * 1e3 / ROWS.num_rows() as f64;
    let december = ints(&ROWS, "monthyear")
        .iter()
        .filter(|month| **month == 198012)
        .count();
    assert!((per_mille(december) - 10.43).abs() < 0.1, "{december}");
    // Standard deviations, with rows of a story counted together: about 0.8, 0.3 and 0.1.
    let usa = rows_of_country(&ROWS, "USA");
    assert!((per_mille(usa) - 91.0).abs() < 4.0, "{usa}");
    // Between the two of the study: as many as it advises at most to find by an index.
    let japan = rows_of_country(&ROWS, "JPN");
    assert!((per_mille(japan) - 9.7).abs() < 1.5, "{japan}");
    let albania = rows_of_country(&ROWS, "ALB");
    assert!((per_mille(albania) - 1.2).abs() < 0.4, "{albania}");
}

/// Percentage of nulls of each column of the real sample that has any.
const NULL_PERCENT: [(&str, f64); 41] = [
    ("actor1code", 6.1),
    ("actor1name", 6.1),
    ("actor1countrycode", 37.3),
    ("actor1knowngroupcode", 98.9),
    ("actor1ethniccode", 99.7),
    ("actor1religion1code", 97.6),
    ("actor1religion2code", 99.4),
    ("actor1type1code", 57.5),
    ("actor1type2code", 97.3),
    ("actor1type3code", 99.9),
    ("actor2code", 27.6),
    ("actor2name", 27.6),
    ("actor2countrycode", 53.8),
    ("actor2knowngroupcode", 99.9),
    ("actor2ethniccode", 99.6),
    ("actor2religion1code", 98.5),
    ("actor2religion2code", 99.9),
    ("actor2type1code", 68.2),
    ("actor2type2code", 98.9),
    ("actor2type3code", 100.0),
    ("actor1geo_type", 1.4),
    ("actor1geo_fullname", 8.2),
    ("actor1geo_countrycode", 8.2),
    ("actor1geo_adm1code", 8.2),
    ("actor1geo_lat", 6.8),
    ("actor1geo_long", 6.8),
    ("actor1geo_featureid", 6.8),
    ("actor2geo_type", 5.8),
    ("actor2geo_fullname", 28.9),
    ("actor2geo_countrycode", 28.9),
    ("actor2geo_adm1code", 28.9),
    ("actor2geo_lat", 23.1),
    ("actor2geo_long", 23.1),
    ("actor2geo_featureid", 23.1),
    ("actiongeo_type", 0.3),
    ("actiongeo_fullname", 2.3),
    ("actiongeo_countrycode", 2.3),
    ("actiongeo_adm1code", 2.3),
    ("actiongeo_lat", 2.0),
    ("actiongeo_long", 2.0),
    ("actiongeo_featureid", 2.7),
];

#[test]
fn columns_are_as_empty_as_in_the_sample() {
    for (field, values) in ROWS.schema().fields().iter().zip(ROWS.columns()) {
        let expected = NULL_PERCENT.iter().find(|(name, _)| name == field.name());
        let expected = expected.map_or(0.0, |(_, percent)| *percent);
        let percent = values.null_count() as f64 * 100.0 / values.len() as f64;
        assert!(
            (percent - expected).abs() < 3.0,
            "{}: {percent} %, not {expected}",
            field.name()
        );
    }
}

#[test]
fn a_place_follows_from_its_name_and_feature() {
    let mut places = HashSet::new();
    let mut names = HashSet::new();
    let [name, feature] =
        ["fullname", "featureid"].map(|c| texts(&ROWS, &format!("actiongeo_{c}")));
    let latitudes = doubles(&ROWS, "actiongeo_lat");
    for row in (0..ROWS.num_rows()).filter(|row| name[*row].is_some()) {
        names.insert((name[row], feature[row]));
        places.insert((name[row], feature[row], latitudes[row].to_bits()));
    }
    assert_eq!(places.len(), names.len());
    assert!(names.len() > 5_000, "{} places", names.len());
}

/// Tests the expected answers of study S1, calculated here without any query engine.
#[test]
fn the_workload_expects_what_the_rows_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads/formats.toml");
    let workload = Workload::read(&path).unwrap();
    let rows = ROWS.slice(0, 10_000);
    let months = ints(&rows, "monthyear");
    let tones: Vec<f64> = doubles(&rows, "avgtone")
        .into_iter()
        .zip(months)
        .filter_map(|(tone, month)| (month == 198012).then_some(tone))
        .collect();
    let answers = [
        ("scan", vec![ints(&rows, "numarticles").len() as f64]),
        (
            "month",
            vec![
                tones.iter().sum::<f64>() / tones.len() as f64,
                tones.iter().copied().fold(f64::INFINITY, f64::min),
                tones.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            ],
        ),
        ("usa", vec![rows_of_country(&rows, "USA") as f64]),
        ("albania", vec![rows_of_country(&rows, "ALB") as f64]),
    ];
    for (name, calculated) in answers {
        let query = workload
            .queries
            .iter()
            .find(|query| query.name == name)
            .unwrap();
        let expected = query.expect.as_ref().unwrap();
        assert_eq!(expected.rows, Some(10_000));
        let cells: Vec<f64> = expected.answer[0]
            .iter()
            .map(|cell| cell.parse().unwrap())
            .collect();
        assert_eq!(cells.len(), calculated.len(), "{name}");
        for (cell, value) in cells.iter().zip(&calculated) {
            assert!(
                (cell - value).abs() <= 1e-9 * value.abs(),
                "{name}: {calculated:?}"
            );
        }
    }
}
