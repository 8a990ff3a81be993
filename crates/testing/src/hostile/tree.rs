//! Documents that are read as trees, such as JSON and TOML: changing values instead of bytes keeps them
//! readable, so that what checks them is reached.

use serde_json::{Map, Value};

use super::Random;

/// Whole numbers at the limits of their types.
const WHOLE: [i64; 16] = [
    0,
    1,
    -1,
    2,
    255,
    4096,
    65_536,
    1 << 24,
    i32::MAX as i64,
    i32::MIN as i64,
    u32::MAX as i64,
    1 << 40,
    1 << 53,
    i64::MAX - 1,
    i64::MAX,
    i64::MIN,
];

/// Numbers that are not whole, or not small.
const REAL: [f64; 10] = [
    0.0,
    -0.0,
    0.5,
    -1.5,
    1e-300,
    5e-324,
    1e15,
    9.3e18,
    1.8e19,
    f64::MAX,
];

/// Texts that are names, numbers, patterns or control characters.
const TEXTS: [&str; 24] = [
    "",
    " ",
    "\0",
    "\u{1b}[31mred",
    "\u{202e}abc",
    "\u{feff}",
    "é",
    "😀",
    "a\nb",
    "a\rb",
    "'",
    "\"",
    "--",
    "$$",
    "${",
    "${keyspace}",
    "${x}",
    "null",
    "nan",
    "-1",
    "18446744073709551616",
    "9999-12-31T23:59:59Z",
    "99999999999999999999d",
    "cassandra/wide?bucket=1d&bucket=1d",
];

/// Makes a few changes in a tree. Values of `others` may replace its own ones.
pub fn change(tree: &mut Value, others: &[Value], random: &mut Random) {
    let changes = random.usize(1..=4).min(random.usize(1..=4));
    for _ in 0..changes {
        let mut number = random.usize(..count(tree));
        if let Some(node) = node(tree, &mut number) {
            change_node(node, others, random);
        }
    }
}

fn change_node(node: &mut Value, others: &[Value], random: &mut Random) {
    match node {
        Value::Object(fields) if random.bool() => change_fields(fields, random),
        Value::Array(items) if random.bool() => change_items(items, random),
        Value::Number(number) if random.bool() => {
            let one = [-1, 1][random.usize(..2)];
            if let Some(near) = number.as_i64().and_then(|n| n.checked_add(one)) {
                *node = near.into();
            }
        }
        _ => *node = other(node, others, random),
    }
}

/// Returns a value that replaces another one.
fn other(before: &Value, others: &[Value], random: &mut Random) -> Value {
    match random.u8(..8) {
        0 => Value::Array(vec![before.clone()]),
        1 => Value::Null,
        2 | 3 if !others.is_empty() => {
            let mut other = others[random.usize(..others.len())].clone();
            let mut number = random.usize(..count(&other));
            node(&mut other, &mut number).map_or(Value::Null, Value::take)
        }
        4 | 5 if before.is_string() => text(random),
        4 => WHOLE[random.usize(..WHOLE.len())].into(),
        5 => REAL[random.usize(..REAL.len())].into(),
        6 => text(random),
        _ => match before {
            Value::String(_) => text(random),
            Value::Number(number) if number.is_f64() => REAL[random.usize(..REAL.len())].into(),
            Value::Number(_) => WHOLE[random.usize(..WHOLE.len())].into(),
            Value::Bool(value) => Value::Bool(!*value),
            _ => Value::Object(Map::new()),
        },
    }
}

fn text(random: &mut Random) -> Value {
    let text = TEXTS[random.usize(..TEXTS.len())];
    let times = if random.u8(..8) == 0 {
        random.usize(1..10_000)
    } else {
        1
    };
    Value::String(text.repeat(times))
}

fn change_fields(fields: &mut Map<String, Value>, random: &mut Random) {
    let names: Vec<String> = fields.keys().cloned().collect();
    let Some(name) = random.choice(names) else {
        return;
    };
    let value = fields.remove(&name);
    match random.u8(..3) {
        0 => {}
        1 => drop(fields.insert(format!("{name}x"), value.unwrap_or_default())),
        _ => {
            let other = fields.keys().next_back().cloned().unwrap_or_default();
            fields.insert(other, value.unwrap_or_default());
        }
    }
}

fn change_items(items: &mut Vec<Value>, random: &mut Random) {
    match random.u8(..4) {
        0 => items.truncate(random.usize(..=items.len())),
        1 => items.extend(items.first().cloned()),
        2 => items.reverse(),
        _ => {
            let count = random.usize(..2_000);
            *items = items.iter().cycle().take(count).cloned().collect();
        }
    }
}

/// Returns the number of values in a tree.
fn count(tree: &Value) -> usize {
    1 + match tree {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

/// Returns the value with a number, counted from the root, and lowers the number by the values before it.
fn node<'a>(tree: &'a mut Value, number: &mut usize) -> Option<&'a mut Value> {
    if *number == 0 {
        return Some(tree);
    }
    *number -= 1;
    let inner: Box<dyn Iterator<Item = &'a mut Value>> = match tree {
        Value::Array(items) => Box::new(items.iter_mut()),
        Value::Object(fields) => Box::new(fields.values_mut()),
        _ => return None,
    };
    for value in inner {
        let within = count(value);
        if *number < within {
            return node(value, number);
        }
        *number -= within;
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_value_has_its_number() {
        let mut tree = json!({"a": [1, {"b": 2}], "c": 3});
        assert_eq!(count(&tree), 6);
        let mut at = |mut number| node(&mut tree, &mut number).cloned();
        let found: Vec<_> = (0..7).map(&mut at).collect();
        let values = [
            json!([1, {"b": 2}]),
            json!(1),
            json!({"b": 2}),
            json!(2),
            json!(3),
        ];
        assert_eq!(found[1..6], values.map(Some));
        assert_eq!(found[6], None);
    }

    #[test]
    fn most_changes_keep_most_of_the_tree() {
        let tree = json!({"a": [1, 2, 3], "b": {"c": "text", "d": 0.5}, "e": true});
        let mut random = Random::with_seed(1);
        let mut changed = 0;
        for _ in 0..1_000 {
            let mut other = tree.clone();
            change(&mut other, std::slice::from_ref(&tree), &mut random);
            changed += usize::from(other != tree && other.is_object());
        }
        assert!(changed > 600, "{changed}");
    }
}
