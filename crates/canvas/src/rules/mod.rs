//! Rules of texts and values that a schema cannot express.

mod color;
mod countries;
mod formats;
mod hidden_text;
mod links;
mod secrets;

pub(crate) use countries::is_area_code;
pub(crate) use formats::{TextFormat, moment};
pub(crate) use links::unsafe_link_in;
pub(crate) use secrets::asks_for_secret;
