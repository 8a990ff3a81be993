//! Converting columns of any Arrow type to those of a columnar table without loss.

use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::compute::can_cast_types;
use arrow::datatypes::{Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use arrow::util::display::array_value_to_string;
use bakeoff_columnar::{Column, Kind};

use super::TableError;
use super::loss::{cast, first_loss};

/// The number of characters of a value that an error shows.
const SHOWN_CHARACTERS: usize = 60;

/// The conversion of batches that have the same columns.
pub struct Conversion {
    schema: SchemaRef,
    kinds: Vec<Kind>,
    is_key: Vec<bool>,
    file: Option<PathBuf>,
    /// Whether errors name rows by their keys, since the order of rows says nothing.
    names_keys: bool,
    /// The number of rows in earlier batches.
    before: u64,
}

/// A value that does not fit: its row in the batch, and why.
struct Misfit {
    row: usize,
    why: String,
}

impl Conversion {
    pub fn new(columns: &[Column], keys: &[&str]) -> Self {
        let field = |c: &Column| Field::new(&c.name, c.kind.data_type(), true);
        Conversion {
            schema: Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>())),
            kinds: columns.iter().map(|c| c.kind).collect(),
            is_key: columns
                .iter()
                .map(|c| keys.contains(&c.name.as_str()))
                .collect(),
            file: None,
            names_keys: false,
            before: 0,
        }
    }

    /// Sets the file that errors name.
    pub fn with_file(self, path: PathBuf) -> Self {
        Conversion {
            file: Some(path),
            ..self
        }
    }

    /// Makes errors name rows by their keys instead of their numbers.
    pub fn with_keys_in_errors(self) -> Self {
        Conversion {
            names_keys: true,
            ..self
        }
    }

    /// Converts a batch whose columns are in the order of the table's.
    pub fn convert(&mut self, batch: &RecordBatch) -> Result<RecordBatch, TableError> {
        let mut arrays = Vec::with_capacity(self.kinds.len());
        for (i, array) in batch.columns().iter().enumerate() {
            let converted = self
                .column(i, array)
                .map_err(|misfit| self.misfit_error(batch, i, &misfit))?;
            arrays.push(converted);
        }
        self.before += batch.num_rows() as u64;
        RecordBatch::try_new(self.schema.clone(), arrays)
            .map_err(|error| TableError::Failed(error.to_string()))
    }

    fn column(&self, column: usize, array: &ArrayRef) -> Result<ArrayRef, Misfit> {
        if self.is_key[column] && array.null_count() > 0 {
            let row = (0..array.len())
                .find(|row| array.is_null(*row))
                .unwrap_or(0);
            let why = "no value, but it is in the key, where every row needs one".to_owned();
            return Err(Misfit { row, why });
        }
        convert(array, self.kinds[column])
    }

    fn misfit_error(&self, batch: &RecordBatch, column: usize, misfit: &Misfit) -> TableError {
        let row = match &self.file {
            Some(path) => format!("{}, row {}", path.display(), self.number(misfit)),
            None if self.names_keys => format!("the row with {}", self.key(batch, misfit.row)),
            None => format!("row {}", self.number(misfit)),
        };
        TableError::Misfit(format!(
            "{row}, column `{}`: {}",
            self.schema.field(column).name(),
            misfit.why
        ))
    }

    fn number(&self, misfit: &Misfit) -> u64 {
        self.before + misfit.row as u64 + 1
    }

    /// Writes the key of a row: `host a, time 2024-01-01T00:00:00`.
    fn key(&self, batch: &RecordBatch, row: usize) -> String {
        let columns = self.schema.fields().iter().zip(batch.columns());
        let keys = columns.zip(&self.is_key).filter(|(_, is_key)| **is_key);
        let cells = keys.map(|((field, array), _)| {
            if array.is_null(row) {
                format!("no {}", field.name())
            } else {
                format!("{} {}", field.name(), shown(array, row))
            }
        });
        cells.collect::<Vec<_>>().join(", ")
    }
}

fn convert(array: &ArrayRef, kind: Kind) -> Result<ArrayRef, Misfit> {
    let wanted = kind.data_type();
    if *array.data_type() == wanted {
        return Ok(array.clone());
    }
    let whole = |why: String| Misfit { row: 0, why };
    if !can_cast_types(array.data_type(), &wanted) {
        return Err(whole(format!(
            "{} cannot become {}",
            array.data_type(),
            described(kind)
        )));
    }
    let converted = cast(array, &wanted).map_err(|error| whole(error.to_string()))?;
    if converted.null_count() > array.null_count() {
        let is_lost = |row: &usize| converted.is_null(*row) && array.is_valid(*row);
        let row = (0..array.len()).find(is_lost).unwrap_or(0);
        let why = format!("`{}` is not {}", shown(array, row), described(kind));
        return Err(Misfit { row, why });
    }
    match first_loss(array, &converted).map_err(|error| whole(error.to_string()))? {
        None => Ok(converted),
        Some(row) => {
            let shown = shown(array, row);
            let why = format!("`{shown}` does not fit {} without a loss", described(kind));
            Err(Misfit { row, why })
        }
    }
}

fn shown(array: &ArrayRef, row: usize) -> String {
    let text = array_value_to_string(array, row).unwrap_or_default();
    let cut: String = text.chars().take(SHOWN_CHARACTERS).collect();
    if cut.len() < text.len() {
        format!("{cut}...")
    } else {
        cut
    }
}

fn described(kind: Kind) -> &'static str {
    match kind {
        Kind::Boolean => "a boolean",
        Kind::Int => "an int (a whole number of 32 bits)",
        Kind::Bigint => "a bigint (a whole number of 64 bits)",
        Kind::Float => "a float",
        Kind::Double => "a double",
        Kind::Date => "a date (2014-02-14)",
        Kind::Timestamp => "a timestamp (milliseconds; nanotime has nanoseconds)",
        Kind::Nanotime => "a nanotime (2014-02-14T14:30:00.000000001)",
        Kind::Text => "text",
        Kind::Blob => "a blob",
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{
        AsArray, Decimal128Array, Float64Array, Int64Array, StringArray, TimestampMicrosecondArray,
        TimestampNanosecondArray, UInt64Array,
    };
    use arrow::datatypes::{
        DataType, Date32Type, TimestampMillisecondType, TimestampNanosecondType,
    };

    use super::*;

    fn why(array: ArrayRef, kind: Kind) -> (usize, String) {
        let misfit = convert(&array, kind).unwrap_err();
        (misfit.row, misfit.why)
    }

    #[test]
    fn what_loses_nothing_is_converted() {
        let whole: ArrayRef = Arc::new(Float64Array::from(vec![Some(3.0), None]));
        assert_eq!(
            convert(&whole, Kind::Int).ok().map(|a| a.null_count()),
            Some(1)
        );
        let money = Decimal128Array::from(vec![150]).with_precision_and_scale(10, 2);
        let money: ArrayRef = Arc::new(money.unwrap());
        assert!(convert(&money, Kind::Double).is_ok());
        let text: ArrayRef = Arc::new(StringArray::from(vec!["2014-02-14"]));
        assert!(convert(&text, Kind::Date).is_ok());
        assert!(convert(&text, Kind::Nanotime).is_ok());
        let tenth: ArrayRef = Arc::new(Float64Array::from(vec![0.1, f64::NAN]));
        assert!(convert(&tenth, Kind::Float).is_ok());
    }

    #[test]
    fn times_with_a_zone_stay_the_same_moments() {
        let noon = 1_700_000_000_000_000;
        let of_zone = |zone: &str, microseconds: Vec<i64>| -> ArrayRef {
            Arc::new(TimestampMicrosecondArray::from(microseconds).with_timezone(zone))
        };
        for zone in ["UTC", "+02:00", "-09:30", "Europe/Berlin"] {
            let whole = of_zone(zone, vec![noon]);
            let converted = convert(&whole, Kind::Timestamp).ok().unwrap();
            let moment = converted.as_primitive::<TimestampMillisecondType>();
            assert_eq!(moment.value(0), noon / 1_000, "{zone}");
            let fine = of_zone(zone, vec![noon, noon + 1]);
            let converted = convert(&fine, Kind::Nanotime).ok().unwrap();
            let moments = converted.as_primitive::<TimestampNanosecondType>();
            assert_eq!(moments.value(1), noon * 1_000 + 1_000, "{zone}");
            assert_eq!(why(fine, Kind::Timestamp).0, 1, "{zone}");
        }
        // A day is that of the zone: it begins at 22:00 UTC in this one.
        let midnight = 1_699_920_000_000_000;
        let hours = 3_600_000_000;
        let begin = of_zone("+02:00", vec![midnight - 2 * hours]);
        let day = convert(&begin, Kind::Date).ok().unwrap();
        assert_eq!(day.as_primitive::<Date32Type>().value(0), 19_675);
        assert_eq!(why(of_zone("+02:00", vec![midnight]), Kind::Date).0, 0);
    }

    #[test]
    fn what_loses_something_is_refused_with_its_row() {
        let half: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 1.5]));
        let (row, said) = why(half, Kind::Bigint);
        assert_eq!(row, 1);
        assert!(said.starts_with("`1.5` does not fit a bigint"), "{said}");
        let large: ArrayRef = Arc::new(Int64Array::from(vec![(1 << 53) + 1]));
        assert!(why(large, Kind::Double).1.contains("without a loss"));
        let beyond: ArrayRef = Arc::new(UInt64Array::from(vec![0, u64::MAX]));
        assert_eq!(why(beyond, Kind::Bigint).0, 1);
        let nanos: ArrayRef = Arc::new(TimestampNanosecondArray::from(vec![1_000_000, 1]));
        assert_eq!(why(nanos, Kind::Timestamp).0, 1);
        let time: ArrayRef = Arc::new(StringArray::from(vec![
            "2014-02-14T14:30:00.123",
            "2014-02-14T14:30:00.123456",
            "9999-02-14T14:30:00.123456",
        ]));
        assert_eq!(why(time.clone(), Kind::Timestamp).0, 1);
        assert_eq!(why(time.slice(2, 1), Kind::Timestamp).0, 0);
        assert!(convert(&time.slice(0, 1), Kind::Timestamp).is_ok());
        assert!(convert(&time.slice(0, 2), Kind::Nanotime).is_ok());
        assert_eq!(why(time, Kind::Date).0, 0);
        let finest: ArrayRef = Arc::new(StringArray::from(vec!["2014-02-14T14:30:00.1234567891"]));
        assert_eq!(why(finest, Kind::Nanotime).0, 0);
        let huge: ArrayRef = Arc::new(Float64Array::from(vec![f64::INFINITY, 1e300]));
        assert_eq!(why(huge, Kind::Float).0, 1);
        let huge: ArrayRef = Arc::new(StringArray::from(vec!["inf", "1e300"]));
        assert_eq!(why(huge, Kind::Float).0, 1);
        let text: ArrayRef = Arc::new(StringArray::from(vec![None, Some("soon")]));
        let said = "`soon` is not a date (2014-02-14)".to_owned();
        assert_eq!(why(text, Kind::Date), (1, said));
    }

    #[test]
    fn a_key_without_a_value_is_refused_with_its_row() {
        let column = Column {
            name: "k".to_owned(),
            kind: Kind::Bigint,
        };
        let mut conversion = Conversion::new(&[column], &["k"]).with_file("f.parquet".into());
        let schema = Arc::new(Schema::new(vec![Field::new("k", DataType::Int64, true)]));
        let batch = |cells: Vec<Option<i64>>| {
            RecordBatch::try_new(schema.clone(), vec![Arc::new(Int64Array::from(cells))]).unwrap()
        };
        assert!(conversion.convert(&batch(vec![Some(1), Some(2)])).is_ok());
        let error = conversion.convert(&batch(vec![Some(3), None])).unwrap_err();
        let said = "f.parquet, row 4, column `k`: no value, but it is in the key";
        assert!(error.to_string().starts_with(said), "{error}");
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
        };
        let columns = [column("k", Kind::Bigint), column("v", Kind::Int)];
        let mut conversion = Conversion::new(&columns, &["k"]).with_keys_in_errors();
        let cells = |cells: Vec<i64>| Arc::new(Int64Array::from(cells)) as ArrayRef;
        let rows = [("k", cells(vec![7, 8])), ("v", cells(vec![1, 1 << 40]))];
        let rows = RecordBatch::try_from_iter(rows).unwrap();
        let error = conversion.convert(&rows).unwrap_err().to_string();
        assert!(
            error.starts_with("the row with k 8, column `v`: "),
            "{error}"
        );
    }
}
