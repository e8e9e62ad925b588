//! Integration tests of the server, over TCP and against generated files.

mod access;
mod access_changes;
mod administration;
mod export;
mod generated;
mod http;
mod sessions;
mod test_server;
