//! Figures in the words of rules.

use bakeoff_stats::thousands;

/// Writes bytes with two digits or three.
pub fn bytes(bytes: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if value < 10.0 && unit > 0 {
        format!("{value:.1} {}", units[unit])
    } else {
        format!("{value:.0} {}", units[unit])
    }
}

/// Writes a number of rows or keys with commas between thousands.
pub fn count(number: f64) -> String {
    thousands(number.round() as u64)
}

/// Writes a share from 0 to 1 in percent.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        p if p == 0.0 || p >= 10.0 => format!("{p:.0}%"),
        p if p >= 0.1 => format!("{p:.1}%"),
        _ => "less than 0.1%".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        assert_eq!(bytes(512.0), "512 B");
        assert_eq!(bytes(1.5 * 1024.0), "1.5 KiB");
        assert_eq!(bytes(100.0 * 1024.0 * 1024.0), "100 MiB");
        assert_eq!(count(999.0), "999");
        assert_eq!(count(4_160_000.0), "4,160,000");
        assert_eq!(percent(0.0), "0%");
        assert_eq!(percent(0.0944), "9.4%");
        assert_eq!(percent(0.5), "50%");
        assert_eq!(percent(0.000_2), "less than 0.1%");
    }
}
