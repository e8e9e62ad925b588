//! The reader: answers questions from the documents of a library.
//!
//! [`answer_from_passages`] selects sentences; it needs no model, no network and no clock. [`ReaderAgent`] is the agent:
//! it uses a model if one is configured, with the same documents and under the same checks.

mod agent;
mod answer_editor;
mod answer_text;
mod confidence;
mod evidence;
mod extractive;
mod lexicon;
mod library;
mod model_reader;
mod opposition;
mod question;
mod sentences;
mod session;

pub use agent::{EXTRACTIVE_MODEL, ReaderAgent, last_question};
pub(crate) use answer_text::{QuotedSource, citation_block};
pub use confidence::ConfidenceFactor;
pub use extractive::{ExtractiveAnswer, ReaderOutcome, SelectedQuote, answer_from_passages};
pub use library::{
    ReaderDocument, ReaderError, ReaderFuture, ReaderLibrary, ReaderPage, ReaderPassage,
};
pub use question::{Question, QuestionKind};
