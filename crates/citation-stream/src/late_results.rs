//! Verifications that finish after their run.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use citations::CitationKey;

use crate::check_result::CheckResult;
use crate::claim::CitationClaim;
use crate::verifier::{CitationVerifier, PendingCheck};

/// A verification that did not finish before its run or its deadline ended.
///
/// A verification that has not started starts when it is polled, so the host decides how many run at the same time.
pub struct OverdueCheck {
    /// Thread id.
    pub thread_id: Arc<str>,
    /// Id of the run that ended.
    pub run_id: Arc<str>,
    /// Key of the citation.
    pub key: CitationKey,
    work: CheckWork,
}

enum CheckWork {
    Started(PendingCheck),
    Waiting(CitationClaim, Arc<dyn CitationVerifier>),
}

impl OverdueCheck {
    /// Takes over a verification that has started.
    pub(crate) fn started(claim: &CitationClaim, run_id: &Arc<str>, check: PendingCheck) -> Self {
        Self::new(claim, run_id, CheckWork::Started(check))
    }

    /// Takes over a claim whose verification has not started.
    pub(crate) fn waiting(
        claim: &CitationClaim,
        run_id: &Arc<str>,
        verifier: &Arc<dyn CitationVerifier>,
    ) -> Self {
        let work = CheckWork::Waiting(claim.clone(), Arc::clone(verifier));
        Self::new(claim, run_id, work)
    }

    fn new(claim: &CitationClaim, run_id: &Arc<str>, work: CheckWork) -> Self {
        Self {
            thread_id: Arc::clone(&claim.thread_id),
            run_id: Arc::clone(run_id),
            key: claim.key,
            work,
        }
    }
}

impl std::fmt::Debug for OverdueCheck {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "OverdueCheck({})", self.key)
    }
}

impl Future for OverdueCheck {
    type Output = LateResult;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<LateResult> {
        if let CheckWork::Waiting(claim, verifier) = &self.work {
            let check = verifier.verify(claim.clone());
            self.work = CheckWork::Started(check);
        }
        let CheckWork::Started(check) = &mut self.work else {
            return Poll::Pending;
        };
        check.as_mut().poll(context).map(|result| LateResult {
            thread_id: Arc::clone(&self.thread_id),
            run_id: Arc::clone(&self.run_id),
            key: self.key,
            result,
        })
    }
}

/// Result of a verification that finished after its run.
/// [`ThreadUpdate::of_late_result`](crate::ThreadUpdate::of_late_result) adds it to the memory of the thread.
#[derive(Debug, Clone)]
pub struct LateResult {
    /// Thread id.
    pub thread_id: Arc<str>,
    /// Id of the run that ended before.
    pub run_id: Arc<str>,
    /// Key of the citation.
    pub key: CitationKey,
    /// The result.
    pub result: CheckResult,
}
