//! A definition as JSON with a checksum.

use serde_json::{Error, Value};

use crate::definition::Definition;

/// The field of the checksum: the CRC-32 of the JSON without it.
const CRC: &str = "crc";

/// Returns the JSON of a definition.
pub fn write(definition: &Definition) -> Result<String, Error> {
    let json = serde_json::to_string(definition)?;
    let crc = crc32fast::hash(json.as_bytes());
    let fields = json.strip_suffix('}').unwrap_or(&json);
    Ok(format!("{fields},\"{CRC}\":{crc}}}"))
}

/// Reads the JSON of a definition. Early versions wrote it without a checksum.
///
/// # Errors
/// Returns the reason why it is not what was written.
pub fn read(json: &str) -> Result<Definition, String> {
    let words = |error: Error| error.to_string();
    let mut fields: Value = serde_json::from_str(json).map_err(words)?;
    let crc = fields.as_object_mut().and_then(|fields| fields.remove(CRC));
    let definition: Definition = serde_json::from_value(fields.clone()).map_err(words)?;
    let known = serde_json::to_value(&definition).map_err(words)?;
    let names = fields
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.keys());
    if let Some(unknown) = names.into_iter().find(|name| known.get(name).is_none()) {
        return Err(format!("it has an unknown field `{unknown}`"));
    }
    let written = serde_json::to_string(&definition).map_err(words)?;
    match crc {
        Some(crc) if crc.as_u64() != Some(crc32fast::hash(written.as_bytes()).into()) => {
            Err("its checksum is wrong".to_owned())
        }
        _ => Ok(definition),
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroI64;

    use super::*;
    use crate::definition::Column;
    use crate::kind::Kind;

    fn definition() -> Definition {
        let columns = vec![
            Column::new("host", Kind::Text),
            Column::new("time", Kind::Timestamp),
        ];
        Definition {
            bucket: NonZeroI64::new(86_400_000),
            shards: 4,
            ..Definition::new(columns, &["host"], &["time"])
        }
    }

    #[test]
    fn a_definition_comes_back_with_and_without_a_checksum() {
        let json = write(&definition()).unwrap();
        assert_eq!(read(&json).unwrap(), definition());
        let early = serde_json::to_string(&definition()).unwrap();
        assert_eq!(read(&early).unwrap(), definition());
        let earliest = early.replace(r#""profile":"fast","#, "");
        assert_ne!(earliest, early);
        assert_eq!(read(&earliest).unwrap(), definition());
    }

    #[test]
    fn every_change_is_noticed() {
        let json = write(&definition()).unwrap().into_bytes();
        for bit in 0..json.len() * 8 {
            let mut changed = json.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            if let Ok(changed) = String::from_utf8(changed) {
                assert!(read(&changed).is_err(), "{changed}");
            }
        }
    }
}
