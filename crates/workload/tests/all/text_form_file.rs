//! Tests what a workload may say of its data files.

use std::path::Path;

use bakeoff_workload::{Data, TextForm, Workload};

fn parse(data: &str, table: &str) -> Result<Workload, String> {
    let text = format!(
        "title = 'x'\n[data]\n{data}\n[table]\n{table}\n[[queries]]\nname = 'q'\nsql = 'SELECT 1'\n"
    );
    Workload::parse(&text, Path::new("w/x.toml")).map_err(|error| error.to_string())
}

const TABLE: &str = "name = 't'\npartition_key = ['series']\n\
    columns = { series = 'text', time = 'timestamp', value = 'double' }";

fn form(data: &str) -> TextForm {
    parse(data, TABLE).unwrap().text_form
}

fn error(data: &str) -> String {
    parse(data, TABLE).unwrap_err()
}

#[test]
fn a_form_is_read_with_its_defaults() {
    assert_eq!(form("file = 'x.csv'"), TextForm::default());
    assert_eq!(form("file = 'x.csv'\nheader = true"), TextForm::default());
    let raw = form(
        "requires = '--data'\nheader = false\ndelimiter = \"\\t\"\nfields = ['Time', '*', 'Url']",
    );
    let fields = ["time", "series", "value", "url"];
    assert_eq!(
        raw,
        TextForm {
            no_header: true,
            fields: fields.map(str::to_owned).to_vec(),
            delimiter: Some(b'\t'),
            ..TextForm::default()
        }
    );
    let titled = form("file = 'x.dat'\ndelimiter = 'spaces'\nskip_lines = 2\nunits_line = true");
    assert_eq!(
        titled,
        TextForm {
            delimiter: Some(TextForm::SPACES),
            skip_lines: 2,
            lines_after_names: 1,
            ..TextForm::default()
        }
    );
    let one_series = "file = 'x.csv'\nconstant = { Series = 'all' }\nheader = false\n";
    let form_of = |fields: &str| form(&format!("{one_series}{fields}"));
    assert_eq!(form_of("").constants["series"], "all");
    let fields = form_of("fields = ['*', 'note']").fields;
    assert_eq!(fields, ["time", "value", "note"]);
    let alone = "name = 't'\npartition_key = ['s']\ncolumns = { s = 'text' }";
    let error = parse("file = 'x.csv'\nconstant = { s = 'a' }", alone).unwrap_err();
    assert!(error.contains("has all columns of the table"), "{error}");
    let two = form("file = 'x.csv'\nlines_after_names = 2");
    assert_eq!(two.lines_after_names, 2);
    let several = parse("files = ['1.zip', '../2.zip']", TABLE).unwrap();
    let paths = vec!["w/1.zip".into(), "w/../2.zip".into()];
    assert_eq!(several.data, Data::Files(paths));
}

#[test]
fn mistakes_in_a_form_are_shown_where_they_are() {
    for (data, expected) in [
        (
            "file = 'x.csv'\nheader = 'no'",
            "w/x.toml:4:10: expected a boolean, found string \"no\"",
        ),
        (
            "file = 'x.csv'\ndelimiter = '::'",
            "w/x.toml:4:13: `::` cannot separate fields",
        ),
        (
            "file = 'x.csv'\nfields = ['series', 'time', 'value']",
            "w/x.toml:4:10: `fields` names the columns of a file without a header; it needs `header = false`",
        ),
        (
            "file = 'x.csv'\nheader = false\nfields = ['series', 'tyme', 'value']",
            "w/x.toml:5:10: `fields` lacks column `time` of the table; did you mean `tyme`?",
        ),
        (
            "file = 'x.csv'\nheader = false\nfields = ['value', '*', 'Value']",
            "w/x.toml:5:11: `value` is in `fields` twice",
        ),
        (
            "file = 'x.csv'\nheader = false\nfields = ['*', '*']",
            "w/x.toml:5:11: `*` is in `fields` twice",
        ),
        (
            "generator = 'columns'\nheader = false",
            "w/x.toml:4:10: `header` says how files are read; it needs `file`, `files` or `requires",
        ),
        (
            "file = 'x.csv'\nskip_lines = -1",
            "w/x.toml:4:14: `skip_lines` is -1, but has to be from 0 to 1000",
        ),
        (
            "file = 'x.csv'\nheader = false\nunits_line = true",
            "w/x.toml:5:14: `units_line` is about what comes after the line that names the columns",
        ),
        (
            "file = 'x.csv'\nheader = false\nlines_after_names = 2",
            "w/x.toml:5:21: `lines_after_names` is about what comes after the line",
        ),
        (
            "file = 'x.csv'\nunits_line = true\nlines_after_names = 2",
            "w/x.toml:5:21: `units_line` is `lines_after_names = 1`: leave one of them out",
        ),
        (
            "file = 'x.csv'\nlines_after_names = 1001",
            "w/x.toml:4:21: `lines_after_names` is 1001, but has to be from 0 to 1000",
        ),
        (
            "generator = 'columns'\nskip_lines = 1",
            "w/x.toml:4:14: `skip_lines` says how files are read; it needs `file`",
        ),
        (
            "file = 'x.csv'\nconstant = { value = '1' }",
            "w/x.toml:4:22: `constant` is for columns of the type `text`, but `value` is a double",
        ),
        (
            "file = 'x.csv'\nconstant = { serie = 'a' }",
            "w/x.toml:4:14: column `serie` is not in the table; did you mean `series`?",
        ),
        (
            "file = 'x.csv'\nconstant = { series = '' }",
            "w/x.toml:4:23: the value is empty, which stands for none",
        ),
        (
            "file = 'x.csv'\nconstant = { series = 'a' }\nfrom = { series = 'b' }",
            "w/x.toml:5:19: `series` is in `constant`, too, and so in no file",
        ),
        (
            "generator = 'columns'\nconstant = { series = 'a' }",
            "w/x.toml:4:12: `constant` says how files are read; it needs `file`",
        ),
        (
            "file = 'x.csv'\nsigns = { series = '%' }",
            "w/x.toml:4:20: `signs` is for columns of numbers (int, bigint, float or double), but `series` is a text",
        ),
        (
            "file = 'x.csv'\nsigns = { value = '5%' }",
            "w/x.toml:4:19: `5%` cannot be left out of numbers",
        ),
        ("files = []", "w/x.toml:3:9: `files` is empty"),
        ("files = ['']", "w/x.toml:3:10: the name is empty"),
        (
            "file = 'x.csv'\nfiles = ['x.csv']",
            "w/x.toml:2:1: say where rows come from with exactly one of",
        ),
    ] {
        let found = error(data);
        assert!(found.starts_with(expected), "{data}: {found}");
    }
}

#[test]
fn a_table_may_have_the_columns_of_a_generator() {
    let generated = parse("generator = 'gdelt'", "").unwrap().table;
    let of_file = parse("file = '1979.zip'", "columns_of = 'gdelt'")
        .unwrap()
        .table;
    assert_eq!(of_file.columns, generated.columns);
    assert!(of_file.key().eq(generated.key()));
    let own_key = "name = 'events'\ncolumns_of = 'gdelt'\npartition_key = ['globaleventid']";
    let own_key = parse("file = '1979.zip'", own_key).unwrap().table;
    assert_eq!(own_key.name, "events");
    assert_eq!(own_key.key().collect::<Vec<_>>(), ["globaleventid"]);
    for (data, table, expected) in [
        (
            "file = 'x.csv'",
            "columns_of = 'gdlet'",
            "w/x.toml:5:14: `gdlet` is no generator with columns for a file; did you mean `gdelt`?",
        ),
        (
            "file = 'x.csv'",
            "columns_of = 'gdelt'\ncolumns = { a = 'int' }",
            "w/x.toml:6:11: a generator brings its own columns",
        ),
        (
            "generator = 'gdelt'",
            "columns_of = 'gdelt'",
            "w/x.toml:5:14: `columns_of` is for rows from a file; leave it out",
        ),
    ] {
        let found = parse(data, table).unwrap_err();
        assert!(found.starts_with(expected), "{table}: {found}");
    }
}
