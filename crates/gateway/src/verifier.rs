//! Verification of citations against the documents of a principal.

mod source_resolution;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use citation_stream::{CheckResult, CitationClaim, CitationVerifier, PendingCheck};
use citations::check::CitationChecker;
use citations::resolve::{SourceQuery, best_verdict};
use citations::{Citation, SdkVersion};
use documents::ContentId;
use parking_lot::Mutex;
use search::LinePosition;
use store::{Principal, Store, StoredVerification, ThreadId, Timestamp};
use tokio::sync::oneshot;
use tokio::task;
use tracing::Span;

use crate::evidence_links::EvidenceLinks;
use crate::library::{CachedDocument, DocumentLibrary, SampleDocument};
use crate::metrics::VerificationMetrics;
use crate::run_documents::RunDocuments;
use crate::runs::{Key, PendingEvidence};
use crate::traces::verification_span;
use source_resolution::{ResolvedSources, SourceResolver};

/// Number of citations that a worker thread checks together. Their results arrive together.
const BATCH_CITATIONS: usize = 32;
/// Number of batches of one run that are checked at the same time.
const MAX_BATCHES: usize = 2;
/// Length of the part of an evidence id that is derived from principal, citation and document.
const EVIDENCE_ID_DIGITS: usize = 16;

/// Parts of the gateway that verification uses.
pub(crate) struct VerifierServices {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) library: Arc<DocumentLibrary>,
    pub(crate) metrics: VerificationMetrics,
    pub(crate) clock: fn() -> Timestamp,
    pub(crate) links: EvidenceLinks,
}

impl VerifierServices {
    fn now(&self) -> Timestamp {
        (self.clock)()
    }
}

/// Verifier of citations against the documents of a principal.
#[derive(Clone)]
pub struct LibraryVerifier(Arc<VerificationJob>);

struct VerificationJob {
    services: Arc<VerifierServices>,
    principal: Principal,
    /// Thread of the run and the destination of its evidence; absent outside of runs.
    run: Option<(ThreadId, PendingEvidence)>,
    sources: SourceResolver,
    queue: Mutex<CitationQueue>,
    /// Parent of the verification spans.
    span: Span,
}

/// Citations that wait for a worker thread.
#[derive(Default)]
struct CitationQueue {
    waiting: VecDeque<QueuedCitation>,
    /// Number of batches that are being checked.
    batches: usize,
}

struct QueuedCitation {
    claim: CitationClaim,
    sources: ResolvedSources,
    sender: oneshot::Sender<CheckResult>,
}

impl CitationVerifier for LibraryVerifier {
    fn verify(&self, claim: CitationClaim) -> PendingCheck {
        let job = self.0.clone();
        Box::pin(async move { job.verify(claim).await })
    }
}

impl LibraryVerifier {
    /// Creates a verifier for citations outside of runs. It searches the given documents, or else all of the principal.
    pub(crate) fn new(
        services: Arc<VerifierServices>,
        principal: Principal,
        documents: RunDocuments,
    ) -> Self {
        let sources =
            SourceResolver::new(services.clone(), principal.clone(), documents, Vec::new());
        Self::from_parts(services, principal, None, sources)
    }

    /// Creates a verifier for a run. Its evidence is stored together with the events of the run.
    pub(crate) fn for_run(
        services: Arc<VerifierServices>,
        (principal, thread): Key,
        evidence: PendingEvidence,
        documents: RunDocuments,
        samples: Vec<SampleDocument>,
    ) -> Self {
        let sources = SourceResolver::new(services.clone(), principal.clone(), documents, samples);
        Self::from_parts(services, principal, Some((thread, evidence)), sources)
    }

    fn from_parts(
        services: Arc<VerifierServices>,
        principal: Principal,
        run: Option<(ThreadId, PendingEvidence)>,
        sources: SourceResolver,
    ) -> Self {
        Self(Arc::new(VerificationJob {
            services,
            principal,
            run,
            sources,
            queue: Mutex::default(),
            span: Span::current(),
        }))
    }

    /// Verifies one citation without storing evidence. `document_index` counts from 0 in the list of documents that
    /// the verifier was given.
    pub async fn check(
        &self,
        citation: &Arc<Citation>,
        document_index: Option<u64>,
    ) -> CheckResult {
        let start = Instant::now();
        let _span = verification_span(&self.0.span, 1);
        let query = SourceQuery::new(citation, document_index);
        let sources = self.0.sources.resolve(&query).await;
        let citation = citation.clone();
        // A quote that is not in the source takes milliseconds to search for.
        let check = move || check_documents(&sources, &citation).result;
        let mut result = task::spawn_blocking(check).await.unwrap_or_default();
        self.0.record_metrics(&result, start.elapsed());
        self.0.add_names(&mut result);
        result
    }
}

impl VerificationJob {
    async fn verify(self: Arc<Self>, claim: CitationClaim) -> CheckResult {
        let query = SourceQuery::new(&claim.citation, claim.document_index);
        let query = query.with_foreign_names(&claim.other_names);
        let sources = self.sources.resolve(&query).await;
        if sources.documents.is_empty() {
            let result = check_documents(&sources, &claim.citation);
            return self.finish(&claim, result).await;
        }
        if let Some(result) = self.check_inline(&claim, &sources) {
            return self.finish(&claim, result).await;
        }
        let (sender, receiver) = oneshot::channel();
        self.enqueue(QueuedCitation {
            claim,
            sources,
            sender,
        });
        receiver.await.unwrap_or_default()
    }

    /// Checks a citation in the task of its run. Returns `None` if that could take longer than microseconds.
    fn check_inline(
        &self,
        claim: &CitationClaim,
        sources: &ResolvedSources,
    ) -> Option<TimedResult> {
        let [(id, document)] = sources.documents.as_slice() else {
            return None;
        };
        let start = Instant::now();
        let _span = verification_span(&self.span, 1);
        let check = || CitationChecker::new(document).check_quickly(&claim.citation);
        // A panic must not end the run; on a worker thread the thread contains it.
        let mut verdict = catch_unwind(AssertUnwindSafe(check)).ok()??;
        verdict.verification.attachment_id = Some(id.clone());
        let verdict = sources.conclude(&claim.citation, Some(verdict));
        Some(TimedResult {
            result: CheckResult::from(verdict),
            document: Some(document.clone()),
            duration: start.elapsed(),
        })
    }

    fn enqueue(self: Arc<Self>, citation: QueuedCitation) {
        let mut queue = self.queue.lock();
        queue.waiting.push_back(citation);
        if queue.batches < MAX_BATCHES && queue.waiting.len() > queue.batches * BATCH_CITATIONS {
            queue.batches += 1;
            drop(queue);
            tokio::spawn(self.check_queue());
        }
    }

    /// Checks queued citations batch by batch until none are left.
    async fn check_queue(self: Arc<Self>) {
        // Citations from the same piece of text are queued before the first batch is taken.
        task::yield_now().await;
        while let Some(batch) = self.next_batch() {
            let span = verification_span(&self.span, batch.len());
            let checked = task::spawn_blocking(move || check_batch(batch)).await;
            let mut results = Vec::new();
            let mut unstored = Vec::new();
            for (citation, result) in checked.unwrap_or_default() {
                let (result, evidence) = self.add_evidence(&citation.claim, result);
                unstored.extend(evidence);
                results.push((citation.sender, result));
            }
            drop(span);
            self.store_evidence(unstored).await;
            for (sender, result) in results {
                // The receiver may have stopped waiting.
                let _ = sender.send(result);
            }
        }
    }

    /// Takes the next batch. Returns `None` and ends this worker if the queue is empty.
    fn next_batch(&self) -> Option<Vec<QueuedCitation>> {
        let mut queue = self.queue.lock();
        let count = queue.waiting.len().min(BATCH_CITATIONS);
        if count == 0 {
            queue.batches -= 1;
            return None;
        }
        Some(queue.waiting.drain(..count).collect())
    }

    /// Returns a result with its evidence page, which is stored if no run stores it.
    async fn finish(&self, claim: &CitationClaim, result: TimedResult) -> CheckResult {
        let (result, evidence) = self.add_evidence(claim, result);
        self.store_evidence(evidence.into_iter().collect()).await;
        result
    }

    /// Stores evidence that no run stores. The result that links to it is returned afterwards.
    async fn store_evidence(&self, evidence: Vec<StoredVerification>) {
        if evidence.is_empty() {
            return;
        }
        let store = &self.services.store;
        if let Err(error) = store.store_verifications(&self.principal, evidence).await {
            tracing::warn!(%error, "verifications could not be stored");
        }
    }

    /// Adds label and evidence page to a result. Also returns the evidence if no run stores it.
    fn add_evidence(
        &self,
        claim: &CitationClaim,
        timed: TimedResult,
    ) -> (CheckResult, Option<StoredVerification>) {
        let TimedResult {
            mut result,
            document,
            duration,
        } = timed;
        self.record_metrics(&result, duration);
        self.add_names(&mut result);
        let id = self.evidence_id(claim, document.as_ref().map(|document| document.id()));
        let links = self.services.links.page(&id, &self.principal);
        result.url = Some(links.url());
        if let Some(document) = &document {
            links.add_images(&mut result.verification, document);
        }
        let evidence = StoredVerification {
            id,
            key: claim.key.to_string(),
            thread: self.run.as_ref().map(|(thread, _)| thread.clone()),
            message: Some(claim.message_id.to_string()).filter(|message| !message.is_empty()),
            document: document.map(|document| document.id()),
            citation: claim.citation.to_text(SdkVersion::V2).into(),
            // The state holds this form as well, unless another generation of names is configured.
            verification: result.write(SdkVersion::V2).to_json().into(),
            created: self.services.now(),
        };
        let unstored = match &self.run {
            Some((_, pending)) => pending.add(evidence),
            None => Some(evidence),
        };
        (result, unstored)
    }

    /// Adds the names of the source to a result.
    fn add_names(&self, result: &mut CheckResult) {
        if let Some(source) = &result.verification.attachment_id {
            let names = self.sources.names(source);
            result.verification.label = names.label;
            result.source_uri = names.uri;
        }
    }

    fn record_metrics(&self, result: &CheckResult, duration: Duration) {
        let status = result.verification.status.as_ref();
        let status = status.map_or("pending", |status| status.name(SdkVersion::V2));
        self.services.metrics.record(status, duration);
    }

    /// Returns the id of an evidence page. It is the same for the same citation of the same principal in the same
    /// document; another document has a page of its own.
    fn evidence_id(&self, claim: &CitationClaim, document: Option<ContentId>) -> String {
        let document = document.map_or_else(String::new, |id| id.to_string());
        let identity = format!("{}\0{}\0{document}", self.principal, claim.id);
        let mut id = ContentId::of(identity.as_bytes()).to_string();
        id.truncate(EVIDENCE_ID_DIGITS);
        format!("{}{id}", claim.key)
    }
}

/// Result of checking one citation.
struct TimedResult {
    result: CheckResult,
    /// Document with the best verdict.
    document: Option<CachedDocument>,
    duration: Duration,
}

fn check_batch(batch: Vec<QueuedCitation>) -> Vec<(QueuedCitation, TimedResult)> {
    let check = |queued: QueuedCitation| {
        let result = check_documents(&queued.sources, &queued.claim.citation);
        (queued, result)
    };
    batch.into_iter().map(check).collect()
}

/// Checks a citation in all of its sources.
fn check_documents(sources: &ResolvedSources, citation: &Citation) -> TimedResult {
    let start = Instant::now();
    let best = best_verdict(sources.documents.iter().map(|(id, document)| {
        let mut verdict = CitationChecker::new(document).check(citation);
        verdict.verification.attachment_id = Some(id.clone());
        (verdict, document.clone())
    }));
    let (best, document) = best.unzip();
    let verdict = sources.conclude(citation, best);
    let document = document.filter(|_| !verdict.verification.is_source_missing());
    let mut result = CheckResult::from(verdict);
    if let (Some(document), Some(line)) = (&document, first_line(&result)) {
        result.headings = document.headings_above(line).to_vec();
    }
    TimedResult {
        document,
        result,
        duration: start.elapsed(),
    }
}

/// Returns the first line of the quote, if it was found.
fn first_line(result: &CheckResult) -> Option<LinePosition> {
    let found = result.verification.document.as_ref()?;
    let line = found.verified_line_ids.first().copied().unwrap_or(1);
    Some(LinePosition {
        page: u32::try_from(found.verified_page_number?).ok()?,
        line: u32::try_from(line).ok()?,
    })
}
