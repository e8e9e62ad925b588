//! Library of a principal as tools: search, reading, questions, verification and adding documents.

mod additions;
mod questions;
mod quotes;

use std::sync::Arc;

use documents::ContentId;
use mcp::{
    AddDocumentToolArguments, AddedDocument, AnswerVerification, AskToolArguments, AskedAnswer,
    DocumentList, DocumentPages, ImageFile, LibraryService, ListDocumentsToolArguments,
    ListedDocument, PageText, ProgressReporter, QuoteCheck, ReadToolArguments, SearchHit,
    SearchHits, SearchToolArguments, ServiceError, ServiceFuture, ServicePermissions,
    VerifyAnswerToolArguments, VerifyQuoteToolArguments,
};
use net::Fetcher;
use rendering::{ImageFormat, RenderStyle};
use store::{Attachment, LibraryState, PageRequest, Principal, Store, StoreError, Timestamp};

use crate::agents::ReaderParts;
use crate::evidence_links::{EvidenceLinks, LinkSigner};
use crate::library::{
    CachedDocument, DocumentLibrary, DocumentUnavailable, NamedDocument, SearchError,
    SearchRequest, WorkOwner,
};
use crate::metrics::VerificationMetrics;
use crate::page_images::{CachedImageRequest, CachedView, ImageUnavailable, PageImageCache};
use crate::run_documents::RunDocuments;
use crate::verifier::{LibraryVerifier, VerifierServices};

/// Hits of a search if the request names no limit.
const DEFAULT_HITS: u32 = 8;
/// Largest number of hits of a search.
const MAX_HITS: u32 = 50;
/// Pages that are read if the request names no last page.
const DEFAULT_PAGES: u32 = 5;
/// Number of characters after which no further page is read.
const MAX_READ: usize = 60_000;
/// Documents of a list if the request names no limit.
const DEFAULT_LISTED: u32 = 50;
/// Largest number of documents of a list.
const MAX_LISTED: u32 = 200;

/// Parts that the tools are built from.
pub struct LibraryToolParts {
    /// Store of documents and evidence.
    pub store: Arc<dyn Store>,
    /// Documents of all principals.
    pub library: Arc<DocumentLibrary>,
    /// Client that fetches documents from allowed hosts.
    pub fetcher: Arc<Fetcher>,
    /// The reader, which answers questions; `None` if questions cannot be asked.
    pub reader: Option<ReaderParts>,
    /// Address under which people reach evidence pages.
    pub public_url: Option<String>,
    /// Signer of the links to evidence pages.
    pub link_signer: LinkSigner,
    /// Clock for stored times and for expiry.
    pub clock: fn() -> Timestamp,
}

/// Tools over the libraries of all principals.
pub struct LibraryTools {
    store: Arc<dyn Store>,
    library: Arc<DocumentLibrary>,
    fetcher: Arc<Fetcher>,
    reader: Option<ReaderParts>,
    images: PageImageCache,
    verification: Arc<VerifierServices>,
    clock: fn() -> Timestamp,
}

impl LibraryTools {
    /// Creates the tools.
    pub fn new(parts: LibraryToolParts) -> Self {
        let verification = VerifierServices {
            store: parts.store.clone(),
            library: parts.library.clone(),
            metrics: VerificationMetrics::default(),
            clock: parts.clock,
            links: EvidenceLinks::new(parts.public_url.as_deref(), parts.link_signer),
        };
        Self {
            images: PageImageCache::new(parts.store.clone(), parts.library.clone()),
            store: parts.store,
            library: parts.library,
            fetcher: parts.fetcher,
            reader: parts.reader,
            verification: Arc::new(verification),
            clock: parts.clock,
        }
    }

    /// Returns the tools of one principal.
    pub fn of_principal(
        self: &Arc<Self>,
        principal: Principal,
        permissions: ServicePermissions,
    ) -> Arc<dyn LibraryService> {
        Arc::new(PrincipalTools {
            permissions: ServicePermissions {
                can_ask: permissions.can_ask && self.reader.is_some(),
                ..permissions
            },
            tools: self.clone(),
            principal,
        })
    }
}

/// Tools of one principal.
struct PrincipalTools {
    tools: Arc<LibraryTools>,
    principal: Principal,
    permissions: ServicePermissions,
}

impl PrincipalTools {
    fn now(&self) -> Timestamp {
        (self.tools.clock)()
    }

    /// Returns the documents that names mean; `None` without names.
    async fn resolve(
        &self,
        names: Option<Vec<String>>,
    ) -> Result<Option<Vec<ContentId>>, ServiceError> {
        let names: Vec<String> = names.unwrap_or_default();
        if names.is_empty() {
            return Ok(None);
        }
        let (library, now) = (&self.tools.library, self.now());
        let found = library.resolve_documents(&self.principal, &names, now);
        Ok(Some(found.await.map_err(|error| search_error(&error))?))
    }

    /// Opens the document that a name means, with its attachment id and file name.
    async fn open(&self, name: &str) -> Result<(String, String, CachedDocument), ServiceError> {
        let found = self.resolve(Some(vec![name.to_owned()])).await?;
        let id = found
            .and_then(|found| found.first().copied())
            .ok_or_else(|| missing_document(name))?;
        let (library, now) = (&self.tools.library, self.now());
        // An attachment id keeps its own name; every other name means the latest attachment.
        let named = match library.find(&self.principal, name, now).await {
            Ok(NamedDocument::Attachment(attachment)) => Some((attachment.id, attachment.name)),
            _ => {
                let entry = library.library_entry(&self.principal, id, now).await;
                let entry = entry.map_err(|error| store_error(&error))?;
                entry.and_then(|entry| Some((entry.attachment?, entry.name)))
            }
        };
        let document = library.open(&self.principal, id, None, now).await;
        let document = document.map_err(|error| document_error(&error))?;
        let (attachment, name) = named.map_or_else(
            || (id.to_string(), name.to_owned()),
            |(id, name)| (id.to_string(), name),
        );
        Ok((attachment, name, document))
    }

    /// Returns a verifier against documents, or against all without names.
    async fn verifier(&self, names: Option<Vec<String>>) -> Result<LibraryVerifier, ServiceError> {
        let mut documents = RunDocuments::default();
        let (library, now) = (&self.tools.library, self.now());
        for id in self.resolve(names).await?.unwrap_or_default() {
            let name = id.to_string();
            let entry = library.library_entry(&self.principal, id, now).await;
            let entry = entry.map_err(|error| store_error(&error))?;
            let attachment = entry.and_then(|entry| entry.attachment);
            let name = attachment.map_or(name, |id| id.to_string());
            let named = library.named(&self.principal, &name, now).await;
            let (named, document) = named.map_err(|error| document_error(&error))?;
            documents.add(&name, &named, document);
        }
        Ok(LibraryVerifier::new(
            self.tools.verification.clone(),
            self.principal.clone(),
            documents,
        ))
    }

    async fn find(&self, arguments: SearchToolArguments) -> Result<SearchHits, ServiceError> {
        let limit = arguments.limit.unwrap_or(DEFAULT_HITS).clamp(1, MAX_HITS);
        let request = SearchRequest {
            documents: self.resolve(arguments.documents).await?,
            labels: arguments.labels.unwrap_or_default(),
            ..SearchRequest::new(arguments.query, limit as usize)
        };
        let (library, now) = (&self.tools.library, self.now());
        let found = library.search(&self.principal, request, now).await;
        let found = found.map_err(|error| search_error(&error))?;
        let hits = found.hits.into_iter().map(|hit| {
            let chunk = hit.chunk;
            let document_id = chunk.attachment.to_string();
            let page = chunk.first.page;
            SearchHit {
                page_uri: mcp::page_uri(&document_id, page),
                document_id,
                document: chunk.filename,
                title: chunk.title,
                page,
                section: Some(chunk.headings.join(" > ")).filter(|text| !text.is_empty()),
                text: chunk.text,
                score: hit.score,
            }
        });
        Ok(SearchHits {
            hits: hits.collect(),
            notes: found.notes,
        })
    }

    async fn pages(&self, arguments: ReadToolArguments) -> Result<DocumentPages, ServiceError> {
        let (document_id, name, document) = self.open(&arguments.document).await?;
        let count = u32::try_from(document.pages().len()).unwrap_or(u32::MAX);
        let from = arguments.from_page.unwrap_or(1);
        if from == 0 || from > count.max(1) {
            return Err(ServiceError::missing(
                format!("{name} has no page {from}"),
                format!("Its pages are 1 to {count}"),
            ));
        }
        let default = from.saturating_add(DEFAULT_PAGES - 1);
        let to = arguments
            .to_page
            .unwrap_or(default)
            .clamp(from, count.max(from));
        let mut pages: Vec<PageText> = Vec::new();
        let mut length = 0;
        let mut next_page = None;
        for line in document.lines() {
            if line.page < from {
                continue;
            }
            let is_new = pages.last().is_none_or(|page| page.page < line.page);
            if is_new && (line.page > to || length > MAX_READ) {
                next_page = Some(line.page);
                break;
            }
            if is_new {
                pages.push(PageText {
                    page: line.page,
                    text: String::new(),
                });
            }
            if let Some(page) = pages.last_mut() {
                page.text.push_str(&line.text);
                page.text.push('\n');
                length += line.text.len() + 1;
            }
        }
        Ok(DocumentPages {
            document_id,
            document: name,
            page_count: count,
            pages,
            next_page,
        })
    }

    async fn listed(
        &self,
        arguments: ListDocumentsToolArguments,
    ) -> Result<DocumentList, ServiceError> {
        let limit = arguments.limit.unwrap_or(DEFAULT_LISTED);
        let request = PageRequest {
            after: arguments.cursor,
            limit: limit.clamp(1, MAX_LISTED) as usize,
        };
        let (store, now) = (&self.tools.store, self.now());
        let listed = store.attachments(&self.principal, &request, now).await;
        let listed = listed.map_err(|error| store_error(&error))?;
        let ids: Vec<ContentId> = listed.items.iter().map(|item| item.document.id).collect();
        let entries = store.library_entries(&self.principal, &ids, now).await;
        let entries = entries.map_err(|error| store_error(&error))?;
        let documents = listed.items.into_iter().map(|attachment| {
            let entry = entries
                .iter()
                .find(|entry| entry.document == attachment.document.id);
            let title = entry.and_then(|entry| entry.title.clone());
            ListedDocument {
                state: entry
                    .map_or(LibraryState::Queued, |entry| entry.state)
                    .name()
                    .to_owned(),
                labels: entry.map(|entry| entry.labels.clone()).unwrap_or_default(),
                ..describe(attachment, title)
            }
        });
        Ok(DocumentList {
            documents: documents.collect(),
            next_cursor: listed.next,
        })
    }

    async fn draw(&self, request: CachedImageRequest) -> Result<ImageFile, ServiceError> {
        let (images, now) = (&self.tools.images, self.now());
        let owner = WorkOwner::Principal(self.principal.clone());
        let image = images.draw(&owner, request, now).await;
        let image = image.map_err(|error| image_error(&error))?;
        Ok(ImageFile {
            bytes: image.bytes.to_vec(),
            media_type: ImageFormat::Png.media_type(),
        })
    }

    async fn drawn_page(&self, name: &str, page: u32) -> Result<ImageFile, ServiceError> {
        let (_, _, document) = self.open(name).await?;
        self.draw(CachedImageRequest {
            document,
            shown: CachedView::Page(page),
            marks: Vec::new(),
            style: RenderStyle::default(),
            format: ImageFormat::Png,
        })
        .await
    }
}

fn describe(attachment: Attachment, title: Option<String>) -> ListedDocument {
    let id = attachment.id.to_string();
    ListedDocument {
        uri: mcp::document_uri(&id),
        id,
        name: attachment.name,
        title: title.or(attachment.document.title),
        page_count: attachment.document.pages,
        media_type: attachment.document.media_type,
        size: attachment.document.size,
        state: String::new(),
        labels: Vec::new(),
    }
}

fn missing_document(name: &str) -> ServiceError {
    ServiceError::missing(
        format!("Document not found: `{name}`"),
        "`list_documents` lists the documents of the library",
    )
}

fn store_error(error: &StoreError) -> ServiceError {
    ServiceError::new(error.to_string(), error.hint())
}

fn document_error(error: &DocumentUnavailable) -> ServiceError {
    match error {
        DocumentUnavailable::Missing(name) => missing_document(name),
        DocumentUnavailable::Unreadable { reason, hint } => ServiceError::new(reason, hint),
        DocumentUnavailable::Store(error) => store_error(error),
    }
}

fn search_error(error: &SearchError) -> ServiceError {
    match error {
        SearchError::Document(error) => document_error(error),
        SearchError::Store(error) => store_error(error),
        SearchError::Query(error) => {
            ServiceError::new(error.to_string(), "Send the words to search for as `query`")
        }
        error => ServiceError::new(error.to_string(), "`pincite reindex` makes the index anew"),
    }
}

fn image_error(error: &ImageUnavailable) -> ServiceError {
    match error {
        ImageUnavailable::Document(error) => document_error(error),
        ImageUnavailable::Render(error) => ServiceError::missing(
            error.to_string(),
            "`read` returns the number of pages of a document",
        ),
        ImageUnavailable::Busy => ServiceError::new(error.to_string(), "Try again later"),
    }
}

impl LibraryService for PrincipalTools {
    fn permissions(&self) -> ServicePermissions {
        self.permissions
    }

    fn search(&self, arguments: SearchToolArguments) -> ServiceFuture<'_, SearchHits> {
        Box::pin(self.find(arguments))
    }

    fn read(&self, arguments: ReadToolArguments) -> ServiceFuture<'_, DocumentPages> {
        Box::pin(self.pages(arguments))
    }

    fn ask<'a>(
        &'a self,
        arguments: AskToolArguments,
        progress: &'a ProgressReporter,
    ) -> ServiceFuture<'a, AskedAnswer> {
        Box::pin(self.answered(arguments, progress))
    }

    fn verify_quote(&self, arguments: VerifyQuoteToolArguments) -> ServiceFuture<'_, QuoteCheck> {
        Box::pin(self.checked_quote(arguments))
    }

    fn verify_answer<'a>(
        &'a self,
        arguments: VerifyAnswerToolArguments,
        progress: &'a ProgressReporter,
    ) -> ServiceFuture<'a, AnswerVerification> {
        Box::pin(self.checked_answer(arguments, progress))
    }

    fn list_documents(
        &self,
        arguments: ListDocumentsToolArguments,
    ) -> ServiceFuture<'_, DocumentList> {
        Box::pin(self.listed(arguments))
    }

    fn add_document<'a>(
        &'a self,
        arguments: AddDocumentToolArguments,
        progress: &'a ProgressReporter,
    ) -> ServiceFuture<'a, AddedDocument> {
        Box::pin(self.added(arguments, progress))
    }

    fn page_image<'a>(&'a self, document: &'a str, page: u32) -> ServiceFuture<'a, ImageFile> {
        Box::pin(self.drawn_page(document, page))
    }

    fn evidence<'a>(&'a self, id: &'a str) -> ServiceFuture<'a, serde_json::Value> {
        Box::pin(self.stored_evidence(id))
    }

    fn evidence_image<'a>(&'a self, id: &'a str) -> ServiceFuture<'a, ImageFile> {
        Box::pin(self.drawn_evidence(id))
    }
}
