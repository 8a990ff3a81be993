//! Columns of rows beyond a sample that follow from the time.

use arrow::array::AsArray;
use arrow::datatypes::Int32Type;
use bakeoff_workload::source;

use crate::scaled_sample::{parse, read};

#[test]
fn what_all_series_have_in_common_at_a_time_stays_with_it_in_further_series() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let mut lines = "sensor,time,season,level\n".to_owned();
    for row in 0..80 {
        // Grows like a counter, though it is none.
        lines += &format!("s-{},{},{},{}\n", row % 2, row / 2, row / 8, row % 7);
    }
    std::fs::write(&path, lines).unwrap();
    let table = "[table]\nname = 't'\npartition_key = ['sensor']\norder_key = ['time']\n[table.columns]\n\
                 sensor = 'text'\ntime = 'bigint'\nseason = 'int'\nlevel = 'int'\n";
    let data = "requires = '--data'\nscale_sample = { rows = 400, along = 'series' }";
    let workload = parse(data, table).unwrap();
    let rows = read(&*source::open(&workload, Some(path)).unwrap());
    let seasons = rows.column(2).as_primitive::<Int32Type>().values();
    assert!((0..400).all(|row| seasons[row] == (row % 80 / 8) as i32));
}

#[test]
fn columns_that_repeat_a_part_of_the_time_go_on_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let mut lines = "sensor,time,month,day\n".to_owned();
    let january = (20..=31).map(|day| (1, day));
    for (month, day) in january.chain((1..=9).map(|day| (2, day))) {
        lines += &format!("a,2026-0{month}-{day:02}T12:00:00Z,{month},{day}\n");
    }
    std::fs::write(&path, lines).unwrap();
    let table = "[table]\nname = 't'\npartition_key = ['sensor']\norder_key = ['time']\n[table.columns]\n\
                 sensor = 'text'\ntime = 'timestamp'\nmonth = 'int'\nday = 'int'\n";
    let data = "requires = '--data'\nscale_sample = { rows = 63, along = 'time' }";
    let workload = parse(data, table).unwrap();
    let rows = read(&*source::open(&workload, Some(path)).unwrap());
    let date = |row: usize| {
        let part = |column: usize| rows.column(column).as_primitive::<Int32Type>().value(row);
        (part(2), part(3))
    };
    assert_eq!([date(0), date(20), date(21)], [(1, 20), (2, 9), (2, 10)]);
    assert_eq!([date(39), date(40), date(62)], [(2, 28), (3, 1), (3, 23)]);
}
