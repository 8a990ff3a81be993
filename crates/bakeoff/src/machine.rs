//! Describes the machine and the program that measure.

use bakeoff_stats::Machine;

/// Version of this program, which a report shows with its figures.
pub const VERSION: &str = if cfg!(debug_assertions) {
    concat!(
        env!("CARGO_PKG_VERSION"),
        ", built without optimisation: its times mean nothing"
    )
} else {
    env!("CARGO_PKG_VERSION")
};

/// Describes this machine by what the kernel reports.
pub fn describe() -> Machine {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let after = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.starts_with(key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let memory_kib = after(&read("/proc/meminfo"), "MemTotal")
        .and_then(|value| value.trim_end_matches(" kB").parse::<u64>().ok());
    Machine {
        os: format!("Linux {}", read("/proc/sys/kernel/osrelease").trim()),
        cpu: after(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| "unknown".to_owned()),
        cores: cores() as u32,
        memory_bytes: memory_kib.unwrap_or(0) * 1024,
        model: model(
            &read("/sys/class/dmi/id/sys_vendor"),
            &read("/sys/class/dmi/id/product_name"),
        ),
    }
}

/// Joins the maker and the model of the machine; `None` if the firmware names no model.
fn model(maker: &str, product: &str) -> Option<String> {
    let (maker, product) = (maker.trim(), product.trim());
    (!product.is_empty()).then(|| format!("{maker} {product}").trim().to_owned())
}

/// Returns the number of cores that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the current time in RFC 3339 and UTC, to the second.
pub fn now() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_has_its_maker_where_both_are_known() {
        let rented = model("Amazon EC2\n", "m5.large\n");
        assert_eq!(rented.as_deref(), Some("Amazon EC2 m5.large"));
        assert_eq!(model("", "m5.large\n").as_deref(), Some("m5.large"));
        assert_eq!(model("Amazon EC2\n", ""), None);
    }
}
