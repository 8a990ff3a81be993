//! `[data]`: where rows come from.

use std::path::Path;

use toml::Spanned;

use super::text::{Text, suggestion};
use crate::{Data, Generator, Result, wire};

const GENERATORS: [&str; 3] = ["columns", "gdelt", "sensor"];
/// The value of `requires` that says that the command line names the file.
const COMMAND_LINE: &str = "--data";
/// Sensor ids start at 10 and are 32-bit integers.
const MAX_SENSORS: i64 = 2_000_000_000;

/// `generator = "columns"` has no generators yet; they need the table.
pub fn check(place: Text<'_>, wire: &Spanned<wire::Data>) -> Result<Data> {
    let data = wire.get_ref();
    let is_generator = |name| data.generator.as_ref().is_some_and(|g| g.get_ref() == name);
    if let (Some(sensors), false) = (&data.sensors, is_generator("sensor")) {
        return Err(place.error(sensors.span(), "`sensors` needs `generator = \"sensor\"`"));
    }
    let checked = whence(place, wire)?;
    if let (Some(columns), false) = (&data.columns, is_generator("columns")) {
        let message = "[data.columns] needs `generator = \"columns\"`";
        return Err(place.error(columns.span(), message));
    }
    Ok(checked)
}

fn whence(place: Text<'_>, wire: &Spanned<wire::Data>) -> Result<Data> {
    let data = wire.get_ref();
    match (&data.generator, &data.file, &data.requires) {
        (Some(generator), None, None) => Ok(Data::Generator(check_generator(
            place,
            generator,
            data.sensors.as_ref(),
        )?)),
        (None, Some(file), None) => check_file(place, file),
        (None, None, Some(requires)) => check_requires(place, requires),
        _ => Err(place.error(
            wire.span(),
            "say where rows come from with exactly one of `generator = \"gdelt\"`, \
             `file = \"rows.csv\"` and `requires = \"--data\"`",
        )),
    }
}

fn check_generator(
    place: Text<'_>,
    name: &Spanned<String>,
    sensors: Option<&Spanned<i64>>,
) -> Result<Generator> {
    match name.get_ref().as_str() {
        "columns" => Ok(Generator::Columns(Vec::new())),
        "gdelt" => Ok(Generator::Gdelt),
        "sensor" => Ok(Generator::Sensor {
            sensors: check_sensors(place, sensors)?,
        }),
        other => {
            let hint = suggestion(other, GENERATORS);
            Err(place.error(name.span(), format!("unknown generator `{other}`{hint}")))
        }
    }
}

fn check_sensors(place: Text<'_>, sensors: Option<&Spanned<i64>>) -> Result<u32> {
    let Some(written) = sensors else { return Ok(1) };
    let count = *written.get_ref();
    u32::try_from(count)
        .ok()
        .filter(|_| (1..=MAX_SENSORS).contains(&count))
        .ok_or_else(|| {
            let message = format!("`sensors` is {count}, but has to be from 1 to {MAX_SENSORS}");
            place.error(written.span(), message)
        })
}

fn check_file(place: Text<'_>, file: &Spanned<String>) -> Result<Data> {
    if file.get_ref().is_empty() {
        return Err(place.error(
            file.span(),
            "`file` is empty; name a CSV, TSV or Parquet file",
        ));
    }
    let folder = place.path.parent().unwrap_or(Path::new(""));
    Ok(Data::File(folder.join(file.get_ref())))
}

fn check_requires(place: Text<'_>, requires: &Spanned<String>) -> Result<Data> {
    if requires.get_ref() != COMMAND_LINE {
        let message = format!(
            "`requires` can only be \"{COMMAND_LINE}\": the command line has to name a data file"
        );
        return Err(place.error(requires.span(), message));
    }
    Ok(Data::FileFromCommandLine)
}
