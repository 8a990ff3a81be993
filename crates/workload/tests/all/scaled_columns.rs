//! Columns of rows beyond a sample that follow from the time.

use std::collections::HashSet;

use arrow::array::{Array, AsArray};
use arrow::datatypes::Int32Type;
use arrow::record_batch::RecordBatch;
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

/// Grows the lines of a file, whose first column is the sensor, to 400 rows.
fn grown(lines: &str, columns: &str, partition_key: &str, along: &str) -> RecordBatch {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    std::fs::write(&path, lines).unwrap();
    let table = format!(
        "[table]\nname = 't'\npartition_key = [{partition_key}]\norder_key = ['time']\n[table.columns]\n\
         sensor = 'text'\n{columns}"
    );
    let data = format!("requires = '--data'\nscale_sample = {{ rows = 400, along = '{along}' }}");
    let workload = parse(&data, &table).unwrap();
    read(&*source::open(&workload, Some(path)).unwrap())
}

#[test]
fn numbers_that_all_series_have_in_common_at_a_time_stay_in_common_as_they_go_on() {
    let mut lines = "sensor,time,outside\n".to_owned();
    for row in 0..100 {
        lines += &format!("s-{},{},{}\n", row % 2, row / 2, 1 + row / 2 * 7 % 25);
    }
    let columns = "time = 'bigint'\noutside = 'int'\n";
    let rows = grown(&lines, columns, "'sensor'", "time");
    let outside = rows.column(2).as_primitive::<Int32Type>().values();
    assert!((0..200).all(|row| outside[2 * row] == outside[2 * row + 1]));
}

#[test]
fn a_number_that_a_text_determines_stays_with_it() {
    let mut lines = "sensor,time,site,number\n".to_owned();
    for row in 0..100 {
        let (time, site) = (row / 2, (row * 7 + row % 2 * 3) % 40);
        lines += &format!("s-{},{time},site {site},{}\n", row % 2, 100 + site);
    }
    let columns = "time = 'bigint'\nsite = 'text'\nnumber = 'int'\n";
    let rows = grown(&lines, columns, "'sensor'", "time");
    let sites = rows.column(2).as_string::<i32>();
    let numbers = rows.column(3).as_primitive::<Int32Type>();
    for row in 0..400 {
        let expected = format!("site {}", numbers.value(row) - 100);
        assert_eq!(sites.value(row), expected, "row {row}");
    }
}

#[test]
fn a_number_that_a_series_has_wherever_it_is_known_stays_with_it() {
    let mut lines = "sensor,time,height\n".to_owned();
    for row in 0..200 {
        let height = 100 + row % 20;
        let height = if row % 3 == 0 {
            String::new()
        } else {
            height.to_string()
        };
        lines += &format!("s-{:02},{},{height}\n", row % 20, row / 20);
    }
    let rows = grown(
        &lines,
        "time = 'bigint'\nheight = 'int'\n",
        "'sensor'",
        "time",
    );
    let heights = rows.column(2).as_primitive::<Int32Type>();
    let is_own = |row: usize| heights.is_null(row) || heights.value(row) == 100 + (row % 20) as i32;
    assert!((0..400).all(is_own));
}

#[test]
fn months_by_which_partitions_are_divided_stay_with_the_time_of_further_series() {
    let mut lines = "sensor,month,time\n".to_owned();
    for row in 0..100 {
        let (sensor, month, day) = (row % 2, 1 + row / 20, 1 + row / 2 % 10);
        lines += &format!("s-{sensor},{month},2026-0{month}-{day:02}T12:00:00Z\n");
    }
    let columns = "month = 'int'\ntime = 'timestamp'\n";
    let rows = grown(&lines, columns, "'sensor', 'month'", "series");
    let months = rows.column(1).as_primitive::<Int32Type>().values();
    assert!((0..400).all(|row| months[row] == (1 + row % 100 / 20) as i32));
    let sensors: HashSet<&str> = rows.column(0).as_string::<i32>().iter().flatten().collect();
    assert_eq!(sensors.len(), 8);
}
