//! Library of documents: stored, read in sandbox processes and cached.

mod background_embedding;
mod cached_document;
mod connected_documents;
mod derived_index;
mod embedding_model;
mod expiry;
mod fair_queue;
mod index_writer;
mod indexer;
mod names;
mod passages;
mod sandbox_pool;
mod search;
mod vectors;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use documents::{ContentId, Document};
use parking_lot::Mutex;
use quick_cache::sync::Cache;
use sandbox::{ImageRequest, PageImageFile, SandboxError};
use store::{
    AttachOutcome, Attachment, AttachmentId, DocumentChange, DocumentDescription, DocumentStatus,
    NewAttachment, ORIGINAL, PageRequest, Principal, Store, StoreError, StoredDocument, Timestamp,
};
use tokio::sync::Notify;
use tokio::task;

use cached_document::{DocumentWeighter, OpenDocument};
use derived_index::LibraryIndex;
use sandbox_pool::SandboxPool;
use vectors::LibraryVectors;

pub use background_embedding::EmbeddingError;
pub use cached_document::CachedDocument;
pub use derived_index::IndexLocation;
pub use embedding_model::EmbeddingModel;
pub use fair_queue::WorkOwner;
pub(crate) use fair_queue::WorkSlot;
pub use names::{derived_attachment_id, file_name};
pub use passages::{OpenChunk, PassagePage};
pub use sandbox_pool::ReaderCommand;
pub use search::{
    FoundChunk, HitExplanation, LibraryChunk, MAX_SEARCH_OFFSET, SearchError, SearchMode,
    SearchRequest, SearchResponse,
};
pub use vectors::VectorState;

/// Part of a stored document that holds its text. The number changes with the format.
const TEXT: &str = "text-1";
/// Budget of the document cache, in bytes of their stored text.
const CACHED_BYTES: u64 = 512 << 20;
/// Expected number of cached documents.
const CACHED_DOCUMENTS: usize = 1_000;
/// Number of documents that are searched for a citation without a source.
const MAX_SEARCHED: usize = 1_000;

/// Document that is part of the program.
#[derive(Debug, Clone, Copy)]
pub struct SampleDocument {
    /// Attachment id.
    pub id: &'static str,
    /// File name.
    pub name: &'static str,
    /// Content of the file.
    pub file: &'static [u8],
}

/// Failure to provide a document.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DocumentUnavailable {
    /// The principal has no document of that name.
    #[error("there is no document '{0}'")]
    Missing(String),
    /// The file cannot be read.
    #[error("{reason}")]
    Unreadable {
        /// Reason for people.
        reason: String,
        /// Hint for people.
        hint: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<SandboxError> for DocumentUnavailable {
    fn from(unread: SandboxError) -> Self {
        Self::Unreadable {
            reason: unread.to_string(),
            hint: unread.hint().to_owned(),
        }
    }
}

/// Document that an id names.
#[derive(Debug)]
pub enum NamedDocument {
    /// Attachment with that id.
    Attachment(Attachment),
    /// Attached document with that content.
    Content(StoredDocument),
}

impl NamedDocument {
    /// Returns the stored document.
    pub fn document(&self) -> &StoredDocument {
        match self {
            Self::Attachment(attachment) => &attachment.document,
            Self::Content(document) => document,
        }
    }
}

/// Library of the documents of all principals.
pub struct DocumentLibrary {
    store: Arc<dyn Store>,
    cache: Cache<ContentId, Arc<OpenDocument>, DocumentWeighter>,
    sandbox: SandboxPool,
    index: LibraryIndex,
    vectors: LibraryVectors,
    /// Notified when the queue has new jobs.
    wake: Notify,
    /// Number of pages that were read so far, of the documents that are being read.
    reading: Arc<Mutex<HashMap<ContentId, u32>>>,
    /// Documents whose stored text is not used, because they are to be read again.
    rereads: Mutex<HashSet<ContentId>>,
}

impl DocumentLibrary {
    /// Creates a library over a store, without an embedding model.
    pub fn new(store: Arc<dyn Store>, command: ReaderCommand, index: IndexLocation) -> Self {
        Self {
            store,
            cache: Cache::with_weighter(CACHED_DOCUMENTS, CACHED_BYTES, DocumentWeighter),
            sandbox: SandboxPool::new(command),
            index: LibraryIndex::new(index),
            vectors: LibraryVectors::new(None),
            wake: Notify::new(),
            reading: Arc::default(),
            rereads: Mutex::default(),
        }
    }

    /// Uses an embedding model. Its vectors are used after [`DocumentLibrary::load_vectors`].
    #[must_use]
    pub fn with_embedding(mut self, model: Option<EmbeddingModel>) -> Self {
        self.vectors = LibraryVectors::new(model);
        self
    }

    /// Returns the number of files that wait to be read or are being read.
    pub fn waiting(&self) -> usize {
        self.sandbox.waiting()
    }

    /// Stores a file and reads it. A new file that cannot be read is removed again.
    pub async fn attach(
        &self,
        principal: &Principal,
        attachment: NewAttachment,
    ) -> Result<(AttachOutcome, CachedDocument), DocumentUnavailable> {
        let (file, now) = (attachment.original.clone(), attachment.created);
        let name = file_name(&attachment.name);
        let attachment = NewAttachment {
            name: name.clone(),
            ..attachment
        };
        let attached = self.store.attach(principal, attachment).await?;
        self.wake.notify_one();
        let id = attached.attachment.document.id;
        match self.open(principal, id, Some((file, &name)), now).await {
            Ok(document) => Ok((attached, document)),
            Err(error) => {
                if !attached.existed {
                    self.detach(principal, &attached.attachment.id).await?;
                }
                Err(error)
            }
        }
    }

    /// Stores a file, which is read and indexed in the background.
    pub async fn enqueue(
        &self,
        principal: &Principal,
        attachment: NewAttachment,
    ) -> Result<AttachOutcome, StoreError> {
        let attachment = NewAttachment {
            name: file_name(&attachment.name),
            ..attachment
        };
        let attached = self.store.attach(principal, attachment).await?;
        self.wake.notify_one();
        Ok(attached)
    }

    /// Removes an attachment, and its document from the index if it was the last one. Returns false if there is none.
    pub async fn detach(
        &self,
        principal: &Principal,
        id: &AttachmentId,
    ) -> Result<bool, StoreError> {
        let detached = self.store.detach(principal, id).await?;
        self.wake.notify_one();
        Ok(detached)
    }

    /// Changes title and labels of a document. Returns false if the principal has no such document.
    pub async fn change_document(
        &self,
        principal: &Principal,
        document: ContentId,
        change: DocumentChange,
    ) -> Result<bool, StoreError> {
        let changed = self
            .store
            .change_document(principal, document, change)
            .await?;
        self.wake.notify_one();
        Ok(changed)
    }

    /// Attaches a document that is part of the program, unless the principal has it.
    pub async fn attach_sample(
        &self,
        principal: &Principal,
        sample: &SampleDocument,
        now: Timestamp,
    ) -> Result<(NamedDocument, CachedDocument), DocumentUnavailable> {
        let attachment = NewAttachment {
            id: AttachmentId::new(sample.id)?,
            name: sample.name.to_owned(),
            media_type: "application/octet-stream".to_owned(),
            original: Bytes::from_static(sample.file),
            end_user: None,
            origin: None,
            created: now,
            expires: None,
        };
        let (attached, document) = self.attach(principal, attachment).await?;
        Ok((NamedDocument::Attachment(attached.attachment), document))
    }

    /// Returns what an id names: the principal's attachment with that id, or else the document with that content.
    pub async fn find(
        &self,
        principal: &Principal,
        id: &str,
        now: Timestamp,
    ) -> Result<NamedDocument, DocumentUnavailable> {
        if let Ok(name) = AttachmentId::new(id)
            && let Some(attachment) = self.store.attachment(principal, &name, now).await?
        {
            return Ok(NamedDocument::Attachment(attachment));
        }
        let missing = || DocumentUnavailable::Missing(id.to_owned());
        let content: ContentId = id.parse().map_err(|_| missing())?;
        let document = self.store.document(principal, content, now).await?;
        document.map(NamedDocument::Content).ok_or_else(missing)
    }

    /// Returns what an id names, and opens the document.
    pub async fn named(
        &self,
        principal: &Principal,
        id: &str,
        now: Timestamp,
    ) -> Result<(NamedDocument, CachedDocument), DocumentUnavailable> {
        let named = self.find(principal, id, now).await?;
        let document = self.open(principal, named.document().id, None, now).await?;
        Ok((named, document))
    }

    /// Returns the attachments that an id names, at least one: that with the id, or else all with the content, newest
    /// first.
    pub async fn attachments(
        &self,
        principal: &Principal,
        id: &str,
        now: Timestamp,
    ) -> Result<Vec<Attachment>, DocumentUnavailable> {
        let content = match self.find(principal, id, now).await? {
            NamedDocument::Attachment(attachment) => return Ok(vec![attachment]),
            NamedDocument::Content(document) => document.id,
        };
        let mut found = Vec::new();
        let mut slice = PageRequest::first(MAX_SEARCHED);
        loop {
            let listed = self.store.attachments(principal, &slice, now).await?;
            let its = |attachment: &Attachment| attachment.document.id == content;
            found.extend(listed.items.into_iter().filter(its));
            slice.after = listed.next;
            if slice.after.is_none() {
                break;
            }
        }
        match found.is_empty() {
            true => Err(DocumentUnavailable::Missing(id.to_owned())),
            false => Ok(found),
        }
    }

    /// Opens a document of the principal by its content.
    pub async fn document(
        &self,
        principal: &Principal,
        id: ContentId,
        now: Timestamp,
    ) -> Result<(StoredDocument, CachedDocument), DocumentUnavailable> {
        // The cache is shared by all principals, so the store decides.
        let stored = self.store.document(principal, id, now).await?;
        let stored = stored.ok_or_else(|| DocumentUnavailable::Missing(id.to_string()))?;
        Ok((stored, self.open(principal, id, None, now).await?))
    }

    /// Returns the principal's attachments, up to the number that is searched for a citation without a source.
    pub async fn all(
        &self,
        principal: &Principal,
        now: Timestamp,
    ) -> Result<Vec<Attachment>, StoreError> {
        let slice = PageRequest::first(MAX_SEARCHED);
        Ok(self.store.attachments(principal, &slice, now).await?.items)
    }

    /// Opens a document from the cache, from its stored text or from its file. `file` holds content and name.
    pub async fn open(
        &self,
        principal: &Principal,
        id: ContentId,
        file: Option<(Bytes, &str)>,
        now: Timestamp,
    ) -> Result<CachedDocument, DocumentUnavailable> {
        // Concurrent requests for the same document wait for one read.
        let stored = self.load_stored(principal, id, now);
        match self.cache.get_or_insert_async(&id, stored).await {
            Ok(opened) => return Ok(CachedDocument(opened)),
            Err(Some(error)) => return Err(error),
            Err(None) => {}
        }
        // The turn comes first: a request never waits for the place of another principal in the queue.
        let (_waiting, slot) = self.sandbox.acquire_for_reading(principal).await?;
        let read = self.read_file(slot, principal, id, file, now);
        Ok(CachedDocument(
            self.cache.get_or_insert_async(&id, read).await?,
        ))
    }

    /// Loads the text of a document that was read before. Fails with `None` if there is none that can be used.
    async fn load_stored(
        &self,
        principal: &Principal,
        id: ContentId,
        now: Timestamp,
    ) -> Result<Arc<OpenDocument>, Option<DocumentUnavailable>> {
        if self.rereads.lock().contains(&id) {
            return Err(None);
        }
        let stored = self.store.part(principal, id, TEXT, now).await;
        let stored = stored.map_err(DocumentUnavailable::from)?.ok_or(None)?;
        let size = stored.len() as u64;
        let read = task::spawn_blocking(move || Document::from_bytes(&stored)).await;
        match read {
            Ok(Ok(document)) => Ok(Arc::new(OpenDocument::new(document, size))),
            // Another version of the program stored the text: the file is read again.
            _ => Err(None),
        }
    }

    /// Reads a file and stores its text.
    async fn read_file(
        &self,
        slot: WorkSlot,
        principal: &Principal,
        id: ContentId,
        file: Option<(Bytes, &str)>,
        now: Timestamp,
    ) -> Result<Arc<OpenDocument>, DocumentUnavailable> {
        let (file, name) = match file {
            Some((file, name)) => (file, name.to_owned()),
            None => {
                let file = self.store.part(principal, id, ORIGINAL, now).await?;
                let file = file.ok_or_else(|| DocumentUnavailable::Missing(id.to_string()))?;
                let entry = self.library_entry(principal, id, now).await?;
                (file, entry.map_or_else(String::new, |entry| entry.name))
            }
        };
        let reading = self.reading.clone();
        let progress = move |pages| {
            reading.lock().insert(id, pages);
        };
        let document = self.sandbox.read(slot, file, name, progress).await;
        self.reading.lock().remove(&id);
        self.rereads.lock().remove(&id);
        let document = document?;
        let bytes = Bytes::from(document.to_bytes());
        let size = bytes.len() as u64;
        let description = DocumentDescription {
            media_type: Some(document.media_type().to_owned()),
            pages: u32::try_from(document.pages().len()).ok(),
            title: document.title().map(str::to_owned),
            status: DocumentStatus::Ready,
        };
        self.store.store_part(id, TEXT, bytes).await?;
        self.store.describe_document(id, description).await?;
        Ok(Arc::new(OpenDocument::new(document, size)))
    }

    /// Waits for the owner's turn to render an image. Returns `None` if too many of its images wait.
    pub(crate) async fn acquire_for_rendering(&self, owner: &WorkOwner) -> Option<WorkSlot> {
        self.sandbox.acquire_for_rendering(owner).await
    }

    /// Renders a page image in a sandbox process.
    pub(crate) async fn render(
        &self,
        slot: WorkSlot,
        file: Bytes,
        name: &'static str,
        request: ImageRequest,
    ) -> Result<PageImageFile, DocumentUnavailable> {
        self.sandbox.render(slot, file, name, request).await
    }
}
