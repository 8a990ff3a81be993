//! Names of tables, as written on a command line.

use std::fmt;
use std::str::FromStr;

use crate::tables::written_name;

/// The name of a table, with its schema if that is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableName {
    pub schema: Option<String>,
    pub table: String,
}

impl FromStr for TableName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("--table {text}: a table is SCHEMA.TABLE, or TABLE");
        let (first, rest) = written_name(text).ok_or_else(wrong)?;
        if rest.is_empty() {
            return Ok(TableName {
                schema: None,
                table: first,
            });
        }
        let second = rest.strip_prefix('.').and_then(written_name);
        match second {
            Some((table, "")) => Ok(TableName {
                schema: Some(first),
                table,
            }),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(schema) = &self.schema {
            write!(f, "{schema}.")?;
        }
        f.write_str(&self.table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_schema_or_none() {
        let name = |text: &str| {
            text.parse::<TableName>()
                .map(|name| (name.schema, name.table))
        };
        let of =
            |schema: Option<&str>, table: &str| Ok((schema.map(str::to_owned), table.to_owned()));
        assert_eq!(name("readings"), of(None, "readings"));
        assert_eq!(name("public.Readings"), of(Some("public"), "Readings"));
        assert_eq!(name("\"a.b\".\"c d\""), of(Some("a.b"), "c d"));
        for wrong in ["", "a.", ".a", "a.b.c"] {
            let error = name(wrong).unwrap_err();
            assert!(error.contains("SCHEMA.TABLE"), "{error}");
        }
    }
}
