//! Which rows are in one partition of a table of rows.

use bakeoff_driver::{KeyBucket, PartitionKey};
use bakeoff_workload::ColumnType;

use super::layout::TableLayout;

/// Returns the key of the partitions of a table.
pub fn key(layout: &TableLayout) -> Option<PartitionKey> {
    let column = |name: &str| -> Option<(usize, ColumnType)> {
        let mut columns = layout.table.columns.iter().enumerate();
        let (place, column) = columns.find(|(_, column)| column.name == name)?;
        Some((place, column.kind))
    };
    let names = layout.partition_key();
    let columns: Option<Vec<(usize, ColumnType)>> = names.iter().map(|name| column(name)).collect();
    let (bucket, in_words) = match &layout.bucket {
        Some(bucket) => {
            let of = KeyBucket {
                column: column(&bucket.column)?,
                width: bucket.width,
            };
            let words = format!("floor({} / {})", bucket.column, bucket.width);
            (Some(of), Some(words))
        }
        None => (None, None),
    };
    let words = names.iter().map(|name| (*name).to_owned());
    let words: Vec<String> = words.chain(in_words).collect();
    Some(PartitionKey {
        columns: columns?,
        bucket,
        words: words.join(", "),
    })
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::{Column, DesignId, Table};

    use super::super::layout::Shape;
    use super::*;

    fn of(id: &str) -> PartitionKey {
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
        };
        let table = Table {
            name: "readings".to_owned(),
            columns: vec![
                column("value", ColumnType::Double),
                column("sensor", ColumnType::Text),
                column("time", ColumnType::Timestamp),
            ],
            partition_key: vec!["sensor".to_owned()],
            order_key: vec!["time".to_owned()],
        };
        let id: DesignId = id.parse().unwrap();
        let shape = Shape::from_id(&id).unwrap();
        key(&TableLayout::new(&id, shape, &table, false).unwrap()).unwrap()
    }

    #[test]
    fn a_partition_is_a_key_a_bucket_of_it_or_one_row() {
        let sensor = (1, ColumnType::Text);
        let time = (2, ColumnType::Timestamp);
        let wide = of("cassandra/wide");
        assert_eq!((wide.columns, wide.bucket), (vec![sensor], None));
        let day = of("cassandra/wide?bucket=1d");
        assert_eq!(day.columns, [sensor]);
        let bucket = day.bucket.unwrap();
        assert_eq!((bucket.column, bucket.width), (time, 86_400_000));
        assert_eq!(day.words, "sensor, floor(time / 86400000)");
        assert_eq!(of("cassandra/narrow").columns, [sensor, time]);
    }
}
