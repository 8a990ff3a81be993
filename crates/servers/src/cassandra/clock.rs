//! The clock of a node that is wrong, which tests start: a class in place of Cassandra's own clock.

use std::fs;
use std::path::Path;

use super::compiler::compile;
use super::folder::Folder;
use super::node::Node;
use super::tuning::Tuning;
use crate::error::{Error, Result};
use crate::files::create_folder;

const SOURCE: &str = include_str!("ShiftedClock.java");
const FILE: &str = "ShiftedClock.java";
const CLASS: &str = "bakeoff.clock.ShiftedClock";

/// Puts the class into the folder of a node whose clock is to be wrong. The class path is that of Cassandra's jars,
/// which have to be those of 5.0: the compiler of 4.1 is too old for a Java of today.
///
/// # Errors
/// Fails with `Refused` with the compiler's complaint or because it hangs, or `Io`.
pub(crate) async fn prepare(
    folder: &Folder,
    java: &Path,
    class_path: &str,
    node: Node,
    tuning: &Tuning,
) -> Result<()> {
    if ahead_ms(node, tuning) == 0 || folder.clock().is_dir() {
        return Ok(());
    }
    let unfinished = folder.clock().with_extension("new");
    create_folder(&unfinished)?;
    let source = unfinished.join(FILE);
    fs::write(&source, SOURCE).map_err(Error::io("write", &source))?;
    if let Some(reason) = compile(java, Path::new(class_path), &source, &unfinished).await? {
        return Err(Error::Refused(format!(
            "the clock of {} cannot be replaced: {reason}",
            node.name()
        )));
    }
    fs::rename(&unfinished, folder.clock()).map_err(Error::io("rename", &unfinished))
}

/// Returns the flags of a node whose clock is to be wrong, and none for others.
pub(crate) fn flags(node: Node, tuning: &Tuning) -> Vec<String> {
    match ahead_ms(node, tuning) {
        0 => Vec::new(),
        ahead => vec![
            format!("-Dcassandra.clock={CLASS}"),
            format!("-Dbakeoff.clock.ahead_ms={ahead}"),
        ],
    }
}

/// Returns the milliseconds by which the clock of a node is to be ahead.
fn ahead_ms(node: Node, tuning: &Tuning) -> i64 {
    let is_last_of_several = !node.is_alone() && node.number == node.of;
    if is_last_of_several {
        tuning.last_node_ahead_ms
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_clock_of_the_last_of_several_nodes_is_wrong_and_only_where_that_is_asked_for() {
        let tuning = Tuning {
            last_node_ahead_ms: -7,
            ..Tuning::default()
        };
        for node in Node::all(3) {
            let count = if node.number == 3 { 2 } else { 0 };
            assert_eq!(flags(node, &tuning).len(), count);
            assert_eq!(flags(node, &Tuning::default()), [""; 0]);
        }
        assert_eq!(flags(Node::default(), &tuning), [""; 0]);
    }

    #[tokio::test]
    async fn what_the_compiler_complains_of_is_said() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::create(&place.path().join("server")).unwrap();
        let tuning = Tuning {
            last_node_ahead_ms: 7,
            ..Tuning::default()
        };
        let node = Node { number: 2, of: 2 };
        let java = Path::new("/bin/false");
        let prepared = prepare(&folder, java, "a.jar", node, &tuning).await;
        let error = prepared.unwrap_err().to_string();
        assert!(error.contains("the clock of node 2 of 2"), "{error}");
        assert!(!folder.clock().exists());
        let first = Node { number: 1, of: 2 };
        let prepared = prepare(&folder, java, "a.jar", first, &tuning).await;
        prepared.unwrap();
    }
}
