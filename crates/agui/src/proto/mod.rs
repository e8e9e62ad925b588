//! The binary wire: events as protobuf messages, in frames of a length and a message.
//!
//! Byte for byte what `@ag-ui/proto` 1.0.0 writes, and its rules for reading. The schema is data
//! (`tables.rs`), used in both directions; `prost` does not fit, because a `Struct` has an order on
//! this wire, invalid UTF-8 is replaced, and two events in one message are an error.
//!
//! ```
//! use agui::event::StepStarted;
//! use agui::proto::{FrameDecoder, encode_frame};
//! use agui::{Event, RawEvent};
//!
//! let event = Event::from(StepStarted { step_name: "plan".into() });
//! let mut bytes = Vec::new();
//! encode_frame(&event, &mut bytes);
//! assert_eq!(bytes[..4], [0, 0, 0, 12]);
//!
//! let mut decoder = FrameDecoder::new();
//! decoder.push(&bytes);
//! let Some(Ok(RawEvent::Clean(read))) = decoder.next_event() else { panic!() };
//! assert_eq!(read, event);
//! ```

mod arms;
mod decode;
mod encode;
mod frames;
mod loose;
mod plain;
mod tables;
#[cfg(test)]
mod tests;
mod tree;
mod value;
mod wire;

pub use decode::decode;
pub use encode::{Encoded, encode, encode_frame, encode_raw_frame};
pub use frames::{FrameDecoder, FrameError, MAX_FRAME};

use crate::event::EventType;

/// Why a message is not an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProtoError {
    /// It is an event, but of a type that came later than this code.
    #[error("the event is of an unknown type")]
    UnknownEventType,
    /// It is not an event.
    #[error("invalid event: {0}")]
    Invalid(&'static str),
    /// It is one event by its place in the message and another by its own words.
    #[error(
        "invalid event: it is a {carried} but calls itself {}",
        .declared.map_or("something unknown", EventType::as_str)
    )]
    TypeMismatch {
        /// The event the message carries.
        carried: EventType,
        /// The type it declares, if that is known.
        declared: Option<EventType>,
    },
    /// Its bytes are not protobuf, or hold what cannot be an event's data.
    #[error("malformed message: {0}")]
    Malformed(&'static str),
}
