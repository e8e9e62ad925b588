//! Integration tests of the crate.

mod failover;
mod providers;
mod reader;
mod replay_server;
mod tool_loop;
