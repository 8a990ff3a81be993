//! Preparation of statements for one session.

use std::time::Duration;

use bakeoff_driver::DesignError;
use bakeoff_workload::{Consistency, Table};
use scylla::client::session::Session;
use scylla::cluster::metadata::{CollectionType, ColumnType as CqlType};
use scylla::statement::prepared::PreparedStatement;

use super::arrays::{ArrayType, Number};
use super::plan::{Bind, Statement, takes};
use crate::cassandra::cluster::connect::in_time;
use crate::cassandra::cluster::consistency::in_driver;
use crate::cassandra::read::reading::PAGE_ROWS;

/// Time limit of preparing one statement.
const PREPARE_LIMIT: Duration = Duration::from_secs(30);

/// A prepared statement, and the sources of its values.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub statement: PreparedStatement,
    pub binds: Vec<Bind>,
}

/// Prepares a statement, and checks that its markers accept the values that are bound to them.
///
/// # Errors
/// Fails if the server refuses it, or if a marker has another type than its value.
pub async fn prepare(
    client: &Session,
    operation: &str,
    statement: &Statement,
    consistency: Option<Consistency>,
    table: &Table,
) -> Result<Prepared, DesignError> {
    let failed = |why: String| {
        DesignError(format!(
            "operation `{operation}`: preparing `{}` failed: {why}",
            statement.cql
        ))
    };
    let prepared = in_time(PREPARE_LIMIT, client.prepare(statement.cql.as_str())).await;
    let prepared = prepared.map_err(failed)?;
    let mut prepared = prepared.map_err(|e| failed(e.to_string()))?;
    prepared.set_page_size(PAGE_ROWS);
    if let Some(consistency) = consistency {
        prepared.set_consistency(in_driver(consistency));
    }
    let binds = adapt_binds(&prepared, statement, table).map_err(failed)?;
    Ok(Prepared {
        statement: prepared,
        binds,
    })
}

/// Adapts the binds to the types of their markers.
fn adapt_binds(
    prepared: &PreparedStatement,
    statement: &Statement,
    table: &Table,
) -> Result<Vec<Bind>, String> {
    let markers = prepared.get_variable_col_specs();
    if markers.len() != statement.binds.len() {
        return Err(format!(
            "it has {} markers, and {} values are bound",
            markers.len(),
            statement.binds.len()
        ));
    }
    let pairs = markers.iter().zip(&statement.binds).enumerate();
    pairs
        .map(|(number, (marker, bind))| adapt_bind(number + 1, marker.typ(), bind, table))
        .collect()
}

fn adapt_bind(
    number: usize,
    marker: &CqlType<'_>,
    bind: &Bind,
    table: &Table,
) -> Result<Bind, String> {
    let (column, version) = match bind {
        Bind::Column(column, version) | Bind::ColumnUnlessNull(column, version) => {
            (column, version)
        }
        Bind::Doubles { .. } | Bind::Item { .. } => {
            return adapt_numbers(number, marker, bind, table);
        }
        _ => return Ok(bind.clone()),
    };
    let definition = &table.columns[*column];
    if takes(&type_name(marker), definition.kind) {
        return Ok(bind.clone());
    }
    match element(marker) {
        Some(element) if takes(&type_name(element), definition.kind) => {
            Ok(Bind::Element(*column, *version))
        }
        _ => Err(format!(
            "its marker {number} is a {}, but column `{}` of [table] is a {}: give the column the \
             type that the statement needs",
            type_name(marker),
            definition.name,
            definition.kind.name()
        )),
    }
}

/// Adapts a list of numbers, or an item of one, to the type of its marker.
fn adapt_numbers(
    marker_number: usize,
    marker: &CqlType<'_>,
    bind: &Bind,
    table: &Table,
) -> Result<Bind, String> {
    let is = format!("its marker {marker_number} is a {}", type_name(marker));
    match *bind {
        Bind::Doubles {
            column,
            version,
            items,
            ..
        } => match ArrayType::of(marker).filter(|kind| kind.takes(items)) {
            Some(as_type) => Ok(Bind::Doubles {
                column,
                version,
                items,
                as_type,
            }),
            None => Err(format!(
                "{is}, but column `{}` of [table] has lists of {items} doubles: give it the type \
                 list<double>, frozen<list<double>>, vector<double, {items}> or blob; float instead of \
                 double rounds the numbers",
                table.columns[column].name
            )),
        },
        Bind::Item {
            column,
            version,
            item,
            ..
        } => match Number::of(marker) {
            Some(number) => Ok(Bind::Item {
                column,
                version,
                item,
                number,
            }),
            None => Err(format!(
                "{is}, but items of column `{}` of [table] are doubles: give it the type double or \
                 float",
                table.columns[column].name
            )),
        },
        _ => Ok(bind.clone()),
    }
}

/// Returns the type of the elements of a set or list.
fn element<'t>(kind: &'t CqlType<'_>) -> Option<&'t CqlType<'t>> {
    match kind {
        CqlType::Collection {
            typ: CollectionType::Set(element) | CollectionType::List(element),
            ..
        } => Some(element),
        _ => None,
    }
}

/// Returns the CQL name of a type, or the driver's name for types without a short one.
fn type_name(kind: &CqlType<'_>) -> String {
    match kind {
        CqlType::Native(native) => format!("{native:?}").to_lowercase(),
        CqlType::Collection { typ, .. } => match typ {
            CollectionType::Set(element) => format!("set<{}>", type_name(element)),
            CollectionType::List(element) => format!("list<{}>", type_name(element)),
            CollectionType::Map(key, value) => {
                format!("map<{}, {}>", type_name(key), type_name(value))
            }
            other => format!("{other:?}"),
        },
        CqlType::Vector { typ, dimensions } => {
            format!("vector<{}, {dimensions}>", type_name(typ))
        }
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::{Column, ColumnType, Version};
    use scylla::cluster::metadata::NativeType;

    use super::*;

    fn table() -> Table {
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
        };
        Table {
            name: "t".to_owned(),
            columns: vec![
                column("id", ColumnType::Bigint),
                column("bins", ColumnType::Blob),
            ],
            partition_key: vec!["id".to_owned()],
            order_key: Vec::new(),
        }
    }

    fn bins(as_type: ArrayType) -> Bind {
        Bind::Doubles {
            column: 1,
            version: Version::First,
            items: 100,
            as_type,
        }
    }

    fn native(kind: NativeType) -> CqlType<'static> {
        CqlType::Native(kind)
    }

    fn list(item: NativeType) -> CqlType<'static> {
        CqlType::Collection {
            frozen: false,
            typ: CollectionType::List(Box::new(native(item))),
        }
    }

    fn vector(item: NativeType, dimensions: u16) -> CqlType<'static> {
        CqlType::Vector {
            typ: Box::new(native(item)),
            dimensions,
        }
    }

    fn adapted(marker: &CqlType<'_>, bind: &Bind) -> Result<Bind, String> {
        adapt_bind(3, marker, bind, &table())
    }

    #[test]
    fn lists_take_the_type_of_their_marker() {
        let unknown = bins(ArrayType::Blob);
        for (marker, as_type) in [
            (native(NativeType::Blob), ArrayType::Blob),
            (list(NativeType::Double), ArrayType::List(Number::Double)),
            (
                vector(NativeType::Float, 100),
                ArrayType::Vector(Number::Float, 100),
            ),
        ] {
            assert_eq!(adapted(&marker, &unknown), Ok(bins(as_type)));
        }
    }

    #[test]
    fn types_that_do_not_fit_a_list_are_named() {
        for (marker, name) in [
            (list(NativeType::Int), "list<int>"),
            (vector(NativeType::Float, 99), "vector<float, 99>"),
            (native(NativeType::Double), "double"),
        ] {
            let error = adapted(&marker, &bins(ArrayType::Blob)).unwrap_err();
            let start = format!(
                "its marker 3 is a {name}, but column `bins` of [table] has lists of 100 doubles: give"
            );
            assert!(error.starts_with(&start), "{error}");
            assert!(error.contains("vector<double, 100>"), "{error}");
        }
    }

    #[test]
    fn items_are_bound_to_real_numbers_only() {
        let item = |number| Bind::Item {
            column: 1,
            version: Version::Second,
            item: 7,
            number,
        };
        let float = adapted(&native(NativeType::Float), &item(Number::Double));
        assert_eq!(float, Ok(item(Number::Float)));
        let error = adapted(&native(NativeType::Int), &item(Number::Double)).unwrap_err();
        assert!(
            error.contains("is a int, but items of column `bins`"),
            "{error}"
        );
    }
}
