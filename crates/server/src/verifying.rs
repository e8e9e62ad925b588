//! Checking citations against the documents of a principal.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use citations::layer::{Checking, Claim, Finding, Verifier};
use citations::verify::{Checker, Verdict};
use citations::{Citation, Names, Status};
use documents::ContentId;
use store::{AttachmentId, Principal, StoredVerification, ThreadId};
use tokio::task;

use crate::app::App;
use crate::library::{Held, Unavailable};

/// Looks for quotations in the documents of a principal.
#[derive(Clone)]
pub(crate) struct LibraryVerifier {
    pub(crate) app: Arc<App>,
    pub(crate) principal: Principal,
    pub(crate) thread: Option<ThreadId>,
    /// The documents of the thread, by attachment id.
    pub(crate) attached: HashMap<String, Held>,
}

impl Verifier for LibraryVerifier {
    fn verify(&self, claim: Claim) -> Checking {
        let this = self.clone();
        Box::pin(async move {
            let (mut finding, document) = this.look(&claim.citation, &claim.other_names).await;
            let page = format!("/p/{}", this.evidence_id(&claim.citation));
            finding.url = Some(this.app.link(&page));
            this.keep(&claim, &finding, document).await;
            finding
        })
    }
}

impl LibraryVerifier {
    /// What is true of a citation.
    pub(crate) async fn check(&self, citation: &Arc<Citation>, names: &[String]) -> Finding {
        self.look(citation, names).await.0
    }

    /// What is true of a citation, and the document that says so.
    pub(crate) async fn look(
        &self,
        citation: &Arc<Citation>,
        names: &[String],
    ) -> (Finding, Option<ContentId>) {
        let start = Instant::now();
        let looked = self.find(citation, names).await;
        let status = &looked.0.verification.status;
        let status = status
            .as_ref()
            .map_or("pending", |status| status.name(Names::G2));
        self.app.metrics.checked(status, start.elapsed());
        looked
    }

    async fn find(
        &self,
        citation: &Arc<Citation>,
        names: &[String],
    ) -> (Finding, Option<ContentId>) {
        let places = match self.places(citation, names).await {
            Ok(places) => places,
            Err(Unavailable::Missing(_)) => return (Finding::source_missing(citation), None),
            Err(error) => {
                tracing::warn!(%error, "a source could not be opened");
                return (Finding::source_missing(citation), None);
            }
        };
        if places.is_empty() {
            return (Finding::skipped(citation), None);
        }
        let citation = citation.clone();
        // Looking for what is not there may take milliseconds.
        let checked = task::spawn_blocking(move || best(&places, &citation)).await;
        checked.unwrap_or_default()
    }

    /// The documents to look into.
    async fn places(
        &self,
        citation: &Citation,
        names: &[String],
    ) -> Result<Vec<(String, Held)>, Unavailable> {
        let named = citation
            .attachment_id
            .as_deref()
            .filter(|id| !id.is_empty());
        let now = self.app.now();
        for name in named.into_iter().chain(names.iter().map(String::as_str)) {
            if let Some(held) = self.attached.get(name) {
                return Ok(vec![(name.to_owned(), held.clone())]);
            }
            if let Ok(id) = AttachmentId::new(name) {
                match self.app.library.attachment(&self.principal, &id, now).await {
                    Err(Unavailable::Missing(_)) => {}
                    found => return Ok(vec![(name.to_owned(), found?.1)]),
                }
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
        let mut all = Vec::new();
        for attachment in self.app.library.all(&self.principal, now).await? {
            let document = attachment.document.id;
            if let Ok(held) = self
                .app
                .library
                .open(&self.principal, document, None, now)
                .await
            {
                all.push((attachment.id.to_string(), held));
            }
        }
        Ok(all)
    }

    /// What the page of a citation is called by: the same for the same citation of the same principal.
    fn evidence_id(&self, citation: &Citation) -> String {
        let named = format!("{}\0{}", self.principal, citation.id());
        let mut id = ContentId::of(named.as_bytes()).to_string();
        id.truncate(32);
        id
    }

    /// Keeps what was found, so that it can be looked at.
    async fn keep(&self, claim: &Claim, finding: &Finding, document: Option<ContentId>) {
        let citation = &claim.citation;
        let stored = StoredVerification {
            id: self.evidence_id(citation),
            key: claim.key.to_string(),
            thread: self.thread.clone(),
            message: Some(claim.message_id.to_string()),
            document,
            citation: citation.to_json(Names::G2).to_json().into(),
            verification: finding.to_json(Names::G2).to_json().into(),
            created: self.app.now(),
        };
        let kept = self
            .app
            .store
            .keep_verifications(&self.principal, vec![stored]);
        if let Err(error) = kept.await {
            tracing::warn!(%error, "a verification could not be kept");
        }
    }
}

/// The best verdict that any of the documents gives, and which document that is.
fn best(places: &[(String, Held)], citation: &Citation) -> (Finding, Option<ContentId>) {
    let mut best: Option<(Verdict, ContentId)> = None;
    for (id, held) in places {
        let mut verdict = Checker::new(held).check(citation);
        verdict.verification.attachment_id = Some(id.clone());
        let done = verdict.status() == Status::Found;
        if best
            .as_ref()
            .is_none_or(|(before, _)| verdict.rank() < before.rank())
        {
            best = Some((verdict, held.id()));
        }
        if done {
            break;
        }
    }
    best.map_or_else(Default::default, |(verdict, document)| {
        (Finding::from(verdict), Some(document))
    })
}
