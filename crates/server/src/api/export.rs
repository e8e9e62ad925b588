//! Lines of an export.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RawJson;
use super::citations::{CitationJson, ReviewActionName, VerificationJson};
use super::documents::DocumentInfo;
use super::principals::AuditRecord;
use super::threads::{EventJson, StateJson};

/// Principal to export.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ExportQuery {
    /// Other principal to export; requires the scope `admin`.
    #[schemars(length(min = 1))]
    pub(crate) principal: Option<String>,
}

/// Line of an export. The last line has the kind `end`, or `error` if the export is incomplete.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "lowercase",
    rename_all_fields = "camelCase"
)]
pub(crate) enum ExportLine {
    /// Attachment with its file.
    Document {
        /// Attachment.
        #[serde(flatten)]
        document: Box<DocumentInfo>,
        /// File in base64.
        file: String,
    },
    /// Thread.
    Thread {
        /// Thread id.
        id: String,
        /// Agent of the first run.
        agent: String,
        /// Title.
        title: Option<String>,
        /// True if the thread was archived.
        archived: bool,
        /// Thread from which this one was branched.
        parent_thread_id: Option<String>,
        /// Last run before the branch.
        parent_run_id: Option<String>,
        /// Time of the first run (RFC 3339).
        created_at: String,
        /// Time of the last change (RFC 3339).
        updated_at: String,
        /// Shared state.
        state: StateJson,
    },
    /// Record of the conversation before it: a message of the canvas, an execution of an action, shared context.
    Record {
        /// Thread id.
        thread: String,
        /// `message`, `action`, `context` or `context_answer`.
        record_kind: &'static str,
        /// Id of the message, idempotency key of the execution, or name of the field.
        id: String,
        /// Record.
        record: RawJson,
        /// Time of creation (RFC 3339).
        created_at: String,
        /// Time of the last change (RFC 3339).
        updated_at: String,
    },
    /// Run of the thread before it.
    Run {
        /// Thread id.
        thread: String,
        /// Run id.
        id: String,
        /// Name of the agent.
        agent: String,
        /// Status.
        status: &'static str,
        /// Sequence number of the event before the first event of the run.
        after: u64,
        /// Sequence number of its last event.
        last: Option<u64>,
        /// Time at which it started (RFC 3339).
        started_at: String,
        /// Time at which it ended (RFC 3339).
        ended_at: Option<String>,
        /// `RunAgentInput` as the client sent it.
        input: Option<RawJson>,
    },
    /// Event of the thread before it.
    Event {
        /// Thread id.
        thread: String,
        /// Sequence number.
        sequence: u64,
        /// AG-UI event.
        event: EventJson,
    },
    /// Late result of the thread before it: a change of its state after a run.
    Amendment {
        /// Thread id.
        thread: String,
        /// Run id.
        run: String,
        /// JSON Patch.
        patch: RawJson,
        /// Time of the change (RFC 3339).
        at: String,
    },
    /// Verification of a citation.
    Verification {
        /// Evidence id.
        id: String,
        /// Citation key.
        key: String,
        /// Thread id.
        thread: Option<String>,
        /// Message id.
        message: Option<String>,
        /// Hash of the document.
        document: Option<String>,
        /// Citation.
        citation: CitationJson,
        /// Verification.
        verification: VerificationJson,
        /// Time of the verification (RFC 3339).
        created_at: String,
    },
    /// Step of the review of a citation.
    Review {
        /// Citation key.
        key: String,
        /// Step.
        action: ReviewActionName,
        /// Reason.
        note: Option<String>,
        /// Time of the step (RFC 3339).
        at: String,
    },
    /// API key, without its secret.
    Key {
        /// Key id.
        id: String,
        /// Name of the key.
        name: String,
        /// Scopes.
        scopes: Vec<String>,
        /// Time at which it was created (RFC 3339).
        created_at: String,
        /// Time at which it expires (RFC 3339).
        expires_at: Option<String>,
        /// Time at which it was revoked (RFC 3339).
        revoked_at: Option<String>,
        /// Time of its last use (RFC 3339).
        used_at: Option<String>,
    },
    /// Entry of the audit log.
    Audit(AuditRecord),
    /// Group of the ontology.
    Group {
        /// Id.
        id: String,
        /// Short name for addresses.
        slug: String,
        /// Name.
        name: String,
        /// Type.
        r#type: String,
        /// Group that contains it.
        parent: Option<String>,
        /// Description.
        description: Option<String>,
        /// Data of programs.
        metadata: RawJson,
        /// Settings.
        settings: RawJson,
        /// Status.
        status: String,
        /// Time at which it was created (RFC 3339).
        created_at: String,
        /// Time of the last change (RFC 3339).
        updated_at: String,
    },
    /// Person of the ontology.
    Person {
        /// Id.
        id: String,
        /// Main group.
        group: String,
        /// All groups.
        groups: RawJson,
        /// Name.
        name: String,
        /// Email address.
        email: Option<String>,
        /// User name.
        username: Option<String>,
        /// Role.
        role: String,
        /// Permissions.
        permissions: RawJson,
        /// Time at which it was created (RFC 3339).
        created_at: String,
        /// Time of the last change (RFC 3339).
        updated_at: String,
    },
    /// Thing of the ontology.
    Thing {
        /// Id.
        id: String,
        /// Type.
        r#type: String,
        /// Group.
        group: String,
        /// Name.
        name: String,
        /// Thing that contains it.
        within: Option<String>,
        /// Data of programs.
        properties: RawJson,
        /// Status.
        status: String,
        /// Time at which it was created (RFC 3339).
        created_at: String,
        /// Time of the last change (RFC 3339).
        updated_at: String,
    },
    /// Connection of two things of the ontology.
    Connection {
        /// Id.
        id: String,
        /// Type.
        r#type: String,
        /// First thing.
        from: String,
        /// Second thing.
        to: String,
        /// Group.
        group: String,
        /// Data of programs.
        metadata: Option<RawJson>,
        /// Strength.
        strength: Option<RawJson>,
        /// Time from which it holds (RFC 3339).
        valid_from: Option<String>,
        /// Time until which it holds (RFC 3339).
        valid_to: Option<String>,
        /// Time at which it was created (RFC 3339).
        created_at: String,
        /// Time of the last change (RFC 3339).
        updated_at: String,
    },
    /// Event of the ontology.
    Happened {
        /// Id.
        id: String,
        /// Type.
        r#type: String,
        /// Thing or person that acted.
        actor: String,
        /// Thing that it was done to.
        target: Option<String>,
        /// Group.
        group: String,
        /// Data of programs.
        metadata: Option<RawJson>,
        /// Time of the event (RFC 3339).
        at: String,
    },
    /// Knowledge of the ontology: labels and passages prepared for search.
    Knowledge {
        /// Id.
        id: String,
        /// Type.
        r#type: String,
        /// Group.
        group: String,
        /// Text.
        text: Option<String>,
        /// Embedding in base64.
        embedding: Option<String>,
        /// Model that made the embedding.
        embedding_model: Option<String>,
        /// Thing that it is about.
        source: Option<String>,
        /// Field of that thing.
        source_field: Option<String>,
        /// Position of the passage.
        chunk: Option<RawJson>,
        /// Labels.
        labels: RawJson,
        /// Data of programs.
        metadata: Option<RawJson>,
        /// Time at which it was created (RFC 3339).
        created_at: String,
        /// Time of the last change (RFC 3339).
        updated_at: String,
    },
    /// End of a complete export.
    End {},
    /// Failure that ends an incomplete export.
    Error {
        /// Description of the failure.
        message: String,
        /// Advice on what to do.
        hint: String,
    },
}
