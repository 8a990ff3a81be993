use super::*;

fn column(index: usize, name: &str, kind: ColumnType, distinct: u64) -> KeyColumn<'_> {
    KeyColumn {
        index,
        name,
        kind,
        format: None,
        zone: None,
        distinct,
        nulls: 0,
        runs: distinct,
        is_part: false,
        questions: 0,
        all_questions: 2,
    }
}

fn search<T>(text: &str, columns: &[KeyColumn<'_>], look: impl FnOnce(Search<'_>) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    std::fs::write(&path, text).unwrap();
    let rows = FileRows::open(&path, &crate::infer::Asked::default()).unwrap();
    let time = columns.iter().position(|c| c.kind == ColumnType::Timestamp);
    look(Search {
        rows: &rows,
        number_of_rows: text.lines().count() as u64 - 1,
        columns,
        null: &["NA".to_owned()],
        time,
    })
}

const T: ColumnType = ColumnType::Timestamp;
const TEXT: ColumnType = ColumnType::Text;

#[test]
fn the_series_and_the_time_are_the_key() {
    let text = "time,host,kind\n2024-01-01,a,x\n2024-01-01,b,x\n2024-01-02,a,x\n2024-01-02,b,x\n";
    let columns = [
        column(0, "time", T, 2),
        column(1, "host", TEXT, 2),
        column(2, "kind", TEXT, 1),
    ];
    let found = search(text, &columns, |search| search.best().unwrap().unwrap());
    assert_eq!((found.partition, found.order), (vec![1], vec![0]));
    assert_eq!((found.repeated, found.share), (0.0, 1));
}

#[test]
fn a_second_column_is_added_where_it_tells_rows_apart() {
    let text =
        "time,state,species\n2024-01-01,a,x\n2024-01-01,a,y\n2024-01-01,b,x\n2024-01-01,b,y\n";
    let columns = [
        column(0, "time", T, 1),
        column(1, "state", TEXT, 2),
        column(2, "species", TEXT, 2),
    ];
    let found = search(text, &columns, |search| search.best().unwrap().unwrap());
    assert_eq!((found.partition, found.order), (vec![1], vec![0, 2]));
    assert_eq!(found.repeated, 0.0);
    let asked = search(text, &columns, |search| search.asked(&[1]).unwrap());
    assert_eq!((asked.partition, asked.order), (vec![1], vec![0]));
    assert_eq!(asked.repeated, 0.5);
}

#[test]
fn times_that_are_unique_are_a_key_of_their_own() {
    let text = "time,co2\n2024-01-01,1\n2024-01-02,1\n2024-01-03,2\n2024-01-04,2\n";
    let columns = [
        column(0, "time", T, 4),
        column(1, "co2", ColumnType::Int, 2),
    ];
    let found = search(text, &columns, |search| search.best().unwrap().unwrap());
    assert_eq!((found.partition, found.order), (vec![0], vec![]));
}

#[test]
fn a_text_that_changes_within_a_series_names_none_unless_its_rows_follow_each_other() {
    let mut mixed = "date,weather\n".to_owned();
    let mut sorted = mixed.clone();
    for day in 0..12 {
        let row = |weather: &str| format!("2024-01-{:02},{weather}\n", day + 1);
        mixed.push_str(&row(["sun", "rain", "fog"][day % 3]));
        sorted.push_str(&row(["sun", "rain", "fog"][day / 4]));
    }
    for (text, runs, name, partition) in [
        (&mixed, 12, "weather", vec![0_usize]),
        (&sorted, 3, "weather", vec![1]),
        (&mixed, 12, "station", vec![1]),
    ] {
        let columns = [
            column(0, "date", T, 12),
            KeyColumn {
                runs,
                ..column(1, name, TEXT, 3)
            },
        ];
        let found = search(text, &columns, |search| search.best().unwrap().unwrap());
        assert_eq!(found.partition, partition, "{name} in {text}");
    }
}

#[test]
fn a_column_that_questions_find_rows_by_names_series_where_each_row_has_its_own_time() {
    let mut text = "date,weather,wind,calm\n".to_owned();
    for day in 0..12 {
        let (weather, wind) = (["sun", "rain", "fog"][day % 3], ["n", "s"][day % 2]);
        text.push_str(&format!("2024-01-{:02},{weather},{wind},no\n", day + 1));
    }
    let found = |questions: [usize; 3]| {
        let of = |index: usize, name: &'static str, distinct: u64| KeyColumn {
            questions: questions[index - 1],
            runs: 12,
            ..column(index, name, TEXT, distinct)
        };
        let columns = [
            column(0, "date", T, 12),
            of(1, "weather", 3),
            of(2, "wind", 2),
            of(3, "calm", 1),
        ];
        let found = search(&text, &columns, |search| search.best().unwrap().unwrap());
        (found.partition, found.order, found.is_asked)
    };
    let time_alone = (vec![0], vec![], false);
    assert_eq!(found([0, 0, 0]), time_alone);
    assert_eq!(found([0, 0, 3]), time_alone, "it is the same in all rows");
    assert_eq!(found([1, 0, 0]), (vec![1], vec![0], true));
    assert_eq!(found([1, 1, 0]), (vec![1], vec![0], true));
    assert_eq!(found([1, 2, 0]), (vec![2], vec![0], true));
    let few = [column(0, "date", T, 12), {
        KeyColumn {
            questions: 2,
            all_questions: 5,
            runs: 12,
            ..column(1, "weather", TEXT, 3)
        }
    }];
    let number = [column(0, "date", T, 12), {
        KeyColumn {
            questions: 2,
            runs: 12,
            ..column(1, "weather", ColumnType::Int, 3)
        }
    }];
    for columns in [few, number] {
        let found = search(&text, &columns, |search| search.best().unwrap().unwrap());
        assert!(!found.is_asked, "{found:?}");
    }
}

#[test]
fn a_part_of_a_time_orders_rows_and_is_no_partition() {
    let mut text = "date,clock,station\n".to_owned();
    for row in 0..48 {
        let (day, hour) = (1 + row / 24, row % 24 / 2);
        text.push_str(&format!("2024-01-{day:02},{hour:02}:00,s{}\n", row % 2));
    }
    let of_time = |columns: [KeyColumn<'static>; 3]| {
        let found = search(&text, &columns, |search| search.best().unwrap().unwrap());
        (found.partition, found.order, found.repeated)
    };
    let clock = || KeyColumn {
        is_part: true,
        ..column(1, "clock", TEXT, 12)
    };
    let station = column(2, "station", TEXT, 2);
    let of_both = of_time([column(0, "date", T, 2), clock(), station]);
    assert_eq!(of_both, (vec![2], vec![0, 1], 0.0));
    let same = column(2, "note", ColumnType::Double, 2);
    let (partition, order, _) = of_time([column(0, "date", T, 2), clock(), same]);
    assert_eq!((partition, order), (vec![], vec![0, 1]));
}

#[test]
fn without_a_time_something_has_to_name_each_row() {
    let columns = [
        column(0, "name", TEXT, 3),
        column(1, "size", ColumnType::Int, 2),
    ];
    let best = |text: &str| search(text, &columns, |search| search.best().unwrap());
    let found = best("name,size\na,1\nb,1\nc,2\n").unwrap();
    assert_eq!((found.partition, found.order), (vec![0], vec![]));
    let pair = best("name,size\na,1\na,2\nb,1\n").unwrap();
    assert_eq!((pair.partition, pair.order), (vec![0], vec![1]));
    assert_eq!(best("name,size\na,1\na,1\nb,1\n"), None);
}

#[test]
fn rows_without_a_key_are_not_counted() {
    let text = "time,host\n2024-01-01,NA\n2024-01-01,NA\n2024-01-01,\n2024-01-01,a\n2024-01-02,a\n";
    let columns = [column(0, "time", T, 2), column(1, "host", TEXT, 1)];
    let found = search(text, &columns, |search| search.asked(&[1]).unwrap());
    assert_eq!(found.repeated, 0.0);
}

#[test]
fn a_measured_number_is_no_part_of_a_key_that_hardly_repeats_without_it() {
    let mut text = "time,delay,origin,destination\n".to_owned();
    for row in 0..400 {
        let (minute, delay) = (row / 4, row % 4);
        let (origin, destination) = (["a", "b"][row % 2], ["x", "y"][row / 2 % 2]);
        let (hour, minute) = (minute / 60, minute % 60);
        text.push_str(&format!(
            "2024-01-01 {hour:02}:{minute:02},{delay},{origin},{destination}\n"
        ));
    }
    text.push_str("2024-01-01 00:00,9,a,x\n");
    let columns = [
        column(0, "time", T, 100),
        column(1, "delay", ColumnType::Int, 5),
        column(2, "origin", TEXT, 2),
        column(3, "destination", TEXT, 2),
    ];
    let found = search(&text, &columns, |search| search.best().unwrap().unwrap());
    assert_eq!((found.partition, found.order), (vec![2], vec![0, 3]));
    assert!(found.repeated > 0.0);
}

#[test]
fn columns_are_added_while_a_key_repeats_often() {
    let mut text = "time,place,age,sex\n".to_owned();
    for row in 0..48 {
        let (day, sex) = (1 + row / 12, ["f", "m"][row % 2]);
        let (place, age) = (
            ["a", "b"][row / 6 % 2],
            ["young", "grown", "old"][row / 2 % 3],
        );
        text.push_str(&format!("2024-01-{day:02},{place},{age},{sex}\n"));
    }
    let columns = [
        column(0, "time", T, 4),
        column(1, "place", TEXT, 2),
        column(2, "age", TEXT, 3),
        column(3, "sex", TEXT, 2),
    ];
    let found = search(&text, &columns, |search| search.best().unwrap().unwrap());
    assert_eq!((found.partition, found.order), (vec![1], vec![0, 2, 3]));
    assert_eq!(found.repeated, 0.0);
}

#[test]
fn without_a_time_more_than_two_columns_may_name_each_row_but_no_measured_number() {
    let mut text = "place,year,age,sex,value\n".to_owned();
    for row in 0..160 {
        let (place, year) = (["a", "b"][row / 80], 2000 + row / 10 % 8);
        let (age, sex) = (["0", "1", "2", "3", "4"][row / 2 % 5], ["f", "m"][row % 2]);
        let value = row / 2 % 40;
        text.push_str(&format!("{place},{year},age {age},{sex},{value}\n"));
    }
    let columns = [
        column(0, "place", TEXT, 2),
        column(1, "year", ColumnType::Int, 8),
        column(2, "age", TEXT, 5),
        column(3, "sex", TEXT, 2),
        column(4, "value", ColumnType::Int, 40),
    ];
    let found = search(&text, &columns, |search| search.best().unwrap().unwrap());
    let mut all = [found.partition, found.order].concat();
    all.sort_unstable();
    assert_eq!((all, found.repeated), (vec![0, 1, 2, 3], 0.0));
}

#[test]
fn columns_without_a_value_in_some_rows_are_in_no_key_that_can_do_without_them() {
    let mut text = "time,tail,carrier,number\n".to_owned();
    for row in 0..400 {
        let (hour, minute) = (row / 4 / 60, row / 4 % 60);
        let tail = if row % 80 == 0 {
            "NA".to_owned()
        } else {
            format!("t{}", row % 4)
        };
        let (carrier, number) = (["a", "b"][row % 2], ["x", "y"][row / 2 % 2]);
        text.push_str(&format!(
            "2024-01-01 {hour:02}:{minute:02},{tail},{carrier},{number}\n"
        ));
    }
    let columns = [
        column(0, "time", T, 100),
        KeyColumn {
            nulls: 5,
            ..column(1, "tail", TEXT, 4)
        },
        column(2, "carrier", TEXT, 2),
        column(3, "number", TEXT, 2),
    ];
    let found = search(&text, &columns, |search| search.best().unwrap().unwrap());
    assert_eq!((found.partition, found.order), (vec![2], vec![0, 3]));
    assert_eq!(found.repeated, 0.0);
}

#[test]
fn columns_that_are_not_the_likeliest_are_tried_where_keys_repeat_often() {
    let codes: Vec<String> = (0..10).map(|number| format!("u{number}_code")).collect();
    let mut text = format!("date,{},clock\n", codes.join(","));
    for row in 0..96 {
        let (day, hour) = (1 + row / 24, row % 24);
        let flags = [["A", "B"][row % 2]; 10].join(",");
        text.push_str(&format!("2024-01-{day:02},{flags},{hour:02}h\n"));
    }
    let mut columns = vec![column(0, "date", T, 4)];
    let coded = codes.iter().enumerate();
    columns.extend(coded.map(|(place, name)| column(place + 1, name, TEXT, 2)));
    columns.push(column(11, "clock", TEXT, 24));
    let found = search(&text, &columns, |search| search.best().unwrap().unwrap());
    assert_eq!((found.partition, found.order), (vec![11], vec![0]));
    assert_eq!(found.repeated, 0.0);
}

#[test]
fn without_a_time_many_measured_numbers_do_not_hide_the_columns_that_name_each_row() {
    let names: Vec<String> = (0..8).map(|number| format!("m{number}")).collect();
    let mut text = format!("{},year,month\n", names.join(","));
    for row in 0..24 {
        let measured = format!("{}.5,", row % 12).repeat(8);
        let (year, month) = (2000 + row / 12, 1 + row % 12);
        text.push_str(&format!("{measured}{year},{month}\n"));
    }
    let named = names.iter().enumerate();
    let mut columns: Vec<KeyColumn<'_>> = named
        .map(|(place, name)| column(place, name, ColumnType::Double, 12))
        .collect();
    columns.push(column(8, "year", ColumnType::Int, 2));
    columns.push(column(9, "month", ColumnType::Int, 12));
    let found = search(&text, &columns, |search| search.best().unwrap().unwrap());
    assert_eq!((found.partition, found.order), (vec![9], vec![8]));
}

#[test]
fn spellings_of_one_uuid_are_one_key() {
    let upper = "6A1F0B0C-8A7E-11EE-B962-0242AC120002";
    let lower = upper.to_lowercase();
    let text = format!(
        "id,n\n{upper},1\n{lower},2\n{},3\n",
        lower.replace('6', "7")
    );
    for (kind, repeated) in [(ColumnType::Uuid, 1.0 / 3.0), (TEXT, 0.0)] {
        let columns = [column(0, "id", kind, 2)];
        let found = search(&text, &columns, |search| search.asked(&[0]).unwrap());
        assert!(
            (found.repeated - repeated).abs() < 1e-9,
            "{kind:?}: {found:?}"
        );
    }
}
