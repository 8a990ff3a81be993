//! Questions of the one query that all clients ask at a time.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// Numbers of the questions of one query, of which each client takes the next one. They are set while no
/// client asks.
#[derive(Default)]
pub struct Only {
    /// Number of the query in the workload.
    query: AtomicUsize,
    /// Number of the next question.
    next: AtomicU32,
    /// Number of the first question that is not begun.
    end: AtomicU32,
}

impl Only {
    /// Lets the clients ask this many questions of a query, from this number on.
    pub fn begin(&self, query: usize, first: u32, questions: u32) {
        self.query.store(query, Ordering::Relaxed);
        self.next.store(first, Ordering::Relaxed);
        let end = first.saturating_add(questions);
        self.end.store(end, Ordering::Relaxed);
    }

    /// Returns the number of the next question and the query, as long as there is one.
    pub fn take(&self) -> Option<(u32, usize)> {
        let relaxed = Ordering::Relaxed;
        let end = self.end.load(relaxed);
        let one_more = |next: u32| (next < end).then_some(next + 1);
        let number = self.next.fetch_update(relaxed, relaxed, one_more).ok()?;
        Some((number, self.query.load(relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_question_is_taken_once_and_none_beyond_the_end() {
        let only = Only::default();
        assert_eq!(only.take(), None);
        only.begin(3, 5, 2);
        assert_eq!(only.take(), Some((5, 3)));
        assert_eq!(only.take(), Some((6, 3)));
        assert_eq!(only.take(), None);
        only.begin(1, 0, 1);
        assert_eq!((only.take(), only.take()), (Some((0, 1)), None));
    }
}
