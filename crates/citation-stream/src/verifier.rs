//! Checking claims: what the layer asks for, and a verifier that looks into documents it was given.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use documents::Document;
use json::{Json, Map, Value};

use citations::Citation;
use citations::SdkVersion;
use citations::Verification;
use citations::VerificationProblem;
use citations::VerificationStatus;
use citations::check::{CitationChecker, Verdict};
use citations::object::ObjectWriter;
use citations::resolve::{SourceCandidate, SourceMatch, SourceQuery, best_verdict};
use citations::{CitationId, CitationKey};

/// A citation to be checked.
#[derive(Debug, Clone)]
pub struct CitationClaim {
    /// The conversation.
    pub thread_id: Arc<str>,
    /// The message that cites.
    pub message_id: Arc<str>,
    /// The key of the citation in the state.
    pub key: CitationKey,
    /// Tells it from every other citation.
    pub id: CitationId,
    /// What is claimed.
    pub citation: Arc<Citation>,
    /// Which of the documents given to the model it is from, counted from 0, where that is said.
    pub document_index: Option<u64>,
    /// What the source is called in somebody else's words, where an agent's own state names it: an id of its
    /// own, an address, a file name, a title. Then the citation's attachment is one of these names, and need
    /// not be an attachment here.
    pub other_names: Vec<String>,
}

/// How many bytes the form of the state has, as a rule.
const WRITTEN_BYTES: usize = 2 << 10;

/// What came of a check.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckResult {
    /// What is true of the citation.
    pub verification: Verification,
    /// There is no such source.
    pub source_missing: bool,
    /// Where the evidence can be looked at.
    pub url: Option<String>,
    /// Its form of the state, if it was written.
    written: Option<(SdkVersion, Json)>,
}

impl CheckResult {
    /// The citation names a source that is not there.
    pub fn source_missing(citation: &Citation) -> Self {
        Self::from(Verdict::source_missing(citation))
    }

    /// The citation names no source, and there is none at all.
    pub fn skipped(citation: &Citation) -> Self {
        Self::from(Verdict::skipped(citation))
    }

    /// Writes its form of the state once for all who want it; afterwards it must not be changed.
    pub fn write(&mut self, names: SdkVersion) -> Json {
        let json = self.state_form(names);
        self.written = Some((names, json.clone()));
        json
    }

    /// Its form of the state as text.
    pub(crate) fn state_form(&self, names: SdkVersion) -> Json {
        match &self.written {
            Some((written, json)) if *written == names => json.clone(),
            _ => Json::from_valid_text(self.to_text(names)),
        }
    }

    /// The form of the state: the verification without the echo of its citation, and `problem`.
    pub fn to_json(&self, names: SdkVersion) -> Value {
        Json::from_valid_text(self.to_text(names)).into_value()
    }

    fn to_text(&self, names: SdkVersion) -> String {
        let mut object = ObjectWriter::with_capacity(WRITTEN_BYTES);
        if self.verification.citation.is_some() {
            let bare = Verification {
                citation: None,
                ..self.verification.clone()
            };
            bare.write_members(names, &mut object);
        } else {
            self.verification.write_members(names, &mut object);
        }
        if self.source_missing {
            object.text("problem", "source_missing");
        }
        if let Some(url) = &self.url {
            object.text("evidenceUrl", url);
        }
        object.end()
    }
}

impl From<Verdict> for CheckResult {
    fn from(verdict: Verdict) -> Self {
        let mut verification = verdict.verification;
        let problem = verification.problem.take();
        Self {
            verification,
            source_missing: problem == Some(VerificationProblem::SourceMissing),
            ..Self::default()
        }
    }
}

/// A check under way.
pub type Checking = Pin<Box<dyn Future<Output = CheckResult> + Send>>;

/// Checks claims.
///
/// The layer starts a check the moment a citation is complete and polls it beside the stream, so a check
/// that takes long belongs on a thread of its own.
pub trait CitationVerifier: Send + Sync + 'static {
    /// Begins a check.
    fn verify(&self, claim: CitationClaim) -> Checking;
}

impl<V: CitationVerifier + ?Sized> CitationVerifier for Arc<V> {
    fn verify(&self, claim: CitationClaim) -> Checking {
        (**self).verify(claim)
    }
}

/// Checks against a set of documents, on the spot.
///
/// A citation that names a document is checked there alone; one that names none is checked in all of
/// them, and the best result counts. One that names it in somebody else's words is checked in all of them if
/// none is called that; if it is in none, its source is missing.
#[derive(Debug, Clone, Default)]
pub struct DocumentVerifier {
    documents: Arc<Vec<(String, Arc<Document>)>>,
}

impl DocumentVerifier {
    /// These documents, each under its attachment id.
    pub fn new(documents: impl IntoIterator<Item = (String, Arc<Document>)>) -> Self {
        Self {
            documents: Arc::new(documents.into_iter().collect()),
        }
    }

    /// The documents under their ids.
    pub fn documents(&self) -> &[(String, Arc<Document>)] {
        &self.documents
    }

    /// Checks a claim.
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
    fn verify(&self, claim: CitationClaim) -> Checking {
        let library = self.clone();
        Box::pin(async move { library.check(&claim) })
    }
}

/// The status of a verification in its JSON form.
pub(crate) fn status_of(json: &Map) -> Option<VerificationStatus> {
    json.get("status")
        .and_then(Value::as_str)
        .map(VerificationStatus::from_name)
}

#[cfg(test)]
mod tests {
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
    fn a_claim_is_checked_where_it_says_and_otherwise_everywhere() {
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
            let finding = library.check(&claim);
            let json = finding.to_json(SdkVersion::V2);
            assert_eq!(json["status"].as_str(), Some(status), "{claim:?}");
            assert_eq!(json["attachmentId"].as_str(), source, "{claim:?}");
            assert_eq!(json.get("problem").is_some(), missing, "{claim:?}");
            assert!(json.get("citation").is_none());
        }
        let by_content = library.documents()[1].1.id().to_string();
        let finding = library.check(&claim(Some(&by_content), None, &[]));
        assert_eq!(finding.verification.status, Some(VerificationStatus::Found));
    }

    #[test]
    fn without_any_document_a_claim_of_none_is_skipped() {
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
