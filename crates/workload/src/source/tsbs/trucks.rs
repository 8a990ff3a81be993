//! Measurements of `iot`, and the tags of its trucks.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, StringArray};

use super::law::Law;
use super::measurement::Measurement;
use super::walker::Noise;
use crate::{ColumnType, IotMeasurement, Stream};

/// Tags of a truck; the first one is in the key.
pub const TAGS: [(&str, ColumnType); 8] = [
    ("name", ColumnType::Text),
    ("fleet", ColumnType::Text),
    ("driver", ColumnType::Text),
    ("model", ColumnType::Text),
    ("device_version", ColumnType::Text),
    ("load_capacity", ColumnType::Double),
    ("fuel_capacity", ColumnType::Double),
    ("nominal_fuel_consumption", ColumnType::Double),
];

const FLEETS: [&str; 4] = ["East", "West", "North", "South"];
const DRIVERS: [&str; 6] = ["Derek", "Rodney", "Albert", "Andy", "Seth", "Trish"];
/// Models with load capacity, fuel capacity and nominal fuel consumption.
const MODELS: [(&str, [f64; 3]); 3] = [
    ("F-150", [2000.0, 200.0, 15.0]),
    ("G-2000", [5000.0, 300.0, 19.0]),
    ("H-2", [1500.0, 150.0, 12.0]),
];
const DEVICE_VERSIONS: [&str; 4] = ["v1.0", "v1.5", "v2.0", "v2.3"];

struct Truck {
    texts: [&'static str; 4],
    capacities: [f64; 3],
}

/// Returns the values of each tag on every truck.
pub fn tags(seed: &Stream, trucks: u32) -> Vec<ArrayRef> {
    let names = StringArray::from_iter_values((0..trucks).map(|truck| format!("truck_{truck}")));
    let trucks: Vec<Truck> = (0..trucks).map(|truck| Truck::new(seed, truck)).collect();
    let texts = (0..4).map(|tag| {
        let values = trucks.iter().map(|truck| truck.texts[tag]);
        Arc::new(StringArray::from_iter_values(values)) as ArrayRef
    });
    let capacities = (0..3).map(|tag| {
        let values = trucks.iter().map(|truck| truck.capacities[tag]);
        Arc::new(Float64Array::from_iter_values(values)) as ArrayRef
    });
    let tags = std::iter::once(Arc::new(names) as ArrayRef).chain(texts);
    tags.chain(capacities).collect()
}

impl Truck {
    fn new(seed: &Stream, truck: u32) -> Self {
        let mut stream = seed.and(truck.into());
        let mut number = |below| stream.below(below) as usize;
        let (fleet, driver) = (FLEETS[number(4)], DRIVERS[number(6)]);
        let (model, capacities) = MODELS[number(3)];
        Truck {
            texts: [fleet, driver, model, DEVICE_VERSIONS[number(4)]],
            capacities,
        }
    }
}

/// Returns the metrics of a measurement.
pub fn measurement(measurement: IotMeasurement) -> Measurement {
    match measurement {
        IotMeasurement::Readings => readings(),
        IotMeasurement::Diagnostics => diagnostics(),
    }
}

/// Makes a walk between two ends with uniform steps of at most this much, up and down.
fn bounded(low: f64, high: f64, most_step: f64) -> Law {
    Law::between(low, high, most_step / 3f64.sqrt())
}

fn readings() -> Measurement {
    let from_0 = |most, most_step| bounded(0.0, most, most_step).starting(0.0, 0.0);
    // A hair more than the middle, which would be cut off to less if rounding took that hair.
    let middle = 25.0 + 1e-9;
    Measurement::new(Noise::Uniform)
        .walk(
            "latitude",
            bounded(-90.0, 90.0, 0.005).starting(0.0, 90.0),
            100_000.0,
        )
        .walk(
            "longitude",
            bounded(-180.0, 180.0, 0.005).starting(0.0, 180.0),
            100_000.0,
        )
        .walk(
            "elevation",
            bounded(0.0, 5000.0, 10.0).starting(0.0, 500.0),
            1.0,
        )
        .walk("velocity", from_0(100.0, 10.0), 1.0)
        .walk("heading", bounded(0.0, 360.0, 5.0), 1.0)
        .walk("grade", from_0(100.0, 5.0), 1.0)
        .walk(
            "fuel_consumption",
            bounded(0.0, 50.0, 5.0).starting(middle, middle),
            10.0,
        )
}

fn diagnostics() -> Measurement {
    // Between 0 and 0.001 in each step.
    let fuel = Law::Tank {
        mean: 0.0005,
        deviation: 0.0005 / 3f64.sqrt(),
    };
    let status = Law::between(0.0, 5.0, 1.0).starting(0.0, 0.0);
    Measurement::new(Noise::Uniform)
        .walk("fuel_state", fuel, 10.0)
        .load("current_load")
        .with_noise(Noise::Normal)
        .walk("status", status, 1.0)
}
