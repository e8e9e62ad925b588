//! Storage: threads and their log, documents, evidence, access, the ontology.
//!
//! [`Store`] combines one trait per subject: [`DocumentStore`], [`ThreadStore`], [`EvidenceStore`],
//! [`AccessStore`], [`CatalogueStore`], [`ConversationStore`], [`LibraryStore`], [`UpstreamStore`], [`Ontology`]. [`SqliteStore`] stores everything in a data directory, [`MemoryStore`] in
//! memory; both pass the same suite of tests. Everything belongs to a [`Principal`]. For other principals it
//! does not exist.
//!
//! Every call begins its work at once and returns a [`StoreFuture`]. When it resolves, the written data is safe
//! from a crash of the process. No runtime is needed:
//!
//! ```
//! use json::Json;
//! use store::{LogBatch, BeginRun, MemoryStore, NewRun, Principal, RunId, Store, ThreadId, ThreadStore, Timestamp};
//!
//! let store: Box<dyn Store> = Box::new(MemoryStore::new());
//! let local = Principal::local();
//! let thread = ThreadId::new("t-1")?;
//! let begun = store.begin_run(&local, NewRun {
//!     thread: thread.clone(),
//!     run: RunId::new("r-1")?,
//!     agent: "demo".to_owned(),
//!     parent: None,
//!     input: Json::parse(r#"{"threadId":"t-1","runId":"r-1","messages":[]}"#).expect("JSON"),
//!     started: Timestamp(0),
//! }).wait()?;
//! let BeginRun::New(run, _) = begun else { panic!("the run is new") };
//!
//! let mut batch = LogBatch::new();
//! batch.push(br#"{"type":"RUN_STARTED","threadId":"t-1","runId":"r-1"}"#);
//! batch.push(br#"{"type":"RUN_FINISHED","threadId":"t-1","runId":"r-1"}"#);
//! assert_eq!(store.append(run, batch).wait()?, 1);
//!
//! let events = store.events(&local, &thread, 1, 100).wait()?;
//! assert_eq!(events.iter().map(|(sequence, _)| sequence).collect::<Vec<_>>(), [2]);
//! # Ok::<(), store::StoreError>(())
//! ```
//!
//! Time, ids and secrets are passed in. Failures are [`StoreError`]s with a hint.

mod access;
mod catalogue;
mod change_notifier;
mod conversation_records;
mod documents;
mod error;
mod evidence;
mod future;
mod ids;
mod library;
mod log;
mod memory;
mod ontology;
mod paging;
mod sqlite;
mod threads;
mod upstreams;
mod varint;

pub use access::{AccessStore, ApiKey, AuditEntry, KeyHash};
pub use catalogue::{CatalogueRecord, CatalogueStore, CatalogueWrite};
pub use conversation_records::{ConversationRecord, ConversationStore};
pub use documents::{
    AttachOutcome, Attachment, DocumentDescription, DocumentStatus, DocumentStore, NewAttachment,
    ORIGINAL, StoredDocument,
};
pub use error::{Result, StoreError};
pub use evidence::{CitationReview, EvidenceStore, ReviewAction, StoredVerification};
pub use future::StoreFuture;
pub use ids::{AttachmentId, MAX_ID_BYTES, Principal, RunId, Sequence, ThreadId, Timestamp};
pub use library::{
    DerivedIndex, DocumentChange, LibraryCounts, LibraryEntry, LibraryJob, LibraryJobUpdate,
    LibraryState, LibraryStore, RequeueScope,
};
pub use log::{LogBatch, LogPage, MAX_EVENT_BYTES, StoredEvents};
pub use memory::MemoryStore;
pub use ontology::{
    ConnectionQuery, EventQuery, Knowledge, KnowledgeQuery, Ontology, OntologyEvent, OntologyGroup,
    OntologyRecord, Person, QueryChange, QueryCursor, Thing, ThingConnection, ThingKnowledge,
    ThingQuery, agent_id, conversation_id, document_id, message_id,
};
pub use paging::{Listing, PageRequest};
pub use sqlite::{CheckDepth, Durability, OpenOptions, OpenRole, SqliteStore};
pub use threads::{
    BeginRun, Checkpoint, MessagePage, NewRun, OpenRun, RunStatus, StoredActivity,
    StoredLateResult, StoredMessage, StoredRun, StoredRunEnd, StoredState, Thread, ThreadChange,
    ThreadStore, UnfinishedRun,
};
pub use upstreams::{StoredUpstream, UpstreamStore};

/// All storage of the program.
pub trait Store:
    AccessStore
    + CatalogueStore
    + ConversationStore
    + DocumentStore
    + EvidenceStore
    + LibraryStore
    + Ontology
    + ThreadStore
    + UpstreamStore
    + Send
    + Sync
    + 'static
{
}

impl<
    S: AccessStore
        + CatalogueStore
        + ConversationStore
        + DocumentStore
        + EvidenceStore
        + LibraryStore
        + Ontology
        + ThreadStore
        + UpstreamStore
        + Send
        + Sync
        + 'static,
> Store for S
{
}
