//! Resolution of the source that a citation names to documents.
//!
//! The documents of the run come first, then those of the principal, then the samples of the agent.

use std::collections::HashMap;
use std::sync::Arc;

use citation_stream::CheckResult;
use citations::Citation;
use parking_lot::Mutex;
use store::{Attachment, Principal};
use tokio::sync::OnceCell;

use super::VerifierServices;
use crate::library::{CachedDocument, DocumentUnavailable, NamedDocument, SampleDocument};
use crate::run_documents::{RunDocuments, document_label};

/// Presence of the source that a citation names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourcePresence {
    /// The source is among the documents, or the citation names none.
    Known,
    /// The agent's own name for the source matches no document: any document may be meant, or none.
    Unknown,
}

/// Documents that a citation has to be checked against.
pub(super) enum ResolvedSource {
    /// Documents under their attachment ids.
    Documents(Vec<(String, CachedDocument)>, SourcePresence),
    /// Result that does not depend on the content of documents.
    Decided(Box<CheckResult>),
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
    /// Labels of other documents by attachment id.
    labels: Mutex<HashMap<String, String>>,
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
            labels: Mutex::default(),
        }
    }

    /// Resolves the source of a citation. `names` are the agent's own names for it.
    pub(super) async fn resolve(&self, citation: &Citation, names: &[String]) -> ResolvedSource {
        let decided = |result: CheckResult| ResolvedSource::Decided(Box::new(result));
        match self.find_documents(citation, names).await {
            Ok((documents, source)) if documents.is_empty() => decided(match source {
                SourcePresence::Known => CheckResult::skipped(citation),
                SourcePresence::Unknown => CheckResult::source_missing(citation),
            }),
            Ok((documents, source)) => ResolvedSource::Documents(documents, source),
            Err(error) => {
                if !matches!(error, DocumentUnavailable::Missing(_)) {
                    tracing::warn!(%error, "a source could not be opened");
                }
                decided(CheckResult::source_missing(citation))
            }
        }
    }

    async fn find_documents(
        &self,
        citation: &Citation,
        names: &[String],
    ) -> Result<(Vec<(String, CachedDocument)>, SourcePresence), DocumentUnavailable> {
        let id = citation
            .attachment_id
            .as_deref()
            .filter(|id| !id.is_empty());
        if names.is_empty() {
            return match id {
                Some(id) => match self.find_by_id(id).await? {
                    Some(document) => Ok((vec![(id.to_owned(), document)], SourcePresence::Known)),
                    None => Err(DocumentUnavailable::Missing(id.to_owned())),
                },
                None => Ok((self.all_documents().await?, SourcePresence::Known)),
            };
        }
        let names = id.into_iter().chain(names.iter().map(String::as_str));
        let documents = self.find_by_agent_names(names).await?;
        if !documents.is_empty() {
            return Ok((documents, SourcePresence::Known));
        }
        Ok((self.all_documents().await?, SourcePresence::Unknown))
    }

    /// Returns the documents that an agent's own names mean. Documents of the run win over others, ids over names.
    async fn find_by_agent_names(
        &self,
        names: impl Iterator<Item = &str> + Clone,
    ) -> Result<Vec<(String, CachedDocument)>, DocumentUnavailable> {
        for name in names.clone() {
            if let Some(document) = self.documents.get(name) {
                return Ok(vec![(name.to_owned(), document.clone())]);
            }
        }
        for name in names.clone() {
            let named = self.documents.named(name);
            if !named.is_empty() {
                return Ok(named);
            }
        }
        for name in names.clone() {
            if let Some(document) = self.find_by_id(name).await? {
                return Ok(vec![(name.to_owned(), document)]);
            }
        }
        for name in names {
            let named = self.find_by_name(name).await?;
            if !named.is_empty() {
                return Ok(named);
            }
        }
        Ok(Vec::new())
    }

    /// Returns the documents of the run, or else all of the principal.
    async fn all_documents(&self) -> Result<Vec<(String, CachedDocument)>, DocumentUnavailable> {
        if !self.documents.is_empty() {
            let documents = self.documents.iter();
            return Ok(documents
                .map(|(id, document)| (id.to_owned(), document.clone()))
                .collect());
        }
        let (library, now) = (&self.services.library, self.services.now());
        let attachments = library.all(&self.principal, now).await?;
        Ok(self.open(attachments).await)
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
            self.set_label(&id, &NamedDocument::Attachment(attachment));
            let (library, now) = (&self.services.library, self.services.now());
            if let Ok(document) = library.open(&self.principal, document, None, now).await {
                opened.push((id, document));
            }
        }
        opened
    }

    /// Returns the document with an attachment or content id.
    async fn find_by_id(&self, id: &str) -> Result<Option<CachedDocument>, DocumentUnavailable> {
        if let Some(document) = self.documents.get(id) {
            return Ok(Some(document.clone()));
        }
        let cell = self.by_id.lock().entry(id.to_owned()).or_default().clone();
        let load = || async {
            let (library, now) = (&self.services.library, self.services.now());
            let found = match library.named(&self.principal, id, now).await {
                Ok(found) => Some(found),
                Err(DocumentUnavailable::Missing(_)) => self.attach_sample(id).await?,
                Err(error) => return Err(error),
            };
            Ok(found.map(|(named, document)| {
                self.set_label(id, &named);
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

    /// Returns the name of a document for people.
    pub(super) fn label(&self, id: &str) -> Option<String> {
        let label = self.documents.label(id).cloned();
        label.or_else(|| self.labels.lock().get(id).cloned())
    }

    fn set_label(&self, id: &str, named: &NamedDocument) {
        if let Some(label) = document_label(named) {
            self.labels.lock().insert(id.to_owned(), label);
        }
    }
}
