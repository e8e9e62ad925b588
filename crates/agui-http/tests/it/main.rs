//! Integration tests of the crate.

mod connections;
mod redirects_and_retries;
mod responses;
mod scripted_server;
mod session;
