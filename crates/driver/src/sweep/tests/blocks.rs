//! Rows of a source that several processes insert between them.

use super::*;

/// Numbers that cannot be read from the middle on.
struct InOrder(Numbers);

impl RowSource for InOrder {
    fn schema(&self) -> SchemaRef {
        schema()
    }

    fn known_rows(&self) -> Option<u64> {
        None
    }

    fn read(&self, from: u64, rows: usize) -> bakeoff_workload::Result<RowBatches> {
        assert_eq!(from, 0, "it is read from its beginning");
        self.0.read(from, rows)
    }

    fn may_repeat_keys(&self) -> bool {
        false
    }

    fn seeks(&self) -> bool {
        false
    }
}

#[tokio::test]
async fn processes_insert_each_row_once_between_them() {
    const ROWS: u64 = 50_000;
    let seeking: fn() -> Arc<dyn RowSource> = || Arc::new(Numbers(Some(ROWS)));
    let in_order: fn() -> Arc<dyn RowSource> = || Arc::new(InOrder(Numbers(Some(ROWS))));
    for source in [seeking, in_order] {
        let mut all = Vec::new();
        for index in 0..3 {
            let sweeping = Sweeping {
                source: source(),
                shard: Shard { index, of: 3 },
                ..sweeping(None, Duration::from_secs(600))
            };
            let design = fake(Fault::Nothing);
            let setting = Setting {
                batch_rows: 1_000,
                workers: 1,
            };
            let cell = cell_of(&design, &sweeping, setting).await;
            assert!(cell.inserted.unwrap().rows_ran_out);
            let own = design.kept.dropped.lock().unwrap().clone();
            // Blocks of 9,000 rows take turns.
            let is_own = |row: &i64| row / 9_000 % 3 == i64::from(index);
            assert!(own.iter().all(is_own), "{index}");
            all.extend(own);
        }
        all.sort_unstable();
        assert_eq!(all, (0..ROWS as i64).collect::<Vec<_>>());
    }
}

#[test]
fn a_process_needs_two_batches_of_its_own_rows_for_each_worker() {
    let setting = Setting {
        batch_rows: 4_096,
        workers: 1,
    };
    let second = Shard { index: 1, of: 2 };
    assert_eq!(setting.needed_rows_of_all(Shard::WHOLE), 8_192);
    assert_eq!(setting.needed_rows_of_all(second), 16_384);
    assert_eq!(setting.obstacle(Some(16_384), second), None);
    let few = setting.obstacle(Some(16_383), second).unwrap();
    assert!(few.ends_with("the data have 8191 for shard 2/2"), "{few}");
    assert_eq!(setting.obstacle(Some(8_192), Shard::WHOLE), None);
}
