//! Keys of `[data]` that the command line can set: `--set hosts=4000`.

use std::path::Path;

use super::text::{Text, suggestion};
use super::toml_error;
use crate::{Error, Result, wire};

const KEYS: [&str; 6] = [
    "days",
    "hosts",
    "interval",
    "measurement",
    "sensors",
    "trucks",
];

/// Settings of the command line, one a line after the end of a workload file.
pub struct Set<'a> {
    settings: &'a [String],
    /// Text of the file and these lines, by which errors are located.
    pub text: String,
    file_lines: usize,
}

impl<'a> Set<'a> {
    /// Makes lines of the settings.
    ///
    /// # Errors
    /// A setting is not `KEY=VALUE`, or its key cannot be set.
    pub fn new(file: &str, settings: &'a [String]) -> Result<Self> {
        let mut text = format!("{file}\n");
        for setting in settings {
            text += &line(setting)?;
        }
        let file_lines = file.matches('\n').count() + 1;
        Ok(Set {
            settings,
            text,
            file_lines,
        })
    }

    /// Replaces values of the file, and removes the expected answers, which hold for the file's values
    /// only.
    pub fn apply(&self, file: &str, path: &Path, wire: &mut wire::Workload) -> Result<()> {
        // Blanks take the place of the file, so that positions are those in the whole text.
        let lines = " ".repeat(file.len()) + &self.text[file.len()..];
        let document = Text {
            path,
            text: &self.text,
        };
        let set: wire::Data =
            toml::from_str(&lines).map_err(|error| toml_error::explain(document, &error))?;
        wire.data.get_mut().replace(set);
        wire.queries
            .iter_mut()
            .for_each(|query| query.expect = None);
        Ok(())
    }

    /// Turns an error in one of these lines into one that names the flag.
    pub fn explain(&self, error: Error) -> Error {
        match error {
            Error::Workload { line, message, .. } if line > self.file_lines => {
                let setting = self
                    .settings
                    .get(line - self.file_lines - 1)
                    .map_or("", String::as_str);
                Error::Usage(format!("--set {setting}: {message}"))
            }
            error => error,
        }
    }

    /// Returns the file's text with these settings as comments at its end.
    pub fn commented(&self, file: &str) -> String {
        let comments = self
            .settings
            .iter()
            .map(|setting| format!("\n# --set {setting}"));
        file.to_owned() + &comments.collect::<String>()
    }
}

fn line(setting: &str) -> Result<String> {
    let error = |problem: &str| Err(Error::Usage(format!("--set {setting}: {problem}")));
    let Some((key, value)) = setting
        .split_once('=')
        .filter(|(_, value)| !value.is_empty())
    else {
        return error("write KEY=VALUE, for example --set hosts=4000");
    };
    if !KEYS.contains(&key) {
        return error(&format!(
            "`{key}` cannot be set here{}",
            suggestion(key, KEYS)
        ));
    }
    let value = match value.parse::<i64>() {
        Ok(number) => number.to_string(),
        Err(_) => toml::Value::from(value).to_string(),
    };
    Ok(format!("{key} = {value}\n"))
}
