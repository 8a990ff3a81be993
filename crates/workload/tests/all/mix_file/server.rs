//! The settings of the server that a mix is run on.

use bakeoff_workload::{Collector, TimeOuts};

use super::{GOOD, error, parse};

#[test]
fn limits_of_the_server() {
    assert!(
        error("\"512MiB\"", "\"512MB\"")
            .starts_with("19:8: `heap` is `512MB`, but has to be a whole number of MiB or GiB")
    );
    assert!(error("\"512MiB\"", "\"0MiB\"").contains("`heap` is `0MiB`"));
    assert!(error("\"512MiB\"", "\"100KiB\"").contains("`heap` is `100KiB`"));
    assert!(error("\"1GiB\"", "\"512MiB\"").starts_with("20:10: `memory` is 512 MiB for heap"));
    let memory = "memory = \"1GiB\"";
    assert!(
        error(memory, "disk_read = \"50MB\"")
            .starts_with("20:13: `disk_read` is `50MB`, but has to be a whole number of MB/s")
    );
    assert!(error(memory, "disk_read = \"0MB/s\"").contains("`disk_read` is `0MB/s`"));
    for (written, bytes) in [("50MB/s", 50_000_000), ("2 MiB/s", 2 << 20)] {
        let disk = parse(&GOOD.replace(memory, &format!("disk_read = \"{written}\""))).unwrap();
        assert_eq!(disk.server.disk_read_bytes, Some(bytes));
    }
    let kib = parse(&GOOD.replace("\"512MiB\"", "\"524288KiB\"")).unwrap();
    assert_eq!(kib.server.heap_mib, Some(512));
}

#[test]
fn time_outs_of_the_server() {
    let memory = "memory = \"1GiB\"";
    assert_eq!(parse(GOOD).unwrap().server.time_outs, TimeOuts::Long);
    for (written, time_outs) in [("long", TimeOuts::Long), ("default", TimeOuts::Shipped)] {
        let text = GOOD.replace(memory, &format!("time_outs = \"{written}\""));
        assert_eq!(parse(&text).unwrap().server.time_outs, time_outs);
    }
    assert_eq!(
        error(memory, "time_outs = \"defaults\""),
        "20:13: there is no time_outs = `defaults`; did you mean `default`?"
    );
    assert!(error(memory, "timeouts = \"long\"").contains("did you mean `time_outs`?"));
}

#[test]
fn collector_and_young_generation_of_the_server() {
    let memory = "memory = \"1GiB\"";
    let with = |jvm: &str| format!("{memory}\njvm = {{ {jvm} }}");
    let server = parse(&GOOD.replace(memory, &with("young = \"256MiB\", collector = \"Serial\"")));
    let server = server.unwrap().server;
    assert_eq!(server.young_mib, Some(256));
    assert_eq!(server.collector, Some(Collector::Serial));
    let zgc = parse(&GOOD.replace(memory, &with("collector = \"ZGC\"")));
    assert_eq!(zgc.unwrap().server.collector, Some(Collector::Zgc));
    assert_eq!(
        error(memory, &with("collector = \"zgc\"")),
        "21:21: there is no collector = `zgc`; did you mean `ZGC`?"
    );
    assert!(
        error(memory, &with("collector = \"Shenandoah\""))
            .ends_with("; there are `G1`, `ZGC`, `Parallel`, `Serial`")
    );
    assert_eq!(
        error(memory, &with("young = \"512MiB\"")),
        "21:17: `young` is a part of the heap; it has to be less than the 512 MiB of `heap`"
    );
    assert!(error(memory, &with("young = \"much\"")).contains("`young` is `much`, but has to be"));
    assert!(
        error(memory, &with("young = \"64MiB\", collector = \"ZGC\""))
            .contains("ZGC has no young generation")
    );
    assert!(error(memory, &with("heap = \"1GiB\"")).contains("unknown key `heap`"));
}

#[test]
fn processors_that_the_jvm_of_the_server_believes_in() {
    let memory = "memory = \"1GiB\"";
    let with = |number: &str| format!("{memory}\njvm = {{ processors = {number} }}");
    assert_eq!(parse(GOOD).unwrap().server.processors, None);
    for number in [1, 1024] {
        let text = GOOD.replace(memory, &with(&number.to_string()));
        assert_eq!(parse(&text).unwrap().server.processors, Some(number));
    }
    for number in ["0", "-1", "1025"] {
        let said = error(memory, &with(number));
        let expected = format!("`processors` is {number}, but has to be from 1 to 1024");
        assert!(said.ends_with(&expected), "{said}");
    }
}
