//! A password, which no message, log or `Debug` output ever contains.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::{Error, Result};

const RANDOM: &str = "/dev/urandom";

#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

/// The number of random bytes in a password.
const PASSWORD_BYTES: usize = 24;

/// Returns a password that nobody can guess, in hexadecimal digits.
///
/// # Errors
/// Fails with `Io` if the system has no random numbers.
pub fn random_password() -> Result<String> {
    random_hex::<PASSWORD_BYTES>()
}

/// Returns `N` unpredictable bytes in hexadecimal digits.
pub(crate) fn random_hex<const N: usize>() -> Result<String> {
    let path = Path::new(RANDOM);
    let mut bytes = [0; N];
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut bytes))
        .map_err(Error::io("read", path))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_random_and_is_not_shown() {
        let secret = Secret::new(random_hex::<24>().unwrap());
        assert_eq!(secret.reveal().len(), 48);
        assert_ne!(secret.reveal(), random_hex::<24>().unwrap());
        assert!(!format!("{secret:?}").contains(secret.reveal()));
    }
}
