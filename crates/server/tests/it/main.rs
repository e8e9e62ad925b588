//! Integration tests of the server, over TCP and against generated files.

mod access;
mod export;
mod generated;
mod http;
mod test_server;
