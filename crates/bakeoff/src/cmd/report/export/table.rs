//! Values as the rows of a Parquet file.

use std::sync::Arc;

use anyhow::Result;
use arrow::array::{ArrayRef, Float64Array, StringArray, UInt32Array};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::record_batch::RecordBatch;
use bakeoff_report::values::{Measured, Values};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

/// Writes one row for each value.
///
/// # Errors
/// Fails for nothing that values can cause.
pub fn in_parquet(values: &Values) -> Result<Vec<u8>> {
    let rows = rows(values)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), rows.schema(), Some(properties))?;
    writer.write(&rows)?;
    Ok(writer.into_inner()?)
}

fn rows(values: &Values) -> Result<RecordBatch> {
    let all = &values.values;
    let texts = |text: &dyn Fn(&Measured) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(all.iter().map(text)))
    };
    let columns: [(&str, bool, ArrayRef); 9] = [
        ("run", false, texts(&|_| values.run.clone())),
        ("kind", false, texts(&|_| values.kind.to_owned())),
        ("design", false, texts(&|value| value.design.clone())),
        (
            "query",
            true,
            Arc::new(StringArray::from_iter(
                all.iter().map(|v| v.query.as_deref()),
            )),
        ),
        (
            "answered_by",
            true,
            Arc::new(StringArray::from_iter(
                all.iter().map(|v| v.answered_by.as_deref()),
            )),
        ),
        (
            "round",
            true,
            Arc::new(UInt32Array::from_iter(all.iter().map(|v| v.round))),
        ),
        ("name", false, texts(&|value| value.figure.name())),
        (
            "value",
            false,
            Arc::new(Float64Array::from_iter_values(all.iter().map(|v| v.value))),
        ),
        (
            "unit",
            false,
            texts(&|value| value.figure.unit().to_owned()),
        ),
    ];
    let field = |(name, nullable, array): &(&str, bool, ArrayRef)| {
        let kind: DataType = array.data_type().clone();
        Field::new(*name, kind, *nullable)
    };
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<Field>>());
    let arrays = columns.into_iter().map(|(_, _, array)| array).collect();
    Ok(RecordBatch::try_new(Arc::new(schema), arrays)?)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use arrow::array::{Array, AsArray};
    use arrow::datatypes::{Float64Type, UInt32Type};
    use bakeoff_report::values::Figure;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;

    fn values(values: Vec<Measured>) -> Values {
        Values {
            run: "formats".to_owned(),
            kind: "run",
            workload: "formats".to_owned(),
            bakeoff_version: "0.1.0".to_owned(),
            started_at: "2026-01-01T00:00:00Z".to_owned(),
            finished: true,
            values,
        }
    }

    fn read_back(values: &Values) -> RecordBatch {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&in_parquet(values).unwrap()).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let schema = reader.schema().clone();
        let batches = reader.build().unwrap().map(|batch| batch.unwrap());
        let batches: Vec<RecordBatch> = batches.collect();
        arrow::compute::concat_batches(&schema, &batches).unwrap()
    }

    #[test]
    fn each_value_is_a_row_with_its_unit() {
        let time = Measured {
            figure: Figure::QueryTime,
            design: "memory".to_owned(),
            query: Some("month".to_owned()),
            answered_by: Some("spark".to_owned()),
            round: Some(2),
            value: 0.25,
        };
        let bytes = Measured {
            figure: Figure::StoredBytes,
            query: None,
            answered_by: None,
            round: None,
            value: 4_096.0,
            ..time.clone()
        };
        let rows = read_back(&values(vec![time, bytes]));
        let schema = rows.schema();
        let fields = schema.fields().iter().map(|field| field.name().clone());
        let fields: Vec<String> = fields.collect();
        let expected = [
            "run",
            "kind",
            "design",
            "query",
            "answered_by",
            "round",
            "name",
            "value",
            "unit",
        ];
        assert_eq!(fields, expected);
        let text = |name: &str| {
            rows.column_by_name(name)
                .unwrap()
                .as_string::<i32>()
                .clone()
        };
        assert_eq!(
            (text("run").value(1), text("kind").value(1)),
            ("formats", "run")
        );
        assert_eq!(text("query").value(0), "month");
        assert!(text("query").is_null(1));
        assert_eq!(text("answered_by").value(0), "spark");
        assert!(text("answered_by").is_null(1));
        assert_eq!(text("name").value(0), "query_seconds");
        assert_eq!(
            (text("unit").value(0), text("unit").value(1)),
            ("seconds", "bytes")
        );
        let round = rows.column_by_name("round").unwrap();
        let round = round.as_primitive::<UInt32Type>();
        assert!(round.value(0) == 2 && round.is_null(1));
        let value = rows.column_by_name("value").unwrap();
        assert_eq!(value.as_primitive::<Float64Type>().value(1), 4_096.0);
    }

    #[test]
    fn without_values_the_file_has_the_columns_all_the_same() {
        assert_eq!(read_back(&values(Vec::new())).num_columns(), 9);
    }
}
