//! Tests of the layer as a whole: scripted agents on one side, a client on the other.

mod agent_citations;
mod changed_messages;
mod citation_prompt;
mod client_state;
mod harness;
mod long_threads;
mod older_clients;
mod outcomes;
mod properties;
mod recorded_streams;
mod run_endings;
mod source_lists;
mod streaming;
mod thread_memory;
mod turns;
mod verification;

use harness::*;
