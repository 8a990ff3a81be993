//! Checks a workload file as written and makes a [`Workload`] of it.

mod columns;
mod concurrent;
mod data;
mod decide;
mod growth;
mod latin;
mod limit;
mod literal;
mod mix;
mod number;
mod parameter;
mod prices;
mod query;
mod sample;
mod server;
mod set;
mod small_table;
mod study;
mod table;
mod text;
mod text_form;
mod toml_error;
mod toml_string;
mod tsbs;
mod unstable;

use std::path::Path;

use toml::Spanned;

use crate::small_table::lines_before;
use crate::source::rows_in_all;
use crate::{
    Data, DesignId, Error, Expectation, Generator, Mix, Published, PublishedTime, Query, Result,
    Scale, Workload, wire,
};

pub use mix::select::{SelectedTable, selected_table};
pub use mix::tokens::quoted as quoted_in_cql;
pub use query::placeholders;
pub use server::{ServerKey, server_keys};
use set::Set;
pub use table::usable_name;
use text::Text;
pub use text::{nearest, quoted, suggestion};

/// Rows to load if neither the workload file nor the command line names a number.
const DEFAULT_ROWS: u64 = 100_000;
/// Copies of each row in a usual production cluster.
const DEFAULT_REPLICATION: u32 = 3;

impl Workload {
    /// Reads and checks a workload file.
    ///
    /// # Errors
    /// [`Error::Read`] if the file cannot be read, [`Error::Workload`] with line and column if it
    /// contains something impossible.
    pub fn read(path: &Path) -> Result<Workload> {
        Workload::read_with(path, &[])
    }

    /// Reads and checks a workload file with other options of its generator, such as `hosts=4000`.
    /// If there are any and the generator ends, all of its rows are the default.
    ///
    /// # Errors
    /// Those of [`Workload::read`]; [`Error::Usage`] names the option if it is impossible.
    pub fn read_with(path: &Path, settings: &[String]) -> Result<Workload> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::Read {
            what: "workload file",
            path: path.to_owned(),
            source,
        })?;
        Workload::parse_with(&text, path, settings)
    }

    /// Checks the text of a workload file. `path` names it in errors, gives the workload its name,
    /// and is what relative data files are relative to.
    ///
    /// # Errors
    /// [`Error::Workload`] with line and column if it contains something impossible.
    pub fn parse(text: &str, path: &Path) -> Result<Workload> {
        Workload::parse_with(text, path, &[])
    }

    /// Checks a text as [`Workload::parse`] does, with options as in [`Workload::read_with`].
    ///
    /// # Errors
    /// Those of [`Workload::read_with`].
    pub fn parse_with(text: &str, path: &Path, settings: &[String]) -> Result<Workload> {
        let place = Text { path, text };
        let mut wire: wire::Workload =
            toml::from_str(text).map_err(|error| toml_error::explain(place, &error))?;
        if settings.is_empty() {
            return Workload::check(place, wire);
        }
        let set = Set::new(text, settings)?;
        let place = Text {
            path,
            text: &set.text,
        };
        let applied = set.apply(text, path, &mut wire);
        let checked = applied.and_then(|()| Workload::check(place, wire));
        let mut workload = checked.map_err(|error| set.explain(error))?;
        workload.text = set.commented(text);
        Ok(workload)
    }

    fn check(place: Text<'_>, wire: wire::Workload) -> Result<Workload> {
        let seed = number::at_least(place, wire.seed.as_ref(), "seed", 0)?.unwrap_or(1);
        let mut data = data::check(place, &wire.data)?;
        let table = table::check(place, wire.table.as_ref(), &data, wire.data.span())?;
        let text_form = text_form::check(place, wire.data.get_ref(), &table)?;
        let scale_sample = sample::check(place, wire.data.get_ref(), &table)?;
        let rows_of_data = sample::rows(scale_sample.as_ref());
        let mut scale = scale(place, &wire.scale, rows_of_data)?;
        if let Data::Generator(generator) = &data {
            let all = rows_in_all(generator, seed);
            query::check_rows_of_expectations(place, &wire.queries, all)?;
            if let (true, Some(rows)) = (wire.data.get_ref().is_set, all) {
                scale.default_rows = rows;
                scale.full_rows = scale.full_rows.max(rows);
            }
        }
        if let Data::Generator(Generator::Columns(generators)) = &mut data {
            *generators = columns::check(place, &wire.data, &table, scale.full_rows)?;
        }
        let mut queries = query::check(place, &wire.queries, &table)?;
        let small_tables = small_table::check(place, &wire.small_tables, &table)?;
        small_table::bring(place, &wire.queries, &small_tables, &mut queries)?;
        let about = mix::About {
            document: place,
            table: &table,
            data: &data,
            queries: &queries,
            rows: scale.default_rows,
        };
        let mix = wire.mix.as_ref().map(|mix| about.check(mix)).transpose()?;
        let concurrent = wire
            .concurrent
            .as_ref()
            .map(|written| concurrent::check(place, written, &queries))
            .transpose()?;
        let designs = designs(place, &wire.designs)?;
        scale.grows = growth::About {
            place,
            table: &table,
            scale: &scale,
            set: wire.data.get_ref().times,
        }
        .check(wire.scale.grows.as_ref())?;
        let decide = decide::About {
            document: place,
            queries: &queries,
            designs: &designs,
            concurrent: concurrent.as_ref(),
        }
        .check(wire.decide.as_ref())?;
        Ok(Workload {
            name: name(place.path),
            title: wire.title.unwrap_or_else(|| name(place.path)),
            seed,
            decide,
            designs,
            scale,
            server: server::check(place, &wire.server, wire.mix.is_some())?,
            published: wire
                .published
                .map(|p| published(place, p, &queries, mix.as_ref()))
                .transpose()?,
            mix,
            concurrent,
            table,
            data,
            text_form,
            scale_sample,
            queries,
            small_tables,
            path: place.path.to_owned(),
            text: place.text.to_owned(),
        })
    }

    /// Makes an error with line and column of the workload file, from a position (1-based, counted
    /// in characters) in `query.sql`. One in a small table that it brings along is the beginning of the query.
    pub fn error_at(
        &self,
        query: &Query,
        line_in_sql: usize,
        column_in_sql: usize,
        message: impl Into<String>,
    ) -> Error {
        let place = Text {
            path: &self.path,
            text: &self.text,
        };
        let start = place.offset(query.position.0, query.position.1);
        let before = lines_before(&self.small_tables, &query.sql);
        let (line, column) = match line_in_sql.checked_sub(before) {
            Some(line) if line > 0 => (line, column_in_sql),
            _ => (1, 1),
        };
        let offset = toml_string::offset(place, start, line, column);
        place.error(offset..offset, message)
    }

    /// Makes an error with line and column of the workload file, about the expected answer of a
    /// query.
    pub fn error_in_expectation(&self, expectation: &Expectation, message: String) -> Error {
        let (line, column) = expectation.position;
        Error::Workload {
            path: self.path.clone(),
            line,
            column,
            message,
        }
    }

    /// Makes an error with line and column of the workload file, about a design that it names.
    pub fn error_in_design(&self, design: &DesignId, message: String) -> Error {
        let place = Text {
            path: &self.path,
            text: &self.text,
        };
        // The positions of designs are not kept, so the text is read again.
        let wire = toml::from_str::<wire::Workload>(&self.text);
        let written = wire.map(|wire| wire.designs).unwrap_or_default();
        let mut written = written.into_iter();
        let found = written.find(|written| written.get_ref().parse().as_ref() == Ok(design));
        place.error(found.map_or(0..0, |written| written.span()), message)
    }

    /// Suggests the column of the table whose name is nearest to `word`, as the end of a message:
    /// "; did you mean `value`?". Lists the columns if none is near and they are few.
    pub fn column_suggestion(&self, word: &str) -> String {
        table::suggest_column(&self.table, word)
    }
}

fn name(path: &Path) -> String {
    let stem = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    stem.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

fn designs(place: Text<'_>, wire: &[Spanned<String>]) -> Result<Vec<DesignId>> {
    let mut designs = Vec::with_capacity(wire.len());
    for written in wire {
        let design: DesignId = written
            .get_ref()
            .parse()
            .map_err(|message: String| place.error(written.span(), message))?;
        if designs.contains(&design) {
            return Err(place.error(written.span(), format!("design `{design}` is listed twice")));
        }
        designs.push(design);
    }
    Ok(designs)
}

/// Checks `[scale]`. `rows_of_data` is the default number of rows if the data end there.
fn scale(place: Text<'_>, wire: &wire::Scale, rows_of_data: Option<u64>) -> Result<Scale> {
    let positive = |value, key| number::at_least(place, value, key, 1);
    let rate = |value: Option<&Spanned<f64>>, key| {
        let checked = value.map(|v| number::positive(place, *v.get_ref(), v.span(), key));
        checked.transpose()
    };
    let rows = { positive(wire.rows.as_ref(), "rows")?.or(rows_of_data) }.unwrap_or(DEFAULT_ROWS);
    let full_rows = positive(wire.full_rows.as_ref(), "full_rows")?.unwrap_or(rows);
    if let (true, Some(written)) = (full_rows < rows, &wire.full_rows) {
        let message = format!(
            "`full_rows` is the whole workload and cannot be less than the {rows} `rows` that a \
             run loads by default"
        );
        return Err(place.error(written.span(), message));
    }
    Ok(Scale {
        default_rows: rows,
        full_rows: full_rows.max(rows),
        replication: number::small(place, wire.replication.as_ref(), "replication")?
            .unwrap_or(DEFAULT_REPLICATION),
        users: number::small(place, wire.users.as_ref(), "users")?.unwrap_or(1),
        cores: number::small(place, wire.cores.as_ref(), "cores")?.unwrap_or(1),
        questions_per_second: rate(wire.questions_per_second.as_ref(), "questions_per_second")?,
        rows_per_second: rate(wire.rows_per_second.as_ref(), "rows_per_second")?,
        grows: None,
    })
}

fn published(
    place: Text<'_>,
    wire: wire::Published,
    queries: &[Query],
    mix: Option<&Mix>,
) -> Result<Published> {
    let known = || {
        let operations = mix.into_iter().flat_map(|mix| &mix.operations);
        queries
            .iter()
            .map(|q| q.name.as_str())
            .chain(query::RESERVED)
            .chain(operations.map(|o| o.name.as_str()))
    };
    let mut times = Vec::with_capacity(wire.times.len());
    for time in wire.times {
        let what = time.what.get_ref();
        if !known().any(|name| name == what) {
            let hint = suggestion(what, known());
            let message = format!("nothing here is measured under the name `{what}`{hint}");
            return Err(place.error(time.what.span(), message));
        }
        times.push(PublishedTime {
            design: time.design,
            what: time.what.into_inner(),
            figure: time.figure,
        });
    }
    Ok(Published {
        source: wire.source,
        times,
        notes: wire.notes,
    })
}
