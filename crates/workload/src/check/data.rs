//! Checks `[data]`, the source of the rows.

use std::path::{Path, PathBuf};

use toml::Spanned;

use super::text::{Text, quoted, suggestion};
use super::tsbs;
use crate::{Data, Generator, Result, wire};

const GENERATORS: [&str; 5] = ["columns", "devops", "gdelt", "iot", "sensor"];
/// Value of `requires` for a file that the command line names.
const COMMAND_LINE: &str = "--data";
/// Largest number of sensors, since their ids start at 10 and are 32-bit integers.
const MAX_SENSORS: i64 = 2_000_000_000;

/// Checks the source of the rows. `generator = "columns"` has no generators yet, since they need
/// the table.
pub fn check(document: Text<'_>, wire: &Spanned<wire::Data>) -> Result<Data> {
    let data = wire.get_ref();
    check_options(document, data)?;
    let checked = check_source(document, wire)?;
    if let (Some(columns), false) = (&data.columns, is_generator(data, &["columns"])) {
        let message = "[data.columns] needs `generator = \"columns\"`";
        return Err(document.error(columns.span(), message));
    }
    Ok(checked)
}

/// Checks that every option belongs to the generator.
fn check_options(document: Text<'_>, data: &wire::Data) -> Result<()> {
    let number = |written: &Option<Spanned<i64>>| written.as_ref().map(Spanned::span);
    let text = |written: &Option<Spanned<String>>| written.as_ref().map(Spanned::span);
    let options: [(_, _, &[&str]); 6] = [
        ("sensors", number(&data.sensors), &["sensor"]),
        ("hosts", number(&data.hosts), &["devops"]),
        ("trucks", number(&data.trucks), &["iot"]),
        ("measurement", text(&data.measurement), &["devops", "iot"]),
        ("interval", text(&data.interval), &["devops", "iot"]),
        ("days", number(&data.days), &["devops", "iot"]),
    ];
    for (option, written, generators) in options {
        if let (Some(span), false) = (written, is_generator(data, generators)) {
            let generators: Vec<_> = generators
                .iter()
                .map(|name| format!("generator = \"{name}\""))
                .collect();
            let generators: Vec<_> = generators.iter().map(String::as_str).collect();
            let needed = quoted(&generators).replace(", ", " or ");
            return Err(document.error(span, format!("`{option}` needs {needed}")));
        }
    }
    Ok(())
}

fn is_generator(data: &wire::Data, names: &[&str]) -> bool {
    let generator = data.generator.as_ref();
    generator.is_some_and(|generator| names.contains(&generator.get_ref().as_str()))
}

fn check_source(document: Text<'_>, wire: &Spanned<wire::Data>) -> Result<Data> {
    let data = wire.get_ref();
    match (&data.generator, &data.file, &data.files, &data.requires) {
        (Some(generator), None, None, None) => {
            Ok(Data::Generator(check_generator(document, generator, data)?))
        }
        (None, Some(file), None, None) => Ok(Data::Files(vec![check_file(document, file)?])),
        (None, None, Some(files), None) => check_files(document, files),
        (None, None, None, Some(requires)) => check_requires(document, requires),
        _ => Err(document.error(
            wire.span(),
            "say where rows come from with exactly one of `generator = \"gdelt\"`, \
             `file = \"rows.csv\"`, `files = [\"1979.zip\", \"1980.zip\"]` and `requires = \"--data\"`",
        )),
    }
}

fn check_generator(
    document: Text<'_>,
    name: &Spanned<String>,
    data: &wire::Data,
) -> Result<Generator> {
    match name.get_ref().as_str() {
        "columns" => Ok(Generator::Columns(Vec::new())),
        "gdelt" => Ok(Generator::Gdelt),
        "sensor" => Ok(Generator::Sensor {
            sensors: check_sensors(document, data.sensors.as_ref())?,
        }),
        "devops" => tsbs::devops(document, data),
        "iot" => tsbs::iot(document, data),
        other => {
            let hint = suggestion(other, GENERATORS);
            Err(document.error(name.span(), format!("unknown generator `{other}`{hint}")))
        }
    }
}

fn check_sensors(document: Text<'_>, sensors: Option<&Spanned<i64>>) -> Result<u32> {
    let Some(written) = sensors else { return Ok(1) };
    let count = *written.get_ref();
    u32::try_from(count)
        .ok()
        .filter(|_| (1..=MAX_SENSORS).contains(&count))
        .ok_or_else(|| {
            let message = format!("`sensors` is {count}, but has to be from 1 to {MAX_SENSORS}");
            document.error(written.span(), message)
        })
}

pub fn check_file(document: Text<'_>, file: &Spanned<String>) -> Result<PathBuf> {
    if file.get_ref().is_empty() {
        let message = "the name is empty; name a file of rows, or a folder of them";
        return Err(document.error(file.span(), message));
    }
    let folder = document.path.parent().unwrap_or(Path::new(""));
    Ok(folder.join(file.get_ref()))
}

fn check_files(document: Text<'_>, files: &Spanned<Vec<Spanned<String>>>) -> Result<Data> {
    if files.get_ref().is_empty() {
        let message = "`files` is empty; name files of one kind, in the order of their rows";
        return Err(document.error(files.span(), message));
    }
    let files = files.get_ref().iter();
    let files = files.map(|file| check_file(document, file));
    Ok(Data::Files(files.collect::<Result<_>>()?))
}

fn check_requires(document: Text<'_>, requires: &Spanned<String>) -> Result<Data> {
    if requires.get_ref() != COMMAND_LINE {
        let message = format!(
            "`requires` can only be \"{COMMAND_LINE}\": the command line has to name a data file"
        );
        return Err(document.error(requires.span(), message));
    }
    Ok(Data::FileFromCommandLine)
}
