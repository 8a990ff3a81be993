//! Places the labels of points so that none covers another label or a point, as far as there is room for them.

/// Clear space between a point's centre and its label.
const GAP: f64 = 11.0;
/// Most positions above or below its point that a label may move to, half a line apart: farther away it is hard to see
/// which point it belongs to.
const POSITIONS: u32 = 10;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectangle {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Rectangle {
    fn around(x: f64, y: f64, radius: f64) -> Rectangle {
        Rectangle {
            left: x - radius,
            top: y - radius,
            right: x + radius,
            bottom: y + radius,
        }
    }

    fn covers(&self, other: &Rectangle) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn is_inside(&self, outer: &Rectangle) -> bool {
        self.left >= outer.left
            && self.right <= outer.right
            && self.top >= outer.top
            && self.bottom <= outer.bottom
    }
}

/// A point and the size of its label.
#[derive(Debug, Clone, Copy)]
pub struct Labelled {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// Returns a rectangle inside `area` for the label of each point, as near to it as the points and the labels before it in
/// `order` allow; `None` where these leave no room. No label covers what is `kept_clear`.
pub fn place(
    points: &[Labelled],
    order: &[usize],
    area: &Rectangle,
    kept_clear: Rectangle,
) -> Vec<Option<Rectangle>> {
    let around = points
        .iter()
        .map(|p| Rectangle::around(p.x, p.y, GAP - 3.0));
    let mut taken: Vec<Rectangle> = around.chain([kept_clear]).collect();
    let mut placed = vec![None; points.len()];
    for &index in order {
        let free = |r: &Rectangle| r.is_inside(area) && !taken.iter().any(|t| t.covers(r));
        let chosen = candidates(&points[index], area).find(free);
        taken.extend(chosen);
        placed[index] = chosen;
    }
    placed
}

/// Lists positions for a label: level with the point, then further and further up and down. Each line
/// offers the right, the left, and wherever the area has room.
fn candidates(point: &Labelled, area: &Rectangle) -> impl Iterator<Item = Rectangle> {
    let (point, area) = (*point, *area);
    let positions = 0..=2 * POSITIONS + 1;
    let lines = positions.map(|n| f64::from(n / 2) * if n % 2 == 0 { 0.5 } else { -0.5 });
    lines.flat_map(move |lines| {
        let [right, left, centre] =
            [1.0, -1.0, 0.0].map(|side| next_to(&point, side, lines * point.height));
        [right, left, moved_inside(centre, &area)]
    })
}

fn moved_inside(label: Rectangle, area: &Rectangle) -> Rectangle {
    let shift = (area.left - label.left).max(0.0) + (area.right - label.right).min(0.0);
    Rectangle {
        left: label.left + shift,
        right: label.right + shift,
        ..label
    }
}

/// Returns the rectangle of a label on one side of its point: 1 for right, -1 for left, 0 for centred.
fn next_to(point: &Labelled, side: f64, shift: f64) -> Rectangle {
    let middle = point.x + side * (GAP + point.width / 2.0);
    let top = point.y + shift - point.height / 2.0;
    Rectangle {
        left: middle - point.width / 2.0,
        top,
        right: middle + point.width / 2.0,
        bottom: top + point.height,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rectangle = Rectangle {
        left: 0.0,
        top: 0.0,
        right: 700.0,
        bottom: 400.0,
    };

    fn at(x: f64, y: f64) -> Labelled {
        Labelled {
            x,
            y,
            width: 200.0,
            height: 15.0,
        }
    }

    /// Where nothing is drawn.
    const ELSEWHERE: Rectangle = Rectangle {
        left: -9.0,
        top: -9.0,
        right: -8.0,
        bottom: -8.0,
    };

    fn alone(point: Labelled, area: &Rectangle) -> Rectangle {
        place(&[point], &[0], area, ELSEWHERE)[0].unwrap()
    }

    fn assert_apart(labels: &[Rectangle], points: &[Labelled]) {
        for (index, label) in labels.iter().enumerate() {
            assert!(labels[index + 1..].iter().all(|other| !other.covers(label)));
            assert!(
                points
                    .iter()
                    .all(|p| !Rectangle::around(p.x, p.y, 6.0).covers(label))
            );
        }
    }

    #[test]
    fn a_lone_label_stands_to_the_right() {
        assert_eq!(alone(at(100.0, 100.0), &AREA).left, 111.0);
    }

    #[test]
    fn at_the_edge_it_stands_to_the_left() {
        assert_eq!(alone(at(690.0, 100.0), &AREA).right, 679.0);
    }

    #[test]
    fn what_is_kept_clear_has_no_label() {
        let right = Rectangle {
            left: 111.0,
            top: 0.0,
            right: 700.0,
            bottom: 400.0,
        };
        let label = place(&[at(400.0, 100.0)], &[0], &AREA, right)[0];
        assert_eq!(label, None);
    }

    #[test]
    fn on_a_narrow_area_it_moves_above_or_below() {
        let narrow = Rectangle {
            right: 260.0,
            ..AREA
        };
        let label = alone(at(130.0, 100.0), &narrow);
        assert!(label.is_inside(&narrow));
        assert!(!Rectangle::around(130.0, 100.0, 6.0).covers(&label));
    }

    #[test]
    fn labels_of_a_cluster_cover_neither_each_other_nor_points() {
        let points: Vec<Labelled> = (0..8)
            .map(|n| at(300.0 + f64::from(n) * 6.0, 200.0 + f64::from(n % 3) * 5.0))
            .collect();
        let order: Vec<usize> = (0..points.len()).collect();
        let placed = place(&points, &order, &AREA, ELSEWHERE);
        let labels: Vec<Rectangle> = placed.into_iter().flatten().collect();
        assert_eq!(labels.len(), points.len());
        assert!(labels.iter().all(|label| label.is_inside(&AREA)));
        assert_apart(&labels, &points);
    }

    #[test]
    fn where_there_is_no_room_for_all_the_first_in_order_have_labels() {
        let points: Vec<Labelled> = (0..26)
            .map(|n| {
                at(
                    150.0 + f64::from(n % 5) * 8.0,
                    200.0 + f64::from(n / 5) * 6.0,
                )
            })
            .collect();
        let phone = Rectangle {
            right: 290.0,
            ..AREA
        };
        let mut order: Vec<usize> = (0..points.len()).rev().collect();
        let placed = place(&points, &order, &phone, ELSEWHERE);
        let labels: Vec<Rectangle> = placed.iter().flatten().copied().collect();
        assert!((2..26).contains(&labels.len()), "{}", labels.len());
        assert!(labels.iter().all(|label| label.is_inside(&phone)));
        assert_apart(&labels, &points);
        assert!(placed[25].is_some());
        // The same input always has the same labels.
        assert_eq!(place(&points, &order, &phone, ELSEWHERE), placed);
        let without = placed.iter().position(Option::is_none).unwrap();
        order.retain(|place| *place != without);
        order.insert(0, without);
        let placed = place(&points, &order, &phone, ELSEWHERE);
        assert!(placed[without].is_some());
    }
}
