//! A Spark of the user's, which runs elsewhere: its URL and its secret.

use std::fmt;

use crate::error::{Error, Result};

/// The port of a Spark Connect server unless its URL has another one.
const CONNECT_PORT: u16 = 15002;
/// The port of a standalone master unless its URL has another one.
const MASTER_PORT: u16 = 7077;
const FORMS: &str =
    "write sc://HOST:PORT for Spark Connect, or spark://HOST:PORT for a standalone master";
const VARIABLE: &str = "BAKEOFF_SPARK_TOKEN";

/// How a Spark is reached that runs elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Through a server of Spark Connect, which has the driver.
    Connect,
    /// Through the master of a standalone cluster, whose executors work for a driver on this machine.
    Standalone,
}

/// A Spark of the user's. It never prints its secret.
#[derive(Clone, PartialEq, Eq)]
pub struct SparkCluster {
    pub(super) access: Access,
    pub(super) host: String,
    pub(super) port: u16,
    /// Whether calls are encrypted, of Spark Connect only.
    pub(super) is_encrypted: bool,
    /// The user whose sessions a Spark Connect server takes ours for, if the URL names one.
    user: Option<String>,
    /// The token of Spark Connect, or the secret that a standalone cluster shares with its applications.
    token: Option<String>,
}

impl SparkCluster {
    /// Parses a URL, `sc://HOST[:PORT][/;use_ssl=true;user_id=NAME]` or `spark://HOST[:PORT]`, which must not have the
    /// token. With a token, a connection to Spark Connect is encrypted.
    ///
    /// # Errors
    /// Fails with `Refused` if it is not such a URL, or if it has a token or another secret, which would be visible in
    /// process lists and results. No error repeats what the URL says in such a place.
    pub fn new(url: &str, token: Option<&str>) -> Result<SparkCluster> {
        let wrong = |why: String| Error::Refused(format!("--spark {why}; {FORMS}"));
        let (access, rest) = if let Some(rest) = url.strip_prefix("sc://") {
            (Access::Connect, rest)
        } else if let Some(rest) = url.strip_prefix("spark://") {
            (Access::Standalone, rest)
        } else {
            return Err(wrong("is not the URL of a Spark".to_owned()));
        };
        let (place, parameters) = rest.split_once('/').unwrap_or((rest, ""));
        if place.contains('@') || place.to_lowercase().contains("token=") {
            return Err(secret());
        }
        let (host, port) = host_and_port(place, access).map_err(wrong)?;
        let mut cluster = SparkCluster {
            access,
            host,
            port,
            is_encrypted: false,
            user: None,
            token: token.filter(|token| !token.is_empty()).map(str::to_owned),
        };
        cluster.take(parameters)?;
        cluster.is_encrypted |= access == Access::Connect && cluster.token.is_some();
        Ok(cluster)
    }

    /// Takes what follows the first slash of a URL.
    fn take(&mut self, parameters: &str) -> Result<()> {
        let wrong = |why: &str| Error::Refused(format!("--spark {why}; {FORMS}"));
        if parameters.is_empty() {
            return Ok(());
        }
        let Some(parameters) = parameters.strip_prefix(';') else {
            return Err(wrong("has a path"));
        };
        for parameter in parameters.split(';').filter(|text| !text.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            match (self.access, name) {
                (Access::Connect, "use_ssl") => match value {
                    "true" => self.is_encrypted = true,
                    "false" if self.token.is_none() => {}
                    "false" => {
                        return Err(Error::Refused(format!(
                            "--spark has use_ssl=false, and {VARIABLE} is set: Spark's client sends a token over \
                             encrypted connections only; leave one of them out"
                        )));
                    }
                    _ => return Err(wrong("has a use_ssl that is neither true nor false")),
                },
                (Access::Connect, "user_id") if is_name(value) => {
                    self.user = Some(value.to_owned());
                }
                _ if name.to_lowercase().contains("token") => return Err(secret()),
                (Access::Connect, _) => {
                    return Err(wrong(
                        "has a parameter other than use_ssl and user_id, which is a word",
                    ));
                }
                (Access::Standalone, _) => return Err(wrong("has parameters")),
            }
        }
        Ok(())
    }

    /// Returns how it is reached.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Returns the URL with the token, for a client of Spark Connect.
    pub(super) fn remote(&self) -> Option<String> {
        if self.access == Access::Standalone {
            return None;
        }
        let mut remote = self.to_string();
        if let Some(token) = &self.token {
            remote.push_str(";token=");
            remote.push_str(&percent_encoded(token));
        }
        Some(remote)
    }

    /// Returns the secret that a standalone cluster wants of its applications.
    pub(super) fn secret(&self) -> Option<&str> {
        let token = self.token.as_deref();
        token.filter(|_| self.access == Access::Standalone)
    }
}

/// Shows the URL without the token.
impl fmt::Display for SparkCluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.access {
            Access::Connect => "sc",
            Access::Standalone => "spark",
        };
        write!(f, "{scheme}://{}:{}", self.host, self.port)?;
        if self.is_encrypted {
            write!(f, "/;use_ssl=true")?;
        }
        if let Some(user) = &self.user {
            let before = if self.is_encrypted { ";" } else { "/;" };
            write!(f, "{before}user_id={user}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for SparkCluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

fn secret() -> Error {
    Error::Refused(format!(
        "--spark has a token or a login, which would be visible in process lists and in results: put it into \
         {VARIABLE}"
    ))
}

fn host_and_port(place: &str, access: Access) -> Result<(String, u16), String> {
    let default = match access {
        Access::Connect => CONNECT_PORT,
        Access::Standalone => MASTER_PORT,
    };
    let (host, port) = match place.split_once(':') {
        None => (place, Ok(default)),
        Some((host, port)) => (host, port.parse()),
    };
    let port = port.ok().filter(|port| *port != 0);
    let Some(port) = port else {
        return Err("has no number between 1 and 65535 as its port".to_owned());
    };
    if !is_name(host) {
        return Err("names no host, or more than one".to_owned());
    }
    Ok((host.to_owned(), port))
}

/// Returns whether a text is a word of letters, digits, dots, hyphens and underscores, as names of hosts are.
fn is_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    !text.is_empty() && text.chars().all(is_plain)
}

fn percent_encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &str, token: Option<&str>) -> Result<String, String> {
        let cluster = SparkCluster::new(url, token).map_err(|error| error.to_string())?;
        Ok(cluster.to_string())
    }

    #[test]
    fn urls_of_both_kinds_are_understood() {
        for (url, meant) in [
            ("sc://db1", "sc://db1:15002"),
            ("sc://db1:1/", "sc://db1:1"),
            ("spark://127.0.0.1:7078", "spark://127.0.0.1:7078"),
            ("spark://spark-master/", "spark://spark-master:7077"),
            ("sc://h/;use_ssl=true", "sc://h:15002/;use_ssl=true"),
            ("sc://h/;use_ssl=false;", "sc://h:15002"),
            ("sc://h/;user_id=me", "sc://h:15002/;user_id=me"),
            (
                "sc://h/;user_id=me;use_ssl=true",
                "sc://h:15002/;use_ssl=true;user_id=me",
            ),
        ] {
            assert_eq!(shown(url, None).unwrap(), meant, "{url}");
            assert_eq!(shown(meant, None).unwrap(), meant, "{meant}");
        }
    }

    #[test]
    fn what_is_no_such_url_is_refused_with_those_that_are() {
        for url in [
            "",
            "yarn",
            "local[2]",
            "https://db1:15002",
            "SC://db1",
            "sc://",
            "sc://:15002",
            "sc://db1:",
            "sc://db1:0",
            "sc://db1:99999",
            "sc://db1:1:2",
            "sc://[::1]:15002",
            "sc://db1/path",
            "sc://db1?a=b",
            "sc://db1;use_ssl=true",
            "sc://db1/;use_ssl=yes",
            "sc://db1/;user_id=",
            "sc://db1/;x-header=hidden",
            "spark://a:7077,b:7077",
            "spark://db1/;use_ssl=true",
        ] {
            let error = shown(url, None).unwrap_err();
            assert!(error.starts_with("--spark "), "{url}: {error}");
            assert!(error.ends_with(FORMS), "{url}: {error}");
            assert!(!error.contains("hidden"), "{error}");
        }
    }

    #[test]
    fn secrets_are_taken_from_the_variable_only_and_shown_nowhere() {
        for url in [
            "sc://db1/;token=hidden",
            "sc://db1/;use_ssl=true;token=hidden",
            "sc://db1;token=hidden",
            "sc://db1/;Token=hidden",
            "sc://me:hidden@db1",
            "spark://db1/;token=hidden",
        ] {
            let error = shown(url, None).unwrap_err();
            assert!(error.contains(VARIABLE), "{url}: {error}");
            assert!(!error.contains("hidden"), "{error}");
        }
        let cluster = SparkCluster::new("sc://db1/;user_id=me", Some("a b=;")).unwrap();
        let shown = "sc://db1:15002/;use_ssl=true;user_id=me";
        assert_eq!(cluster.to_string(), shown);
        assert_eq!(format!("{cluster:?}"), shown);
        let remote = cluster.remote().unwrap();
        assert_eq!(remote, format!("{shown};token=a%20b%3D%3B"));
        assert_eq!(cluster.secret(), None);
    }

    #[test]
    fn a_token_is_sent_over_encrypted_connections_only() {
        let refused = shown("sc://db1/;use_ssl=false", Some("hidden")).unwrap_err();
        assert!(refused.contains(VARIABLE), "{refused}");
        let plain = SparkCluster::new("sc://db1", Some("")).unwrap();
        assert_eq!(plain.remote().unwrap(), "sc://db1:15002");
        let token = SparkCluster::new("sc://db1", Some("a")).unwrap();
        let encrypted = "sc://db1:15002/;use_ssl=true;token=a";
        assert_eq!(token.remote().unwrap(), encrypted);
    }

    #[test]
    fn a_standalone_cluster_has_a_secret_and_no_url_with_it() {
        let cluster = SparkCluster::new("spark://db1", Some("hidden")).unwrap();
        assert_eq!(cluster.secret(), Some("hidden"));
        assert_eq!(cluster.remote(), None);
        assert_eq!(
            format!("{cluster:?} {cluster}").matches("hidden").count(),
            0
        );
    }
}
