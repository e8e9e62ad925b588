//! Documents of a run: those that it names or its messages contain, or else all documents of its principal.

mod prompt_documents;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use agui::model::{Content, ContentPart, MediaKind, MediaSource, PartBody, RunAgentInput};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use citation_stream::{LineRange, PromptDocument};
use citations::resolve::SourceCandidate;
use documents::ContentId;
use json::{Json, Value};
use net::Fetcher;
use store::{Attachment, AttachmentId, NewAttachment, Principal, Store, Timestamp};

use crate::library::{CachedDocument, DocumentLibrary, DocumentUnavailable, NamedDocument};

/// Number of documents that a run may name, and of those that its messages may contain.
const MAX_DOCUMENTS: usize = 100;
/// Name of a file that came without one.
const UNNAMED: &str = "document";
/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// Documents of a run with their names, in the order in which the model was given them.
#[derive(Debug, Clone, Default)]
pub struct RunDocuments {
    documents: Vec<RunDocument>,
    /// Indices in `documents` by attachment id.
    by_id: HashMap<String, usize>,
    /// True if the run selects no documents, so that all of the principal count.
    is_whole_library: bool,
    /// True if the run names documents or labels, so that no others count even if there are no such documents.
    is_restricted: bool,
}

/// Document of a run with the names by which a citation may mean it.
#[derive(Debug, Clone)]
struct RunDocument {
    id: String,
    document: CachedDocument,
    file_name: Option<String>,
    url: Option<String>,
    names: DocumentNames,
    /// Passages that an instructed agent is given; `None` for the whole document.
    passages: Option<Vec<LineRange>>,
}

/// Names of a document for people.
#[derive(Debug, Clone, Default)]
pub(crate) struct DocumentNames {
    /// File name of a file, title of a fetched page.
    pub(crate) label: Option<String>,
    /// Address from which it was fetched, or else its file name.
    pub(crate) uri: Option<String>,
}

impl RunDocuments {
    /// Adds a document with all its names. The first document with an id counts.
    pub fn add(&mut self, id: &str, named: &NamedDocument, document: CachedDocument) {
        if self.by_id.contains_key(id) {
            return;
        }
        let attachment = match named {
            NamedDocument::Attachment(attachment) => Some(attachment),
            NamedDocument::Content(_) => None,
        };
        self.by_id.insert(id.to_owned(), self.documents.len());
        self.documents.push(RunDocument {
            id: id.to_owned(),
            document,
            file_name: attachment.map(|attachment| attachment.name.clone()),
            url: attachment.and_then(|attachment| attachment.origin.clone()),
            names: DocumentNames::of(named),
            passages: None,
        });
    }

    /// Adds a passage of a document, which an instructed agent is given instead of the whole document.
    fn add_passage(&mut self, id: &str, lines: LineRange) {
        let at = self.by_id.get(id).copied();
        if let Some(document) = at.and_then(|at| self.documents.get_mut(at)) {
            document.passages.get_or_insert_default().push(lines);
        }
    }

    /// Returns the documents for the instructions of an agent.
    pub(crate) fn for_prompt(&self) -> Vec<PromptDocument> {
        let documents = self.documents.iter();
        documents
            .map(|document| PromptDocument {
                id: document.id.clone(),
                document: document.document.document(),
                passages: document.passages.clone(),
            })
            .collect()
    }

    /// Returns all documents with their attachment ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &CachedDocument)> {
        let documents = self.documents.iter();
        documents.map(|document| (document.id.as_str(), &document.document))
    }

    /// Returns true if the run selects documents. A citation without a source is searched in those only.
    pub(crate) fn is_selection(&self) -> bool {
        !self.is_whole_library && (self.is_restricted || !self.documents.is_empty())
    }

    /// Returns the documents that the run names by id or label; `None` if it names none.
    pub(crate) fn restriction(&self) -> Option<Vec<ContentId>> {
        let documents = self.documents.iter();
        self.is_restricted
            .then(|| documents.map(|document| document.document.id()).collect())
    }

    /// Returns the names of a document for people.
    pub(crate) fn names(&self, id: &str) -> Option<&DocumentNames> {
        Some(&self.documents.get(*self.by_id.get(id)?)?.names)
    }

    /// Returns the names by which a citation may mean each document.
    pub(crate) fn candidates(&self) -> Vec<SourceCandidate<'_>> {
        let documents = self.documents.iter().zip(1..);
        let candidates = documents.map(|(document, index)| SourceCandidate {
            document_id: Some(document.document.id()),
            attachment_id: Some(&document.id),
            file_name: document.file_name.as_deref(),
            title: document.document.title(),
            url: document.url.as_deref(),
            path: None,
            index: Some(index),
        });
        candidates.collect()
    }

    /// Returns the documents at these indices of [`RunDocuments::candidates`].
    pub(crate) fn select(&self, indices: &[usize]) -> Vec<(String, CachedDocument)> {
        let documents = indices.iter().filter_map(|at| self.documents.get(*at));
        documents
            .map(|document| (document.id.clone(), document.document.clone()))
            .collect()
    }
}

impl DocumentNames {
    /// Returns the names of a stored document.
    pub(crate) fn of(named: &NamedDocument) -> Self {
        let title = named.document().title.as_ref();
        let NamedDocument::Attachment(attachment) = named else {
            return Self {
                label: title.cloned(),
                uri: None,
            };
        };
        let name = Some(&attachment.name).filter(|name| !name.is_empty() && *name != UNNAMED);
        let label = match attachment.origin {
            Some(_) => title.or(name),
            None => name.or(title),
        };
        Self {
            label: label.cloned(),
            uri: attachment.origin.as_ref().or(name).cloned(),
        }
    }
}

/// Loader of the documents of a run.
pub(crate) struct RunDocumentLoader {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) library: Arc<DocumentLibrary>,
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) clock: fn() -> Timestamp,
}

impl RunDocumentLoader {
    /// Loads the documents that the messages contain and those that the state or the forwarded properties name.
    /// `state` is the state that the client sent, or else that of the thread. A document that cannot be read is left
    /// out: the run continues, and a citation of it has a missing source.
    pub(crate) async fn load(
        &self,
        principal: &Principal,
        input: &RunAgentInput,
        state: Option<&Json>,
    ) -> RunDocuments {
        let labels = forwarded_names(input, "labels");
        let mut documents = RunDocuments {
            is_restricted: !labels.is_empty()
                || !forwarded_names(input, "attachmentIds").is_empty(),
            ..RunDocuments::default()
        };
        if !labels.is_empty() {
            self.add_labelled(principal, &labels, &mut documents).await;
        }
        for id in attachment_ids(input, state).into_iter().take(MAX_DOCUMENTS) {
            let now = (self.clock)();
            match self.library.named(principal, &id, now).await {
                Ok((named, document)) => documents.add(&id, &named, document),
                Err(DocumentUnavailable::Missing(_)) => {
                    self.add_named(principal, &id, &mut documents).await;
                }
                Err(error) => tracing::warn!(attachment = %id, %error, "a document is not used"),
            }
        }
        for part in content_parts(input).take(MAX_DOCUMENTS) {
            let document = match (embedded_file(part), source_url(part)) {
                (Some(file), _) => {
                    self.attach(principal, &ContentId::of(&file.bytes), file)
                        .await
                }
                (None, Some(url)) => self.fetch(principal, url).await,
                (None, None) => None,
            };
            if let Some((attachment, document)) = document {
                let id = attachment.id.to_string();
                documents.add(&id, &NamedDocument::Attachment(attachment), document);
            }
        }
        documents
    }

    /// Adds the documents that have all of these labels.
    async fn add_labelled(
        &self,
        principal: &Principal,
        labels: &[String],
        documents: &mut RunDocuments,
    ) {
        let now = (self.clock)();
        let attachments = self.library.all(principal, now).await.unwrap_or_default();
        let ids: Vec<ContentId> = attachments.iter().map(|one| one.document.id).collect();
        let entries = self.store.library_entries(principal, &ids, now).await;
        let labelled: HashSet<ContentId> = entries
            .unwrap_or_default()
            .into_iter()
            .filter(|entry| labels.iter().all(|label| entry.labels.contains(label)))
            .map(|entry| entry.document)
            .collect();
        let chosen = attachments
            .into_iter()
            .filter(|attachment| labelled.contains(&attachment.document.id));
        for attachment in chosen.take(MAX_DOCUMENTS) {
            self.add_attachment(principal, attachment, documents).await;
        }
    }

    /// Adds an attachment, unless it cannot be read.
    async fn add_attachment(
        &self,
        principal: &Principal,
        attachment: Attachment,
        documents: &mut RunDocuments,
    ) {
        let (id, content) = (attachment.id.to_string(), attachment.document.id);
        let opened = self.library.open(principal, content, None, (self.clock)());
        match opened.await {
            Ok(document) => documents.add(&id, &NamedDocument::Attachment(attachment), document),
            Err(error) => tracing::warn!(attachment = %id, %error, "a document is not used"),
        }
    }

    /// Adds the documents with a file name, title or address.
    async fn add_named(&self, principal: &Principal, name: &str, documents: &mut RunDocuments) {
        let now = (self.clock)();
        let named = self.store.attachments_named(principal, name, now).await;
        let named = named.unwrap_or_default();
        if named.is_empty() {
            tracing::warn!(document = %name, "a document that a run names does not exist");
        }
        for attachment in named {
            self.add_attachment(principal, attachment, documents).await;
        }
    }

    /// Attaches a file under an id that is derived from `identity`, so that every turn uses the same id.
    async fn attach(
        &self,
        principal: &Principal,
        identity: &ContentId,
        file: ConversationFile,
    ) -> Option<(Attachment, CachedDocument)> {
        let attachment = NewAttachment {
            id: attachment_id(identity)?,
            name: file.name,
            media_type: file.media_type,
            original: file.bytes.into(),
            end_user: None,
            origin: file.origin,
            created: (self.clock)(),
            expires: file.expires,
        };
        match self.library.attach(principal, attachment).await {
            Ok((attached, document)) => Some((attached.attachment, document)),
            Err(error) => {
                tracing::warn!(%error, "a document of the conversation is not used");
                None
            }
        }
    }

    /// Returns the document at an address, fetched at most once a day. Returns `None` if fetching is off.
    async fn fetch(
        &self,
        principal: &Principal,
        url: &str,
    ) -> Option<(Attachment, CachedDocument)> {
        if self.fetcher.policy().is_off() {
            return None;
        }
        let now = (self.clock)();
        let identity = ContentId::of(url.as_bytes());
        let id = attachment_id(&identity)?;
        if let Ok(Some(known)) = self.store.attachment(principal, &id, now).await {
            let document = self.library.open(principal, known.document.id, None, now);
            if let Ok(document) = document.await {
                return Some((known, document));
            }
        }
        match self.fetcher.fetch(url).await {
            Ok(got) => {
                let file = ConversationFile {
                    name: got.name,
                    media_type: got.content_type.unwrap_or_default(),
                    bytes: got.bytes,
                    origin: Some(url.to_owned()),
                    expires: Some(Timestamp(now.0.saturating_add(DAY))),
                };
                self.attach(principal, &identity, file).await
            }
            Err(error) => {
                tracing::warn!(%error, "a document of the conversation was not fetched");
                None
            }
        }
    }
}

/// File of a conversation.
struct ConversationFile {
    name: String,
    media_type: String,
    bytes: Vec<u8>,
    origin: Option<String>,
    expires: Option<Timestamp>,
}

fn attachment_id(identity: &ContentId) -> Option<AttachmentId> {
    AttachmentId::new(&identity.to_string()[..20]).ok()
}

/// Returns the address of a document or image that a part names.
fn source_url(part: &ContentPart) -> Option<&str> {
    match &part.body {
        PartBody::Media(MediaKind::Document | MediaKind::Image, MediaSource::Url { value, .. }) => {
            Some(value)
        }
        _ => None,
    }
}

/// Returns the attachments that the state or the forwarded properties name.
fn attachment_ids(input: &RunAgentInput, state: Option<&Json>) -> Vec<String> {
    let mut named = Vec::new();
    let mut add = |value: Option<&Value>| {
        let id = value.and_then(Value::as_str).map(str::to_owned);
        named.extend(id.filter(|id| !id.is_empty()));
    };
    if let Some(state) = state.map(Json::value) {
        for part in state["fileDataParts"].as_array().unwrap_or_default() {
            add(part.as_object().and_then(|part| part.get("attachmentId")));
        }
    }
    named.extend(forwarded_names(input, "attachmentIds"));
    named
}

/// Returns the texts of a list in the forwarded properties.
fn forwarded_names(input: &RunAgentInput, list: &str) -> Vec<String> {
    let props = input.forwarded_props.as_ref().map(Json::value);
    let names = props.as_ref().and_then(|props| props.get(list)?.as_array());
    let names = names.unwrap_or_default().iter().filter_map(Value::as_str);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

fn content_parts(input: &RunAgentInput) -> impl Iterator<Item = &ContentPart> {
    input
        .messages
        .iter()
        .flat_map(|message| match &message.content {
            Content::Parts(parts) => parts.as_slice(),
            _ => &[],
        })
}

/// Returns the file that a part contains.
fn embedded_file(part: &ContentPart) -> Option<ConversationFile> {
    let PartBody::Media(MediaKind::Document | MediaKind::Image, source) = &part.body else {
        return None;
    };
    let MediaSource::Data { value, mime_type } = source else {
        return None;
    };
    let bytes = STANDARD
        .decode(value)
        .or_else(|_| STANDARD_NO_PAD.decode(value))
        .ok()?;
    let metadata = part.metadata.as_ref().map(|metadata| metadata.value());
    let name = metadata
        .as_ref()
        .and_then(|metadata| {
            metadata["filename"]
                .as_str()
                .or_else(|| metadata["name"].as_str())
        })
        .or(part.id.as_deref())
        .unwrap_or(UNNAMED);
    Some(ConversationFile {
        name: name.to_owned(),
        media_type: mime_type.clone(),
        bytes,
        origin: None,
        expires: None,
    })
}
