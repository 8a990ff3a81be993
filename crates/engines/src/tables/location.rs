//! Locations of tables, as written on a command line.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The location of a table: `KEYSPACE.TABLE` of a Cassandra cluster, or `dir:FOLDER`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    Cassandra { keyspace: String, table: String },
    Directory(PathBuf),
}

impl Location {
    /// Returns the name of the table in queries: its name without keyspace, or that of its folder.
    pub fn table_name(&self) -> String {
        match self {
            Location::Cassandra { table, .. } => table.clone(),
            Location::Directory(path) => {
                let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                let name = absolute.file_name().unwrap_or_default();
                name.to_string_lossy().into_owned()
            }
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Cassandra { keyspace, table } => write!(f, "{keyspace}.{table}"),
            Location::Directory(path) => write!(f, "dir:{}", path.display()),
        }
    }
}

impl FromStr for Location {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const HOW: &str = "a table is KEYSPACE.TABLE or dir:FOLDER";
        if let Some(folder) = text.strip_prefix("dir:") {
            return if folder.is_empty() {
                Err(HOW.to_owned())
            } else {
                Ok(Location::Directory(PathBuf::from(folder)))
            };
        }
        let (keyspace, rest) = name(text).ok_or(HOW)?;
        let (table, rest) = rest.strip_prefix('.').and_then(name).ok_or(HOW)?;
        if rest.is_empty() {
            Ok(Location::Cassandra { keyspace, table })
        } else {
            Err(HOW.to_owned())
        }
    }
}

/// Splits a name of CQL, with or without double quotes, from the text after it. The case is kept in
/// both forms, since names on a command line hardly ever have quotes.
pub fn name(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find('.').unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        return (!name.is_empty() && !name.contains('/')).then(|| (name.to_owned(), rest));
    };
    let mut name = String::new();
    let mut rest = quoted;
    loop {
        let (part, after) = rest.split_once('"')?;
        name.push_str(part);
        match after.strip_prefix('"') {
            Some(after) => {
                name.push('"');
                rest = after;
            }
            None => return (!name.is_empty()).then_some((name, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_cassandra(keyspace: &str, table: &str) -> Result<Location, String> {
        Ok(Location::Cassandra {
            keyspace: keyspace.to_owned(),
            table: table.to_owned(),
        })
    }

    #[test]
    fn tables_are_in_a_keyspace_or_in_a_folder() {
        assert_eq!("ks.t".parse(), in_cassandra("ks", "t"));
        assert_eq!("Ks.\"My \"\"T.x\"".parse(), in_cassandra("Ks", "My \"T.x"));
        let folder: Location = "dir:/data/x.y".parse().unwrap();
        assert_eq!(folder, Location::Directory("/data/x.y".into()));
        assert_eq!(folder.table_name(), "x.y");
        assert_eq!("dir:a/b/".parse::<Location>().unwrap().table_name(), "b");
    }

    #[test]
    fn all_else_is_refused() {
        for text in [
            "",
            "t",
            "ks.",
            ".t",
            "a.b.c",
            "dir:",
            "\"ks.t",
            "ks.\"t\"x",
            "./folder",
            "a/b.c",
        ] {
            let error = text.parse::<Location>().unwrap_err();
            assert!(error.contains("KEYSPACE.TABLE"), "{text}: {error}");
        }
    }
}
