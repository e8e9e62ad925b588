//! Verification of quotes and answers, and their evidence.

use std::sync::Arc;

use citation_stream::{CheckResult, CitationClaim, CitationVerifier as _};
use citations::check::CitationChecker;
use citations::resolve::StatusCategory;
use citations::{
    Citation, CitationForm, ParsedAnswer, ParsedCitation, SdkVersion, Verification,
    VerificationStatus, find_quotations,
};
use mcp::{
    AnswerVerification, ImageFile, PageName, ProgressReporter, QuoteCheck, ServiceError,
    VerifyAnswerToolArguments, VerifyQuoteToolArguments,
};
use rendering::{ImageFormat, RenderStyle};
use store::StoredVerification;
use tokio::task;

use super::{PrincipalTools, store_error};
use crate::page_images::{CachedImageRequest, CachedView, highlight};
use crate::verifier::LibraryVerifier;

/// Maximum number of citations of one answer.
const MAX_CITATIONS: usize = 1_000;

/// Passage of a source that is most similar to a quote.
struct SimilarSourcePassage {
    text: String,
    page: Option<u64>,
}

impl PrincipalTools {
    pub(super) async fn checked_quote(
        &self,
        arguments: VerifyQuoteToolArguments,
    ) -> Result<QuoteCheck, ServiceError> {
        if arguments.quote.trim().is_empty() {
            return Err(ServiceError::new(
                "`quote` is empty",
                "Send the words to verify",
            ));
        }
        let document = match &arguments.document {
            Some(name) => Some(self.open(name).await?.0),
            None => None,
        };
        let mut citation = Citation {
            full_phrase: Some(arguments.quote),
            attachment_id: document,
            ..Citation::default()
        };
        match arguments.page {
            Some(PageName::Number(page)) => citation.set_page_label(&page.to_string()),
            Some(PageName::Label(label)) if !label.trim().is_empty() => {
                citation.set_page_label(label.trim());
            }
            _ => {}
        }
        let verifier = self.verifier(None).await?;
        let parsed = as_parsed(citation);
        Ok(self.check(&verifier, &parsed).await)
    }

    pub(super) async fn checked_answer(
        &self,
        arguments: VerifyAnswerToolArguments,
        progress: &ProgressReporter,
    ) -> Result<AnswerVerification, ServiceError> {
        let verifier = self.verifier(arguments.documents).await?;
        let parsed = ParsedAnswer::of(&arguments.answer);
        let mut found: Vec<ParsedCitation> = Vec::new();
        let cited = parsed.citations.iter().map(|cited| cited.found.clone());
        for citation in cited.chain(quotations(&parsed.visible)) {
            let phrase = &citation.citation.full_phrase;
            let is_new = |known: &ParsedCitation| {
                known.key != citation.key && known.citation.full_phrase != *phrase
            };
            if found.iter().all(is_new) {
                found.push(citation);
            }
        }
        if found.len() > MAX_CITATIONS {
            return Err(ServiceError::new(
                format!("The answer has more than {MAX_CITATIONS} citations"),
                "Verify it in parts",
            ));
        }
        let mut result = AnswerVerification {
            total: found.len(),
            problems: parsed
                .problems
                .iter()
                .map(|problem| problem.reason.to_string())
                .collect(),
            ..AnswerVerification::default()
        };
        for (done, citation) in found.iter().enumerate() {
            let quote = self.check(&verifier, citation).await;
            match quote.category.as_str() {
                "verified" => result.verified += 1,
                "partial" => result.partial += 1,
                _ => result.missed += 1,
            }
            result.citations.push(quote);
            progress
                .report(done + 1, result.total, "citations verified")
                .await;
        }
        result.all_verified = result.total > 0 && result.verified == result.total;
        Ok(result)
    }

    /// Verifies one citation and stores its evidence.
    pub(super) async fn check(
        &self,
        verifier: &LibraryVerifier,
        cited: &ParsedCitation,
    ) -> QuoteCheck {
        let citation = Arc::new(cited.citation.clone());
        let result = verifier
            .verify(CitationClaim {
                thread_id: "".into(),
                message_id: "".into(),
                key: cited.key,
                id: citation.id(),
                citation: citation.clone(),
                document_index: cited.document_index,
                other_names: Vec::new(),
            })
            .await;
        let status = result.verification.status.clone();
        let category = status.as_ref().map(StatusCategory::of).unwrap_or_default();
        let nearest = match category {
            StatusCategory::Missed => self.nearest_passage(&citation, &result).await,
            _ => None,
        };
        described(&citation, &result, category, nearest.as_ref())
    }

    /// Returns the passage that is most similar to a quote that was not found.
    async fn nearest_passage(
        &self,
        citation: &Arc<Citation>,
        result: &CheckResult,
    ) -> Option<SimilarSourcePassage> {
        let id = result.verification.attachment_id.as_deref()?;
        let (library, now) = (&self.tools.library, self.now());
        let (_, document) = library.named(&self.principal, id, now).await.ok()?;
        let citation = citation.clone();
        let check = move || CitationChecker::new(&document).check(&citation).nearest;
        let nearest = task::spawn_blocking(check).await.ok()??;
        Some(SimilarSourcePassage {
            page: Some(nearest.place.pages.start.into()),
            text: nearest.text,
        })
    }

    pub(super) async fn stored_evidence(
        &self,
        id: &str,
    ) -> Result<serde_json::Value, ServiceError> {
        let stored = self.find_evidence(id).await?;
        let json = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).ok();
        Ok(serde_json::json!({
            "id": stored.id,
            "key": stored.key,
            "threadId": stored.thread.as_ref().map(ToString::to_string),
            "documentId": stored.document.as_ref().map(ToString::to_string),
            "citation": json(&stored.citation),
            "verification": json(&stored.verification),
        }))
    }

    pub(super) async fn drawn_evidence(&self, id: &str) -> Result<ImageFile, ServiceError> {
        let stored = self.find_evidence(id).await?;
        let none = || {
            ServiceError::missing(
                "There is no passage to show",
                "The document does not have the quote, or it was deleted",
            )
        };
        let text = std::str::from_utf8(&stored.verification).map_err(|_| none())?;
        let value = json::Value::parse(text).map_err(|_| none())?;
        let verification = Verification::from_json(&value).ok_or_else(none)?;
        let content = stored.document.ok_or_else(none)?;
        let (library, now) = (&self.tools.library, self.now());
        let found = library.document(&self.principal, content, now).await;
        let (_, document) = found.map_err(|error| super::document_error(&error))?;
        let mark = highlight(&verification, &document).ok_or_else(none)?;
        self.draw(CachedImageRequest {
            document,
            shown: CachedView::Strip,
            marks: vec![mark],
            style: RenderStyle::default(),
            format: ImageFormat::Png,
        })
        .await
    }

    async fn find_evidence(&self, id: &str) -> Result<StoredVerification, ServiceError> {
        let store = &self.tools.store;
        let stored = store.verification(&self.principal, id).await;
        if let Some(stored) = stored.map_err(|error| store_error(&error))? {
            return Ok(stored);
        }
        let stored = store.verifications(&self.principal, id).await;
        let stored = stored.map_err(|error| store_error(&error))?;
        stored.into_iter().next().ok_or_else(|| {
            ServiceError::missing(
                format!("Evidence not found: `{id}`"),
                "Use the `evidenceUri` of a verified quote",
            )
        })
    }
}

fn as_parsed(citation: Citation) -> ParsedCitation {
    ParsedCitation {
        key: citation.key(),
        citation,
        form: CitationForm::Quote,
        range: 0..0,
        document_index: None,
        label: None,
    }
}

/// Returns the quotations of a text that name their source, such as "…" (report.pdf, p. 3).
fn quotations(visible: &str) -> Vec<ParsedCitation> {
    let found = find_quotations(visible).into_iter();
    let named = found.filter_map(|quotation| {
        let attribution = quotation.attribution.filter(|found| found.is_certain())?;
        let mut citation = Citation {
            full_phrase: Some(visible.get(quotation.words)?.to_owned()),
            attachment_id: attribution.reference.source,
            ..Citation::default()
        };
        if let Some(page) = &attribution.reference.page {
            citation.set_page_label(page);
        }
        Some(as_parsed(citation))
    });
    named.collect()
}

fn described(
    citation: &Citation,
    result: &CheckResult,
    category: StatusCategory,
    nearest: Option<&SimilarSourcePassage>,
) -> QuoteCheck {
    let verification = &result.verification;
    let status = verification.status.as_ref();
    let found = verification.document.as_ref();
    let page = found.and_then(|found| found.verified_page_number);
    let page = page.or(nearest.and_then(|nearest| nearest.page));
    let source_text = verification
        .verified_full_phrase
        .clone()
        .or_else(|| nearest.map(|nearest| nearest.text.clone()));
    let evidence = result.url.as_deref().and_then(evidence_id);
    QuoteCheck {
        number: citation.marker(),
        quote: citation.full_phrase.clone().unwrap_or_default(),
        verified: category == StatusCategory::Verified,
        category: category.name().to_owned(),
        status: status
            .map_or("pending", |status| status.name(SdkVersion::V2))
            .to_owned(),
        explanation: explain(result, category, page, source_text.is_some()),
        document_id: verification.attachment_id.clone(),
        document: verification.label.clone(),
        page,
        source_text,
        evidence_uri: evidence.map(mcp::evidence_uri),
        evidence_url: result.url.clone().filter(|url| url.contains("://")),
    }
}

/// Returns the id in the address of an evidence page.
fn evidence_id(url: &str) -> Option<&str> {
    let (_, id) = url.split_once("/p/")?;
    id.split(['?', '#']).next()
}

fn explain(
    result: &CheckResult,
    category: StatusCategory,
    page: Option<u64>,
    has_source_text: bool,
) -> String {
    let place = page.map_or_else(String::new, |page| format!(" on page {page}"));
    let status = result.verification.status.as_ref();
    match (category, status) {
        _ if result.source_missing => {
            "The named source is not in the library. Name a document of `list_documents`, or add it.".to_owned()
        }
        (StatusCategory::Verified, _) => format!("The source has these words{place}."),
        (_, Some(VerificationStatus::FoundOnOtherPage)) => {
            format!("The words are in the source, but{place}. Correct the page.")
        }
        (_, Some(VerificationStatus::FoundOnOtherLine)) => {
            format!("The words are in the source{place}, on other lines. Correct the lines.")
        }
        (_, Some(VerificationStatus::Skipped)) => {
            "There is no document to verify against. Add one.".to_owned()
        }
        (StatusCategory::Partial, _) => format!(
            "The source has only similar words{place}. Use the words of `sourceText`, and verify again."
        ),
        (StatusCategory::Missed, _) if has_source_text => format!(
            "The source does not have these words. `sourceText` is the most similar passage{place}; do not show the quote as it is."
        ),
        (StatusCategory::Missed, _) => {
            "The source does not have these words, and nothing similar. Do not show the quote.".to_owned()
        }
        (StatusCategory::Pending, _) => "The quote could not be verified. Try again.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_quotations_that_name_their_source() {
        let text = "He wrote “High tide is at noon” (harbour.pdf, p. 3), and \"so\" it was.";
        let found = quotations(text);
        assert_eq!(found.len(), 1);
        let citation = &found[0].citation;
        assert_eq!(
            citation.full_phrase.as_deref(),
            Some("High tide is at noon")
        );
        assert_eq!(citation.attachment_id.as_deref(), Some("harbour.pdf"));
        assert_eq!(citation.page(), Some(3));
    }

    #[test]
    fn reads_evidence_ids_from_plain_and_signed_links() {
        assert_eq!(evidence_id("/p/0abc"), Some("0abc"));
        let signed = "http://127.0.0.1:8787/p/0abc?token=t&expires=1";
        assert_eq!(evidence_id(signed), Some("0abc"));
        assert_eq!(evidence_id("/documents/1"), None);
    }
}
