//! Differences between two runs: those that rule out a comparison, and those that its reader has to know.

use super::days::days_between;
use super::differences::{Caution, Obstacle, Side};
use super::sections;
use crate::compare::{Header, Summary};
use crate::{DesignInfo, EngineInfo, Estimate, Machine, NodesInfo};

/// Returns the reasons why two runs must not be compared; empty if they may be.
pub fn obstacles(a: &Summary, b: &Summary) -> Vec<Obstacle> {
    let (one, other) = (&a.header, &b.header);
    let sections = sections::differing(&one.workload_text, &other.workload_text);
    let is_in = |part: &str| sections.iter().any(|name| first_word(name) == part);
    let table = one.table != other.table || one.columns != other.columns || is_in("table");
    let same_source = source(&one.data) == source(&other.data);
    let all = [
        table.then_some(Obstacle::Table),
        (!same_source).then(|| Obstacle::Data {
            a: one.data.clone(),
            b: other.data.clone(),
        }),
        (same_source && is_in("data")).then_some(Obstacle::DataDescribed),
        (a.rows != b.rows).then_some(Obstacle::Rows {
            a: a.rows,
            b: b.rows,
        }),
        (one.seed != other.seed && is_generated(one)).then_some(Obstacle::Seed {
            a: one.seed,
            b: other.seed,
        }),
        common(a, b)
            .next()
            .is_none()
            .then_some(Obstacle::NoCommonDesign),
        queries(a, b).is_empty().then_some(Obstacle::NoCommonQuery),
    ];
    all.into_iter().flatten().collect()
}

/// Returns all other differences between two runs, the most serious ones first.
pub fn cautions(a: &Summary, b: &Summary) -> Vec<Caution> {
    let mut found = flaws(a, Side::A);
    found.extend(flaws(b, Side::B));
    let changed = changed_queries(a, b).into_iter();
    found.extend(changed.map(|name| Caution::Query { name }));
    found.extend(only_in(a, b, Side::A));
    found.extend(only_in(b, a, Side::B));
    found.extend(conditions(&a.header, &b.header));
    found.extend(engines(&a.engines, &b.engines));
    let of_b: Vec<&DesignInfo> = b.designs.iter().map(|design| &design.info).collect();
    let of_a = a.designs.iter().map(|design| &design.info);
    found.extend(designs(of_a, &of_b));
    let (one, other) = (&a.header, &b.header);
    let other_parameters = one.seed != other.seed && !is_generated(one);
    found.extend(other_parameters.then_some(Caution::Parameters));
    let days = days_between(&one.started_at, &other.started_at);
    found.extend(
        days.filter(|days| *days > 0)
            .map(|days| Caution::Days { days }),
    );
    found
}

/// Returns the names of the queries that ask the same question in both runs.
pub fn queries<'a>(a: &'a Summary, b: &Summary) -> Vec<&'a str> {
    let sections = sections::differing(&a.header.workload_text, &b.header.workload_text);
    let in_b = &b.header.queries;
    let is_same = |name: &str, sql: &str| {
        let found = in_b.iter().find(|query| query.name == name);
        let changed = format!("queries {name}");
        found.is_some_and(|query| query.sql == sql) && !sections.contains(&changed)
    };
    let all = a.header.queries.iter();
    all.filter(|query| is_same(&query.name, &query.sql))
        .map(|query| query.name.as_str())
        .collect()
}

/// Returns the designs of both runs.
pub fn common<'a>(a: &'a Summary, b: &Summary) -> impl Iterator<Item = &'a str> {
    let ids = a.designs.iter().map(|design| design.info.id.as_str());
    ids.filter(|id| b.design(id).is_some())
}

/// Returns the properties of one run that make its times less reliable.
fn flaws(run: &Summary, side: Side) -> Vec<Caution> {
    let is_debug = run.header.bakeoff_version.contains("without optimisation");
    let has_twins = run.comparison.twins.is_some();
    let most = run
        .designs
        .iter()
        .flat_map(|d| &d.queries)
        .filter_map(|query| query.time)
        .map(|time: Estimate| time.observations)
        .max();
    let few = most.filter(|rounds| (*rounds as usize) < super::FEWEST_ROUNDS);
    let all = [
        is_debug.then_some(Caution::Debug { side }),
        (!run.finished).then_some(Caution::Unfinished { side }),
        (run.steady == Some(false)).then_some(Caution::NotSteady { side }),
        (!has_twins).then_some(Caution::NoTwins { side }),
        few.map(|rounds| Caution::FewRounds { side, rounds }),
    ];
    all.into_iter().flatten().collect()
}

/// Returns the names of the queries that ask another question in the other run.
pub fn changed_queries(a: &Summary, b: &Summary) -> Vec<String> {
    let same = queries(a, b);
    let is_in_b = |name: &str| b.header.queries.iter().any(|query| query.name == name);
    let names = a.header.queries.iter().map(|query| &query.name);
    names
        .filter(|name| is_in_b(name) && !same.contains(&name.as_str()))
        .cloned()
        .collect()
}

fn only_in(run: &Summary, other: &Summary, side: Side) -> Vec<Caution> {
    let designs = run
        .designs
        .iter()
        .map(|design| &design.info.id)
        .filter(|id| other.design(id).is_none());
    let is_known = |name: &String| other.header.queries.iter().any(|query| query.name == *name);
    let queries = run
        .header
        .queries
        .iter()
        .map(|query| &query.name)
        .filter(|name| !is_known(name));
    designs
        .chain(queries)
        .map(|what| Caution::OnlyIn {
            side,
            what: what.clone(),
        })
        .collect()
}

/// Returns the differences in the machine, the program and its options.
fn conditions(a: &Header, b: &Header) -> Vec<Caution> {
    let standbys = |header: &Header| match &header.standbys {
        Some(s) => format!(
            "{} of {}, a commit waits for {}",
            s.standbys,
            s.engines.join(" and "),
            s.commit_waits_for
        ),
        None => "none".to_owned(),
    };
    let all = [
        (
            "Bakeoff",
            a.bakeoff_version.clone(),
            b.bakeoff_version.clone(),
        ),
        ("threads", a.threads.to_string(), b.threads.to_string()),
        ("nodes", nodes(a.nodes.as_ref()), nodes(b.nodes.as_ref())),
        ("standbys", standbys(a), standbys(b)),
    ];
    let all = all
        .into_iter()
        .filter_map(|(what, a, b)| other(what.to_owned(), a, b));
    machines(&a.machine, &b.machine)
        .into_iter()
        .chain(all)
        .collect()
}

/// Returns the differences of the machines.
pub(super) fn machines(a: &Machine, b: &Machine) -> Vec<Caution> {
    let memory = |machine: &Machine| format!("{} MiB", machine.memory_bytes >> 20);
    let all = [
        ("machine", a.cpu.clone(), b.cpu.clone()),
        ("cores", a.cores.to_string(), b.cores.to_string()),
        ("main memory", memory(a), memory(b)),
        ("system", a.os.clone(), b.os.clone()),
    ];
    all.into_iter()
        .filter_map(|(what, a, b)| other(what.to_owned(), a, b))
        .collect()
}

/// Describes the nodes that were started.
pub(super) fn nodes(nodes: Option<&NodesInfo>) -> String {
    match nodes {
        Some(n) => format!("{} nodes, {} copies, {}", n.nodes, n.copies, n.consistency),
        None => "one node".to_owned(),
    }
}

/// Returns the differences in versions and settings of engines that both have.
pub(super) fn engines(a: &[EngineInfo], b: &[EngineInfo]) -> Vec<Caution> {
    let in_b = |engine: &EngineInfo| b.iter().find(|e| e.engine == engine.engine);
    let pairs = a.iter().filter_map(|engine| Some((engine, in_b(engine)?)));
    pairs
        .flat_map(|(one, two)| {
            let versions = (one.version.clone(), two.version.clone());
            let version = other(one.engine.clone(), versions.0, versions.1);
            let settings = settings(&one.engine, &one.settings, &two.settings);
            version.into_iter().chain(settings).collect::<Vec<_>>()
        })
        .collect()
}

/// Returns the differences in settings of designs that both have.
pub(super) fn designs<'a>(
    a: impl Iterator<Item = &'a DesignInfo>,
    b: &[&DesignInfo],
) -> Vec<Caution> {
    let in_b = |info: &DesignInfo| b.iter().find(|other| other.id == info.id);
    let pairs = a.filter_map(|one| Some((one, in_b(one)?)));
    pairs
        .flat_map(|(one, two)| settings(&one.id, &one.settings, &two.settings))
        .collect()
}

/// Returns the settings that differ. Paths are left out, since they differ in each run folder and say
/// nothing about times.
fn settings(owner: &str, a: &[(String, String)], b: &[(String, String)]) -> Vec<Caution> {
    let names = a.iter().chain(b).map(|(name, _)| name.as_str());
    let mut found: Vec<Caution> = Vec::new();
    for name in names {
        let in_a = setting(a, name);
        let in_b = setting(b, name);
        let caution = other(format!("{owner}, {name}"), in_a.to_owned(), in_b.to_owned());
        let is_path = name == "folder" || in_a.starts_with('/') || in_b.starts_with('/');
        found.extend(caution.filter(|caution| !is_path && !found.contains(caution)));
    }
    found
}

fn setting<'a>(settings: &'a [(String, String)], name: &str) -> &'a str {
    let found = settings.iter().find(|(known, _)| known == name);
    found.map_or("none", |(_, value)| value.as_str())
}

/// Returns a difference, if there is one.
pub(super) fn other(what: String, a: String, b: String) -> Option<Caution> {
    (a != b).then_some(Caution::Other { what, a, b })
}

/// Returns the first word of the name of a section.
pub(super) fn first_word(section: &str) -> &str {
    section.split(['.', ' ']).next().unwrap_or_default()
}

fn is_generated(header: &Header) -> bool {
    header.data.starts_with("generator ")
}

/// Returns a generator with its options, or the name of a file without its folder.
pub(super) fn source(data: &str) -> &str {
    if data.starts_with("generator ") {
        return data;
    }
    data.rsplit('/').next().unwrap_or(data)
}
