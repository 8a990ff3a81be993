//! The compaction strategies that designs choose.

/// Words of a design, in the order of messages.
const WORDS: &str = "STCS, LCS, TWCS, UCS";
/// Largest size of an SSTable of LCS in MiB; Cassandra warns of those above 1,000.
const LARGEST_SSTABLE_MIB: u32 = 10_240;
/// Units of a window of TWCS: the letter of a design and the word of CQL.
const WINDOW_UNITS: [(char, &str); 3] = [('d', "DAYS"), ('h', "HOURS"), ('m', "MINUTES")];
/// Least fan factor of UCS.
const LEAST_FAN_FACTOR: u32 = 2;

/// A strategy by which Cassandra merges SSTables, with the parameters that a design gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compaction {
    /// Merges SSTables of similar sizes.
    SizeTiered,
    /// Keeps SSTables of one size in levels.
    Leveled { sstable_mib: Option<u32> },
    /// Merges SSTables of the same window of time, which is that of their writing.
    TimeWindow { window: Option<Window> },
    /// Merges SSTables of similar density; its parameters are those of the levels, in CQL's form.
    Unified { scaling: Option<String> },
}

/// The length of a window of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    size: i32,
    /// Unit as CQL names it.
    unit: &'static str,
}

impl Compaction {
    /// Reads the value of a design's setting: the short name of a strategy and, after a colon, its
    /// parameter.
    ///
    /// # Errors
    /// Returns what is wrong, as the end of a sentence that begins with the setting.
    pub fn read(written: &str) -> Result<Self, String> {
        let (name, parameter) = match written.split_once(':') {
            Some((name, parameter)) => (name, Some(parameter)),
            None => (written, None),
        };
        Ok(match name.to_ascii_uppercase().as_str() {
            "STCS" if parameter.is_some() => {
                return Err("has a parameter, but STCS takes none".to_owned());
            }
            "STCS" => Compaction::SizeTiered,
            "LCS" => Compaction::Leveled {
                sstable_mib: parameter.map(mebibytes).transpose()?,
            },
            "TWCS" => Compaction::TimeWindow {
                window: parameter.map(window).transpose()?,
            },
            "UCS" => Compaction::Unified {
                scaling: parameter.map(scaling).transpose()?,
            },
            _ => return Err(format!("is not one of {WORDS}")),
        })
    }

    /// Returns the table option of CQL.
    pub fn cql(&self) -> String {
        let (class, parameters): (&str, Vec<(&str, String)>) = match self {
            Compaction::SizeTiered => ("SizeTiered", Vec::new()),
            Compaction::Leveled { sstable_mib } => (
                "Leveled",
                sstable_mib
                    .iter()
                    .map(|mib| ("sstable_size_in_mb", mib.to_string()))
                    .collect(),
            ),
            Compaction::TimeWindow { window } => (
                "TimeWindow",
                window
                    .iter()
                    .flat_map(|window| {
                        [
                            ("compaction_window_unit", window.unit.to_owned()),
                            ("compaction_window_size", window.size.to_string()),
                        ]
                    })
                    .collect(),
            ),
            Compaction::Unified { scaling } => (
                "Unified",
                scaling
                    .iter()
                    .map(|scaling| ("scaling_parameters", scaling.clone()))
                    .collect(),
            ),
        };
        let parameters: String = parameters
            .iter()
            .map(|(name, value)| format!(", '{name}': '{value}'"))
            .collect();
        format!("{{'class': '{class}CompactionStrategy'{parameters}}}")
    }
}

/// Reads the size of an SSTable in MiB, written as `160MiB` or `160`.
fn mebibytes(written: &str) -> Result<u32, String> {
    let number = written.strip_suffix("MiB").unwrap_or(written);
    match number.parse::<u32>() {
        Ok(mib) if (1..=LARGEST_SSTABLE_MIB).contains(&mib) => Ok(mib),
        _ => Err(format!(
            "needs a size of SSTables from 1MiB to {LARGEST_SSTABLE_MIB}MiB after the colon, as in \
             LCS:160MiB"
        )),
    }
}

/// Reads the length of a window, written as `1d`, `12h` or `30m`.
fn window(written: &str) -> Result<Window, String> {
    let window = WINDOW_UNITS.iter().find_map(|(letter, unit)| {
        let size = written.strip_suffix(*letter)?.parse::<i32>().ok()?;
        (size > 0).then_some(Window { size, unit })
    });
    window.ok_or_else(|| {
        "needs a window of whole days, hours or minutes after the colon, as in TWCS:1d, TWCS:12h or \
         TWCS:30m"
            .to_owned()
    })
}

/// Reads scaling parameters, written as `T4` or `T4+T8`, and returns them as CQL has them.
fn scaling(written: &str) -> Result<String, String> {
    let levels: Option<Vec<String>> = written.split('+').map(scaling_parameter).collect();
    let levels = levels.ok_or_else(|| {
        format!(
            "needs N, or T or L with a number of {LEAST_FAN_FACTOR} or more, for each level after the \
             colon, as in UCS:T4, UCS:L10 or UCS:T4+T8"
        )
    })?;
    Ok(levels.join(", "))
}

fn scaling_parameter(written: &str) -> Option<String> {
    let parameter = written.to_ascii_uppercase();
    if parameter == "N" {
        return Some(parameter);
    }
    let digits = parameter.strip_prefix(['T', 'L'])?;
    let factor: u32 = digits.parse().ok()?;
    // Cassandra reads it as an int.
    let is_possible = factor >= LEAST_FAN_FACTOR && i32::try_from(factor).is_ok();
    is_possible.then_some(parameter)
}
