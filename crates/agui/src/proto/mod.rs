//! Protobuf encoding: events as messages, in frames of a length and a message.
//!
//! Encoding produces the same bytes as `@ag-ui/proto` 1.0.0, and decoding follows its rules. The
//! schema is data (`schema.rs`), used in both directions. `prost` does not fit, because a `Struct`
//! keeps its order here, invalid UTF-8 is replaced, and two events in one message are an error.
//!
//! ```
//! use agui::event::StepStarted;
//! use agui::proto::{FrameDecoder, encode_frame};
//! use agui::{Event, ReceivedEvent};
//!
//! let event = Event::from(StepStarted { step_name: "plan".into() });
//! let mut bytes = Vec::new();
//! encode_frame(&event, &mut bytes);
//! assert_eq!(bytes[..4], [0, 0, 0, 12]);
//!
//! let mut decoder = FrameDecoder::new();
//! decoder.push(&bytes);
//! let Some(Ok(ReceivedEvent::Typed(read))) = decoder.next_event() else { panic!() };
//! assert_eq!(read, event);
//! ```

mod coercion;
mod decode;
mod decode_flat;
mod encode;
mod encode_json;
mod frames;
mod oneof;
mod schema;
mod struct_value;
#[cfg(test)]
mod tests;
mod wire_format;

pub use decode::decode;
pub use encode::{EncodeOutcome, encode, encode_frame, encode_received_frame};
pub use frames::{FrameDecoder, FrameError, MAX_FRAME};

use crate::event::EventType;

/// Error of a message that is not a valid event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProtoError {
    /// Event of a type that is newer than this code.
    #[error("the event is of an unknown type")]
    UnknownEventType,
    /// The message is not an event.
    #[error("invalid event: {0}")]
    Invalid(&'static str),
    /// The `oneof` field and the declared type name different events.
    #[error(
        "invalid event: it is a {carried} but calls itself {}",
        .declared.map_or("something unknown", EventType::as_str)
    )]
    TypeMismatch {
        /// Type of the `oneof` field.
        carried: EventType,
        /// Declared type, if it is known.
        declared: Option<EventType>,
    },
    /// The bytes are not protobuf, or contain values that no event can have.
    #[error("malformed message: {0}")]
    Malformed(&'static str),
}
