//! Integration tests of the crate.

mod failover;
mod providers;
mod replay_server;
mod tool_loop;
