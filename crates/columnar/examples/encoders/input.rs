//! The input: rows of a workload, cut into chunks as by a columnar table.

use std::sync::Arc;

use arrow::compute::{SortColumn, cast, concat_batches, lexsort_to_indices, take};
use arrow::datatypes::{Field, Schema};
use arrow::record_batch::RecordBatch;
use bakeoff_columnar::{CHUNK_ROWS, Kind};
use bakeoff_workload::{Table, Workload, source};

use crate::Result;

const USAGE: &str = "usage: encoders WORKLOAD.toml ROWS [--chunk ROWS] [--int COLUMN] \
                     [--double COLUMN] [--string COLUMN]";

pub struct Arguments {
    pub workload: String,
    pub rows: usize,
    pub chunk: usize,
    int: Option<String>,
    double: Option<String>,
    string: Option<String>,
}

impl Arguments {
    pub fn read() -> Result<Self> {
        let mut given = std::env::args().skip(1);
        let (Some(workload), Some(rows)) = (given.next(), given.next()) else {
            return Err(USAGE.into());
        };
        let mut arguments = Arguments {
            workload,
            rows: rows.parse()?,
            chunk: CHUNK_ROWS as usize,
            int: None,
            double: None,
            string: None,
        };
        while let Some(flag) = given.next() {
            let value = given.next().ok_or(USAGE)?;
            match flag.as_str() {
                "--chunk" => arguments.chunk = value.parse::<usize>()?.max(1),
                "--int" => arguments.int = Some(value),
                "--double" => arguments.double = Some(value),
                "--string" => arguments.string = Some(value),
                _ => return Err(USAGE.into()),
            }
        }
        Ok(arguments)
    }
}

/// The number of rows in a batch of the source.
const READ_ROWS: usize = 8_192;

/// Returns the first rows of a workload as a columnar table keeps them: each column of a kind,
/// sorted by key.
pub fn sorted_rows(workload: &Workload, rows: usize) -> Result<RecordBatch> {
    let source = source::open(workload, None)?;
    let mut batches = Vec::new();
    let mut missing = rows;
    for batch in source.read(0, READ_ROWS)? {
        let read = batch?.rows;
        let batch = read.slice(0, read.num_rows().min(missing));
        missing -= batch.num_rows();
        batches.push(batch);
        if missing == 0 {
            break;
        }
    }
    let unsorted = concat_batches(&source.schema(), &batches)?;
    let sort_columns = key_names(&workload.table).map(|name| {
        let values = unsorted.column_by_name(name).ok_or("a key without column");
        Ok(SortColumn {
            values: values?.clone(),
            options: None,
        })
    });
    let order = lexsort_to_indices(&sort_columns.collect::<Result<Vec<_>>>()?, None)?;
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for (field, values) in unsorted.schema().fields().iter().zip(unsorted.columns()) {
        let kind = Kind::from_data_type(field.data_type()).ok_or("a column of no kind")?;
        fields.push(Field::new(field.name(), kind.data_type(), true));
        columns.push(take(&cast(values, &kind.data_type())?, &order, None)?);
    }
    Ok(RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        columns,
    )?)
}

fn key_names(table: &Table) -> impl Iterator<Item = &String> {
    table.partition_key.iter().chain(&table.order_key)
}

pub fn chunks(rows: &RecordBatch, chunk_rows: usize) -> Vec<RecordBatch> {
    let starts = (0..rows.num_rows()).step_by(chunk_rows);
    starts
        .map(|start| rows.slice(start, chunk_rows.min(rows.num_rows() - start)))
        .collect()
}

/// The numbers of the columns that are decoded by themselves.
pub struct Columns {
    pub int: Option<usize>,
    pub double: Option<usize>,
    pub string: Option<usize>,
}

impl Columns {
    /// Returns the columns that were named, or the first of each kind outside of the key.
    pub fn choose(arguments: &Arguments, table: &Table, rows: &RecordBatch) -> Result<Self> {
        let schema = rows.schema();
        let choose = |name: &Option<String>, kinds: &[Kind]| match name {
            Some(name) => schema.index_of(name).map(Some),
            None => Ok(schema.fields().iter().position(|field| {
                kinds
                    .iter()
                    .any(|kind| &kind.data_type() == field.data_type())
                    && !key_names(table).any(|key| key == field.name())
            })),
        };
        Ok(Columns {
            int: choose(&arguments.int, &[Kind::Int, Kind::Bigint])?,
            double: choose(&arguments.double, &[Kind::Double, Kind::Float])?,
            string: choose(&arguments.string, &[Kind::Text])?,
        })
    }

    /// Returns each column, and whether to decode it as views.
    pub fn each(&self) -> [Option<(usize, bool)>; 4] {
        let plain = |column: usize| (column, false);
        [
            self.int.map(plain),
            self.double.map(plain),
            self.string.map(plain),
            self.string.map(|column| (column, true)),
        ]
    }

    pub fn name(&self, rows: &RecordBatch, column: Option<usize>) -> String {
        column.map_or("-".to_owned(), |i| rows.schema().field(i).name().clone())
    }
}
