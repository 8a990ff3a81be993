//! Rules on the order of rows in a partition.

use super::base::Base;
use crate::advice::{Advice, Facts, Rank, Stated};

const NEWEST: Stated = Stated {
    rule: "newest-first",
    source: "J. Haddad's rules and Apache Cassandra's documentation",
};

/// Proposes the newest rows first where they are wanted, and the other order to compare it with.
pub fn newest_first(facts: &Facts) -> Vec<Advice> {
    let Some(column) = facts.order_column().filter(|_| facts.wants_newest()) else {
        return Vec::new();
    };
    let base = Base::of(facts);
    let asked = facts.question(|q| q.wants_newest).unwrap_or("the mix");
    let time = &column.name;
    vec![
        NEWEST.measure(
            Rank::Likely,
            base.id(),
            format!("{asked} wants the rows with the highest {time}, which come first then"),
        ),
        NEWEST.measure(
            Rank::Likely,
            base.without("order"),
            format!("the lowest {time} first, which shows what the order brings to {asked}"),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::Load;
    use crate::advice::testing::{designs, facts};

    #[test]
    fn both_orders_are_compared_where_the_newest_rows_are_wanted() {
        let mut facts = facts();
        assert_eq!(newest_first(&facts), []);
        facts.load = Some(Load {
            wants_newest: true,
            ..Load::default()
        });
        let advice = newest_first(&facts);
        let expected = ["cassandra/wide?order=desc", "cassandra/wide"];
        assert_eq!(designs(&advice), expected);
    }
}
