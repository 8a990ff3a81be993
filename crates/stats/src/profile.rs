//! Methods that a server ran, counted by a profiler, and the stacks of calls in which they ran.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Folder of the files with stacks, in a run folder.
const FOLDER: &str = "profiles";
/// Share of the samples below which a method is not on record.
const KEPT_SHARE: f64 = 0.001;
/// What is between the methods of a stack.
const SEPARATOR: char = ';';

/// Number of samples of each stack: its methods from the outermost one to the one that ran, with semicolons between
/// them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stacks(BTreeMap<String, u64>);

/// Samples of a method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodSamples {
    pub method: String,
    /// Samples in which it ran itself.
    pub ran: u64,
    /// Samples in which it or something that it had called ran.
    pub within: u64,
}

/// Methods that the server of a design ran for some time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    pub design: String,
    /// The load that was recorded; `None` for the questions of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<u32>,
    /// Seconds from the begin of the recording to its end.
    pub seconds: f64,
    pub samples: u64,
    /// Methods that ran in at least one of a thousand samples, the one with most samples first.
    pub methods: Vec<MethodSamples>,
    /// File with all stacks, relative to the run folder.
    pub file: String,
}

/// All profiles of a design together.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignProfile<'a> {
    pub design: &'a str,
    pub seconds: f64,
    pub samples: u64,
    /// The method with most samples first.
    pub methods: Vec<MethodSamples>,
    /// Files with all stacks, relative to the run folder.
    pub files: Vec<&'a str>,
}

impl From<BTreeMap<String, u64>> for Stacks {
    fn from(stacks: BTreeMap<String, u64>) -> Self {
        Stacks(stacks)
    }
}

impl Stacks {
    /// Returns the number of samples.
    pub fn samples(&self) -> u64 {
        self.0.values().sum()
    }

    /// Returns the methods with their samples, the one with most first.
    pub fn methods(&self) -> Vec<MethodSamples> {
        let mut methods: BTreeMap<&str, MethodSamples> = BTreeMap::new();
        for (stack, samples) in &self.0 {
            // A method that calls itself is in a stack several times.
            let called: BTreeSet<&str> = stack.split(SEPARATOR).collect();
            let last = stack.rsplit(SEPARATOR).next();
            for name in called {
                let method = methods.entry(name).or_insert_with(|| MethodSamples {
                    method: name.to_owned(),
                    ran: 0,
                    within: 0,
                });
                method.within += samples;
                if Some(name) == last {
                    method.ran += samples;
                }
            }
        }
        hottest_first(methods.into_values().collect())
    }

    /// Writes the stacks into a run folder, one a line with its number of samples, as programs that draw flame graphs
    /// read them. Returns the file's name relative to the folder. `number` tells files of the same design apart.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, dir: &Path, number: u32, design: &str) -> io::Result<String> {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || c == '.' {
                c
            } else {
                '-'
            }
        };
        let design: String = design.chars().map(plain).collect();
        let file = format!("{FOLDER}/{number}-{design}.folded");
        fs::create_dir_all(dir.join(FOLDER))?;
        let lines = self.0.iter();
        let lines = lines.map(|(stack, samples)| format!("{stack} {samples}\n"));
        fs::write(dir.join(&file), lines.collect::<String>())?;
        Ok(file)
    }
}

impl Profile {
    /// Makes the profile of a design whose stacks are in a file.
    pub fn new(
        design: &str,
        trial: Option<u32>,
        seconds: f64,
        stacks: &Stacks,
        file: String,
    ) -> Self {
        let samples = stacks.samples();
        let mut methods = stacks.methods();
        methods.retain(|method| method.ran as f64 >= KEPT_SHARE * samples as f64 && method.ran > 0);
        Profile {
            design: design.to_owned(),
            trial,
            seconds,
            samples,
            methods,
            file,
        }
    }
}

impl<'a> DesignProfile<'a> {
    /// Adds up the profiles of each design, in the order of their first ones.
    pub fn all(profiles: &'a [Profile]) -> Vec<DesignProfile<'a>> {
        let mut all: Vec<DesignProfile<'a>> = Vec::new();
        for profile in profiles {
            let known = all.iter_mut().find(|known| known.design == profile.design);
            match known {
                Some(known) => known.add(profile),
                None => all.push(DesignProfile {
                    design: &profile.design,
                    seconds: profile.seconds,
                    samples: profile.samples,
                    methods: profile.methods.clone(),
                    files: vec![&profile.file],
                }),
            }
        }
        for profile in &mut all {
            profile.methods = hottest_first(std::mem::take(&mut profile.methods));
        }
        all
    }

    fn add(&mut self, profile: &'a Profile) {
        self.seconds += profile.seconds;
        self.samples += profile.samples;
        self.files.push(&profile.file);
        for method in &profile.methods {
            let mut known = self.methods.iter_mut();
            match known.find(|known| known.method == method.method) {
                Some(known) => {
                    known.ran += method.ran;
                    known.within += method.within;
                }
                None => self.methods.push(method.clone()),
            }
        }
    }

    /// Returns the share of the samples that a number of them is, from 0 to 1.
    pub fn share(&self, samples: u64) -> f64 {
        samples as f64 / self.samples.max(1) as f64
    }
}

fn hottest_first(mut methods: Vec<MethodSamples>) -> Vec<MethodSamples> {
    methods.sort_by(|a, b| {
        let by_samples = (b.ran, b.within).cmp(&(a.ran, a.within));
        by_samples.then_with(|| a.method.cmp(&b.method))
    });
    methods
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stacks(all: &[(&str, u64)]) -> Stacks {
        let all = all.iter();
        let all: BTreeMap<String, u64> = all.map(|(stack, n)| ((*stack).to_owned(), *n)).collect();
        all.into()
    }

    fn method(method: &str, ran: u64, within: u64) -> MethodSamples {
        MethodSamples {
            method: method.to_owned(),
            ran,
            within,
        }
    }

    #[test]
    fn a_method_has_samples_of_its_own_and_of_what_it_calls() {
        let stacks = stacks(&[("run;read;get", 5), ("run;read;read", 3), ("run", 1)]);
        assert_eq!(stacks.samples(), 9);
        let expected = [
            method("get", 5, 5),
            method("read", 3, 8),
            method("run", 1, 9),
        ];
        assert_eq!(stacks.methods(), expected);
    }

    #[test]
    fn methods_that_hardly_ran_are_not_on_record() {
        let stacks = stacks(&[("run;hot", 9_990), ("run;rare", 9), ("run;seldom", 11)]);
        let profile = Profile::new("d", Some(3), 2.0, &stacks, "f".to_owned());
        let names: Vec<&str> = profile.methods.iter().map(|m| m.method.as_str()).collect();
        assert_eq!(names, ["hot", "seldom"]);
        let json = serde_json::to_string(&profile).unwrap();
        assert_eq!(serde_json::from_str::<Profile>(&json).unwrap(), profile);
    }

    #[test]
    fn profiles_of_a_design_are_added_up() {
        let profile = |design, trial, all: &[(&str, u64)]| {
            let file = format!("profiles/{trial}");
            Profile::new(design, Some(trial), 2.0, &stacks(all), file)
        };
        let all = [
            profile("a", 1, &[("run;get", 4), ("run;put", 3)]),
            profile("b", 2, &[("run", 1)]),
            profile("a", 3, &[("run;put", 3)]),
        ];
        let all = DesignProfile::all(&all);
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].design, all[0].samples), ("a", 10));
        assert_eq!(all[0].methods, [method("put", 6, 6), method("get", 4, 4)]);
        assert_eq!(all[0].files, ["profiles/1", "profiles/3"]);
        assert_eq!(all[0].share(4), 0.4);
    }

    #[test]
    fn a_file_has_a_stack_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let stacks = stacks(&[("run;get", 5), ("run", 1)]);
        let file = stacks
            .write(folder.path(), 3, "cassandra/wide?bucket=1d")
            .unwrap();
        assert_eq!(file, "profiles/3-cassandra-wide-bucket-1d.folded");
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        assert_eq!(text, "run 1\nrun;get 5\n");
    }
}
