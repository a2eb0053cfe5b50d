//! A tool's panic, told once: in the log, under the call id that the caller sees, with the place where it happened.
//!
//! Where a program has a log (`tracing`), the standard hook would print the same message a second time, without the id and
//! past everything that the log blanks. So while a tool runs, the hook only notes the place.

use super::{CallState, Failure};
use crate::secrets;
#[cfg(feature = "http")]
use std::borrow::Cow;
use std::{
    any::Any,
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, catch_unwind},
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Running {
    Nothing,
    /// A call's steps, which may never wait for anything here: with them would wait whatever else this thread is for.
    Steps,
    /// The body of a blocking tool, on a thread of its own.
    Body,
}

thread_local! {
    /// What of a tool runs on this thread.
    static RUNNING: Cell<Running> = const { Cell::new(Running::Nothing) };
    /// Where the last panic of a tool happened.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Sets the hook. Called by what serves or calls with a log of its own, and not for an author's tests, whose panics print
/// as usual.
#[cfg(feature = "http")]
pub(crate) fn log_panics_of_tools() {
    use std::{
        panic::{set_hook, take_hook},
        sync::Once,
    };
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let standard = take_hook();
        set_hook(Box::new(move |info| {
            let running = RUNNING.try_with(Cell::get).unwrap_or(Running::Nothing);
            if running != Running::Nothing && tracing::dispatcher::has_been_set() {
                let place = info.location().map(ToString::to_string);
                let _ = PLACE.try_with(|p| p.replace(place));
            } else if let Cow::Owned(blanked) = secrets::blank(text(info.payload())) {
                tell(info, &blanked);
            } else {
                standard(info);
            }
        }));
    });
}

/// Tells of a panic as the standard hook does, which would tell its secret.
#[cfg(feature = "http")]
#[cold]
fn tell(info: &std::panic::PanicHookInfo<'_>, message: &str) {
    use std::io::Write;
    let thread = std::thread::current();
    let (name, place) = (thread.name().unwrap_or("<unnamed>"), info.location().map(ToString::to_string));
    let place = place.unwrap_or_default();
    let _ = writeln!(std::io::stderr(), "\nthread '{name}' panicked at {place}:\n{message}");
}

/// A panic's message.
fn text(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a payload that is no text")
}

/// What a panic left: its payload and its place. It may go to another thread.
pub(super) struct Panic {
    payload: Box<dyn Any + Send>,
    place: Option<String>,
}

/// Runs what may panic on behalf of a tool, as a part of a call's steps.
pub(super) fn catch<R>(f: impl FnOnce() -> R) -> Result<R, Panic> {
    running(Running::Steps, f)
}

/// Runs the body of a blocking tool.
pub(super) fn catch_body<R>(f: impl FnOnce() -> R) -> Result<R, Panic> {
    running(Running::Body, f)
}

/// Whether a call's steps are polled on this thread.
pub(super) fn in_steps() -> bool {
    RUNNING.get() == Running::Steps
}

fn running<R>(what: Running, f: impl FnOnce() -> R) -> Result<R, Panic> {
    let before = RUNNING.replace(what);
    let ended = catch_unwind(AssertUnwindSafe(f));
    RUNNING.set(before);
    ended.map_err(|payload| Panic { payload, place: PLACE.take() })
}

/// A panic's message is for the operator: the caller gets the id under which it is logged.
pub(super) fn told(state: &CallState, panic: Panic) -> Failure {
    let Panic { payload, place } = &panic;
    // here too, for a program whose log is not bdk's
    let said = &*secrets::blank(text(&**payload));
    let (call_id, tool) = (&state.call_id, state.tool().name());
    // not `message`, which is the event's own
    tracing::error!(target: "bdk::call", call_id, tool, place, panic = said, "a tool panicked");
    discard(panic);
    Failure::panicked(&state.call_id)
}

/// Drops a panic's payload, which may panic itself; what that leaves is leaked, or it would go on for ever.
pub(super) fn discard(panic: Panic) {
    if let Err(again) = catch(move || drop(panic)) {
        std::mem::forget(again);
    }
}
