//! Catches panics without printing them: a parser may catch panics of a library below it, and
//! thousands of reports would hide the one that matters.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

static INSTALLED: Once = Once::new();

thread_local! {
    /// How many calls of [`caught`] are under way in this thread.
    static CAUGHT: Cell<u32> = const { Cell::new(0) };
    /// Where the last panic of this thread was.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Makes panics in [`caught`] print nothing. All others are reported as before.
pub fn install() {
    INSTALLED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if CAUGHT.get() == 0 {
                return before(panic);
            }
            let place = panic.location().map(|l| format!("at {l}: "));
            PLACE.replace(place.unwrap_or_default());
        }));
    });
}

/// Returns the result of some work, or the place and the words of its panic.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    install();
    CAUGHT.set(CAUGHT.get() + 1);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(CAUGHT.get() - 1);
    result.map_err(|panic| format!("{}{}", PLACE.take(), words(&*panic)))
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
}
