//! JSON as this protocol needs it: received text kept, no digit lost, depth bounded.
//!
//! `serde_json` rejects lone surrogates, rounds long numbers and cannot tell where in the received
//! text a value stood; the AG-UI reference accepts the first, and a gateway must keep the others.

mod map;
mod opaque;
mod scan;
mod text;
mod value;
mod write;

pub use map::Map;
pub use opaque::{Json, JsonObject};
pub use scan::{JsonError, MAX_DEPTH};
pub use text::Text;
pub use value::{Number, Value};
pub use write::write_string;

pub(crate) use scan::{Literal, Scanner, plain_prefix, unescape};
pub(crate) use write::{write_compact, write_int};

#[cfg(test)]
mod tests;
