//! Says where the compression of stored tables gains next to nothing.

use bakeoff_stats::Footprint;

use crate::units;

/// Compressed bytes by uncompressed ones from which on compression is hardly worth it. It is the figure of a study of
/// chunk lengths of 2018.
const HARDLY: f64 = 0.9;

/// Names the designs that are compressed to 90% or more, with what to compare them with.
pub fn gains_nothing<'a>(
    designs: impl Iterator<Item = (&'a str, Option<&'a Footprint>)>,
) -> Option<String> {
    let hardly = designs.filter_map(|(design, footprint)| {
        let ratio = footprint?.compression_ratio?;
        (ratio >= HARDLY).then(|| format!("{design} (to {:.1}%)", ratio * 100.0))
    });
    let hardly: Vec<String> = hardly.collect();
    (!hardly.is_empty()).then(|| {
        format!(
            "compression gains next to nothing in {}: from {:.0}% on it is hardly worth its CPU time, says a \
             study of 2018; compare with compressor=none",
            hardly.join(", "),
            HARDLY * 100.0
        )
    })
}

/// Writes the memory for compression metadata at another scale, in proportion to the rows.
pub fn metadata_at(
    footprint: &Footprint,
    copies: u32,
    rows: u64,
    scale: (u64, u32),
) -> Option<String> {
    let bytes = footprint.compression_metadata_bytes.filter(|_| rows > 0)? as f64;
    let (full_rows, full_copies) = scale;
    let of_a_row = bytes / rows as f64 / f64::from(copies.max(1));
    let all = of_a_row * full_rows as f64 * f64::from(full_copies.max(1));
    Some(format!(
        "{} on all nodes, for {}, in proportion to the rows",
        units::bytes(all),
        units::plural(u64::from(full_copies.max(1)), "copy", "copies"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footprint(compression_ratio: Option<f64>) -> Footprint {
        Footprint {
            design: "a".to_owned(),
            engine_bytes: None,
            file_bytes: Some(1 << 20),
            compression_ratio,
            compression_metadata_bytes: Some(6_000),
            statistics: None,
            files: None,
            note: None,
        }
    }

    #[test]
    fn only_what_is_hardly_compressed_is_named() {
        let [much, little, not] = [Some(0.89), Some(0.9), None].map(footprint);
        let note = gains_nothing(
            [("a", Some(&much)), ("b", Some(&little)), ("c", Some(&not))].into_iter(),
        );
        let note = note.unwrap();
        assert!(
            note.starts_with("compression gains next to nothing in b (to 90.0%): from 90% on"),
            "{note}"
        );
        assert_eq!(
            gains_nothing([("a", Some(&much)), ("c", None)].into_iter()),
            None
        );
    }

    #[test]
    fn metadata_grow_with_rows_and_copies() {
        // 6,000 bytes for two copies of 1,000 rows are 3 bytes for each row of a copy.
        let at = metadata_at(&footprint(None), 2, 1_000, (1 << 20, 3)).unwrap();
        assert!(
            at.starts_with("9.00 MiB on all nodes, for 3 copies"),
            "{at}"
        );
        assert_eq!(metadata_at(&footprint(None), 1, 0, (1 << 20, 3)), None);
        let unknown = Footprint {
            compression_metadata_bytes: None,
            ..footprint(None)
        };
        assert_eq!(metadata_at(&unknown, 1, 1_000, (1 << 20, 3)), None);
    }
}
