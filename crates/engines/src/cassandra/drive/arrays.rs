//! Lists of doubles, which rows hold as big-endian bytes, in the types that statements bind and replies
//! have.

use bakeoff_workload::{Value, Version};
use scylla::cluster::metadata::{CollectionType, ColumnType, NativeType};

/// A type of CQL that holds a list of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayType {
    /// A blob of doubles.
    Blob,
    /// A list, frozen or not.
    List(Number),
    /// A vector with this number of items.
    Vector(Number, u32),
}

/// A type of CQL that holds one of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// The float that is nearest to the double.
    Float,
    Double,
}

impl Number {
    /// Returns a type of CQL if it holds a real number.
    pub fn of(kind: &ColumnType<'_>) -> Option<Self> {
        match kind {
            ColumnType::Native(NativeType::Float) => Some(Number::Float),
            ColumnType::Native(NativeType::Double) => Some(Number::Double),
            _ => None,
        }
    }

    fn bytes(self) -> usize {
        match self {
            Number::Float => 4,
            Number::Double => 8,
        }
    }

    /// Appends a double in this type.
    fn append(self, double: [u8; 8], out: &mut Vec<u8>) {
        match self {
            Number::Float => {
                let float = f64::from_be_bytes(double) as f32;
                out.extend_from_slice(&float.to_be_bytes());
            }
            Number::Double => out.extend_from_slice(&double),
        }
    }
}

impl ArrayType {
    /// Returns a type of CQL if it holds a list of real numbers.
    pub fn of(kind: &ColumnType<'_>) -> Option<Self> {
        match kind {
            ColumnType::Native(NativeType::Blob) => Some(ArrayType::Blob),
            ColumnType::Collection {
                typ: CollectionType::List(item),
                ..
            } => Number::of(item).map(ArrayType::List),
            ColumnType::Vector { typ, dimensions } => {
                let number = Number::of(typ)?;
                Some(ArrayType::Vector(number, u32::from(*dimensions)))
            }
            _ => None,
        }
    }

    /// Returns whether a list with this number of items can be stored.
    pub fn takes(self, items: u32) -> bool {
        match self {
            ArrayType::Blob | ArrayType::List(_) => true,
            ArrayType::Vector(_, dimensions) => dimensions == items,
        }
    }

    /// Encodes a row's doubles as they are on the wire.
    pub fn encode(self, doubles: &[u8]) -> Vec<u8> {
        let (doubles, _) = doubles.as_chunks::<8>();
        match self {
            ArrayType::Blob => doubles.as_flattened().to_vec(),
            ArrayType::Vector(number, _) => {
                let mut out = Vec::with_capacity(doubles.len() * number.bytes());
                doubles
                    .iter()
                    .for_each(|double| number.append(*double, &mut out));
                out
            }
            ArrayType::List(number) => {
                let mut out = Vec::with_capacity(4 + doubles.len() * (4 + number.bytes()));
                // A list has thousands of items at most, and an item eight bytes.
                out.extend_from_slice(&(doubles.len() as i32).to_be_bytes());
                for double in doubles {
                    out.extend_from_slice(&(number.bytes() as i32).to_be_bytes());
                    number.append(*double, &mut out);
                }
                out
            }
        }
    }

    /// Returns whether a cell of a reply holds a row's doubles.
    pub fn is_on_wire(self, value: &Value, cell: Option<&[u8]>) -> bool {
        match (value, cell) {
            (Value::Blob(doubles), Some(bytes)) => self.encode(doubles) == bytes,
            (Value::Null, None) => true,
            _ => false,
        }
    }
}

/// Encodes one item of a row's doubles; `None` if there is no such item.
pub fn item(doubles: &[u8], item: u32, number: Number) -> Option<Vec<u8>> {
    let (doubles, _) = doubles.as_chunks::<8>();
    let double = doubles.get(item as usize)?;
    let mut out = Vec::with_capacity(number.bytes());
    number.append(*double, &mut out);
    Some(out)
}

/// The doubles of the cell that was asked for last: a statement may bind each item of a list, which is
/// generated as a whole.
#[derive(Default)]
pub struct LastDoubles(Option<(usize, Version, Vec<u8>)>);

impl LastDoubles {
    /// Returns the doubles of a cell, which `value` generates if they are not those of the last one.
    pub fn of(&mut self, column: usize, version: Version, value: impl FnOnce() -> Value) -> &[u8] {
        let is_last = matches!(&self.0, Some((c, v, _)) if *c == column && *v == version);
        if !is_last {
            let Value::Blob(doubles) = value() else {
                self.0 = None;
                return &[];
            };
            self.0 = Some((column, version, doubles));
        }
        match &self.0 {
            Some((_, _, doubles)) => doubles,
            None => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubles(numbers: &[f64]) -> Vec<u8> {
        numbers.iter().flat_map(|n| n.to_be_bytes()).collect()
    }

    fn list_of(item: NativeType, frozen: bool) -> ColumnType<'static> {
        ColumnType::Collection {
            frozen,
            typ: CollectionType::List(Box::new(ColumnType::Native(item))),
        }
    }

    fn vector_of(item: NativeType, dimensions: u16) -> ColumnType<'static> {
        ColumnType::Vector {
            typ: Box::new(ColumnType::Native(item)),
            dimensions,
        }
    }

    #[test]
    fn types_that_hold_a_list_of_real_numbers_are_known() {
        let double = Some(ArrayType::List(Number::Double));
        assert_eq!(ArrayType::of(&list_of(NativeType::Double, true)), double);
        assert_eq!(ArrayType::of(&list_of(NativeType::Double, false)), double);
        let vector = ArrayType::of(&vector_of(NativeType::Float, 100));
        assert_eq!(vector, Some(ArrayType::Vector(Number::Float, 100)));
        let blob = ColumnType::Native(NativeType::Blob);
        assert_eq!(ArrayType::of(&blob), Some(ArrayType::Blob));
        for other in [
            list_of(NativeType::Int, false),
            vector_of(NativeType::Int, 3),
            ColumnType::Native(NativeType::Double),
        ] {
            assert_eq!(ArrayType::of(&other), None, "{other:?}");
        }
    }

    #[test]
    fn only_a_vector_has_its_number_of_items() {
        assert!(ArrayType::Vector(Number::Double, 3).takes(3));
        assert!(!ArrayType::Vector(Number::Double, 3).takes(4));
        assert!(ArrayType::List(Number::Double).takes(4) && ArrayType::Blob.takes(4));
    }

    #[test]
    fn lists_have_lengths_and_vectors_have_none() {
        let row = doubles(&[1.0, -2.5]);
        assert_eq!(ArrayType::Blob.encode(&row), row);
        assert_eq!(ArrayType::Vector(Number::Double, 2).encode(&row), row);
        let floats = ArrayType::Vector(Number::Float, 2).encode(&row);
        assert_eq!(
            floats,
            [1.0_f32.to_be_bytes(), (-2.5_f32).to_be_bytes()].concat()
        );
        let list = ArrayType::List(Number::Double).encode(&row);
        let wanted = [
            &[0, 0, 0, 2][..],
            &[0, 0, 0, 8],
            &1.0_f64.to_be_bytes(),
            &[0, 0, 0, 8],
            &(-2.5_f64).to_be_bytes(),
        ];
        assert_eq!(list, wanted.concat());
        assert_eq!(ArrayType::List(Number::Float).encode(&row).len(), 4 + 2 * 8);
    }

    #[test]
    fn a_reply_is_compared_in_its_own_type() {
        let [value, other] = [[1.0, 2.0], [1.0, 2.5]].map(|n| Value::Blob(doubles(&n)));
        for kind in [
            ArrayType::Blob,
            ArrayType::List(Number::Double),
            ArrayType::Vector(Number::Float, 2),
        ] {
            let cell = kind.encode(&doubles(&[1.0, 2.0]));
            assert!(kind.is_on_wire(&value, Some(&cell)));
            assert!(!kind.is_on_wire(&other, Some(&cell)));
            assert!(!kind.is_on_wire(&value, Some(&cell[..cell.len() - 1])));
            assert!(!kind.is_on_wire(&value, None));
        }
        assert!(ArrayType::Blob.is_on_wire(&Value::Null, None));
    }

    #[test]
    fn items_are_counted_from_0_and_end() {
        let row = doubles(&[1.0, 0.1]);
        let double = item(&row, 1, Number::Double);
        assert_eq!(double, Some(0.1_f64.to_be_bytes().to_vec()));
        let float = item(&row, 1, Number::Float);
        assert_eq!(float, Some(0.1_f32.to_be_bytes().to_vec()));
        assert_eq!(item(&row, 2, Number::Double), None);
    }

    #[test]
    fn a_list_is_generated_once_for_its_items() {
        let mut last = LastDoubles::default();
        let mut generated = 0;
        let mut ask = |column: usize, version| {
            let number = column as f64;
            let value = || {
                generated += 1;
                Value::Blob(doubles(&[number]))
            };
            assert_eq!(last.of(column, version, value), doubles(&[number]));
        };
        ask(1, Version::First);
        ask(1, Version::First);
        ask(1, Version::Second);
        ask(2, Version::Second);
        ask(1, Version::First);
        assert_eq!(generated, 4);
        assert!(last.of(9, Version::First, || Value::Null).is_empty());
    }
}
