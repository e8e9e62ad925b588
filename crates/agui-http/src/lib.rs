//! AG-UI over HTTP.
//!
//! [`client`] calls an agent on another server, [`session`] keeps a conversation with an agent, and
//! [`serve`] turns the events of an agent into response bodies for any HTTP framework.

pub mod client;
pub mod serve;
pub mod session;
