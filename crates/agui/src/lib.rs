//! AG-UI 1.0: events, model, encodings, rules, pipeline, fold, compaction.
//!
//! Bytes are decoded to events ([`sse`], [`proto`], [`stream`]). Events pass the legacy upgrade
//! ([`compat`]), schema enforcement ([`enforce`]), chunk expansion ([`expand`]) and verification
//! ([`verify`]), separately or together in a [`pipeline`]. The [`fold`] builds the conversation from
//! the resulting events.
//!
//! ```
//! use agui::ReceivedEvent;
//! use agui::fold::Fold;
//! use agui::pipeline::Pipeline;
//! use agui::sse::SseDecoder;
//!
//! let bytes = br#"data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}
//!
//! data: {"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"Hello"}
//!
//! data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}
//!
//! "#;
//! let mut decoder = SseDecoder::new();
//! let mut pipeline = Pipeline::new(|| "id for legacy events without one".to_owned());
//! let mut fold = Fold::default();
//!
//! decoder.push(bytes);
//! decoder.finish();
//! let mut event = ReceivedEvent::default();
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
pub mod downgrade;
pub mod enforce;
pub mod event;
pub mod expand;
pub mod fold;
mod id_table;
pub mod input;
pub mod legacy;
pub mod model;
pub mod negotiate;
pub mod pipeline;
pub mod proto;
mod received;
pub mod sse;
pub mod stream;
pub mod strict;
mod utf8;
pub mod verify;

pub use agent::{Agent, AgentError, EventStream};
pub use event::{Event, EventData, EventType};
pub use json::typed::{SafeCount, SafeInt};
pub use received::{EventReadError, EventReader, ReceivedEvent, UntypedEvent};
