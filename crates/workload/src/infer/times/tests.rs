use super::*;

fn found(cells: &[&str], is_named_as_time: bool) -> Option<(String, u64, bool)> {
    let mut evidence = TimeEvidence::new(None);
    cells.iter().for_each(|cell| evidence.see(cell));
    let found = evidence.found(is_named_as_time)?;
    Some((
        found.format.written().to_owned(),
        found.fits,
        found.or.is_some(),
    ))
}

#[test]
fn forms_are_recognised() {
    for (cells, format) in [
        (["2024-01-02 03:04", "2024-01-02T03:04:05Z"], "iso"),
        (["19580329", "20200101"], "%Y%m%d"),
        (["03291958", "12312020"], "%m%d%Y"),
        (["29031958", "31122020"], "%d%m%Y"),
        (["03/29/1958", "12/31/2020"], "%m/%d/%Y"),
        (["29/03/1958", "31/12/2020"], "%d/%m/%Y"),
        (["29.03.1958", "1.2.2020"], "%d.%m.%Y"),
        (["2012/01/01", "2012/12/31"], "%Y/%m/%d"),
        (["Jan 1 2000", "Dec 31 2020"], "%b %d %Y"),
        (["03/29/58", "12/31/20"], "%m/%d/%y"),
        (["29/03/58", "31/12/20"], "%d/%m/%y"),
        (["3/29/58 9:05", "12/31/20 23:10"], "%m/%d/%y %H:%M"),
        (
            ["3/29/1958 9:05 AM", "12/31/2020 1:10 PM"],
            "%m/%d/%Y %I:%M %p",
        ),
        (["29-Mar-58", "1-Dec-20"], "%d-%b-%y"),
        (
            ["10/Oct/2000:13:55:36 -0700", "11/Oct/2000:00:00:00 +0000"],
            "%d/%b/%Y:%H:%M:%S %z",
        ),
        (
            [
                "[10/Oct/2000:13:55:36 -0700]",
                "[11/Oct/2000:00:00:00 +0000]",
            ],
            "[%d/%b/%Y:%H:%M:%S %z]",
        ),
        (
            ["10/Oct/2000:13:55:36", "11/Oct/2000:00:00:00"],
            "%d/%b/%Y:%H:%M:%S",
        ),
        (
            ["Wed Oct 11 14:32:52.127 2000", "Thu Oct 12 09:00:00 2000"],
            "%a %b %d %H:%M:%S%.f %Y",
        ),
        (["1700000000", "1700000000.5"], "s"),
        (["1700000000000", "1700000000001"], "ms"),
        (["1700000000000000", "1700000000000001"], "us"),
        (["1700000000000000000", "1700000000000000001"], "ns"),
    ] {
        assert_eq!(
            found(&cells, true),
            Some((format.to_owned(), 2, false)),
            "{cells:?}"
        );
    }
}

#[test]
fn days_that_may_be_months_are_told() {
    let both = found(&["03/04/1958", "12/11/2020"], false);
    assert_eq!(both, Some(("%m/%d/%Y".to_owned(), 2, true)));
}

#[test]
fn numbers_are_no_times_unless_something_says_so() {
    assert_eq!(found(&["1700000000", "1700000001"], false), None);
    assert_eq!(found(&["12", "13000"], true), None);
    assert_eq!(found(&["19581340"], false), None);
    assert_eq!(found(&["03291958", "29031958"], false), None);
    assert_eq!(found(&["03291858", "12312158"], true), None);
    assert_eq!(found(&["north", "south"], true), None);
}

#[test]
fn every_form_can_be_said_in_a_workload() {
    for format in FORMATS.iter() {
        assert_eq!(TimeFormat::parse(format.written()).as_ref(), Ok(format));
    }
}

#[test]
fn times_without_a_year_are_none_until_a_form_says_it() {
    assert_eq!(found(&["01010001", "12312359"], true), None);
    let mut evidence = TimeEvidence::new(None);
    let of_other_forms = ["01012401", "01016001", "00010001", "1010001", "010100011"];
    let all = ["01010001", "12312359"].into_iter().chain(of_other_forms);
    all.for_each(|cell| evidence.see(cell));
    assert_eq!(evidence.without_year, 2);
    let said = TimeFormat::parse(OF_A_YEAR).unwrap();
    let mut evidence = TimeEvidence::new(Some(said.clone()));
    for cell in ["01010001", "12312359", "north"] {
        evidence.see(cell);
    }
    let found = evidence.found(true).unwrap();
    assert_eq!((found.format, found.fits), (said, 2));
    assert_eq!(found.first, 978_307_260_000);
}

#[test]
fn forms_that_do_not_fit_are_given_up() {
    let mut evidence = TimeEvidence::new(None);
    for _ in 0..FIRST_LOOK {
        evidence.see("north");
    }
    assert!(evidence.tried.iter().all(|tried| !tried.is_alive));
}
