//! Which expressions are certain to be floating-point numbers.

use std::collections::HashMap;

use bakeoff_workload::Table;

use super::tokens::Kind;
use super::units::{Unit, What, find, meaning, next, previous, split, units as units_of};

/// Functions whose results are floating-point numbers in at least one dialect.
const FLOATS: [&str; 49] = [
    "acos",
    "acosh",
    "approx_median",
    "approx_percentile_cont",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg",
    "cbrt",
    "ceil",
    "ceiling",
    "corr",
    "cos",
    "cosh",
    "cot",
    "covar",
    "covar_pop",
    "covar_samp",
    "degrees",
    "exp",
    "floor",
    "ln",
    "log",
    "log10",
    "log2",
    "mean",
    "median",
    "percentile_cont",
    "pi",
    "pow",
    "power",
    "quantile_cont",
    "radians",
    "round",
    "sin",
    "sinh",
    "sqrt",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "tan",
    "tanh",
    "var",
    "var_pop",
    "var_population",
    "var_samp",
    "variance",
];
/// Functions that return one of the values of their first argument as it is.
pub const PICKING: [&str; 15] = [
    "any_value",
    "arg_max",
    "arg_min",
    "first",
    "first_value",
    "lag",
    "last",
    "last_value",
    "lead",
    "max",
    "max_by",
    "min",
    "min_by",
    "mode",
    "nth_value",
];
/// Other functions that return the type of their first argument.
const AS_FIRST: [&str; 5] = ["abs", "mod", "nullif", "sum", "trunc"];
/// Functions that return the common type of their arguments.
const AS_ANY: [&str; 5] = ["coalesce", "greatest", "ifnull", "least", "nvl"];
/// Types with decimals.
const TYPES: [&str; 7] = [
    "decimal", "double", "float", "float4", "float8", "numeric", "real",
];
/// Words and signs of expressions that are no numbers.
const OTHER_WORDS: [&str; 10] = [
    "and", "between", "ilike", "in", "interval", "is", "like", "not", "or", "similar",
];
const OTHER_SIGNS: [char; 6] = ['=', '<', '>', '!', '|', '~'];
/// Deepest parentheses that are looked into.
const DEEPEST: usize = 16;

/// Names of a question, and whether each is certain to be that of floating-point numbers.
pub struct Floats {
    names: HashMap<String, bool>,
}

impl Floats {
    /// Finds the names of a question: the columns of the table, and those that it gives. A name that stands for
    /// different things is not certain.
    pub fn of(table: &Table, sql: &str) -> Floats {
        let columns = table.columns.iter();
        let names = columns.map(|column| {
            let name = column.name.to_ascii_lowercase();
            (name, column.kind.is_floating())
        });
        let mut floats = Floats {
            names: names.collect(),
        };
        if let Some(units) = units_of(sql) {
            floats.add_names(&units, false, 0);
        }
        floats
    }

    /// Returns whether a name is certain to be that of floating-point numbers.
    pub fn is_certain(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        self.names.get(&name).copied().unwrap_or(false)
    }

    fn add_names(&mut self, units: &[Unit], is_cast: bool, depth: usize) {
        for (at, unit) in units.iter().enumerate() {
            if unit.what == What::Group && depth < DEEPEST {
                let before = previous(units, at).map(|before| &units[before]);
                let is_cast = before.is_some_and(|before| before.is_one_of(&["cast", "try_cast"]));
                if let Some(inside) = units_of(&unit.text) {
                    self.add_names(&inside, is_cast, depth + 1);
                }
            }
            let given = if unit.is("as") && !is_cast {
                next(units, at + 1).filter(|place| units[*place].is_name())
            } else {
                None
            };
            if let Some(given) = given {
                let begins =
                    |unit: &Unit| unit.is_sign(',') || unit.is_one_of(&["select", "distinct"]);
                let begin = units[..at].iter().rposition(begins);
                let is_float = self.has(&units[begin.map_or(0, |begin| begin + 1)..at]);
                let name = units[given].name().to_ascii_lowercase();
                let known = self.names.entry(name).or_insert(is_float);
                *known = *known && is_float;
            }
        }
    }

    /// Returns whether an expression is certain to be a floating-point number.
    pub fn has(&self, expression: &[Unit]) -> bool {
        self.expression(&meaning(expression), 0)
    }

    fn expression(&self, words: &[&Unit], depth: usize) -> bool {
        if depth > DEEPEST {
            return false;
        }
        if words.first().is_some_and(|first| first.is("case")) {
            return self.case(words, depth);
        }
        let is_other = |word: &&Unit| {
            word.is_one_of(&OTHER_WORDS) || OTHER_SIGNS.iter().any(|sign| word.is_sign(*sign))
        };
        if words.iter().any(is_other) {
            return false;
        }
        let is_operator = |word: &&Unit| {
            ['+', '-', '*', '/', '%']
                .iter()
                .any(|sign| word.is_sign(*sign))
        };
        let mut operands = words.split(is_operator);
        operands.any(|operand| self.operand(operand, depth))
    }

    /// Returns whether one of the results of a `CASE` without others in it is a floating-point number.
    fn case(&self, words: &[&Unit], depth: usize) -> bool {
        let is_alone = words.iter().filter(|word| word.is("case")).count() == 1;
        let is_last = words.last().is_some_and(|last| last.is("end"));
        let ends = |word: &&Unit| word.is_one_of(&["when", "else", "end"]);
        let is_float = |at: usize| {
            let result = words[at + 1..].split(ends).next();
            result.is_some_and(|result| self.expression(result, depth + 1))
        };
        let mut results = (0..words.len()).filter(|at| words[*at].is_one_of(&["then", "else"]));
        is_alone && is_last && results.any(is_float)
    }

    fn operand(&self, words: &[&Unit], depth: usize) -> bool {
        let mut pairs = words.windows(2);
        let cast = pairs.rposition(|pair| pair[0].is_sign(':') && pair[1].is_sign(':'));
        if let Some(cast) = cast {
            return words
                .get(cast + 2)
                .is_some_and(|kind| kind.is_one_of(&TYPES));
        }
        match words {
            [number] if number.is_a(Kind::Number) => number.text.contains(['.', 'e', 'E']),
            [group] if group.what == What::Group => self.inside(&group.text, depth),
            [column] if column.is_name() => self.is_known(column),
            [_, dot, column] | [_, _, _, dot, column]
                if words[1].is_sign('.') && dot.is_sign('.') && column.is_name() =>
            {
                self.is_known(column)
            }
            [name, group, ..] if name.is_a(Kind::Word) && group.what == What::Group => {
                self.call(&name.text.to_ascii_lowercase(), &group.text, depth)
            }
            _ => false,
        }
    }

    fn inside(&self, text: &str, depth: usize) -> bool {
        units_of(text).is_some_and(|inside| self.expression(&meaning(&inside), depth + 1))
    }

    fn is_known(&self, column: &Unit) -> bool {
        self.is_certain(column.name())
    }

    fn call(&self, name: &str, text: &str, depth: usize) -> bool {
        let Some(inside) = units_of(text) else {
            return false;
        };
        let is_float = |argument: &[Unit]| {
            let end = find(argument, 0, &["order", "by"]).map_or(argument.len(), |(end, _)| end);
            let words = meaning(&argument[..end]);
            let words = match words.as_slice() {
                [first, rest @ ..] if first.is("distinct") => rest,
                words => words,
            };
            self.expression(words, depth + 1)
        };
        let mut arguments = split(&inside, ',').into_iter();
        match name {
            "cast" | "try_cast" => {
                let kind = { inside.iter().rposition(|unit| unit.is("as")) }
                    .and_then(|place| next(&inside, place + 1));
                kind.is_some_and(|kind| inside[kind].is_one_of(&TYPES))
            }
            "extract" | "date_part" => text.to_ascii_lowercase().contains("epoch"),
            name if FLOATS.contains(&name) => true,
            name if PICKING.contains(&name) || AS_FIRST.contains(&name) => {
                arguments.next().is_some_and(is_float)
            }
            name if AS_ANY.contains(&name) => arguments.any(is_float),
            _ => false,
        }
    }
}
