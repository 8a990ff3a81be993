use crate::Footprint;
use crate::drive::DriveRecord;
use crate::drive::testing::*;

#[test]
fn the_footprint_after_the_loads_stands_beside_that_before_them() {
    let footprint = |bytes: u64| Footprint {
        design: DESIGN.to_owned(),
        engine_bytes: None,
        file_bytes: Some(bytes),
        compression_ratio: None,
        compression_metadata_bytes: None,
        statistics: None,
        files: None,
        note: None,
    };
    let dir = folder(&header(), |log| {
        for record in [
            DriveRecord::Footprint(footprint(1)),
            DriveRecord::FootprintAfter(footprint(2)),
        ] {
            log.append(&record).unwrap();
        }
    });
    let summary = summary(dir.path());
    let design = summary.design(DESIGN).unwrap();
    assert_eq!(design.footprint, Some(footprint(1)));
    assert_eq!(design.footprint_after, Some(footprint(2)));
}
