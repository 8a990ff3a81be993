//! Aggregates of users: functions in Java that a design makes in its keyspace, so that what they cost is
//! measured beside the aggregates that Cassandra has.

use bakeoff_workload::{ColumnType, DesignId};

use crate::EngineError;

/// The key of `cassandra.yaml` that lets CQL make functions.
pub const FUNCTIONS_KEY: &str = "user_defined_functions_enabled";
/// How Cassandra begins its refusal of a function where that key is false.
const SWITCHED_OFF: &str = "User-defined functions are disabled";

/// The user-defined aggregates that a design asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JavaFunctions {
    pub keyspace: String,
    /// Whether averages collect all values in a list first.
    pub averages_lists: bool,
}

/// A type of numbers that the aggregates take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    Int,
    Bigint,
    Double,
}

impl Number {
    /// Returns the type of numbers of a column, if it has numbers.
    pub fn of(kind: ColumnType) -> Option<Number> {
        match kind {
            ColumnType::Int => Some(Number::Int),
            ColumnType::Bigint => Some(Number::Bigint),
            ColumnType::Double => Some(Number::Double),
            // Cassandra adds floats up in 32 bits.
            ColumnType::Float
            | ColumnType::Boolean
            | ColumnType::Text
            | ColumnType::Uuid
            | ColumnType::Timestamp
            | ColumnType::Blob => None,
        }
    }

    /// Returns its name in CQL.
    fn cql(self) -> &'static str {
        match self {
            Number::Int => "int",
            Number::Bigint => "bigint",
            Number::Double => "double",
        }
    }

    /// Returns its class in Java, whose values may be null.
    fn class(self) -> &'static str {
        match self {
            Number::Int => "Integer",
            Number::Bigint => "Long",
            Number::Double => "Double",
        }
    }

    /// Returns the type of a sum, which has 64 bits as DataFusion's.
    fn summed(self) -> Number {
        match self {
            Number::Int | Number::Bigint => Number::Bigint,
            Number::Double => Number::Double,
        }
    }
}

/// What a user-defined aggregate computes of the values that are not null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JavaAggregate {
    Count,
    Sum,
    /// Yields the number of values and their sum, so that the averages of several partitions can be merged.
    Average,
    /// Yields the same as `Average`, from a list of all values.
    AverageOfList,
    Least,
    Greatest,
}

/// The parts of an aggregate in CQL.
struct Parts {
    /// Type of its state.
    state: String,
    /// State before the first value; `None` for null.
    initial: Option<&'static str>,
    /// Body in Java that makes the next state of `state` and `value`.
    step: String,
    /// Type of the result, and body in Java that makes it of `state`; `None` if the state is the result.
    result: Option<(&'static str, String)>,
}

/// Number of values and their sum.
const COUNT_AND_SUM: &str = "tuple<bigint, double>";

impl JavaAggregate {
    const ALWAYS: [JavaAggregate; 5] = [
        JavaAggregate::Count,
        JavaAggregate::Sum,
        JavaAggregate::Average,
        JavaAggregate::Least,
        JavaAggregate::Greatest,
    ];

    /// Returns its name for values of a type. All names begin with ours.
    pub fn name(self, of: Number) -> String {
        let word = match self {
            JavaAggregate::Count => "count",
            JavaAggregate::Sum => "sum",
            JavaAggregate::Average => "average",
            JavaAggregate::AverageOfList => "average_of_list",
            JavaAggregate::Least => "least",
            JavaAggregate::Greatest => "greatest",
        };
        format!("bakeoff_{word}_{}", of.cql())
    }

    /// Returns the statements that make it and its functions.
    fn statements(self, of: Number, keyspace: &str) -> Vec<String> {
        let (name, value) = (self.name(of), of.cql());
        let Parts {
            state,
            initial,
            step,
            result,
        } = self.parts(of);
        // Called for nulls, too, since the first state may be null.
        let function = |name: &str, arguments: &str, result: &str, body: &str| {
            format!(
                "CREATE FUNCTION IF NOT EXISTS {keyspace}.{name} ({arguments}) CALLED ON NULL INPUT \
                 RETURNS {result} LANGUAGE java AS $$ {body} $$"
            )
        };
        let (of_step, of_result) = (format!("{name}_state"), format!("{name}_final"));
        let arguments = format!("state {state}, value {value}");
        let mut statements = vec![function(&of_step, &arguments, &state, &step)];
        let mut aggregate = format!(
            "CREATE AGGREGATE IF NOT EXISTS {keyspace}.{name} ({value}) SFUNC {of_step} STYPE {state}"
        );
        if let Some((kind, body)) = result {
            statements.push(function(&of_result, &format!("state {state}"), kind, &body));
            aggregate.push_str(&format!(" FINALFUNC {of_result}"));
        }
        if let Some(initial) = initial {
            aggregate.push_str(&format!(" INITCOND {initial}"));
        }
        statements.push(aggregate);
        statements
    }

    fn parts(self, of: Number) -> Parts {
        let extreme = |sign: &str| Parts {
            state: of.cql().to_owned(),
            initial: None,
            // Java orders doubles as DataFusion does, with NaN last.
            step: format!(
                "if (value == null) return state; \
                 return state == null || value.compareTo(state) {sign} 0 ? value : state;"
            ),
            result: None,
        };
        match self {
            JavaAggregate::Count => Parts {
                state: "bigint".to_owned(),
                initial: Some("0"),
                step: "return value == null ? state : Long.valueOf(state + 1);".to_owned(),
                result: None,
            },
            // Java adds longs modulo 2^64, as Cassandra and DataFusion do.
            JavaAggregate::Sum => Parts {
                state: of.summed().cql().to_owned(),
                initial: None,
                step: format!(
                    "if (value == null) return state; \
                     return {}.valueOf(state == null ? value : state + value);",
                    of.summed().class()
                ),
                result: None,
            },
            JavaAggregate::Average => Parts {
                state: COUNT_AND_SUM.to_owned(),
                initial: Some("(0, 0.0)"),
                step: "if (value != null) { state.setLong(0, state.getLong(0) + 1); \
                       state.setDouble(1, state.getDouble(1) + value); } return state;"
                    .to_owned(),
                result: None,
            },
            JavaAggregate::AverageOfList => Parts {
                state: format!("list<{}>", of.cql()),
                initial: Some("[]"),
                step: "if (value != null) state.add(value); return state;".to_owned(),
                result: Some((
                    COUNT_AND_SUM,
                    format!(
                        "double sum = 0; for ({} value : state) sum += value; \
                         TupleValue result = udfContext.newReturnTupleValue(); \
                         result.setLong(0, state.size()); result.setDouble(1, sum); return result;",
                        of.class()
                    ),
                )),
            },
            JavaAggregate::Least => extreme("<"),
            JavaAggregate::Greatest => extreme(">"),
        }
    }
}

impl JavaFunctions {
    /// Returns the statements that make all aggregates over columns of these types, unless they are there.
    pub fn statements(&self, kinds: impl Iterator<Item = ColumnType>) -> Vec<String> {
        let mut numbers: Vec<Number> = Vec::new();
        for number in kinds.filter_map(Number::of) {
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        let of_list = self.averages_lists.then_some(JavaAggregate::AverageOfList);
        let aggregates = JavaAggregate::ALWAYS.into_iter().chain(of_list);
        let aggregates: Vec<JavaAggregate> = aggregates.collect();
        let mut made = Vec::new();
        for number in numbers {
            for aggregate in &aggregates {
                made.extend(aggregate.statements(number, &self.keyspace));
            }
        }
        made
    }
}

/// Explains why a design's functions cannot be made if the reason is that the server has them switched off,
/// and returns any other error as it is.
pub fn explained(id: &str, error: EngineError) -> EngineError {
    if !error.0.contains(SWITCHED_OFF) {
        return error;
    }
    EngineError(format!(
        "design {id}: its aggregates are functions in Java, which this Cassandra has switched off: set \
         {FUNCTIONS_KEY}: true in cassandra.yaml of every node and restart it, or leave the design \
         out ({error})"
    ))
}

/// Refuses a design with functions on a server whose settings in the workload switch them off.
///
/// # Errors
/// Fails if one of the settings does.
pub fn check_allowed(id: &DesignId, settings: &[(String, String)]) -> Result<(), EngineError> {
    let is_off = |(key, value): &(String, String)| key == FUNCTIONS_KEY && value == "false";
    if !settings.iter().any(is_off) {
        return Ok(());
    }
    Err(EngineError(format!(
        "design {id}: its aggregates are functions in Java, and [server.cassandra] of the workload has \
         {FUNCTIONS_KEY} = false: remove that line, or leave the design out"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(averages_lists: bool, kinds: &[ColumnType]) -> Vec<String> {
        let functions = JavaFunctions {
            keyspace: "ks".to_owned(),
            averages_lists,
        };
        functions.statements(kinds.iter().copied())
    }

    #[test]
    fn an_aggregate_is_made_after_its_functions() {
        let made = statements(true, &[ColumnType::Double]);
        let of_list: Vec<&String> = made.iter().filter(|s| s.contains("_of_list_")).collect();
        assert_eq!(
            of_list,
            [
                "CREATE FUNCTION IF NOT EXISTS ks.bakeoff_average_of_list_double_state (state \
                 list<double>, value double) CALLED ON NULL INPUT RETURNS list<double> LANGUAGE java \
                 AS $$ if (value != null) state.add(value); return state; $$",
                "CREATE FUNCTION IF NOT EXISTS ks.bakeoff_average_of_list_double_final (state \
                 list<double>) CALLED ON NULL INPUT RETURNS tuple<bigint, double> LANGUAGE java AS $$ \
                 double sum = 0; for (Double value : state) sum += value; TupleValue result = \
                 udfContext.newReturnTupleValue(); result.setLong(0, state.size()); \
                 result.setDouble(1, sum); return result; $$",
                "CREATE AGGREGATE IF NOT EXISTS ks.bakeoff_average_of_list_double (double) SFUNC \
                 bakeoff_average_of_list_double_state STYPE list<double> FINALFUNC \
                 bakeoff_average_of_list_double_final INITCOND []",
            ]
        );
        let sum = "CREATE AGGREGATE IF NOT EXISTS ks.bakeoff_sum_int (int) SFUNC bakeoff_sum_int_state \
                   STYPE bigint";
        assert!(statements(false, &[ColumnType::Int]).contains(&sum.to_owned()));
    }

    #[test]
    fn each_type_of_numbers_has_its_aggregates_once() {
        let kinds = [
            ColumnType::Int,
            ColumnType::Text,
            ColumnType::Double,
            ColumnType::Timestamp,
            ColumnType::Int,
        ];
        assert_eq!(statements(false, &kinds).len(), 2 * 5 * 2);
        assert_eq!(statements(true, &kinds).len(), 2 * (5 * 2 + 3));
        assert!(statements(true, &[ColumnType::Text, ColumnType::Boolean]).is_empty());
    }

    #[test]
    fn a_server_without_functions_is_refused_with_what_to_do() {
        let id: DesignId = "cassandra/wide?aggregate=java".parse().unwrap();
        let set = |value: &str| [(FUNCTIONS_KEY.to_owned(), value.to_owned())];
        check_allowed(&id, &set("true")).unwrap();
        check_allowed(&id, &[]).unwrap();
        let refused = check_allowed(&id, &set("false")).unwrap_err().0;
        assert!(refused.contains("remove that line"), "{refused}");
        let off =
            "`CREATE FUNCTION ...` failed: User-defined functions are disabled in cassandra.yaml";
        let said = explained("cassandra/wide?aggregate=java", EngineError(off.to_owned())).0;
        assert!(
            said.contains("user_defined_functions_enabled: true"),
            "{said}"
        );
        assert!(said.ends_with(&format!("({off})")), "{said}");
        let other = explained("x", EngineError("the keyspace is full".to_owned()));
        assert_eq!(other.0, "the keyspace is full");
    }
}
