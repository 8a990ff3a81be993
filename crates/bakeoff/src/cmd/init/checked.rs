//! Checks what is written, so that only a workload that runs is ever shown.

use std::path::Path;

use anyhow::{Result, anyhow};
use bakeoff_engines::registry::ENGINES;
use bakeoff_engines::{
    NewTable, check_designs, check_queries, lacking, plain_queries, tie_notes, translate_queries,
    with_usual_uuids,
};
use bakeoff_workload::infer::{AskedQuestion, Inferred};
use bakeoff_workload::{ColumnType, DesignId, Error, Workload};

use crate::cmd::small_runtime;
use crate::exit::Misuse;

/// Returns the designs with which the workload begins.
pub fn designs(found: &Inferred) -> Vec<String> {
    let table = NewTable {
        columns: found.columns.len(),
        is_ordered: !found.order_key.is_empty(),
        days: found.days(),
        step_of_one_series: found.step_of_one_series(),
    };
    let engines = ENGINES.iter();
    let like_it = found
        .origin
        .iter()
        .filter_map(|origin| origin.design.clone());
    let mut designs: Vec<String> = like_it.collect();
    for design in engines.flat_map(|engine| engine.to_begin_with(&table)) {
        if !designs.contains(&design) {
            designs.push(design);
        }
    }
    designs
}

/// Returns those of the designs with which the workload begins whose engines can be asked these questions, and notes the
/// others, and questions whose answers may differ where rows tie. All of them are returned if no engine can, which a
/// check tells.
pub fn designs_for(found: &mut Inferred, questions: &[AskedQuestion]) -> Vec<String> {
    let all = designs(found);
    let text = found.workload("init.csv", &all, questions);
    let Ok(mut workload) = Workload::parse(&text, Path::new("init.toml")) else {
        return all;
    };
    plain_queries(&mut workload);
    if let Ok(runtime) = small_runtime() {
        let ties = runtime.block_on(tie_notes(&workload));
        found.notes.extend(ties);
    }
    let (mut able, mut notes) = (Vec::new(), Vec::new());
    for design in &all {
        let id = design.parse::<DesignId>().ok();
        match id.and_then(|id| lacking(&id, &workload)) {
            None => able.push(design.clone()),
            Some(why) => notes.push(format!("{design} is not among the designs: {why}")),
        }
    }
    if able.is_empty() {
        return all;
    }
    found.notes.extend(notes);
    if let Some(origin) = &mut found.origin {
        origin.design = origin.design.take().filter(|like| able.contains(like));
    }
    able
}

/// Writes UUIDs that questions compare with columns of UUIDs as these are read: in lower case with hyphens. Questions
/// that cannot be planned stay as they are, which a check tells.
pub fn write_usual_uuids(found: &Inferred, questions: &mut [AskedQuestion]) {
    let has_texts = questions.iter().any(|question| question.sql.contains('\''));
    let mut columns = found.columns.iter();
    if !has_texts || !columns.any(|column| column.kind == ColumnType::Uuid) {
        return;
    }
    let text = found.workload("init.csv", &designs(found), questions);
    let parsed = Workload::parse(&text, Path::new("init.toml"));
    let (Ok(mut workload), Ok(runtime)) = (parsed, small_runtime()) else {
        return;
    };
    plain_queries(&mut workload);
    for (question, query) in questions.iter_mut().zip(&workload.queries) {
        let usual = with_usual_uuids(&workload, query, &question.sql);
        if let Some(sql) = runtime.block_on(usual) {
            question.sql = sql;
        }
    }
}

/// Checks what was found before any question is tried.
pub fn check_found(found: &Inferred) -> Result<()> {
    let text = found.workload("init.csv", &designs(found), &[]);
    check(&text, Path::new("init.toml"), None)
}

/// Checks a workload that was written, so that only one that runs is ever shown. `asked_by` is the option that its
/// questions come from.
///
/// # Errors
/// Fails with a misuse if a question is none about the table, and if anything else is wrong. It names the option in
/// place of the workload, which is not made.
pub fn check(text: &str, path: &Path, asked_by: Option<&str>) -> Result<()> {
    let told = |error: Error| match (asked_by, error) {
        (None, error) => Misuse::new(error.into()),
        (Some(option), Error::Workload { message, .. }) => {
            Misuse::new(anyhow!("{option}: {message}"))
        }
        (Some(option), error) => Misuse::new(anyhow::Error::new(error).context(option.to_owned())),
    };
    match complaint(text, path)? {
        None => Ok(()),
        Some(error) => Err(told(error).into()),
    }
}

/// Returns what is wrong with a workload that was written; `None` if it can be run.
pub fn complaint(text: &str, path: &Path) -> Result<Option<Error>> {
    let mut workload = match Workload::parse(text, path) {
        Ok(workload) => workload,
        Err(error) => return Ok(Some(error)),
    };
    if let Err(error) = check_designs(&workload) {
        return Ok(Some(error));
    }
    plain_queries(&mut workload);
    let checked = small_runtime()?.block_on(check_queries(&workload));
    if let Err(error) = checked {
        return Ok(Some(error));
    }
    let designs = workload.designs.clone();
    Ok(translate_queries(&mut workload, &designs, None).err())
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::infer::{Asked, infer};

    use super::*;

    #[test]
    fn uuids_of_questions_are_written_as_they_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rooms.csv");
        let uuid = |number: u32| format!("6a1f0b0c-8a7e-11ee-b962-0242ac12000{number}");
        let rows: Vec<String> = (0..9).map(|row| format!("{},{row}\n", uuid(row))).collect();
        std::fs::write(&path, format!("id,n\n{}", rows.concat())).unwrap();
        let found = infer(&path, &Asked::default()).unwrap();
        let sql = "SELECT n FROM rooms WHERE id <> '$' AND 'x' <> '$' ORDER BY n";
        let asked = |text: &str| AskedQuestion {
            sql: sql.replacen('$', text, 1),
            ..AskedQuestion::default()
        };
        let (upper, lower) = (uuid(1).to_uppercase(), uuid(1));
        let mut questions = [asked(&upper), asked(&lower)];
        write_usual_uuids(&found, &mut questions);
        assert_eq!(questions, [asked(&lower), asked(&lower)]);
    }

    #[test]
    fn a_question_about_no_column_names_its_option_and_not_a_file_that_is_not_made() {
        let text = r#"
            title = "Rooms"
            designs = ["memory"]
            [table]
            name = "readings"
            partition_key = ["room"]
            order_key = ["time"]
            [table.columns]
            room = "text"
            time = "timestamp"
            temp = "double"
            [data]
            file = "readings.csv"
            [[queries]]
            name = "warmest"
            sql = "SELECT max(tmep) AS m FROM readings"
            [scale]
            rows = 10
            full_rows = 10
        "#;
        let told = |asked_by: Option<&str>| {
            let error = check(text, Path::new("runs/q/workload.toml"), asked_by).unwrap_err();
            error.to_string()
        };
        assert_eq!(
            told(Some("--questions q.sql")),
            "--questions q.sql: query warmest: there is no column `tmep`; did you mean `temp`?"
        );
        let of_workload = told(None);
        assert!(
            of_workload.starts_with("runs/q/workload.toml:"),
            "{of_workload}"
        );
    }
}
