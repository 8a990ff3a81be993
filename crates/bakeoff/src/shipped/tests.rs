use std::collections::BTreeSet;
use std::path::PathBuf;

use bakeoff_workload::{Data, PriceList, Study, Workload};

use super::*;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Collects the names of the files in a folder and below, whatever their extension.
fn names_in(folder: &Path, prefix: &str, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            names_in(&path, &format!("{prefix}{name}/"), names)
        } else {
            _ = names.insert(format!("{prefix}{}", name.trim_end_matches(".toml")))
        }
    }
}

#[test]
fn no_file_of_the_folders_is_missing_and_none_is_old() {
    for shelf in [&WORKLOADS, &STUDIES, &PRICES] {
        let folder = repository().join(shelf.folder);
        let mut in_folder = BTreeSet::new();
        names_in(&folder, "", &mut in_folder);
        let listed: Vec<&str> = shelf.files.iter().map(|file| file.name).collect();
        assert_eq!(listed, in_folder.iter().collect::<Vec<_>>());
        for file in shelf.files {
            let path = folder.join(format!("{}.toml", file.name));
            assert_eq!(file.text, std::fs::read_to_string(path).unwrap());
        }
    }
}

/// Names have to be unique across shelves: `bakeoff show` could not choose otherwise.
#[test]
fn every_shipped_text_is_sound_and_needs_no_other_file() {
    for Shipped { name, text } in WORKLOADS.files {
        let workload = Workload::parse(text, Path::new(name)).unwrap();
        assert!(!matches!(workload.data, Data::Files(_)), "{name}");
        assert_eq!((PRICES.get(name), STUDIES.get(name)), (None, None));
    }
    for Shipped { name, text } in PRICES.files {
        PriceList::parse(text, Path::new(name)).unwrap();
    }
}

/// A study's workloads are shipped, too, and have what its statements name.
#[test]
fn every_study_measures_what_its_statements_are_decided_by() {
    for Shipped { name, text } in STUDIES.files {
        assert_eq!(PRICES.get(name), None);
        let study = Study::parse(text, Path::new(name)).unwrap();
        for step in &study.steps {
            let workload = WORKLOADS.get(&step.workload).unwrap();
            let workload = Workload::parse(workload.text, Path::new(workload.name)).unwrap();
            assert_eq!(study.check_step(step, &workload), Ok(()), "{name}");
            let words = [&step.options[..], &step.at_budget].concat().join(",");
            let is_named = |design: &str| {
                let own = workload.designs.iter().map(ToString::to_string);
                own.chain(words.split(',').map(str::to_owned))
                    .any(|known| known == design)
            };
            let comparisons = study.claims.iter().filter_map(|c| c.comparison.as_ref());
            for comparison in comparisons.filter(|c| c.step == step.name) {
                let other = comparison.to.iter().map(|(_, design)| design);
                for design in std::iter::once(&comparison.of_design).chain(other) {
                    assert!(is_named(&design.to_string()), "{name}: {design}");
                }
            }
        }
    }
}

#[track_caller]
fn hint(asked: &str, expected: &str) {
    let hint = WORKLOADS.hint(asked).unwrap_or_default();
    assert!(hint.contains(expected), "{asked}: {hint}");
}

#[test]
fn a_name_that_is_nearly_right_is_known() {
    hint("fromats", "did you mean `formats`");
    hint("Formats", "did you mean `formats`");
    hint("formats.toml", "did you mean `formats`");
    hint("formats/", "did you mean `formats`");
    hint("workloads/formats.toml", "did you mean `formats`");
    hint("../bakeoff/workloads/ycsb/a.toml", "did you mean `ycsb/a`");
    hint("key_value", "did you mean `easy-stress/key_value`");
    hint("key_valeu", "did you mean `easy-stress/key_value`");
    hint("ycsb/A", "did you mean `ycsb/a`");
    hint("ycsb", "ycsb/a, ycsb/b, ycsb/c, ycsb/d, ycsb/e, ycsb/f");
    hint("ycsb/", "ycsb/a, ");
    for asked in ["", "x", "nowhere", "/", "mine.toml", "ü"] {
        assert_eq!(WORKLOADS.hint(asked), None, "{asked}");
    }
}

#[test]
fn only_what_is_written_as_a_path_is_read_as_one() {
    for path in [
        "mine.toml",
        "./formats",
        "/formats",
        "../formats",
        "a/b.toml",
    ] {
        assert!(is_path(Path::new(path)), "{path}");
    }
    for name in ["formats", "ycsb/a", "ycsb/z", "formats/"] {
        assert!(!is_path(Path::new(name)), "{name}");
    }
}
