//! Being an agent for others, without knowing any HTTP framework.
//!
//! A request is read by [`read_request`](crate::input::read_request), its `Accept` header chooses the
//! wire ([`Wire::negotiate`](crate::negotiate::Wire::negotiate)), the agent's events become bytes in an
//! [`EventBody`]. An agent that computes in a task of its own hands its events over in a bounded
//! [`queue()`].

mod body;
mod queue;

pub use body::{BodyOptions, EventBody};
pub use queue::{Disconnected, EventSender, queue};
