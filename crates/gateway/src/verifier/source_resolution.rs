//! Resolution of the source that a citation names to documents.
//!
//! The documents of the run come first, then those of the principal, then the samples of the agent.

use std::collections::HashMap;
use std::sync::Arc;

use citations::Citation;
use citations::check::Verdict;
use citations::resolve::{SourceCandidate, SourceMatch, SourceQuery};
use parking_lot::Mutex;
use store::{Attachment, Principal};
use tokio::sync::OnceCell;

use super::VerifierServices;
use crate::library::{CachedDocument, DocumentUnavailable, NamedDocument, SampleDocument};
use crate::run_documents::{DocumentNames, RunDocuments};

/// Documents in which to check a citation, with their attachment ids.
pub(super) struct ResolvedSources {
    source: SourceMatch,
    pub(super) documents: Vec<(String, CachedDocument)>,
}

impl ResolvedSources {
    fn named(documents: Vec<(String, CachedDocument)>) -> Self {
        let source = SourceMatch::Named((0..documents.len()).collect());
        Self { source, documents }
    }

    fn missing() -> Self {
        Self {
            source: SourceMatch::Missing,
            documents: Vec::new(),
        }
    }

    /// Returns the verdict on a citation, given the best verdict of the documents.
    pub(super) fn conclude(&self, citation: &Citation, best: Option<Verdict>) -> Verdict {
        self.source.conclude(citation, best)
    }
}

/// Values that are loaded once, by name.
type LoadedOnce<T> = Mutex<HashMap<String, Arc<OnceCell<T>>>>;

/// Resolver of the sources of one run or request. Each name is looked up once.
pub(super) struct SourceResolver {
    services: Arc<VerifierServices>,
    principal: Principal,
    /// Documents of the run.
    documents: RunDocuments,
    /// Documents that are part of the agent.
    samples: Vec<SampleDocument>,
    /// Other documents by attachment or content id; `None` if there is none.
    by_id: LoadedOnce<Option<CachedDocument>>,
    /// Other documents by file name, title or address.
    by_name: LoadedOnce<Vec<(String, CachedDocument)>>,
    /// Attachments of the principal.
    attachments: OnceCell<Vec<Attachment>>,
    /// Names of other documents by attachment id.
    names: Mutex<HashMap<String, DocumentNames>>,
}

impl SourceResolver {
    pub(super) fn new(
        services: Arc<VerifierServices>,
        principal: Principal,
        documents: RunDocuments,
        samples: Vec<SampleDocument>,
    ) -> Self {
        Self {
            services,
            principal,
            documents,
            samples,
            by_id: Mutex::default(),
            by_name: Mutex::default(),
            attachments: OnceCell::new(),
            names: Mutex::default(),
        }
    }

    /// Finds the documents that a citation means. A document that cannot be opened counts as missing.
    pub(super) async fn resolve(&self, query: &SourceQuery<'_>) -> ResolvedSources {
        match self.find_documents(query).await {
            Ok(sources) => sources,
            Err(error) => {
                tracing::warn!(%error, "a source could not be opened");
                ResolvedSources::missing()
            }
        }
    }

    async fn find_documents(
        &self,
        query: &SourceQuery<'_>,
    ) -> Result<ResolvedSources, DocumentUnavailable> {
        let source = query.find(&self.documents.candidates());
        match source {
            SourceMatch::Named(found) => Ok(ResolvedSources::named(self.documents.select(&found))),
            SourceMatch::Unnamed => Ok(ResolvedSources {
                source,
                documents: self.all_documents().await?,
            }),
            SourceMatch::Missing | SourceMatch::Unknown => {
                let documents = self.find_in_library(query).await?;
                if !documents.is_empty() {
                    return Ok(ResolvedSources::named(documents));
                }
                let documents = match source {
                    SourceMatch::Unknown => self.all_documents().await?,
                    _ => Vec::new(),
                };
                Ok(ResolvedSources { source, documents })
            }
        }
    }

    /// Finds documents of the principal by id, then by their exact names, then by similar names. The last comparison
    /// is limited to the attachments of [`DocumentLibrary::all`](crate::DocumentLibrary::all).
    async fn find_in_library(
        &self,
        query: &SourceQuery<'_>,
    ) -> Result<Vec<(String, CachedDocument)>, DocumentUnavailable> {
        for name in query.names() {
            if let Some(document) = self.find_by_id(name).await? {
                return Ok(vec![((*name).to_owned(), document)]);
            }
        }
        for name in query.names() {
            let named = self.find_by_name(name).await?;
            if !named.is_empty() {
                return Ok(named);
            }
        }
        if query.names().is_empty() {
            return Ok(Vec::new());
        }
        let attachments = self.all_attachments().await?;
        let candidates: Vec<SourceCandidate<'_>> = attachments.iter().map(candidate).collect();
        match query.find(&candidates) {
            SourceMatch::Named(found) => {
                let meant = found.iter().map(|at| attachments[*at].clone());
                Ok(self.open(meant.collect()).await)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Returns the documents of the run, or else all of the principal.
    async fn all_documents(&self) -> Result<Vec<(String, CachedDocument)>, DocumentUnavailable> {
        if self.documents.is_selection() {
            let documents = self.documents.iter();
            return Ok(documents
                .map(|(id, document)| (id.to_owned(), document.clone()))
                .collect());
        }
        let attachments = self.all_attachments().await?;
        Ok(self.open(attachments.to_vec()).await)
    }

    /// Returns the attachments of the principal; they are listed once.
    async fn all_attachments(&self) -> Result<&[Attachment], DocumentUnavailable> {
        let load = || async {
            let (library, now) = (&self.services.library, self.services.now());
            Ok::<_, DocumentUnavailable>(library.all(&self.principal, now).await?)
        };
        let attachments = self.attachments.get_or_try_init(load).await?;
        Ok(attachments)
    }

    /// Returns the principal's documents with a file name, title or address.
    async fn find_by_name(
        &self,
        name: &str,
    ) -> Result<Vec<(String, CachedDocument)>, DocumentUnavailable> {
        let cell = self
            .by_name
            .lock()
            .entry(name.to_owned())
            .or_default()
            .clone();
        let load = || async {
            let (store, now) = (&self.services.store, self.services.now());
            let attachments = store.attachments_named(&self.principal, name, now).await?;
            Ok::<_, DocumentUnavailable>(self.open(attachments).await)
        };
        cell.get_or_try_init(load).await.cloned()
    }

    /// Opens the documents of attachments, without those that cannot be read.
    async fn open(&self, attachments: Vec<Attachment>) -> Vec<(String, CachedDocument)> {
        let mut opened = Vec::with_capacity(attachments.len());
        for attachment in attachments {
            let (id, document) = (attachment.id.to_string(), attachment.document.id);
            self.set_names(&id, &NamedDocument::Attachment(attachment));
            let (library, now) = (&self.services.library, self.services.now());
            if let Ok(document) = library.open(&self.principal, document, None, now).await {
                opened.push((id, document));
            }
        }
        opened
    }

    /// Returns the document with an attachment or content id.
    async fn find_by_id(&self, id: &str) -> Result<Option<CachedDocument>, DocumentUnavailable> {
        let cell = self.by_id.lock().entry(id.to_owned()).or_default().clone();
        let load = || async {
            let (library, now) = (&self.services.library, self.services.now());
            let found = match library.named(&self.principal, id, now).await {
                Ok(found) => Some(found),
                Err(DocumentUnavailable::Missing(_)) => self.attach_sample(id).await?,
                Err(error) => return Err(error),
            };
            Ok(found.map(|(named, document)| {
                self.set_names(id, &named);
                document
            }))
        };
        cell.get_or_try_init(load).await.cloned()
    }

    /// Attaches a document that is part of the agent, if the id is one of its.
    async fn attach_sample(
        &self,
        id: &str,
    ) -> Result<Option<(NamedDocument, CachedDocument)>, DocumentUnavailable> {
        let Some(sample) = self.samples.iter().find(|sample| sample.id == id) else {
            return Ok(None);
        };
        let (library, now) = (&self.services.library, self.services.now());
        let attached = library.attach_sample(&self.principal, sample, now);
        attached.await.map(Some)
    }

    /// Returns the names of a document for people.
    pub(super) fn names(&self, id: &str) -> DocumentNames {
        let names = self.documents.names(id).cloned();
        let other = || self.names.lock().get(id).cloned();
        names.or_else(other).unwrap_or_default()
    }

    fn set_names(&self, id: &str, named: &NamedDocument) {
        let names = DocumentNames::of(named);
        self.names.lock().insert(id.to_owned(), names);
    }
}

/// Returns everything that a citation may name an attachment by. It is in no list that a model was given.
fn candidate(attachment: &Attachment) -> SourceCandidate<'_> {
    SourceCandidate {
        document_id: Some(attachment.document.id),
        attachment_id: Some(attachment.id.as_str()),
        file_name: Some(&attachment.name),
        title: attachment.document.title.as_deref(),
        url: attachment.origin.as_deref(),
        ..SourceCandidate::default()
    }
}
