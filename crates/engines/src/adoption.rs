//! What it takes to make and fill a design outside of a run, on a server of the user's: statements, and lines of shell
//! scripts.

use std::path::Path;

use bakeoff_workload::infer::is_reserved;
use bakeoff_workload::{ColumnType, DesignId, Table};

/// Most characters of a keyspace, schema or table: what Cassandra takes, less room for what is appended.
const MOST_CHARACTERS: usize = 36;

/// How many rows a script loads, as a shell takes it: its variable `ROWS`.
pub const ROWS_IN_SHELL: &str = "\"$ROWS\"";

/// The program of Bakeoff, as a shell takes it in a script: its variable `bakeoff`.
pub const PROGRAM_IN_SHELL: &str = "\"$bakeoff\"";

/// The file of the questions, among those by which a design is taken.
pub const QUESTIONS_FILE: &str = "questions.sql";

/// What is said before the command that asks the questions outside of a run.
pub const ASKED_FROM: &str = "Outside of a run";

/// Settings of columnar designs, with the options of `bakeoff ingest` that are the same.
const INGESTED: [(&str, &str); 4] = [
    ("bucket", "--bucket"),
    ("shards", "--shards"),
    ("profile", "--profile"),
    ("rows", "--chunk-rows"),
];

/// The rows that fill a design outside of a run.
#[derive(Debug, Clone, Copy)]
pub struct AdoptedRows<'a> {
    /// The workload with the options that say which rows it has, as a shell takes them.
    pub from: &'a str,
    /// The same workload and options as a script writes them, with shell variables of its own in place of paths.
    pub from_in_script: &'a str,
    /// How many of its rows these are, a number or `all`, unless the user of a script says it.
    pub usual: &'a str,
}

/// How a design is made and filled outside of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adoption {
    /// What the scripts are called with, for a reader: `HOST [PORT]`.
    pub called_with: &'static str,
    /// What makes the tables; `None` if filling them makes them, and there are no statements for it.
    pub schema: Option<SchemaFile>,
    /// What fills them, or why only Bakeoff and programs that are written for it can.
    pub load: Result<Loading, String>,
    /// Statements of a session in which questions mean what they meant in the run, if the engine itself is asked them.
    pub asked_with: Vec<String>,
    /// A comment that says what asks the questions outside of a run, if they are in the SQL of Bakeoff; `None` if no
    /// command does.
    pub asked_by: Option<String>,
}

/// Where a columnar table is made outside of a run. Words are as a shell takes them.
#[derive(Debug, Clone, Copy)]
pub struct ColumnarPlace<'a> {
    /// What the scripts are called with, for a reader.
    pub called_with: &'static str,
    /// The table in a script.
    pub table: &'a str,
    /// The table for a reader.
    pub shown: &'a str,
    /// Further options of the command that makes it, if there are some.
    pub made_with: &'a str,
    /// The options that name its server in a script; nothing for a folder.
    pub server: &'a str,
}

/// The statements that make the tables of a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFile {
    /// Name of their file.
    pub file: &'static str,
    pub statements: Vec<String>,
    /// Line of a shell script that sends the file, which is in the folder `$here`, to the server that `"$@"` names;
    /// `None` if the file is only to be read, since filling the tables makes them.
    pub apply: Option<String>,
}

/// What fills the tables of a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loading {
    /// Lines before those, which end the script where the tables are not to be filled: before any row is written to a
    /// file. `"$@"` and `$bakeoff` are the same there.
    pub checks: Vec<String>,
    /// Lines of a shell script. In them `"$@"` names the server, `$bakeoff` is the program of Bakeoff, `$rows` a new
    /// folder, and `$ROWS` how many of the rows are loaded.
    pub lines: Vec<String>,
    /// Whether the lines take all rows from `rows.csv` in the folder `$rows`, with a header, times in ISO 8601 and
    /// nulls as empty cells without quotes.
    pub takes_csv: bool,
    /// The statements among these lines that fill the tables, to be read and pasted.
    pub statements: Vec<String>,
}

impl Adoption {
    /// Returns how a run makes and keeps a design in a folder: files, which need nothing else. `folder` is the folder of
    /// the design, which lies in the folder of the run, `run_dir`.
    pub fn of_a_run(
        id: &DesignId,
        rows: &AdoptedRows<'_>,
        folder: &Path,
        run_dir: &Path,
    ) -> Adoption {
        let folder = folder.strip_prefix(run_dir).unwrap_or(folder).display();
        let command = |from: &str, rows: &str| {
            format!(
                "run {from} --designs {} --rows {rows} --rounds 1 --scales 1 --no-twins --no-concurrent --keep",
                in_shell(&id.to_string())
            )
        };
        Adoption {
            called_with: "FOLDER",
            schema: None,
            load: Ok(Loading {
                checks: Vec::new(),
                lines: vec![
                    format!(
                        "{PROGRAM_IN_SHELL} {} --out \"$1\"",
                        command(rows.from_in_script, ROWS_IN_SHELL)
                    ),
                    format!(
                        "printf 'the table is in %s\\n' \"$1\"/{}",
                        in_shell(&folder.to_string())
                    ),
                ],
                takes_csv: false,
                statements: vec![format!(
                    "bakeoff {} --out FOLDER",
                    command(rows.from, rows.usual)
                )],
            }),
            asked_with: Vec::new(),
            asked_by: None,
        }
    }

    /// Returns how a columnar table is filled, which makes it, and sealed, as a run seals it before it measures.
    pub fn of_ingest(id: &DesignId, table: &Table, place: &ColumnarPlace<'_>) -> Adoption {
        let mut options = vec![format!("--partition-key {}", table.partition_key.join(","))];
        options.push(match table.order_key.as_slice() {
            [] => "--one-row-per-key".to_owned(),
            order => format!("--order-key {}", order.join(",")),
        });
        let types = table.columns.iter();
        let types: Vec<String> = types
            .map(|column| {
                let kind = match column.kind {
                    // Columnar tables have no type of them.
                    ColumnType::Uuid => ColumnType::Text,
                    kind => kind,
                };
                format!("{}={}", column.name, kind.name())
            })
            .collect();
        options.push(format!("--types {}", types.join(",")));
        for (setting, option) in INGESTED {
            let value = id.settings.get(setting);
            options.extend(value.map(|value| format!("{option} {}", in_shell(value))));
        }
        options.push(place.made_with.to_owned());
        let options = options.join(" ");
        let server = place.server.replace("\"$@\"", place.called_with);
        let commands = |program: &str, rows: &str, into: &str, server: &str| {
            [
                joined(&[program, "ingest", rows, "--into", into, &options, server]),
                joined(&[program, "table seal", into, server]),
            ]
        };
        let sweep = joined(&["bakeoff table sweep", place.shown, &server]);
        let later = format!(
            "what the seal replaced stays for those who read it; ten minutes later this removes it: {sweep}"
        );
        let rows = "\"$rows/rows.csv\"";
        let [ingest, seal] = commands(PROGRAM_IN_SHELL, rows, place.table, place.server);
        let lines = vec![
            ingest,
            "# A run seals the table, too, before it measures.".to_owned(),
            seal,
            said_by_script(&later),
        ];
        let mut statements = Vec::from(commands("bakeoff", "rows.csv", place.shown, &server));
        statements.push(format!("# {later}"));
        Adoption {
            called_with: place.called_with,
            schema: None,
            load: Ok(Loading {
                checks: Vec::new(),
                lines,
                takes_csv: true,
                statements,
            }),
            asked_with: Vec::new(),
            asked_by: Some(format!(
                "{ASKED_FROM}: {}",
                sql_command(&table.name, place.shown, &server)
            )),
        }
    }
}

/// Joins the words of a command, of which some may be nothing.
fn joined(words: &[&str]) -> String {
    let words = words.iter().map(|word| word.trim());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Returns the command that asks the questions about a table outside of a run, from their file. `into` is where the
/// table is and `server` the options that name its server, for a reader.
pub fn sql_command(table: &str, into: &str, server: &str) -> String {
    let named = format!("{}={into}", in_shell(table));
    let from = format!("- <{QUESTIONS_FILE}");
    joined(&["bakeoff sql --table", &named, server, &from])
}

/// Returns the line of a script that says something.
pub fn said_by_script(text: &str) -> String {
    format!("printf '%s\\n' {}", in_shell(text))
}

/// Returns the name that a table, or its keyspace or schema, has outside of a run: its own one, or with `_` behind it
/// where that is a word of CQL or SQL.
pub fn adopted_name(table: &str) -> String {
    let mut name: String = table.chars().take(MOST_CHARACTERS).collect();
    if is_reserved(&name) {
        name.push('_');
    }
    name
}

/// Writes a word as a shell takes it.
pub fn in_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,+@%=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::Column;

    use super::*;

    #[test]
    fn words_are_written_as_a_shell_takes_them() {
        assert_eq!(in_shell("runs/mine-2.toml"), "runs/mine-2.toml");
        assert_eq!(in_shell("my file.toml"), "'my file.toml'");
        assert_eq!(in_shell("it's $(id)"), r"'it'\''s $(id)'");
        assert_eq!(in_shell("ä"), "'ä'");
        assert_eq!(in_shell(""), "''");
    }

    #[test]
    fn a_table_keeps_its_name_unless_that_is_a_word_of_a_language() {
        assert_eq!(adopted_name("readings"), "readings");
        assert_eq!(adopted_name("entries"), "entries_");
        assert_eq!(adopted_name("Token"), "Token_");
        assert_eq!(adopted_name(&"a".repeat(60)).len(), MOST_CHARACTERS);
    }

    #[test]
    fn files_are_kept_by_a_run() {
        let id = "parquet?codec=zstd&sort=time".parse().unwrap();
        let rows = AdoptedRows {
            from: "'my w.toml'",
            from_in_script: "\"$workload\"",
            usual: "600",
        };
        let adoption = Adoption::of_a_run(
            &id,
            &rows,
            Path::new("out/parquet/parquet-codec-zstd"),
            Path::new("out"),
        );
        let load = adoption.load.unwrap();
        let begins = "\"$bakeoff\" run \"$workload\" --designs 'parquet?codec=zstd&sort=time' --rows \"$ROWS\" ";
        assert!(load.lines[0].starts_with(begins), "{}", load.lines[0]);
        assert!(load.lines[0].ends_with(" --keep --out \"$1\""));
        assert!(load.lines[1].ends_with("\"$1\"/parquet/parquet-codec-zstd"));
        assert!(load.statements[0].starts_with("bakeoff run 'my w.toml' "));
        assert!(load.statements[0].contains(" --rows 600 "));
        assert!(load.statements[0].ends_with("--out FOLDER"));
    }

    #[test]
    fn columnar_tables_are_ingested_with_the_settings_of_the_design() {
        let id = "local/columnar?bucket=7d&cache=64&profile=compact";
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
        };
        let table = Table {
            name: "t".to_owned(),
            columns: vec![
                column("a", ColumnType::Text),
                column("b", ColumnType::Timestamp),
                column("c", ColumnType::Uuid),
            ],
            partition_key: vec!["a".to_owned()],
            order_key: vec!["b".to_owned()],
        };
        let id = id.parse().unwrap();
        let place = ColumnarPlace {
            called_with: "FOLDER",
            table: "\"dir:$1\"",
            shown: "dir:FOLDER",
            made_with: "",
            server: "",
        };
        let adoption = Adoption::of_ingest(&id, &table, &place);
        let load = adoption.load.unwrap();
        let ingest = "bakeoff ingest rows.csv --into dir:FOLDER --partition-key a --order-key b \
                      --types a=text,b=timestamp,c=text --bucket 7d --profile compact";
        let seal = "bakeoff table seal dir:FOLDER";
        assert_eq!(load.statements[..2], [ingest, seal]);
        let sweep = &load.statements[2];
        assert!(
            sweep.starts_with('#') && sweep.ends_with(": bakeoff table sweep dir:FOLDER"),
            "{sweep}"
        );
        let begins = "\"$bakeoff\" ingest \"$rows/rows.csv\" --into \"dir:$1\" ";
        assert!(load.lines[0].starts_with(begins), "{}", load.lines[0]);
        assert_eq!(load.lines[2], "\"$bakeoff\" table seal \"dir:$1\"");
        let asked = "Outside of a run: bakeoff sql --table t=dir:FOLDER - <questions.sql";
        assert_eq!(adoption.asked_by.as_deref(), Some(asked));
    }
}
