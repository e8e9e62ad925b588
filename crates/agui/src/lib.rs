//! AG-UI 1.0: types, both wires, the rules, folding.
//!
//! A stream of bytes becomes events ([`sse`], [`proto`], [`stream`]); events pass the compatibility
//! boundary ([`compat`]), enforcement ([`enforce`]), chunk expansion ([`expand`]) and verification
//! ([`verify`]), one by one or all in a [`pipeline`]; what comes out builds a conversation ([`fold`]).
//!
//! ```
//! use agui::RawEvent;
//! use agui::fold::Fold;
//! use agui::pipeline::Pipeline;
//! use agui::sse::Decoder;
//!
//! let bytes = br#"data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}
//!
//! data: {"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"Hello"}
//!
//! data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}
//!
//! "#;
//! let mut decoder = Decoder::new();
//! let mut pipeline = Pipeline::new(|| "an id for older streams that have none".to_owned());
//! let mut fold = Fold::default();
//!
//! decoder.push(bytes);
//! decoder.finish();
//! let mut event = RawEvent::default();
//! while let Some(read) = decoder.next_into(&mut event) {
//!     read?;
//!     pipeline.process(&event, |removed| println!("{removed:?}"), |event| {
//!         fold.apply(event).expect("the pipeline expands chunks");
//!     })?;
//! }
//! let messages: Vec<String> = fold.messages().map(|message| message.to_json()).collect();
//! assert_eq!(messages, [r#"{"id":"m","role":"assistant","content":"Hello"}"#]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod agent;
pub mod compact;
pub mod compat;
pub mod enforce;
pub mod event;
pub mod expand;
pub mod fold;
pub mod http;
mod id_table;
pub mod input;
pub mod json;
pub mod model;
pub mod negotiate;
pub mod older;
pub mod patch;
pub mod pipeline;
pub mod proto;
mod raw;
mod schema;
pub mod serve;
pub mod session;
pub mod sse;
pub mod stream;
pub mod strict;
mod typed;
mod utf8;
pub mod verify;

pub use agent::{Agent, AgentError, EventStream};
pub use event::{Event, EventData, EventType};
pub use raw::{EventReader, RawEvent, ReadError, Unread};
pub use typed::{Count, SafeInt};
