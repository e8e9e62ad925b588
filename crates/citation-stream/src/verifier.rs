//! Verification of claims: the interface, and a verifier over a fixed set of documents.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use citations::check::CitationChecker;
use citations::resolve::{SourceCandidate, SourceMatch, SourceQuery, best_verdict};
use documents::Document;

use crate::check_result::CheckResult;
use crate::claim::CitationClaim;

/// Verification in progress.
pub type PendingCheck = Pin<Box<dyn Future<Output = CheckResult> + Send>>;

/// Verifies claims.
///
/// The layer starts a verification as soon as a citation is complete and polls it together with the stream. A
/// verification that computes for long must run on a thread of its own.
pub trait CitationVerifier: Send + Sync + 'static {
    /// Starts a verification.
    fn verify(&self, claim: CitationClaim) -> PendingCheck;
}

impl<V: CitationVerifier + ?Sized> CitationVerifier for Arc<V> {
    fn verify(&self, claim: CitationClaim) -> PendingCheck {
        (**self).verify(claim)
    }
}

/// Verifies claims against a fixed set of documents, at once and on the caller's thread.
///
/// A citation that names a document is checked in that document; one that names none is checked in all, and the best
/// result counts. If the source has names of the agent that match no document, all documents are checked; if the quote
/// is in none of them, the source is missing.
#[derive(Debug, Clone, Default)]
pub struct DocumentVerifier {
    documents: Arc<Vec<(String, Arc<Document>)>>,
}

impl DocumentVerifier {
    /// Creates a verifier over documents under their attachment ids.
    pub fn new(documents: impl IntoIterator<Item = (String, Arc<Document>)>) -> Self {
        Self {
            documents: Arc::new(documents.into_iter().collect()),
        }
    }

    /// Returns the documents under their attachment ids.
    pub fn documents(&self) -> &[(String, Arc<Document>)] {
        &self.documents
    }

    /// Verifies a claim.
    pub fn check(&self, claim: &CitationClaim) -> CheckResult {
        let citation = &*claim.citation;
        let candidates: Vec<SourceCandidate<'_>> = self
            .documents
            .iter()
            .zip(1..)
            .map(|((id, document), index)| SourceCandidate {
                document_id: Some(document.id()),
                attachment_id: Some(id),
                title: document.title(),
                index: Some(index),
                ..SourceCandidate::default()
            })
            .collect();
        let query = SourceQuery::new(citation, claim.document_index);
        let source = query
            .with_foreign_names(&claim.other_names)
            .find(&candidates);
        let chosen: Vec<&(String, Arc<Document>)> = match &source {
            SourceMatch::Named(found) => found.iter().map(|at| &self.documents[*at]).collect(),
            SourceMatch::Unnamed | SourceMatch::Unknown => self.documents.iter().collect(),
            SourceMatch::Missing => Vec::new(),
        };
        let verdicts = chosen.into_iter().map(|(id, document)| {
            let mut verdict = CitationChecker::new(document).check(citation);
            let verification = &mut verdict.verification;
            verification.attachment_id = Some(id.clone());
            verification.label = Some(document.title().unwrap_or(id).to_owned());
            (verdict, ())
        });
        let best = best_verdict(verdicts).map(|(verdict, ())| verdict);
        CheckResult::from(source.conclude(citation, best))
    }
}

impl CitationVerifier for DocumentVerifier {
    fn verify(&self, claim: CitationClaim) -> PendingCheck {
        let verifier = self.clone();
        Box::pin(async move { verifier.check(&claim) })
    }
}

#[cfg(test)]
mod tests {
    use citations::{Citation, SdkVersion, VerificationStatus};
    use documents::ReadLimits;

    use super::*;

    fn library(texts: &[(&str, &str)]) -> DocumentVerifier {
        DocumentVerifier::new(texts.iter().map(|(id, text)| {
            let document = Document::read(text.as_bytes(), "a.txt", &ReadLimits::default());
            ((*id).to_owned(), Arc::new(document.expect("plain text")))
        }))
    }

    fn claim(document: Option<&str>, index: Option<u64>, other: &[&str]) -> CitationClaim {
        let citation = Citation {
            attachment_id: document.map(str::to_owned),
            full_phrase: Some("Two boats were out".to_owned()),
            ..Citation::default()
        };
        CitationClaim {
            thread_id: Arc::from("t"),
            message_id: Arc::from("m"),
            key: citation.key(),
            id: citation.id(),
            citation: Arc::new(citation),
            document_index: index,
            other_names: other.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    #[test]
    fn checks_the_named_document_or_all() {
        let library = library(&[("none", "Nothing here."), ("log", "Two boats were out.")]);
        for (claim, status, source, missing) in [
            (claim(Some("log"), None, &[]), "found", Some("log"), false),
            (
                claim(Some("none"), None, &[]),
                "not_found",
                Some("none"),
                false,
            ),
            (claim(None, None, &[]), "found", Some("log"), false),
            (
                claim(Some("gone"), None, &[]),
                "not_found",
                Some("gone"),
                true,
            ),
            (
                claim(Some("gone"), None, &["log"]),
                "found",
                Some("log"),
                false,
            ),
            (
                claim(Some("A title"), Some(1), &[]),
                "found",
                Some("log"),
                false,
            ),
            (claim(None, Some(0), &[]), "not_found", Some("none"), false),
            (claim(None, Some(9), &[]), "not_found", None, true),
        ] {
            let result = library.check(&claim);
            let json = result.to_json(SdkVersion::V2);
            assert_eq!(json["status"].as_str(), Some(status), "{claim:?}");
            assert_eq!(json["attachmentId"].as_str(), source, "{claim:?}");
            assert_eq!(json.get("problem").is_some(), missing, "{claim:?}");
            assert!(json.get("citation").is_none());
        }
        let by_content = library.documents()[1].1.id().to_string();
        let result = library.check(&claim(Some(&by_content), None, &[]));
        assert_eq!(result.verification.status, Some(VerificationStatus::Found));
    }

    #[test]
    fn skips_a_claim_without_any_document() {
        let library = DocumentVerifier::default();
        let status = |claim| library.check(&claim).verification.status;
        assert_eq!(
            status(claim(None, None, &[])),
            Some(VerificationStatus::Skipped)
        );
        assert_eq!(
            status(claim(Some("x"), None, &[])),
            Some(VerificationStatus::NotFound)
        );
    }
}
