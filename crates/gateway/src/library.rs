//! Documents: stored, read in processes of their own, and kept at hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use documents::{ContentId, Document};
use parking_lot::Mutex;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sandbox::{ImageRequest, PageImageFile, SandboxError, SandboxLimits, SandboxReader};
use store::{
    AttachOutcome, Attachment, AttachmentId, DocumentDescription, DocumentStatus, NewAttachment,
    ORIGINAL, PageRequest, Principal, Store, StoreError, StoredDocument, Timestamp,
};
use tokio::sync::Semaphore;
use tokio::task;

/// The part of a document that is what was understood of it. The name changes with the form.
const TEXT: &str = "text-1";
/// How many bytes of documents are kept at hand.
const CACHED_BYTES: u64 = 512 << 20;
/// How many documents are expected to be kept at hand.
const CACHED: usize = 1_000;
/// How many of a principal's documents are looked into for a citation that names none.
const SEARCHED: usize = 1_000;

/// How the processes that read documents are started.
#[derive(Debug, Clone)]
pub struct ReaderCommand {
    /// The program.
    pub program: std::path::PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// How many may run at once.
    pub at_once: usize,
    /// What a file may cost.
    pub allowance: SandboxLimits,
}

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
        /// Advice for people.
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

/// What an id names.
#[derive(Debug)]
pub enum NamedDocument {
    /// A name of the principal's own for a document.
    Attachment(Attachment),
    /// A document that the principal has attached, by its content.
    Content(StoredDocument),
}

impl NamedDocument {
    /// The document, whatever it was named by.
    pub fn document(&self) -> &StoredDocument {
        match self {
            Self::Attachment(attachment) => &attachment.document,
            Self::Content(document) => document,
        }
    }
}

/// A document at hand.
#[derive(Debug)]
struct OpenDocument {
    document: Arc<Document>,
    size: u64,
}

#[derive(Debug, Clone)]
struct DocumentWeighter;

impl Weighter<ContentId, Arc<OpenDocument>> for DocumentWeighter {
    fn weight(&self, _: &ContentId, opened: &Arc<OpenDocument>) -> u64 {
        opened.size.max(1)
    }
}

/// Documents of all principals.
pub struct DocumentLibrary {
    store: Arc<dyn Store>,
    cache: Cache<ContentId, Arc<OpenDocument>, DocumentWeighter>,
    reading: ReaderCommand,
    /// Processes that have nothing to read.
    idle: Mutex<Vec<SandboxReader>>,
    turns: Semaphore,
    /// How many files wait to be read, or are being read.
    waiting: AtomicUsize,
}

/// Counts as one that waits as long as it lives.
struct WaitingRead<'w>(&'w AtomicUsize);

impl<'w> WaitingRead<'w> {
    fn new(count: &'w AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for WaitingRead<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A document that is at hand.
#[derive(Debug, Clone)]
pub struct CachedDocument(Arc<OpenDocument>);

impl CachedDocument {
    /// The document, to keep.
    pub fn document(&self) -> Arc<Document> {
        self.0.document.clone()
    }
}

impl std::ops::Deref for CachedDocument {
    type Target = Document;

    fn deref(&self) -> &Document {
        &self.0.document
    }
}

impl DocumentLibrary {
    /// Creates a library over a store.
    pub fn new(store: Arc<dyn Store>, reading: ReaderCommand) -> Self {
        Self {
            store,
            cache: Cache::with_weighter(CACHED, CACHED_BYTES, DocumentWeighter),
            turns: Semaphore::new(reading.at_once.max(1)),
            waiting: AtomicUsize::new(0),
            reading,
            idle: Mutex::new(Vec::new()),
        }
    }

    /// How many files wait to be read, or are being read.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Stores a file and reads it, so that everything asked of it later is quick.
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
        let id = attached.attachment.document.id;
        match self.open(principal, id, Some((file, &name)), now).await {
            Ok(held) => Ok((attached, held)),
            Err(unreadable) => {
                if !attached.existed {
                    // What cannot be read is not kept.
                    self.store
                        .detach(principal, &attached.attachment.id)
                        .await?;
                }
                Err(unreadable)
            }
        }
    }

    /// Stores a document that is part of the program, unless it is there.
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
        let (attached, held) = self.attach(principal, attachment).await?;
        Ok((NamedDocument::Attachment(attached.attachment), held))
    }

    /// What an id names: the principal's attachment of that name, or else the document of that content.
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

    /// What an id names, and the document.
    pub async fn named(
        &self,
        principal: &Principal,
        id: &str,
        now: Timestamp,
    ) -> Result<(NamedDocument, CachedDocument), DocumentUnavailable> {
        let named = self.find(principal, id, now).await?;
        let held = self.open(principal, named.document().id, None, now).await?;
        Ok((named, held))
    }

    /// The attachments that an id names, at least one: that of the name, or else all of the content, the newest
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
        let mut slice = PageRequest::first(SEARCHED);
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

    /// A document that the principal has attached, by its content.
    pub async fn document(
        &self,
        principal: &Principal,
        id: ContentId,
        now: Timestamp,
    ) -> Result<(StoredDocument, CachedDocument), DocumentUnavailable> {
        // What is at hand may be somebody else's.
        let stored = self.store.document(principal, id, now).await?;
        let stored = stored.ok_or_else(|| DocumentUnavailable::Missing(id.to_string()))?;
        Ok((stored, self.open(principal, id, None, now).await?))
    }

    /// The principal's attachments, as many as are looked into for a citation that names none.
    pub async fn all(
        &self,
        principal: &Principal,
        now: Timestamp,
    ) -> Result<Vec<Attachment>, StoreError> {
        let slice = PageRequest::first(SEARCHED);
        Ok(self.store.attachments(principal, &slice, now).await?.items)
    }

    /// A document, from memory, from its stored form, or from its file.
    pub async fn open(
        &self,
        principal: &Principal,
        id: ContentId,
        file: Option<(Bytes, &str)>,
        now: Timestamp,
    ) -> Result<CachedDocument, DocumentUnavailable> {
        // Many may ask for it at once; it is read once.
        let opened = self.cache.get_or_insert_async(&id, async {
            let stored = self.store.part(principal, id, TEXT, now).await?;
            if let Some(stored) = stored {
                let size = stored.len() as u64;
                let read = task::spawn_blocking(move || Document::from_bytes(&stored)).await;
                if let Ok(Ok(document)) = read {
                    let document = Arc::new(document);
                    return Ok::<_, DocumentUnavailable>(Arc::new(OpenDocument { document, size }));
                }
                // Another version stored it: it is read anew.
            }
            let (file, name) = match file {
                Some((file, name)) => (file, name.to_owned()),
                None => {
                    let file = self.store.part(principal, id, ORIGINAL, now).await?;
                    let file = file.ok_or_else(|| DocumentUnavailable::Missing(id.to_string()))?;
                    (file, String::new())
                }
            };
            let document = self.read(file, name).await?;
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
            let document = Arc::new(document);
            Ok(Arc::new(OpenDocument { document, size }))
        });
        Ok(CachedDocument(opened.await?))
    }

    /// Reads a file in a process of its own.
    async fn read(&self, file: Bytes, name: String) -> Result<Document, DocumentUnavailable> {
        let _waiting = WaitingRead::new(&self.waiting);
        // The semaphore is never closed.
        let _turn = self.turns.acquire().await;
        let mut reader = self.reader();
        let allowance = self.reading.allowance;
        let done = task::spawn_blocking(move || {
            let read = reader.read(&file, &name, "", &allowance, |_, _| {});
            (read, reader)
        })
        .await;
        let Ok((read, reader)) = done else {
            return Err(DocumentUnavailable::Unreadable {
                reason: "reading the document failed".to_owned(),
                hint: "Report this fault with the file that caused it.".to_owned(),
            });
        };
        self.idle.lock().push(reader);
        Ok(read?)
    }

    /// Draws a picture of a file, in a process like those that read.
    pub(crate) async fn draw(
        &self,
        file: Bytes,
        name: &'static str,
        wanted: ImageRequest,
    ) -> Result<PageImageFile, DocumentUnavailable> {
        // The semaphore is never closed.
        let _turn = self.turns.acquire().await;
        let mut reader = self.reader();
        let allowance = self.reading.allowance;
        let done = task::spawn_blocking(move || {
            let drawn = reader.draw(&file, name, "", &allowance, &[wanted]);
            (drawn.into_iter().next(), reader)
        })
        .await;
        let Ok((Some(drawn), reader)) = done else {
            return Err(DocumentUnavailable::Unreadable {
                reason: "drawing the page failed".to_owned(),
                hint: "Report this fault with the file that caused it.".to_owned(),
            });
        };
        self.idle.lock().push(reader);
        Ok(drawn?)
    }

    /// A process that reads: one that has nothing to do, or a new one.
    fn reader(&self) -> SandboxReader {
        let idle = self.idle.lock().pop();
        idle.unwrap_or_else(|| SandboxReader::new(&self.reading.program, &self.reading.arguments))
    }
}

/// How many bytes the name of a file may have.
const MAX_NAME: usize = 255;
/// How many of them may be the ending that tells what kind of file it is.
const MAX_ENDING: usize = 16;

/// The name of a file alone: without folders and control characters, and no longer than names of files are.
pub fn file_name(given: &str) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last.chars().filter(|char| !char.is_control()).collect();
    let name = name.trim();
    if matches!(name, "" | "." | "..") {
        return "document".to_owned();
    }
    if name.len() <= MAX_NAME {
        return name.to_owned();
    }
    let ending = name.rfind('.').map(|dot| &name[dot..]);
    let ending = ending.filter(|ending| ending.len() <= MAX_ENDING);
    let ending = ending.unwrap_or_default();
    let kept = name.floor_char_boundary(MAX_NAME - ending.len());
    format!("{}{ending}", &name[..kept])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_by_its_name_alone() {
        for (given, name) in [
            ("report.pdf", "report.pdf"),
            ("rapport é.pdf", "rapport é.pdf"),
            ("../../etc/passwd", "passwd"),
            ("C:\\papers\\tide.txt", "tide.txt"),
            ("a\u{1b}[2J\nb\u{85}.md", "a[2Jb.md"),
            ("papers/", "document"),
            ("..", "document"),
            (" ", "document"),
            ("", "document"),
        ] {
            assert_eq!(file_name(given), name, "{given:?}");
        }
        let long = file_name(&format!("{}.pdf", "é".repeat(5_000)));
        assert!(long.len() <= 255 && long.ends_with("é.pdf"), "{long}");
        let dots = file_name(&format!("a.{}", "b".repeat(5_000)));
        assert_eq!(dots.len(), 255);
    }
}
