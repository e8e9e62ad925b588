//! JSON values that keep received bytes, digits and member order; pointer, patch and diff; typed
//! reading and writing.
//!
//! `serde_json` rejects lone surrogates, rounds long numbers and does not report the byte range of a
//! value. The AG-UI reference accepts lone surrogates, and a gateway must forward numbers and values
//! as received. Nesting is limited to [`MAX_DEPTH`] everywhere.

mod lazy;
mod map;
pub mod patch;
mod scanner;
mod text;
pub mod typed;
mod value;
mod write;

pub use lazy::{Json, JsonObject};
pub use map::Map;
pub use scanner::{JsonError, MAX_DEPTH, Scanner, StringLiteral, plain_prefix_len, unescape};
pub use text::Text;
pub use value::{Number, Value};
pub use write::{write_compact, write_int, write_string};

#[cfg(test)]
mod tests;
