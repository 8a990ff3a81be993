//! Reads which part and which columns a command line names.

/// The part that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// A part of a plan.
    Token(String),
    /// A part of a plan, whose token is on the standard input.
    Input,
    /// A part of the table as it is now, from 1.
    Now { number: u32, of: u32 },
}

/// Names of columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names(pub Vec<String>);

/// Parses a part. A token has no slash.
pub fn parse_which(text: &str) -> Result<Which, String> {
    let Some((number, of)) = text.split_once('/') else {
        return match text.trim() {
            "" => Err("a part is a token of a plan, `-`, or I/N such as 1/8".to_owned()),
            "-" => Ok(Which::Input),
            token => Ok(Which::Token(token.to_owned())),
        };
    };
    let (Ok(number), Ok(of)) = (number.parse::<u32>(), of.parse::<u32>()) else {
        return Err("I and N of I/N are whole numbers, such as 1/8".to_owned());
    };
    if number == 0 || number > of || i64::from(of) > super::PARTS_AT_MOST {
        return Err(format!(
            "parts of {of} are 1/{of} to {of}/{of}, and a table has at most {} parts",
            super::PARTS_AT_MOST
        ));
    }
    Ok(Which::Now { number, of })
}

/// Parses names with commas in between. One in double quotes may have commas and, doubled, quotes.
pub fn parse_columns(text: &str) -> Result<Names, String> {
    let mut names = Vec::new();
    let mut rest = text;
    loop {
        let (name, after) = match rest.trim_start().strip_prefix('"') {
            Some(quoted) => quoted_name(quoted).ok_or("a name in double quotes has no end")?,
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].trim().to_owned(), &rest[end..])
            }
        };
        if name.is_empty() {
            return Err("a name is empty; columns are written a,b,c".to_owned());
        }
        names.push(name);
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None if after.is_empty() => return Ok(Names(names)),
            None => return Err("a comma is missing behind a name in double quotes".to_owned()),
        }
    }
}

/// Returns a name whose opening quote was read, and the text behind its closing one.
fn quoted_name(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_once('"')?;
        name.push_str(part);
        match after.strip_prefix('"') {
            Some(after) => {
                name.push('"');
                rest = after;
            }
            None => return Some((name, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_a_token_a_dash_or_a_number_of_several() {
        let now = |number, of| Ok(Which::Now { number, of });
        assert_eq!(parse_which("2/8"), now(2, 8));
        assert_eq!(parse_which("1/1"), now(1, 1));
        assert_eq!(parse_which("-"), Ok(Which::Input));
        let token = Which::Token("share1-00ff".to_owned());
        assert_eq!(parse_which("share1-00ff"), Ok(token));
        for wrong in ["", "0/3", "4/3", "1/0", "a/3", "1/", "1/100001", "-1/3"] {
            assert!(parse_which(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_name_may_hold_whatever_is_in_double_quotes() {
        let names = |text: &str| parse_columns(text).map(|names| names.0.join("|"));
        assert_eq!(names("a, b"), Ok("a|b".to_owned()));
        assert_eq!(
            names("\"a,\"\"b\"\"\",c, \"Ü d\""),
            Ok("a,\"b\"|c|Ü d".to_owned())
        );
        for wrong in ["", "a,", ",a", "\"a", "\"a\"b", "\"\""] {
            assert!(parse_columns(wrong).is_err(), "{wrong}");
        }
    }
}
