//! Citations of the ledger and their outcomes.

use std::sync::Arc;

use citations::{Citation, CitationId, CitationKey, SdkVersion, VerificationStatus};
use json::Json;

use crate::check_result::CheckResult;
use citations::resolve::StatusCategory;

/// A citation of the thread.
#[derive(Debug, Clone)]
pub struct LedgerEntry {
    /// Key in the state.
    pub key: CitationKey,
    /// Id, which tells it from other citations with the same key.
    pub(crate) id: CitationId,
    /// The citation itself.
    pub citation: Arc<Citation>,
    /// The citation in the form of the state.
    pub(crate) json: Json,
    /// Outcome of the last verification; `None` before the first one has finished.
    pub(crate) outcome: Option<CitationOutcome>,
    /// True while a verification runs.
    pub(crate) checking: bool,
    /// Number of the run that last verified it, so that one run does not verify it twice.
    pub(crate) checked_in: Option<u64>,
    /// Indexes of the messages that cite it.
    pub(crate) messages: Vec<usize>,
    /// Index in the session list.
    pub(crate) number: Option<usize>,
    /// Time of its first appearance in milliseconds since 1970; 0 if unknown.
    pub(crate) seen: u64,
}

impl LedgerEntry {
    /// Creates an entry without an outcome.
    pub(crate) fn new(key: CitationKey, citation: Arc<Citation>, json: Json, seen: u64) -> Self {
        Self {
            key,
            id: citation.id(),
            citation,
            json,
            outcome: None,
            checking: false,
            checked_in: None,
            messages: Vec::new(),
            number: None,
            seen,
        }
    }

    /// Returns true if a result is still expected.
    pub(crate) fn is_open(&self) -> bool {
        self.checking || self.outcome.is_none()
    }

    /// Returns the category of the outcome.
    pub(crate) fn category(&self) -> StatusCategory {
        self.outcome
            .as_ref()
            .map_or(StatusCategory::Pending, |outcome| outcome.category)
    }

    /// Returns the title of the source.
    pub(crate) fn title(&self) -> Option<&str> {
        title(&self.citation, self.outcome.as_ref())
    }

    /// Returns the address of the evidence page, or of the source if there is no such page.
    pub(crate) fn url(&self) -> Option<&str> {
        url(&self.citation, self.outcome.as_ref())
    }

    /// Returns the address of the evidence page.
    pub(crate) fn evidence_url(&self) -> Option<&str> {
        self.outcome.as_ref()?.url.as_deref()
    }

    /// Returns the headings above the quote.
    pub(crate) fn headings(&self) -> &[String] {
        let outcome = self.outcome.as_ref();
        outcome.map_or(&[], |outcome| &outcome.headings)
    }

    /// Returns the address or file name of the source, or else the name that the citation gives it.
    pub(crate) fn source_uri(&self) -> &str {
        source_uri(&self.citation, self.outcome.as_ref())
    }

    /// Returns the page on which the quote was found, or the cited page.
    pub(crate) fn page(&self) -> Option<u64> {
        page(&self.citation, self.outcome.as_ref())
    }

    /// Returns all pages of the quote, or the cited page.
    pub(crate) fn pages(&self) -> impl Iterator<Item = u64> {
        let first = self.page();
        let last = self.outcome.as_ref().and_then(|outcome| outcome.end_page);
        // A quote covers few pages; numbers of a restored state may be anything.
        let first = first.into_iter();
        first.flat_map(move |first| {
            first..=last.unwrap_or(first).clamp(first, first.saturating_add(9))
        })
    }

    /// Replaces the outcome and returns what changed. The verification is over afterwards.
    pub(crate) fn settle(&mut self, mut outcome: CitationOutcome) -> SettledCheck {
        let before = self.category();
        // Source lists cannot remove a title or address, so those that were published stay.
        if let Some(before) = &self.outcome {
            outcome.title = outcome.title.or_else(|| before.title.clone());
            outcome.url = outcome.url.or_else(|| before.url.clone());
            outcome.source_uri = outcome.source_uri.or_else(|| before.source_uri.clone());
        }
        let previous = self.outcome.replace(outcome);
        let (citation, previous) = (&self.citation, previous.as_ref());
        let settled = SettledCheck {
            before,
            title: self.title() != title(citation, previous),
            url: self.url() != url(citation, previous),
            source_uri: self.source_uri() != source_uri(citation, previous),
            page: self.page() != page(citation, previous)
                || self.outcome.as_ref().and_then(|outcome| outcome.end_page)
                    != previous.and_then(|outcome| outcome.end_page),
            headings: self.headings() != previous.map_or(&[][..], |outcome| &outcome.headings),
        };
        self.checking = false;
        settled
    }
}

/// Outcome of a verification, with the members that projections need.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CitationOutcome {
    /// The verification in the form of the state.
    pub(crate) json: Json,
    pub(crate) category: StatusCategory,
    /// Status under its name on the wire.
    pub(crate) status: String,
    /// Title of the source.
    pub(crate) title: Option<String>,
    /// Address of the evidence page.
    pub(crate) url: Option<String>,
    /// Address or file name of the source.
    pub(crate) source_uri: Option<String>,
    /// Headings above the quote, the outermost first.
    pub(crate) headings: Vec<String>,
    /// Page on which the quote was found.
    pub(crate) page: Option<u64>,
    /// Page on which the quote ends, if that is another one.
    pub(crate) end_page: Option<u64>,
}

impl CitationOutcome {
    pub(crate) fn new(result: &CheckResult, names: SdkVersion) -> Self {
        let verification = &result.verification;
        let document = verification.document.as_ref();
        let status = verification
            .status
            .clone()
            .unwrap_or(VerificationStatus::Pending);
        Self {
            category: StatusCategory::of(&status),
            status: status.name(names).to_owned(),
            title: verification.label.clone(),
            url: result.url.clone(),
            source_uri: result.source_uri.clone(),
            headings: result.headings.clone(),
            page: document.and_then(|document| document.verified_page_number),
            end_page: document.and_then(|document| document.verified_end_page_number),
            json: result.state_form(names),
        }
    }
}

/// Difference that a finished verification made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SettledCheck {
    /// Category before.
    pub(crate) before: StatusCategory,
    /// True if the title changed.
    pub(crate) title: bool,
    /// True if the address changed.
    pub(crate) url: bool,
    /// True if the address or file name of the source changed.
    pub(crate) source_uri: bool,
    /// True if the page changed.
    pub(crate) page: bool,
    /// True if the headings changed.
    pub(crate) headings: bool,
}

fn title<'a>(citation: &'a Citation, outcome: Option<&'a CitationOutcome>) -> Option<&'a str> {
    let label = outcome.and_then(|outcome| outcome.title.as_deref());
    let web = citation.web.as_deref();
    label
        .or_else(|| web.and_then(|web| web.title.as_deref()))
        .or(citation.attachment_id.as_deref())
}

fn url<'a>(citation: &'a Citation, outcome: Option<&'a CitationOutcome>) -> Option<&'a str> {
    let evidence = outcome.and_then(|outcome| outcome.url.as_deref());
    let web = citation.web.as_deref();
    evidence.or_else(|| web.and_then(|web| web.url.as_deref()))
}

fn source_uri<'a>(citation: &'a Citation, outcome: Option<&'a CitationOutcome>) -> &'a str {
    let web = citation.web.as_deref().and_then(|web| web.url.as_deref());
    let found = || outcome.and_then(|outcome| outcome.source_uri.as_deref());
    let label = || outcome.and_then(|outcome| outcome.title.as_deref());
    let uri = web.or_else(found).or_else(label);
    uri.or(citation.attachment_id.as_deref())
        .unwrap_or_default()
}

fn page(citation: &Citation, outcome: Option<&CitationOutcome>) -> Option<u64> {
    let found = outcome.and_then(|outcome| outcome.page);
    found.or(citation.page())
}
