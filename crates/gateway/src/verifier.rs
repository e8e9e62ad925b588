//! Checking citations against the documents of a principal.

mod source_resolution;

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use citation_stream::{CheckResult, Checking, CitationClaim, CitationVerifier};
use citations::check::{CitationChecker, Verdict};
use citations::{Citation, SdkVersion, VerificationStatus};
use documents::ContentId;
use json::Json;
use parking_lot::Mutex;
use store::{Principal, Store, StoredVerification, ThreadId, Timestamp};
use tokio::sync::{OnceCell, oneshot};
use tokio::task;
use tracing::Span;

use crate::library::{CachedDocument, DocumentLibrary, SampleDocument};
use crate::metrics::VerificationMetrics;
use crate::run_documents::RunDocuments;
use crate::runs::PendingEvidence;
use crate::traces::verification_span;
use source_resolution::{SourcePresence, SourceScope};

/// How many citations are looked for in one go. Their results come together.
const MOST_TOGETHER: usize = 32;
/// How many such goes of one run are under way at once.
const MOST_AT_ONCE: usize = 2;

/// Parts of the gateway that verification uses.
pub(crate) struct VerifierServices {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) library: Arc<DocumentLibrary>,
    pub(crate) metrics: VerificationMetrics,
    pub(crate) clock: fn() -> Timestamp,
    pub(crate) public_url: Option<String>,
}

impl VerifierServices {
    fn now(&self) -> Timestamp {
        (self.clock)()
    }

    fn evidence_url(&self, id: &str) -> String {
        let base = self.public_url.as_deref().unwrap_or_default();
        format!("{}/p/{id}", base.trim_end_matches('/'))
    }
}

/// Verifies citations against the documents of a principal.
#[derive(Clone)]
pub struct LibraryVerifier(Arc<VerificationJob>);

/// What was asked for, each once.
type Asked<T> = Mutex<HashMap<String, Arc<OnceCell<T>>>>;

struct VerificationJob {
    services: Arc<VerifierServices>,
    principal: Principal,
    /// The thread of the run that asks, and where its evidence goes.
    run: Option<(ThreadId, PendingEvidence)>,
    /// The documents of the thread.
    attached: RunDocuments,
    /// Documents of the agent's own.
    samples: Vec<SampleDocument>,
    /// Other documents that were asked for, by name; none if there is none.
    opened: Asked<Option<CachedDocument>>,
    /// Other documents that were asked for by what somebody else calls them.
    called: Asked<Vec<(String, CachedDocument)>>,
    /// What people call those others, by attachment id.
    labels: Mutex<HashMap<String, String>>,
    row: Mutex<VerificationBatch>,
    /// What its traces are part of.
    span: Span,
}

/// Citations that wait to be looked for.
#[derive(Default)]
struct VerificationBatch {
    waiting: VecDeque<WaitingVerification>,
    /// How many goes are under way.
    going: usize,
}

struct WaitingVerification {
    claim: CitationClaim,
    places: Vec<(String, CachedDocument)>,
    source: SourcePresence,
    sender: oneshot::Sender<CheckResult>,
}

impl CitationVerifier for LibraryVerifier {
    fn verify(&self, claim: CitationClaim) -> Checking {
        let this = self.clone();
        Box::pin(async move {
            let (places, source) = match this.0.places(&claim.citation, &claim.other_names).await {
                SourceScope::In(places, source) => (places, source),
                SourceScope::Nowhere(finding) => {
                    let looked = SourceCheckResult {
                        finding: *finding,
                        document: None,
                        took: Duration::ZERO,
                    };
                    return this.0.settle(&claim, looked).await;
                }
            };
            if let Some(looked) = this.0.look_quickly(&claim, &places) {
                let looked = looked.of(source, &claim.citation);
                return this.0.settle(&claim, looked).await;
            }
            let (sender, receiver) = oneshot::channel();
            this.enqueue(WaitingVerification {
                claim,
                places,
                source,
                sender,
            });
            receiver.await.unwrap_or_default()
        })
    }
}

impl LibraryVerifier {
    /// Creates a verifier for citations outside of runs. It searches the given documents, or else all of the principal.
    pub(crate) fn new(
        services: Arc<VerifierServices>,
        principal: Principal,
        attached: impl Into<RunDocuments>,
    ) -> Self {
        Self(Arc::new(VerificationJob::new(
            services,
            principal,
            None,
            attached.into(),
        )))
    }

    /// Creates a verifier for a run. Its evidence is stored together with the events of the run.
    pub(crate) fn for_run(
        services: Arc<VerifierServices>,
        principal: Principal,
        run: (ThreadId, PendingEvidence),
        attached: RunDocuments,
        samples: Vec<SampleDocument>,
    ) -> Self {
        let job = VerificationJob::new(services, principal, Some(run), attached);
        Self(Arc::new(VerificationJob { samples, ..job }))
    }

    /// What is true of a citation.
    pub async fn check(&self, citation: &Arc<Citation>, names: &[String]) -> CheckResult {
        let start = Instant::now();
        let _span = verification_span(&self.0.span, 1);
        let finding = match self.0.places(citation, names).await {
            SourceScope::Nowhere(finding) => *finding,
            SourceScope::In(places, source) => {
                let citation = citation.clone();
                // Looking for what is not there may take milliseconds.
                let look = move || look(&places, source, &citation).finding;
                task::spawn_blocking(look).await.unwrap_or_default()
            }
        };
        self.0.count(&finding, start.elapsed());
        finding
    }

    fn enqueue(&self, waiting: WaitingVerification) {
        let mut row = self.0.row.lock();
        row.waiting.push_back(waiting);
        if row.going < MOST_AT_ONCE && row.waiting.len() > row.going * MOST_TOGETHER {
            row.going += 1;
            drop(row);
            tokio::spawn(self.0.clone().go());
        }
    }
}

impl VerificationJob {
    fn new(
        services: Arc<VerifierServices>,
        principal: Principal,
        run: Option<(ThreadId, PendingEvidence)>,
        attached: RunDocuments,
    ) -> Self {
        Self {
            services,
            principal,
            run,
            attached,
            samples: Vec::new(),
            opened: Mutex::default(),
            called: Mutex::default(),
            labels: Mutex::default(),
            row: Mutex::default(),
            span: Span::current(),
        }
    }

    /// Looks for all that wait.
    async fn go(self: Arc<Self>) {
        // What was found in the same piece of text joins in.
        task::yield_now().await;
        while let Some(together) = self.next() {
            let span = verification_span(&self.span, together.len());
            let looked = task::spawn_blocking(move || looked(together)).await;
            let mut found = Vec::new();
            let mut late = Vec::new();
            for (waiting, looked) in looked.unwrap_or_default() {
                let (finding, left) = self.settled(&waiting.claim, looked);
                late.extend(left);
                found.push((waiting.sender, finding));
            }
            drop(span);
            self.keep(late).await;
            for (sender, finding) in found {
                // Nobody may want to know any more.
                let _ = sender.send(finding);
            }
        }
    }

    /// Looks for a citation where others wait meanwhile: nothing if it may take longer than microseconds.
    fn look_quickly(
        &self,
        claim: &CitationClaim,
        places: &[(String, CachedDocument)],
    ) -> Option<SourceCheckResult> {
        let [(id, held)] = places else {
            return None;
        };
        let start = Instant::now();
        let _span = verification_span(&self.span, 1);
        let check = || CitationChecker::new(held).check_quickly(&claim.citation);
        // A fault there is not the run's: the other way it is contained by its thread.
        let mut verdict = catch_unwind(AssertUnwindSafe(check)).ok()??;
        verdict.verification.attachment_id = Some(id.clone());
        Some(SourceCheckResult {
            finding: CheckResult::from(verdict),
            document: Some(held.id()),
            took: start.elapsed(),
        })
    }

    /// What was found, with its page.
    async fn settle(&self, claim: &CitationClaim, looked: SourceCheckResult) -> CheckResult {
        let (finding, late) = self.settled(claim, looked);
        self.keep(late.into_iter().collect()).await;
        finding
    }

    /// Keeps evidence that no run stores; before it is written down what was found, because that links to it.
    async fn keep(&self, late: Vec<StoredVerification>) {
        if late.is_empty() {
            return;
        }
        let kept = self
            .services
            .store
            .store_verifications(&self.principal, late);
        if let Err(error) = kept.await {
            tracing::warn!(%error, "verifications could not be kept");
        }
    }

    /// What was found, with its page; and what that shows, if no run stores it.
    fn settled(
        &self,
        claim: &CitationClaim,
        looked: SourceCheckResult,
    ) -> (CheckResult, Option<StoredVerification>) {
        let SourceCheckResult {
            mut finding,
            document,
            took,
        } = looked;
        self.count(&finding, took);
        if let Some(source) = &finding.verification.attachment_id {
            finding.verification.label = self.label(source);
        }
        let id = self.evidence_id(claim, document);
        finding.url = Some(self.services.evidence_url(&id));
        // The state has it in this form, too, unless other names were configured.
        let json = finding.write(SdkVersion::V2);
        let stored = self.stored(id, claim, &json, document);
        let late = match &self.run {
            Some((_, evidence)) => evidence.add(stored),
            None => Some(stored),
        };
        (finding, late)
    }

    fn count(&self, finding: &CheckResult, took: Duration) {
        let status = finding.verification.status.as_ref();
        let status = status.map_or("pending", |status| status.name(SdkVersion::V2));
        self.services.metrics.record(status, took);
    }

    /// The next that wait; when there are none, this go has ended.
    fn next(&self) -> Option<Vec<WaitingVerification>> {
        let mut row = self.row.lock();
        let count = row.waiting.len().min(MOST_TOGETHER);
        if count == 0 {
            row.going -= 1;
            return None;
        }
        Some(row.waiting.drain(..count).collect())
    }

    /// What the page of a citation is called by: the same for the same citation of the same principal, checked in the
    /// same document. Another document may say something else.
    fn evidence_id(&self, claim: &CitationClaim, document: Option<ContentId>) -> String {
        let document = document.map_or_else(String::new, |id| id.to_string());
        let named = format!("{}\0{}\0{document}", self.principal, claim.id);
        let mut id = ContentId::of(named.as_bytes()).to_string();
        id.truncate(16);
        format!("{}{id}", claim.key)
    }

    /// What was found, so that it can be looked at.
    fn stored(
        &self,
        id: String,
        claim: &CitationClaim,
        verification: &Json,
        document: Option<ContentId>,
    ) -> StoredVerification {
        StoredVerification {
            id,
            key: claim.key.to_string(),
            thread: self.run.as_ref().map(|(thread, _)| thread.clone()),
            message: Some(claim.message_id.to_string()).filter(|message| !message.is_empty()),
            document,
            citation: claim.citation.to_text(SdkVersion::V2).into(),
            verification: verification.to_json().into(),
            created: self.services.now(),
        }
    }
}

/// What was found of a citation.
struct SourceCheckResult {
    finding: CheckResult,
    /// Where.
    document: Option<ContentId>,
    took: Duration,
}

impl SourceCheckResult {
    /// The same; but if nobody knows the source, and the words are nowhere, it is the source that is missing.
    fn of(self, source: SourcePresence, citation: &Citation) -> Self {
        match (source, &self.finding.verification.status) {
            (SourcePresence::Unknown, Some(VerificationStatus::NotFound)) => Self {
                finding: CheckResult::source_missing(citation),
                document: None,
                ..self
            },
            _ => self,
        }
    }
}

/// Looks for several, one after the other.
fn looked(together: Vec<WaitingVerification>) -> Vec<(WaitingVerification, SourceCheckResult)> {
    let look = |waiting: WaitingVerification| {
        let looked = look(&waiting.places, waiting.source, &waiting.claim.citation);
        (waiting, looked)
    };
    together.into_iter().map(look).collect()
}

/// Looks for a citation in some documents.
fn look(
    places: &[(String, CachedDocument)],
    source: SourcePresence,
    citation: &Citation,
) -> SourceCheckResult {
    let start = Instant::now();
    let (finding, document) = best(places, citation);
    let looked = SourceCheckResult {
        finding,
        document,
        took: start.elapsed(),
    };
    looked.of(source, citation)
}

/// The best verdict that any of the documents gives, and which document that is.
fn best(
    places: &[(String, CachedDocument)],
    citation: &Citation,
) -> (CheckResult, Option<ContentId>) {
    let mut best: Option<(Verdict, ContentId)> = None;
    for (id, held) in places {
        let mut verdict = CitationChecker::new(held).check(citation);
        verdict.verification.attachment_id = Some(id.clone());
        let done = verdict.status() == VerificationStatus::Found;
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
        (CheckResult::from(verdict), Some(document))
    })
}
