//! Marks between the digits of numbers.

/// All characters that may be before three digits of a number.
static MARKS: [char; 7] = [',', '.', ' ', '\u{a0}', '\u{202f}', '\'', '\u{2019}'];

/// What is before the decimals of numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DecimalMark {
    #[default]
    Point,
    /// A comma, with which points, spaces and apostrophes may be before each three digits.
    Comma,
}

/// What is before each three digits of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThousandsMark {
    Comma,
    Point,
    /// A space, also one that breaks no line, narrow or not.
    Space,
    /// An apostrophe, straight or not.
    Apostrophe,
}

impl DecimalMark {
    /// Reads a mark as it is written in a workload.
    ///
    /// # Errors
    /// It is neither a point nor a comma.
    pub fn parse(written: &str) -> Result<DecimalMark, String> {
        match written {
            "." => Ok(DecimalMark::Point),
            "," => Ok(DecimalMark::Comma),
            _ => Err(format!(
                "`{written}` is before no decimals: they follow a point (`.`) or a comma (`,`)"
            )),
        }
    }
}

impl ThousandsMark {
    /// All marks.
    pub const ALL: [ThousandsMark; 4] = [
        ThousandsMark::Comma,
        ThousandsMark::Point,
        ThousandsMark::Space,
        ThousandsMark::Apostrophe,
    ];

    /// Returns the mark that a character is, if it is one.
    pub fn of(c: char) -> Option<ThousandsMark> {
        let mut all = ThousandsMark::ALL.into_iter();
        all.find(|mark| mark.characters().contains(&c))
    }

    /// Reads a mark as it is written in a workload.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(written: &str) -> Result<ThousandsMark, String> {
        let mut characters = written.chars();
        let first = characters.next().filter(|_| characters.next().is_none());
        first.and_then(ThousandsMark::of).ok_or_else(|| {
            format!(
                "`{}` is before no three digits: that is a comma (`,`), a point (`.`), a space (` `) or an apostrophe \
                 (`'`)",
                written.escape_debug()
            )
        })
    }

    /// Returns the mark as it is written in a workload.
    pub fn written(self) -> &'static str {
        match self {
            ThousandsMark::Comma => ",",
            ThousandsMark::Point => ".",
            ThousandsMark::Space => " ",
            ThousandsMark::Apostrophe => "'",
        }
    }

    /// Names such marks, for a reader.
    pub fn described(self) -> &'static str {
        match self {
            ThousandsMark::Comma => "commas",
            ThousandsMark::Point => "points",
            ThousandsMark::Space => "spaces",
            ThousandsMark::Apostrophe => "apostrophes",
        }
    }

    /// Returns the characters that stand for the mark, all of which are the same in a number.
    pub fn characters(self) -> &'static [char] {
        match self {
            ThousandsMark::Comma => &MARKS[..1],
            ThousandsMark::Point => &MARKS[1..2],
            ThousandsMark::Space => &MARKS[2..5],
            ThousandsMark::Apostrophe => &MARKS[5..],
        }
    }

    /// Checks that the mark is another one than that before the decimals.
    ///
    /// # Errors
    /// It is the same, so that a number with it would mean two.
    pub fn check(self, decimal: DecimalMark) -> Result<(), String> {
        match (self, decimal) {
            (ThousandsMark::Point, DecimalMark::Point) => Err(
                "numbers have a decimal point, so that points cannot be before each three digits, too: say that their \
                 decimals are behind a comma (`decimal = \",\"` in [data], --decimal ,), or another mark"
                    .to_owned(),
            ),
            (ThousandsMark::Comma, DecimalMark::Comma) => Err(
                "numbers have a decimal comma, so that commas cannot be before each three digits, too: leave one of \
                 both out, or say another mark"
                    .to_owned(),
            ),
            _ => Ok(()),
        }
    }
}

/// Returns whether a character may be before three digits.
pub fn is_mark(c: char) -> bool {
    MARKS.contains(&c)
}

/// Returns whether these are digits with this mark before each three of the last ones.
pub fn are_threes(digits: &str, mark: char) -> bool {
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let Some((first, others)) = digits.split_once(mark) else {
        return false;
    };
    let is_three = |part: &str| part.len() == 3 && is_digits(part);
    // A zero before the first mark is the whole part of a number with decimals behind it.
    let is_first = (1..=3).contains(&first.len()) && is_digits(first) && !first.starts_with('0');
    is_first && others.split(mark).all(is_three)
}
