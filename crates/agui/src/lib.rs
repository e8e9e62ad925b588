//! AG-UI 1.0: types, both wires, the rules, folding.

pub mod compact;
pub mod compat;
pub mod enforce;
pub mod event;
pub mod expand;
pub mod fold;
mod id_table;
pub mod json;
pub mod model;
pub mod negotiate;
pub mod patch;
pub mod pipeline;
pub mod proto;
mod raw;
mod schema;
pub mod sse;
pub mod stream;
pub mod strict;
mod typed;
mod utf8;
pub mod verify;

pub use event::{Event, EventData, EventType};
pub use raw::{EventReader, RawEvent, ReadError, Unread};
pub use typed::{Count, SafeInt};
