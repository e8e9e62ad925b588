//! Where a citation is looked for: the documents of its run, of its principal, of its agent.

use std::sync::PoisonError;

use citations::Citation;
use citations::layer::Finding;

use super::Looking;
use crate::conversation::label;
use crate::library::{Held, Named, Unavailable};

/// Where to look for a citation.
pub(super) enum Places {
    In(Vec<(String, Held)>),
    /// What is true of it is known without looking.
    Nowhere(Box<Finding>),
}

impl Looking {
    /// Where to look for a citation.
    pub(super) async fn places(&self, citation: &Citation, names: &[String]) -> Places {
        let nowhere = |finding: Finding| Places::Nowhere(Box::new(finding));
        match self.documents(citation, names).await {
            Ok(places) if places.is_empty() => nowhere(Finding::skipped(citation)),
            Ok(places) => Places::In(places),
            Err(error) => {
                if !matches!(error, Unavailable::Missing(_)) {
                    tracing::warn!(%error, "a source could not be opened");
                }
                nowhere(Finding::source_missing(citation))
            }
        }
    }

    /// The documents to look into.
    async fn documents(
        &self,
        citation: &Citation,
        names: &[String],
    ) -> Result<Vec<(String, Held)>, Unavailable> {
        let named = citation
            .attachment_id
            .as_deref()
            .filter(|id| !id.is_empty());
        for name in named.into_iter().chain(names.iter().map(String::as_str)) {
            if let Some(held) = self.named(name).await? {
                return Ok(vec![(name.to_owned(), held)]);
            }
        }
        if let Some(name) = named {
            return Err(Unavailable::Missing(name.to_owned()));
        }
        if !self.attached.is_empty() {
            let attached = self.attached.iter();
            let mut all: Vec<_> = attached
                .map(|(id, held)| (id.clone(), held.clone()))
                .collect();
            all.sort_by(|(first, _), (second, _)| first.cmp(second));
            return Ok(all);
        }
        let (library, now) = (&self.app.library, self.app.now());
        let mut all = Vec::new();
        for attachment in library.all(&self.principal, now).await? {
            let (id, document) = (attachment.id.to_string(), attachment.document.id);
            self.remember(&id, &Named::Attachment(attachment));
            if let Ok(held) = library.open(&self.principal, document, None, now).await {
                all.push((id, held));
            }
        }
        Ok(all)
    }

    /// The document of that name; it is asked for once.
    async fn named(&self, name: &str) -> Result<Option<Held>, Unavailable> {
        if let Some(held) = self.attached.get(name) {
            return Ok(Some(held.clone()));
        }
        let cell = {
            let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
            opened.entry(name.to_owned()).or_default().clone()
        };
        let open = || async {
            let (library, now) = (&self.app.library, self.app.now());
            let found = match library.named(&self.principal, name, now).await {
                Ok(found) => Some(found),
                Err(Unavailable::Missing(_)) => self.sample(name).await?,
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
    async fn sample(&self, name: &str) -> Result<Option<(Named, Held)>, Unavailable> {
        let mut samples = self.samples.iter();
        let Some(sample) = samples.find(|sample| sample.id == name) else {
            return Ok(None);
        };
        let library = &self.app.library;
        let attached = library.attach_sample(&self.principal, sample, self.app.now());
        attached.await.map(Some)
    }

    /// Remembers what people call a document.
    fn remember(&self, id: &str, named: &Named) {
        if let Some(label) = label(named) {
            let mut labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
            labels.insert(id.to_owned(), label);
        }
    }
}
