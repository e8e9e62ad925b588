//! Where a citation is looked for: the documents of its run, of its principal, of its agent.

use citation_stream::CheckResult;
use citations::Citation;
use store::Attachment;

use super::VerificationJob;
use crate::library::{CachedDocument, DocumentUnavailable, NamedDocument};
use crate::run_documents::label;

/// Whether the source that a citation names is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourcePresence {
    /// It is, or the citation names none.
    Known,
    /// Somebody else's name for it says nothing here: it may be any document, or none.
    Unknown,
}

/// Where to look for a citation.
pub(super) enum SourceScope {
    In(Vec<(String, CachedDocument)>, SourcePresence),
    /// What is true of it is known without looking.
    Nowhere(Box<CheckResult>),
}

impl VerificationJob {
    /// Where to look for a citation.
    pub(super) async fn places(&self, citation: &Citation, names: &[String]) -> SourceScope {
        let nowhere = |finding: CheckResult| SourceScope::Nowhere(Box::new(finding));
        match self.documents(citation, names).await {
            Ok((places, source)) if places.is_empty() => nowhere(match source {
                SourcePresence::Known => CheckResult::skipped(citation),
                SourcePresence::Unknown => CheckResult::source_missing(citation),
            }),
            Ok((places, source)) => SourceScope::In(places, source),
            Err(error) => {
                if !matches!(error, DocumentUnavailable::Missing(_)) {
                    tracing::warn!(%error, "a source could not be opened");
                }
                nowhere(CheckResult::source_missing(citation))
            }
        }
    }

    /// The documents to look into.
    async fn documents(
        &self,
        citation: &Citation,
        names: &[String],
    ) -> Result<(Vec<(String, CachedDocument)>, SourcePresence), DocumentUnavailable> {
        let named = citation
            .attachment_id
            .as_deref()
            .filter(|id| !id.is_empty());
        if names.is_empty() {
            return match named {
                Some(name) => match self.named(name).await? {
                    Some(held) => Ok((vec![(name.to_owned(), held)], SourcePresence::Known)),
                    None => Err(DocumentUnavailable::Missing(name.to_owned())),
                },
                None => Ok((self.all().await?, SourcePresence::Known)),
            };
        }
        let names = named.into_iter().chain(names.iter().map(String::as_str));
        let places = self.places_called(names).await?;
        if !places.is_empty() {
            return Ok((places, SourcePresence::Known));
        }
        Ok((self.all().await?, SourcePresence::Unknown))
    }

    /// The documents that somebody else means: those of the thread go first.
    async fn places_called(
        &self,
        names: impl Iterator<Item = &str> + Clone,
    ) -> Result<Vec<(String, CachedDocument)>, DocumentUnavailable> {
        for name in names.clone() {
            if let Some(held) = self.attached.get(name) {
                return Ok(vec![(name.to_owned(), held.clone())]);
            }
        }
        for name in names.clone() {
            let called = self.attached.called(name);
            if !called.is_empty() {
                return Ok(called);
            }
        }
        for name in names.clone() {
            if let Some(held) = self.named(name).await? {
                return Ok(vec![(name.to_owned(), held)]);
            }
        }
        for name in names {
            let called = self.called(name).await?;
            if !called.is_empty() {
                return Ok(called);
            }
        }
        Ok(Vec::new())
    }

    /// The documents of the thread, or else all that there are.
    async fn all(&self) -> Result<Vec<(String, CachedDocument)>, DocumentUnavailable> {
        if !self.attached.is_empty() {
            let attached = self.attached.iter();
            return Ok(attached
                .map(|(id, held)| (id.to_owned(), held.clone()))
                .collect());
        }
        let all = self
            .services
            .library
            .all(&self.principal, self.services.now())
            .await?;
        Ok(self.opened(all).await)
    }

    /// The documents that are called something; they are asked for once.
    async fn called(
        &self,
        name: &str,
    ) -> Result<Vec<(String, CachedDocument)>, DocumentUnavailable> {
        let cell = {
            let mut called = self.called.lock();
            called.entry(name.to_owned()).or_default().clone()
        };
        let open = || async {
            let (store, now) = (&self.services.store, self.services.now());
            let called = store.attachments_named(&self.principal, name, now).await?;
            Ok::<_, DocumentUnavailable>(self.opened(called).await)
        };
        cell.get_or_try_init(open).await.cloned()
    }

    /// The documents of attachments, without those that cannot be read.
    async fn opened(&self, attachments: Vec<Attachment>) -> Vec<(String, CachedDocument)> {
        let mut opened = Vec::with_capacity(attachments.len());
        for attachment in attachments {
            let (id, document) = (attachment.id.to_string(), attachment.document.id);
            self.remember(&id, &NamedDocument::Attachment(attachment));
            let (library, now) = (&self.services.library, self.services.now());
            if let Ok(held) = library.open(&self.principal, document, None, now).await {
                opened.push((id, held));
            }
        }
        opened
    }

    /// The document of that name; it is asked for once.
    async fn named(&self, name: &str) -> Result<Option<CachedDocument>, DocumentUnavailable> {
        if let Some(held) = self.attached.get(name) {
            return Ok(Some(held.clone()));
        }
        let cell = {
            let mut opened = self.opened.lock();
            opened.entry(name.to_owned()).or_default().clone()
        };
        let open = || async {
            let (library, now) = (&self.services.library, self.services.now());
            let found = match library.named(&self.principal, name, now).await {
                Ok(found) => Some(found),
                Err(DocumentUnavailable::Missing(_)) => self.sample(name).await?,
                Err(error) => return Err(error),
            };
            Ok(found.map(|(named, held)| {
                self.remember(name, &named);
                held
            }))
        };
        cell.get_or_try_init(open).await.cloned()
    }

    /// A document of the agent's own: from now on the principal has it.
    async fn sample(
        &self,
        name: &str,
    ) -> Result<Option<(NamedDocument, CachedDocument)>, DocumentUnavailable> {
        let mut samples = self.samples.iter();
        let Some(sample) = samples.find(|sample| sample.id == name) else {
            return Ok(None);
        };
        let library = &self.services.library;
        let attached = library.attach_sample(&self.principal, sample, self.services.now());
        attached.await.map(Some)
    }

    /// What people call a document.
    pub(super) fn label(&self, id: &str) -> Option<String> {
        let labels = || self.labels.lock();
        let label = self.attached.label(id).cloned();
        label.or_else(|| labels().get(id).cloned())
    }

    /// Remembers what people call a document.
    fn remember(&self, id: &str, named: &NamedDocument) {
        if let Some(label) = label(named) {
            let mut labels = self.labels.lock();
            labels.insert(id.to_owned(), label);
        }
    }
}
