//! Content of an evidence page: the quote, its status with reasons, and the passage of the source.

mod info;

use citations::check::{CitationChecker, DiffSpan, SourcePassage, Verdict};
use citations::{
    Citation, DisplayState, SOURCE_MISSING, Verification, VerificationStatus, difference, escaped,
};
use documents::Document;
use gateway::CachedDocument;
use json::Value;
use rendering::{Highlight, HighlightState};
use store::{StoredVerification, Timestamp};

use super::passage_context::PassageContext;
use crate::error::sentence;
use crate::routes::time_text;

/// Maximum number of passages that are shown for a quote composed of several.
const MAX_PASSAGES: usize = 4;

/// Verification with everything that its page shows.
pub(super) struct EvidenceSummary {
    pub(super) status: VerificationStatus,
    citation: Citation,
    verification: Verification,
    /// True if the citation names a source that did not exist.
    source_missing: bool,
    /// Document that was searched, if it still exists.
    document: Option<CachedDocument>,
    /// True if a document was searched.
    had_document: bool,
    /// Verdict of checking the citation again: where the words are, and how they differ.
    verdict: Option<Verdict>,
    /// Time of the verification.
    checked: Timestamp,
}

impl EvidenceSummary {
    /// Reads a stored verification and checks the citation again, which may take milliseconds.
    pub(super) fn of(
        found: &StoredVerification,
        verification: Verification,
        document: Option<CachedDocument>,
    ) -> Self {
        let parse = |bytes: &[u8]| {
            let text = std::str::from_utf8(bytes).unwrap_or_default();
            Value::parse(text).unwrap_or(Value::Null)
        };
        let problem = &parse(&found.verification)["problem"];
        let citation = Citation::from_json(&parse(&found.citation)).unwrap_or_default();
        let status = verification
            .status
            .clone()
            .unwrap_or(VerificationStatus::Pending);
        let verdict = document
            .as_ref()
            .map(|document| CitationChecker::new(document).check(&citation))
            // Another version of the program may judge differently; the page shows the stored status.
            .filter(|verdict| verdict.status() == status);
        Self {
            source_missing: problem.as_str() == Some("source_missing"),
            had_document: found.document.is_some(),
            status,
            citation,
            verification,
            document,
            verdict,
            checked: found.created,
        }
    }

    /// Returns the passage that is most similar to a quote that was not found.
    fn nearest(&self) -> Option<&SourcePassage> {
        let verdict = self.verdict.as_ref()?;
        verdict
            .nearest
            .as_ref()
            .filter(|_| verdict.passages.is_empty())
    }

    /// Returns true if the page shows the most similar passage instead of the quoted one.
    pub(super) fn is_nearest_shown(&self) -> bool {
        self.nearest().is_some()
    }

    /// Returns the highlight of the most similar passage.
    pub(super) fn nearest_highlight(&self) -> Option<Highlight> {
        let (nearest, document) = (self.nearest()?, self.document.as_deref()?);
        let stream = document.text_streams().get(nearest.flow)?;
        let range = nearest.range.clone();
        let marks = Highlight::new(document, stream, range, None, HighlightState::Missed);
        let has_boxes = !marks.phrase.is_empty();
        has_boxes.then(|| marks.with_nearby_rows(document))
    }

    /// Returns the quote.
    pub(super) fn quote(&self) -> &str {
        let is_present = |text: &&String| !text.trim().is_empty();
        let phrase = self.citation.full_phrase.as_ref().filter(is_present);
        phrase
            .or(self.citation.anchor_text.as_ref())
            .map_or("", String::as_str)
    }

    /// Returns the status in words.
    pub(super) fn words(&self) -> &'static str {
        match self.source_missing {
            true => SOURCE_MISSING,
            false => self.status.words(),
        }
    }

    /// Returns the name of the source, and its id if that is different.
    fn source(&self) -> (Option<&str>, Option<&str>) {
        let id = self.verification.attachment_id.as_deref();
        let id = id.or(self.citation.attachment_id.as_deref());
        let title = self.document.as_ref().and_then(|document| document.title());
        let label = self.verification.label.as_deref().or(title);
        (
            label.or(id),
            id.filter(|id| label.is_some_and(|label| label != *id)),
        )
    }

    /// Returns the name of the source.
    pub(super) fn source_name(&self) -> &str {
        self.source().0.unwrap_or("the source")
    }

    /// Returns the pages that contain the quote, and the lines if it is one page.
    pub(super) fn place(&self) -> String {
        let passages = self.verdict.iter().flat_map(|verdict| &verdict.passages);
        let passages: Vec<&SourcePassage> = passages.chain(self.nearest()).collect();
        match (passages.is_empty(), &self.verification.document) {
            (false, _) => self.location(&passages),
            (true, Some(place)) => place
                .verified_page_number
                .map_or_else(String::new, |page| format!("page {page}")),
            (true, None) => String::new(),
        }
    }

    /// Returns the pages of passages, and the lines if it is one passage on one page.
    fn location(&self, passages: &[&SourcePassage]) -> String {
        let pages = passages
            .iter()
            .flat_map(|passage| passage.place.pages.clone());
        let mut pages: Vec<u32> = pages.collect();
        pages.sort_unstable();
        pages.dedup();
        let mut location = listed(&pages, |page| self.page(page));
        if let ([_], [passage]) = (pages.as_slice(), passages) {
            match passage.place.lines.as_slice() {
                [] => {}
                [line] => location.push_str(&format!(", line {line}")),
                [first, .., last] => location.push_str(&format!(", lines {first}–{last}")),
            }
        }
        location
    }

    /// Returns the number of a page, with its printed label if that is different.
    fn page(&self, number: u32) -> String {
        let document = self.document.as_deref();
        let page = document
            .and_then(|document: &Document| document.pages().get(number.checked_sub(1)? as usize));
        match page.and_then(|page| page.label.as_deref()) {
            Some(label) => format!("{number} ({label})"),
            None => number.to_string(),
        }
    }

    /// Returns sentences that explain the status and what can be done.
    fn reasons(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        let name = self.source().0;
        if self.source_missing {
            reasons.push(format!(
                "There was no document named “{}”. Attach it under this name and run the agent again. Finished \
                 verifications are not repeated automatically.",
                name.unwrap_or_default()
            ));
        }
        let named = self.citation.page();
        match &self.status {
            VerificationStatus::Skipped => reasons.push(
                "The citation names no document, and none was attached. Attach the document and run the agent again."
                    .to_owned(),
            ),
            VerificationStatus::FoundOnOtherPage => {
                if let Some(named) = named {
                    let place = self.place();
                    reasons.push(format!("The citation names page {named}; the words are on {place}."));
                }
            }
            VerificationStatus::FoundOnOtherLine => {
                let place = self.place();
                let lines: Vec<u32> = self.citation.line_ids.ids().iter()
                    .filter_map(|line| u32::try_from(*line).ok()).collect();
                let lines = numbered("line", &lines, |line| line.to_string());
                reasons.push(format!("The citation names {lines}; the words are on {place}."));
            }
            VerificationStatus::FoundPhraseMissedAnchorText | VerificationStatus::FoundAnchorTextOnly => {
                let anchor = self.citation.anchor_text.as_deref().unwrap_or_default();
                reasons.push(match self.status {
                    VerificationStatus::FoundAnchorTextOnly => format!("Only “{anchor}” of the quote was found."),
                    _ => format!("“{anchor}”, the key words of the citation, are not part of the quote."),
                });
            }
            _ => {}
        }
        let attempts = self.verification.search_attempts.iter().rev();
        let note = { attempts }.find_map(|attempt| attempt.note.as_deref());
        match (self.status.state(), note) {
            (DisplayState::Partly | DisplayState::Missing, Some(note)) => {
                reasons.push(sentence(note));
            }
            (DisplayState::Missing, None) if self.had_document => {
                reasons.push("The document contains nothing similar.".to_owned());
            }
            _ => {}
        }
        if let Some(page) = self
            .verdict
            .as_ref()
            .and_then(|verdict| verdict.page_outside.as_deref())
        {
            reasons.push(format!(
                "The citation names page {page}, which the document does not have."
            ));
        }
        let ambiguity = self.verification.ambiguity.as_ref();
        let unsure = ambiguity.filter(|it| it.confidence != Some(citations::ConfidenceLevel::High));
        if let Some(note) = unsure.and_then(|ambiguity| ambiguity.note.as_deref()) {
            reasons.push(sentence(note));
        }
        if self.had_document && self.document.is_none() {
            reasons.push(
                "The document has been deleted since. This page shows what was found in it."
                    .to_owned(),
            );
        }
        reasons
    }

    /// Returns the main part of the page as HTML. `images` follow the text of the source.
    pub(super) fn html(&self, images: Option<&str>) -> String {
        let state = self.status.state();
        let reasons: String = self
            .reasons()
            .iter()
            .map(|reason| format!("<p class=\"why\" dir=\"auto\">{}</p>", escaped(reason)))
            .collect();
        format!(
            "<p class=\"state {class}\"><span aria-hidden=\"true\">{sign}</span> {words}</p>{reasons}\
             <h1>Quote</h1><blockquote class=\"quote\" dir=\"auto\">{quote}</blockquote>\
             {difference}{passages}{images}<footer>{checked}<p>{footer}</p></footer>",
            class = state.name(),
            sign = state.sign(),
            words = self.words(),
            quote = escaped(self.quote()),
            difference = self.difference().unwrap_or_default(),
            passages = self.passages(),
            images = images.unwrap_or_default(),
            checked = self.checked_line(),
            footer = FOOTER,
        )
    }

    /// Returns the name of the source and the date of the verification, as HTML.
    fn checked_line(&self) -> String {
        let time = time_text(self.checked);
        let date = time.get(..10).unwrap_or(&time);
        let name = self.source().0.filter(|_| self.had_document);
        let name = name.map_or_else(String::new, |name| {
            format!(" in <cite dir=\"auto\">{}</cite>", escaped(name))
        });
        format!("<p>Checked{name} on <time datetime=\"{time}\">{date}</time>.</p>")
    }

    /// Returns the differences between the quote and the most similar passage, as HTML.
    fn difference(&self) -> Option<String> {
        let verdict = self.verdict.as_ref()?;
        let is_shown = matches!(
            self.status.state(),
            DisplayState::Partly | DisplayState::Missing
        ) && verdict.diff.iter().any(DiffSpan::differs);
        let nearest = verdict.nearest.as_ref();
        let title = match nearest {
            Some(_) => "Most similar passage",
            None => "Difference",
        };
        let place = nearest.map(|nearest| self.sourced(&self.location(&[nearest])));
        is_shown.then(|| {
            format!(
                "<h2>{title}</h2><blockquote dir=\"auto\">{}</blockquote>\
                 <p class=\"key\"><del>only in the quote</del> <ins>in the source</ins></p>{}",
                difference(&verdict.diff),
                place.map_or_else(String::new, |place| format!(
                    "<p class=\"place\">{place}</p>"
                )),
            )
        })
    }

    /// Returns the text of the source with the passages highlighted, as HTML.
    fn passages(&self) -> String {
        let passages = self.verdict.iter().flat_map(|verdict| &verdict.passages);
        let parts: Vec<String> = passages
            .take(MAX_PASSAGES)
            .filter_map(|passage| {
                let document = self.document.as_deref()?;
                let flow = document.text_streams().get(passage.flow)?;
                let context = PassageContext::of(document, flow, &passage.range);
                Some(format!(
                    "{}<mark>{}</mark>{}",
                    escaped(&context.before),
                    escaped(&context.passage),
                    escaped(&context.after)
                ))
            })
            .collect();
        let stored = || {
            let snippet = self.verification.verified_match_snippet.as_deref()?;
            Some(format!("… {} …", escaped(snippet)))
        };
        let parts = match parts.is_empty() {
            true => stored().into_iter().collect(),
            false => parts,
        };
        if parts.is_empty() {
            let named = self.source().0.filter(|_| !self.source_missing);
            let shown =
                named.filter(|_| self.verdict.as_ref().is_none_or(|it| it.nearest.is_none()));
            return shown.map_or_else(String::new, |_| {
                format!("<p class=\"place\">{}</p>", self.sourced(""))
            });
        }
        let parts: String = parts
            .iter()
            .map(|part| format!("<blockquote dir=\"auto\">{}</blockquote>", part.trim()))
            .collect();
        format!(
            "<h2>Source</h2>{parts}<p class=\"place\">{}</p>",
            self.sourced(&self.place())
        )
    }

    /// Returns a location with the name of its source, as HTML.
    fn sourced(&self, place: &str) -> String {
        let (name, id) = self.source();
        let name = name.map(|name| format!("<cite dir=\"auto\">{}</cite>", escaped(name)));
        let place = (!place.is_empty()).then(|| escaped(place));
        let parts: Vec<String> = name.into_iter().chain(place).collect();
        let id = id.map_or_else(String::new, |id| {
            format!(" · <span class=\"id\">{}</span>", escaped(id))
        });
        format!("{}{id}", parts.join(", "))
    }
}

/// Meaning of the status, at the end of every page.
const FOOTER: &str = "Verified means that these words are in the document. It does not mean that they support the \
                      claim they are cited for.";

/// Returns a list such as `page 3`, `pages 3 and 4` or `pages 3 to 9`.
fn listed(pages: &[u32], name: impl Fn(u32) -> String) -> String {
    numbered("page", pages, name)
}

fn numbered(word: &str, numbers: &[u32], name: impl Fn(u32) -> String) -> String {
    let is_range = numbers.windows(2).all(|pair| pair[1] == pair[0] + 1);
    match numbers {
        [] => String::new(),
        [one] => format!("{word} {}", name(*one)),
        [first, .., last] if is_range && numbers.len() > 2 => {
            format!("{word}s {} to {}", name(*first), name(*last))
        }
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|number| name(*number)).collect();
            format!("{word}s {} and {}", first.join(", "), name(*last))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_listed() {
        let plain = |numbers: &[u32]| listed(numbers, |number| number.to_string());
        assert_eq!(plain(&[3]), "page 3");
        assert_eq!(plain(&[3, 4]), "pages 3 and 4");
        assert_eq!(plain(&[3, 4, 5]), "pages 3 to 5");
        assert_eq!(plain(&[1, 4, 9]), "pages 1, 4 and 9");
        assert_eq!(
            listed(&[3, 4], |number| format!("{number} (i)")),
            "pages 3 (i) and 4 (i)"
        );
    }
}
