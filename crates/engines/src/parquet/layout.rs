//! The layout of a Parquet design: compression, the order of rows, and folders.

use std::path::Path;

use bakeoff_workload::{DesignId, Table, nearest};

use super::codec::Encoding;
use crate::EngineError;
use crate::settings::Settings;
use crate::value_folders::{MOST_FOLDERS, ValueFolders};

pub const SETTINGS: &str =
    "codec=zstd|snappy, rows=131072, sort=country, partition=country, columns=10";
/// The column that these have as an example.
const EXAMPLE: &str = "country";
/// The name of the sorted file in the folder of a design without folders of its own.
pub const SORTED_FILE: &str = "table.parquet";

/// The characters with which patterns of the names of files begin, for DataFusion and DuckDB alike.
const PATTERN: [char; 3] = ['*', '?', '['];

/// How the files of a design are encoded, sorted and divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLayout {
    pub encoding: Encoding,
    /// The column that rows are sorted by before their key.
    pub sort: Option<String>,
    /// The column whose values each have a folder.
    pub partition: Option<String>,
}

impl FileLayout {
    /// Parses the settings of a design id.
    ///
    /// # Errors
    /// Fails for a layout, setting or value that does not exist or does not fit the table.
    pub fn new(id: &DesignId, table: &Table) -> Result<Self, EngineError> {
        let settings = Settings::new(id, SETTINGS);
        let mut settings = settings.map_err(|error| with_columns_of(table, error))?;
        if let Some(layout) = &id.layout {
            return Err(settings.error(format!("parquet has no layout `{layout}`")));
        }
        let encoding = Encoding::take(&mut settings)?;
        let sort = column(&mut settings, table, "sort")?;
        let partition = column(&mut settings, table, "partition")?;
        if let Some(sort) = &sort {
            check_sort(&settings, table, sort, partition.as_deref())?;
        }
        settings.end()?;
        Ok(FileLayout {
            encoding,
            sort,
            partition,
        })
    }

    /// Returns the layout of one file that is sorted by the key.
    pub fn of_one_file(encoding: Encoding) -> Self {
        FileLayout {
            encoding,
            sort: None,
            partition: None,
        }
    }

    /// Describes which files a table in this folder is made of.
    pub fn statements(&self, table: &Table, dir: &Path) -> Vec<String> {
        vec![
            format!("write {}/slice-*.parquet while loading", dir.display()),
            format!(
                "sort them by ({}) into {}/{} and remove them",
                self.order(table).join(", "),
                dir.display(),
                self.files()
            ),
        ]
    }

    /// Returns the columns by which all rows are sorted, none of them twice.
    pub fn order<'a>(&'a self, table: &'a Table) -> Vec<&'a str> {
        let first = self.partition.iter().chain(&self.sort);
        let mut order: Vec<&str> = Vec::new();
        for column in first.map(String::as_str).chain(table.key()) {
            if !order.contains(&column) {
                order.push(column);
            }
        }
        order
    }

    /// Returns the folders that rows are divided into, none of them made yet, if they are.
    pub fn folders(&self) -> Option<ValueFolders> {
        self.partition.as_deref().map(ValueFolders::new)
    }

    /// Returns the name of the file, or of the folder of folders, that slices are sorted into.
    pub fn sorted_name(&self) -> &'static str {
        match self.partition {
            Some(_) => "table",
            None => SORTED_FILE,
        }
    }

    /// Returns the files that slices are sorted into, below the design's folder.
    pub fn files(&self) -> String {
        match &self.partition {
            Some(column) => format!("table/{column}=VALUE/rows.parquet"),
            None => self.sorted_name().to_owned(),
        }
    }

    /// Describes what settling has done.
    pub fn settled(&self) -> String {
        let sorted = match &self.sort {
            Some(column) => format!("sorted by {column} and key"),
            None => "sorted by key".to_owned(),
        };
        match &self.partition {
            Some(column) => format!("{sorted} into a folder for each {column}"),
            None => format!("{sorted} into one file"),
        }
    }

    /// Returns the settings in force, for the report.
    pub fn settings(&self) -> Vec<(String, String)> {
        let mut settings = self.encoding.settings();
        if let Some(column) = &self.sort {
            settings.push(("sort".to_owned(), format!("{column}, then the key")));
        }
        if let Some(column) = &self.partition {
            let folders = format!("a folder for each {column}, at most {MOST_FOLDERS}");
            settings.push(("partition".to_owned(), folders));
        }
        settings
    }
}

/// Checks that the name of a design's folder finds its files. What reads them takes some characters for those of a
/// pattern, and finds no files or those of another folder then.
///
/// # Errors
/// Fails with another folder as what to do.
pub fn check_folder(id: &DesignId, dir: &Path) -> Result<(), EngineError> {
    let complaint = match dir.to_str() {
        None => "has a character that is not Unicode".to_owned(),
        Some(name) => match name.chars().find(|c| PATTERN.contains(c)) {
            Some(character) => format!("has `{character}`, which makes it a pattern of names"),
            None => return Ok(()),
        },
    };
    Err(EngineError(format!(
        "design {id}: the name of its folder, {}, {complaint}: name another run folder with --out",
        dir.display()
    )))
}

/// Puts a column of this table in place of the one that an error has as an example.
fn with_columns_of(table: &Table, error: EngineError) -> EngineError {
    if table.column(EXAMPLE).is_some() {
        return error;
    }
    let mut columns = table.columns.iter().rev();
    let example = columns
        .find(|column| column.kind.can_be_key())
        .map_or("COLUMN", |column| column.name.as_str());
    EngineError(
        error
            .0
            .replace(&format!("={EXAMPLE}"), &format!("={example}")),
    )
}

/// Takes a setting that names a column whose values can be told apart by their statistics.
fn column(
    settings: &mut Settings<'_>,
    table: &Table,
    setting: &str,
) -> Result<Option<String>, EngineError> {
    let Some(written) = settings.parsed::<String>(setting, "a column")? else {
        return Ok(None);
    };
    // Workload files ignore the case of names, too.
    let name = written.to_lowercase();
    let Some(column) = table.column(&name) else {
        let names = table.columns.iter().map(|c| c.name.as_str());
        let meant =
            nearest(&name, names).map_or(String::new(), |n| format!("; did you mean `{n}`?"));
        let table = &table.name;
        return Err(settings.error(format!(
            "`{table}` has no column `{name}` for {setting}={meant}"
        )));
    };
    // Files have no statistics of floating-point numbers, since these leave NaN out.
    if !column.kind.can_be_key() {
        return Err(settings.error(format!(
            "{setting}={name} is a {}: choose a column of boolean, int, bigint, text, uuid, timestamp or date",
            column.kind.name()
        )));
    }
    Ok(Some(name))
}

/// Checks that sorting by a column changes the order of rows.
fn check_sort(
    settings: &Settings<'_>,
    table: &Table,
    sort: &str,
    partition: Option<&str>,
) -> Result<(), EngineError> {
    if partition == Some(sort) {
        return Err(settings.error(format!(
            "sort={sort} changes nothing, since all rows of a folder have the same value: leave it \
             out, or name another column"
        )));
    }
    if partition.is_none() && table.key().next() == Some(sort) {
        return Err(settings.error(format!(
            "sort={sort} changes nothing, since the key begins with it: leave it out, or name \
             another column"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::{Column, ColumnType};

    use super::*;

    fn table() -> Table {
        let columns = [
            ("series", ColumnType::Text),
            ("time", ColumnType::Timestamp),
            ("country", ColumnType::Text),
            ("flag", ColumnType::Boolean),
            ("value", ColumnType::Double),
            ("photo", ColumnType::Blob),
        ];
        let column = |(name, kind): (&str, ColumnType)| Column {
            name: name.to_owned(),
            kind,
        };
        Table {
            name: "events".to_owned(),
            columns: columns.into_iter().map(column).collect(),
            partition_key: vec!["series".to_owned()],
            order_key: vec!["time".to_owned()],
        }
    }

    fn layout(id: &str) -> Result<FileLayout, String> {
        FileLayout::new(&id.parse().unwrap(), &table()).map_err(|e| e.to_string())
    }

    #[test]
    fn rows_are_sorted_by_the_folder_then_by_the_column_and_then_by_the_key() {
        let table = table();
        for (id, order) in [
            ("parquet", vec!["series", "time"]),
            ("parquet?sort=country", vec!["country", "series", "time"]),
            ("parquet?sort=time", vec!["time", "series"]),
            ("parquet?partition=series", vec!["series", "time"]),
            (
                "parquet?partition=country&sort=flag",
                vec!["country", "flag", "series", "time"],
            ),
        ] {
            assert_eq!(layout(id).unwrap().order(&table), order, "{id}");
        }
    }

    #[test]
    fn the_case_of_a_column_is_ignored() {
        let sorted = layout("parquet?sort=Country").unwrap();
        assert_eq!(sorted.sort.as_deref(), Some("country"));
    }

    #[test]
    fn rows_of_a_row_group_are_as_many_as_asked_for() {
        for (id, rows) in [
            ("parquet", "131072"),
            ("parquet?rows=30720", "30720"),
            ("parquet?rows=1048576", "1048576"),
        ] {
            let settings = layout(id).unwrap().settings();
            let said = ("rows of a row group".to_owned(), rows.to_owned());
            assert!(settings.contains(&said), "{id}: {settings:?}");
        }
    }

    #[test]
    fn what_was_done_is_said() {
        for (id, settled) in [
            ("parquet", "sorted by key into one file"),
            (
                "parquet?sort=country",
                "sorted by country and key into one file",
            ),
            (
                "parquet?partition=country",
                "sorted by key into a folder for each country",
            ),
            (
                "parquet?partition=country&sort=flag",
                "sorted by flag and key into a folder for each country",
            ),
        ] {
            assert_eq!(layout(id).unwrap().settled(), settled);
        }
    }

    #[test]
    fn a_folder_whose_name_is_a_pattern_is_refused() {
        let id: DesignId = "parquet".parse().unwrap();
        let check = |dir: &str| check_folder(&id, Path::new(dir)).map_err(|e| e.to_string());
        assert_eq!(check("/runs/it's {a}, 1/parquet/parquet"), Ok(()));
        for (dir, character) in [
            ("runs/a [2]/x", '['),
            ("runs/a*", '*'),
            ("runs/why?/x", '?'),
        ] {
            let error = check(dir).unwrap_err();
            assert!(error.contains(&format!("has `{character}`")), "{error}");
            assert!(error.contains("--out"), "{error}");
        }
        let odd = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"runs/\xff");
        let error = check_folder(&id, Path::new(odd)).unwrap_err().to_string();
        assert!(error.contains("not Unicode"), "{error}");
    }

    #[test]
    fn columns_that_make_no_sense_are_refused() {
        for (id, complaint) in [
            (
                "parquet?sort=contry",
                "`events` has no column `contry` for sort=; did you mean `country`?",
            ),
            (
                "parquet?partition=nothing_like_it",
                "`events` has no column `nothing_like_it` for partition=",
            ),
            (
                "parquet?sort=value",
                "sort=value is a double: choose a column of boolean, int, bigint, text, uuid, timestamp or date",
            ),
            ("parquet?sort=photo", "sort=photo is a blob"),
            ("parquet?partition=value", "partition=value is a double"),
            ("parquet?partition=photo", "partition=photo is a blob"),
            ("parquet?sort=series", "the key begins with it"),
            (
                "parquet?rows=999",
                "rows=999 is not a number of rows from 1000 to 1048576",
            ),
            ("parquet?rows=2000000", "rows=2000000 is not a number"),
            ("parquet?rows=all", "rows=all is not a number of rows"),
            (
                "parquet?sort=country&partition=country",
                "all rows of a folder have the same value",
            ),
            ("parquet/other", "parquet has no layout `other`"),
        ] {
            let error = layout(id).unwrap_err();
            assert!(error.contains(complaint), "{id}: {error}");
        }
        // With folders of another column the key's first column comes first no longer.
        assert!(layout("parquet?sort=series&partition=country").is_ok());
    }

    #[test]
    fn the_settings_that_there_are_name_a_column_of_the_table() {
        let id: DesignId = "parquet?compression=zstd".parse().unwrap();
        let mut table = table();
        let told = |table: &Table| FileLayout::new(&id, table).unwrap_err().to_string();
        assert!(told(&table).contains("sort=country, partition=country"));
        table.columns.retain(|column| column.name != "country");
        let told = told(&table);
        assert!(told.contains("sort=flag, partition=flag"), "{told}");
    }
}
