//! Server side of AG-UI, without an HTTP framework.
//!
//! A request is read by [`read_request`](agui::input::read_request), its `Accept` header chooses the encoding
//! ([`Encoding::negotiate`](agui::negotiate::Encoding::negotiate)), and the events of the agent become bytes in
//! an [`EventBody`]. An agent that runs in a task sends its events through a bounded [`queue()`].

mod body;
mod queue;

pub use body::{BodyOptions, EventBody};
pub use queue::{EventSender, ReceiverClosed, queue};
