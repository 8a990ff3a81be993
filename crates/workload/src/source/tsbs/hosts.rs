//! Tags of the hosts of `devops`.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray, StringBuilder};

use crate::{DevopsMeasurement, Stream};

/// Tags that a host has in all measurements.
const TAGS: [&str; 10] = [
    "hostname",
    "region",
    "datacenter",
    "rack",
    "os",
    "arch",
    "team",
    "service",
    "service_version",
    "service_environment",
];

/// Regions, and the last letters of their datacenters.
const REGIONS: [(&str, &str); 9] = [
    ("us-east-1", "abce"),
    ("us-west-1", "ab"),
    ("us-west-2", "abc"),
    ("eu-west-1", "abc"),
    ("eu-central-1", "ab"),
    ("ap-southeast-1", "ab"),
    ("ap-southeast-2", "ab"),
    ("ap-northeast-1", "ac"),
    ("sa-east-1", "abc"),
];
const RACKS: u64 = 100;
const SYSTEMS: [&str; 3] = ["Ubuntu16.10", "Ubuntu16.04LTS", "Ubuntu15.10"];
const ARCHITECTURES: [&str; 2] = ["x64", "x86"];
const TEAMS: [&str; 4] = ["SF", "NYC", "LON", "CHI"];
const SERVICES: u64 = 20;
const VERSIONS: u64 = 2;
const ENVIRONMENTS: [&str; 3] = ["production", "staging", "test"];
const FILE_SYSTEMS: [&str; 3] = ["ext3", "ext4", "btrfs"];

/// Returns the tags that a measurement has in addition to those of the host.
fn further_tags(measurement: DevopsMeasurement) -> &'static [&'static str] {
    match measurement {
        DevopsMeasurement::Diskio => &["serial"],
        DevopsMeasurement::Disk => &["path", "fstype"],
        DevopsMeasurement::Net => &["interface"],
        DevopsMeasurement::Nginx | DevopsMeasurement::Redis => &["port", "server"],
        DevopsMeasurement::Cpu
        | DevopsMeasurement::Kernel
        | DevopsMeasurement::Mem
        | DevopsMeasurement::Postgresl => &[],
    }
}

/// Returns the names of a measurement's tags.
pub fn tag_names(measurement: DevopsMeasurement) -> impl Iterator<Item = &'static str> {
    TAGS.iter().chain(further_tags(measurement)).copied()
}

/// Returns the values of each tag on every host, in the order of [`tag_names`].
pub fn tags(seed: &Stream, measurement: DevopsMeasurement, hosts: u32) -> Vec<ArrayRef> {
    let mut shared = TAGS.map(|_| StringBuilder::new());
    for host in 0..hosts {
        let values = host_tags(seed, host);
        for (column, value) in shared.iter_mut().zip(values) {
            column.append_value(value);
        }
    }
    let shared = shared.map(|mut column| Arc::new(column.finish()) as ArrayRef);
    let seed = seed.and(1).and(measurement as u64);
    let further = further_tags(measurement)
        .iter()
        .zip(0..)
        .map(|(name, tag)| {
            let seed = seed.and(tag);
            let values = (0..hosts).map(|host| further_tag(&seed, measurement, name, host));
            Arc::new(StringArray::from_iter_values(values)) as ArrayRef
        });
    shared.into_iter().chain(further).collect()
}

fn host_tags(seed: &Stream, host: u32) -> [String; 10] {
    let mut stream = seed.and(0).and(host.into());
    let mut number = |below| stream.below(below);
    let (region, letters) = REGIONS[number(REGIONS.len() as u64) as usize];
    let letter = number(letters.len() as u64) as usize;
    [
        format!("host_{host}"),
        region.to_owned(),
        format!("{region}{}", &letters[letter..=letter]),
        number(RACKS).to_string(),
        SYSTEMS[number(3) as usize].to_owned(),
        ARCHITECTURES[number(2) as usize].to_owned(),
        TEAMS[number(4) as usize].to_owned(),
        number(SERVICES).to_string(),
        number(VERSIONS).to_string(),
        ENVIRONMENTS[number(3) as usize].to_owned(),
    ]
}

fn further_tag(seed: &Stream, measurement: DevopsMeasurement, name: &str, host: u32) -> String {
    let mut stream = seed.and(host.into());
    match name {
        "serial" => {
            let [a, b, c] = std::array::from_fn(|_| stream.below(1000));
            format!("{a:03}-{b:03}-{c:03}")
        }
        "path" => format!("/dev/sda{}", stream.below(10)),
        "fstype" => FILE_SYSTEMS[stream.below(3) as usize].to_owned(),
        "interface" => format!("eth{}", stream.below(4)),
        "port" => (1024 + stream.below(20_000)).to_string(),
        _ => format!("{}_{}", measurement.name(), stream.below(100_000)),
    }
}
