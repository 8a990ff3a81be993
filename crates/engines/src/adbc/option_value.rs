//! The values of a driver's options: as they are written, or of environment variables, with the places of a
//! design in them.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::EngineError;

/// The ending of the name of an option whose value is that of an environment variable.
const VARIABLE: &str = "_env";
const FOLDER: &str = "${folder}";
const SCHEMA: &str = "${schema}";
/// What names of options have in them whose values are secrets.
const SECRET_NAMES: [&str; 9] = [
    "password",
    "passwd",
    "pwd",
    "secret",
    "token",
    "credential",
    "authorization",
    "api_key",
    "private_key",
];
/// What values without their white space have in them that hold a secret.
const SECRET_PARTS: [&str; 5] = ["password=", "passwd=", "pwd=", "token=", "secret="];
/// Characters of a folder that mean something else in a URI.
const OF_URIS: [char; 3] = ['%', '?', '#'];

/// What a design has to itself: a folder, and a schema of a database.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    pub folder: &'a Path,
    pub schema: &'a str,
}

/// A value in the file of drivers.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Written {
    Text(String),
    Flag(bool),
    Whole(i64),
    Float(f64),
}

/// The value of an option. A secret is never in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionValue {
    Plain(String),
    /// That of the environment variable of this name.
    Variable(String),
}

/// Reads options, of which those that end in `_env` name a variable.
///
/// # Errors
/// Returns which option has a secret, an unknown placeholder, or a name of a variable that cannot be one.
pub fn read(written: BTreeMap<String, Written>) -> Result<BTreeMap<String, OptionValue>, String> {
    let mut options = BTreeMap::new();
    for (name, value) in written {
        let (name, value) = match name.strip_suffix(VARIABLE) {
            Some(option) => (option.to_owned(), variable(&name, value)?),
            None => {
                let value = plain(&name, value)?;
                (name, value)
            }
        };
        if options.insert(name.clone(), value).is_some() {
            return Err(format!(
                "`{name}` and `{name}{VARIABLE}` are the same option: leave one out"
            ));
        }
    }
    Ok(options)
}

fn variable(name: &str, value: Written) -> Result<OptionValue, String> {
    let is_name = |text: &str| {
        let mut characters = text.chars();
        characters
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    match value {
        Written::Text(text) if is_name(&text) => Ok(OptionValue::Variable(text)),
        _ => Err(format!(
            "`{name}` has to be the name of an environment variable, such as {name} = \"MY_SECRET\""
        )),
    }
}

fn plain(name: &str, value: Written) -> Result<OptionValue, String> {
    let is_flag = matches!(value, Written::Flag(_));
    let text = match value {
        Written::Text(text) => text,
        Written::Flag(flag) => flag.to_string(),
        Written::Whole(number) => number.to_string(),
        Written::Float(number) => number.to_string(),
    };
    if !is_flag && is_secret(name, &text) {
        return Err(format!(
            "`{name}` has a secret, which does not belong into a file: put the value into an environment \
             variable, and name that one as {name}{VARIABLE} = \"MY_SECRET\""
        ));
    }
    let others = text.replace(FOLDER, "").replace(SCHEMA, "");
    if others.contains("${") {
        return Err(format!(
            "`{name}` has a placeholder that there is not; there are {FOLDER} and {SCHEMA}"
        ));
    }
    Ok(OptionValue::Plain(text))
}

fn is_secret(name: &str, text: &str) -> bool {
    let mut together = text.to_ascii_lowercase();
    together.retain(|c| !c.is_whitespace());
    is_secret_name(name)
        || SECRET_PARTS.iter().any(|part| together.contains(part))
        || password_of(text).is_some()
}

/// Returns whether the value of an option or a parameter of this name is a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('-', "_");
    SECRET_NAMES.iter().any(|part| name.contains(part))
}

/// Returns the password that a URI has before its host, as it is written there.
pub fn password_of(uri: &str) -> Option<&str> {
    let (_, rest) = uri.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (user, _) = authority.rsplit_once('@')?;
    let (_, password) = user.split_once(':')?;
    (!password.is_empty()).then_some(password)
}

impl OptionValue {
    /// Returns what is shown of it.
    pub fn shown(&self) -> String {
        match self {
            OptionValue::Plain(text) => text.clone(),
            OptionValue::Variable(name) => format!("the value of {name}"),
        }
    }

    /// Returns the environment variable that it is the value of.
    pub fn variable(&self) -> Option<&str> {
        match self {
            OptionValue::Plain(_) => None,
            OptionValue::Variable(name) => Some(name),
        }
    }

    /// Returns whether it names the folder of a design.
    pub fn names_folder(&self) -> bool {
        self.text().is_ok_and(|text| text.contains(FOLDER))
    }

    /// Returns whether it names the schema of a design.
    pub fn names_schema(&self) -> bool {
        self.text().is_ok_and(|text| text.contains(SCHEMA))
    }

    /// Returns the value for a design.
    ///
    /// # Errors
    /// The variable is not set, or the folder's path cannot be part of a URI.
    pub fn at(&self, place: &Place<'_>) -> Result<String, EngineError> {
        let text = self.text()?;
        let folder = place.folder.display().to_string();
        if text.starts_with("file:") && text.contains(FOLDER) && folder.contains(OF_URIS) {
            return Err(EngineError(format!(
                "the path {folder} has one of the characters % ? #, which mean something else in a URI: name \
                 another folder with --out"
            )));
        }
        Ok(text.replace(FOLDER, &folder).replace(SCHEMA, place.schema))
    }

    fn text(&self) -> Result<String, EngineError> {
        match self {
            OptionValue::Plain(text) => Ok(text.clone()),
            OptionValue::Variable(name) => std::env::var(name).map_err(|_| {
                EngineError(format!(
                    "the environment variable {name}, which an option is to have its value from, is not set"
                ))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> Result<BTreeMap<String, OptionValue>, String> {
        read(toml::from_str(text).unwrap())
    }

    #[test]
    fn a_design_has_its_places_in_values() {
        let place = Place {
            folder: Path::new("/runs/a"),
            schema: "bakeoff_x",
        };
        let read =
            options("uri = \"file:${folder}/t.db\"\nrows = 10\non = true\nsearch = \"${schema}\"");
        let read = read.unwrap();
        let at = |name: &str| read[name].at(&place).unwrap();
        assert_eq!(at("uri"), "file:/runs/a/t.db");
        assert_eq!((at("rows"), at("on")), ("10".to_owned(), "true".to_owned()));
        assert_eq!(at("search"), "bakeoff_x");
        assert!(read["uri"].names_folder() && !read["uri"].names_schema());
        assert!(read["search"].names_schema());
        let odd = Place {
            folder: Path::new("/runs/50%"),
            ..place
        };
        let error = read["uri"].at(&odd).unwrap_err().0;
        assert!(
            error.contains("/runs/50%") && error.contains("--out"),
            "{error}"
        );
    }

    #[test]
    fn secrets_are_in_variables_only() {
        for text in [
            "password = \"x\"",
            "\"adbc.x.auth_token\" = \"x\"",
            "uri = \"postgresql://me:x@db1/metrics\"",
            "uri = \"host=db1 password=x\"",
            "uri = \"host=db1 password = x\"",
            "uri = \"postgresql://db1/metrics?sslpassword=x\"",
            "uri = \"https://db1/?access_token=x\"",
            "uri = \"Client_Secret=x;Server=db1\"",
            "\"adbc.x.token_value\" = \"x\"",
            "\"adbc.x.Password.text\" = \"x\"",
            "\"adbc.x.auth_credentials\" = \"x\"",
            "\"adbc.x.rpc.authorization_header\" = \"x\"",
            "\"adbc.x.jwt_private-key_pkcs8\" = \"x\"",
            "\"adbc.x.pin_secret\" = 1234",
        ] {
            let error = options(text).unwrap_err();
            assert!(error.contains("has a secret"), "{text}: {error}");
            assert!(error.contains("_env = "), "{error}");
        }
        let read = options("password_env = \"BAKEOFF_TEST_NOT_SET\"").unwrap();
        let value = &read["password"];
        assert_eq!(value.shown(), "the value of BAKEOFF_TEST_NOT_SET");
        let place = Place {
            folder: Path::new("/"),
            schema: "s",
        };
        let error = value.at(&place).unwrap_err().0;
        assert!(error.contains("BAKEOFF_TEST_NOT_SET"), "{error}");
        for harmless in [
            "uri = \"postgresql://me@db1:5432/metrics\"",
            "uri = \"file:///a:b@c\"",
            "uri = \"postgresql://me@db1/metrics?passfile=/home/me/.pgpass\"",
            "\"adbc.x.keep_token_in_memory\" = true",
        ] {
            options(harmless).unwrap();
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for (text, words) in [
            ("uri_env = \"\"", "name of an environment variable"),
            ("uri_env = \"a b\"", "name of an environment variable"),
            ("uri_env = 1", "name of an environment variable"),
            ("uri = \"a\"\nuri_env = \"B\"", "the same option"),
            ("uri = \"${dir}/x\"", "placeholder that there is not"),
        ] {
            let error = options(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
