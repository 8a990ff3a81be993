//! What no message of a driver may repeat: values of environment variables, and the passwords in them.

use std::cmp::Reverse;

use super::option_value::{is_secret_name, password_of};

/// Most characters of a text that is hidden only where it stands alone, since it may be part of any word.
const SHORT: usize = 3;

/// Texts that are hidden in messages. It has no `Debug` output.
#[derive(Clone, Default)]
pub struct Secrets(Vec<Secret>);

#[derive(Clone)]
struct Secret {
    text: String,
    /// What stands in its place.
    shown: String,
}

impl Secrets {
    /// Adds the value of an environment variable, and what a driver may repeat of it: the password of a URI and
    /// values of parameters that are secrets, as they are written and percent-decoded.
    pub fn add(&mut self, variable: &str, value: &str) {
        let mut texts = vec![value, value.trim()];
        if let Some(password) = password_of(value).or_else(|| password_with_slashes(value)) {
            texts.push(password);
            // One that should have been percent-encoded is taken for several parts of a URI.
            texts.extend(password.split(['/', '?', '#', '@', ':']));
        }
        texts.extend(values_of_secrets(value));
        for text in texts {
            for text in [text.to_owned(), percent_decoded(text)] {
                self.0.push(Secret {
                    text,
                    shown: format!("the value of {variable}"),
                });
            }
        }
        self.0.retain(|secret| !secret.text.is_empty());
        // Of two that begin at the same place the longer one is hidden.
        self.0.sort_by_key(|secret| Reverse(secret.text.len()));
    }

    /// Returns a message with the names of variables in place of their values.
    pub fn hide(&self, message: &str) -> String {
        let mut shown = String::with_capacity(message.len());
        let mut at = 0;
        while let Some(next) = message[at..].chars().next() {
            match self.0.iter().find(|secret| secret.is_at(message, at)) {
                Some(secret) => {
                    shown.push_str(&secret.shown);
                    at += secret.text.len();
                }
                None => {
                    shown.push(next);
                    at += next.len_utf8();
                }
            }
        }
        shown
    }
}

impl Secret {
    /// Returns whether it is in a message at this byte.
    fn is_at(&self, message: &str, at: usize) -> bool {
        let Some(after) = message[at..].strip_prefix(self.text.as_str()) else {
            return false;
        };
        let neighbours = [message[..at].chars().next_back(), after.chars().next()];
        let stands_alone = || !neighbours.into_iter().flatten().any(char::is_alphanumeric);
        self.text.chars().count() > SHORT || stands_alone()
    }
}

/// Returns the password of a URI in which a slash, a question mark or a hash seems to end what is before the host.
fn password_with_slashes(uri: &str) -> Option<&str> {
    let (_, rest) = uri.split_once("://")?;
    let (user, _) = rest.rsplit_once('@')?;
    user.split_once(':').map(|(_, password)| password)
}

/// Returns the values of parameters whose names are those of secrets, such as `password=x` in a URI or a list of
/// settings. One with white space in it is several values.
fn values_of_secrets(text: &str) -> Vec<&str> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '&' | ';' | '?' | '\'' | '"');
    let mut values = Vec::new();
    let (mut before, mut is_secret) = ("", false);
    for word in text.split(ends).filter(|word| !word.is_empty()) {
        let value = match word.split_once('=') {
            Some((name, value)) => {
                let name = if name.is_empty() { before } else { name };
                is_secret = is_secret_name(name);
                value
            }
            None => word,
        };
        if is_secret {
            values.push(value);
        }
        before = word;
    }
    values
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 3);
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) if *byte == b'%' => {
                decoded.push(value);
                at += 3;
            }
            _ => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(value: &str, message: &str) -> String {
        let mut secrets = Secrets::default();
        secrets.add("SERVER_URI", value);
        secrets.hide(message)
    }

    #[test]
    fn what_a_driver_repeats_of_a_value_is_the_name_of_its_variable() {
        let uri =
            "postgresql://me:hunt%24er2%2@db1:5432/metrics?sslpassword=geheim&connect_timeout=10";
        for (message, shown) in [
            (
                "invalid percent-encoded token: \"hunt%24er2%2\"",
                "invalid percent-encoded token: \"the value of SERVER_URI\"",
            ),
            (
                "no password `hunt$er2%2`",
                "no password `the value of SERVER_URI`",
            ),
            (
                "sslpassword geheim is wrong",
                "sslpassword the value of SERVER_URI is wrong",
            ),
            (
                "db1:5432 is not there within 10 s",
                "db1:5432 is not there within 10 s",
            ),
        ] {
            assert_eq!(hidden(uri, message), shown);
        }
        let whole = format!("cannot parse {uri}: {uri}");
        let shown = "cannot parse the value of SERVER_URI: the value of SERVER_URI";
        assert_eq!(hidden(uri, &whole), shown);
        assert_eq!(hidden(&format!("{uri}\n"), &whole), shown);
    }

    #[test]
    fn a_password_that_is_not_encoded_as_it_should_be_is_hidden_in_its_parts() {
        for (uri, message) in [
            (
                "postgresql://me:se/cret@db1/m",
                "invalid port number: \"se\"",
            ),
            (
                "postgresql://me:se/cret@db1/m",
                "no database \"cret@db1/m\"",
            ),
            ("postgresql://me:p@cret@db1/m", "no host \"cret@db1\""),
            ("host=db1 password=cret se", "missing \"=\" after \"se\""),
            ("host=db1 password = 'cret se' user=me", "what is cret?"),
            ("Server=db1;Pwd=cret=;UID=me", "login with cret= failed"),
        ] {
            let shown = hidden(uri, message);
            assert!(shown.contains("the value of SERVER_URI"), "{shown}");
            assert!(
                !shown.contains("cret") && !shown.contains("\"se\""),
                "{shown}"
            );
        }
        let shown = hidden("host=db1 password=cret user=me", "user me is not on db1");
        assert_eq!(shown, "user me is not on db1");
    }

    #[test]
    fn a_short_value_is_hidden_where_it_stands_alone_and_what_is_put_there_stays() {
        assert_eq!(
            hidden("no", "no: nobody is \"no\""),
            "the value of SERVER_URI: nobody is \"the value of SERVER_URI\""
        );
        assert_eq!(hidden("value", "a value"), "a the value of SERVER_URI");
        assert_eq!(hidden("", "a message"), "a message");
        assert_eq!(hidden("größe", "zu größe!"), "zu the value of SERVER_URI!");
        assert_eq!(Secrets::default().hide("as it is"), "as it is");
    }
}
