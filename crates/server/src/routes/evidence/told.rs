//! The page about a citation: what was quoted, what became of it and why, what the source says, and where.

use citations::check::{CitationChecker, DiffSpan, SourcePassage, Verdict};
use citations::{
    Citation, DisplayState, SOURCE_MISSING, Verification, VerificationStatus, difference, escaped,
};
use documents::Document;
use json::Value;
use store::StoredVerification;

use super::said::PassageContext;
use crate::page::sentence;
use gateway::CachedDocument;

/// So many places of a quote that was put together are shown.
const MOST_PLACES: usize = 4;

/// A verification, and what can be said of it.
pub(super) struct EvidenceSummary {
    pub(super) status: VerificationStatus,
    citation: Citation,
    verification: Verification,
    /// The citation names a source that was not there.
    source_missing: bool,
    /// The document that was looked into, if it is still there.
    document: Option<CachedDocument>,
    /// Whether a document was looked into at all.
    had_document: bool,
    /// The same citation, checked again: where the words stand, and how they differ.
    verdict: Option<Verdict>,
}

impl EvidenceSummary {
    /// Reads what was stored, and looks again into the document, which may take milliseconds.
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
            // Another version may judge otherwise; what was said then is what is told.
            .filter(|verdict| verdict.status() == status);
        Self {
            source_missing: problem.as_str() == Some("source_missing"),
            had_document: found.document.is_some(),
            status,
            citation,
            verification,
            document,
            verdict,
        }
    }

    /// The words that were quoted.
    pub(super) fn quote(&self) -> &str {
        let given = |text: &&String| !text.trim().is_empty();
        let phrase = self.citation.full_phrase.as_ref().filter(given);
        phrase
            .or(self.citation.anchor_text.as_ref())
            .map_or("", String::as_str)
    }

    /// The state in words.
    pub(super) fn words(&self) -> &'static str {
        match self.source_missing {
            true => SOURCE_MISSING,
            false => self.status.words(),
        }
    }

    /// What people call the source, and what programs do.
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

    /// What people call the source.
    pub(super) fn source_name(&self) -> &str {
        self.source().0.unwrap_or("the source")
    }

    /// Where the words stand: pages, and lines if it is one page.
    pub(super) fn place(&self) -> String {
        let passages = self.verdict.iter().flat_map(|verdict| &verdict.passages);
        let passages: Vec<&SourcePassage> = passages.collect();
        match (passages.is_empty(), &self.verification.document) {
            (false, _) => self.spot(&passages),
            (true, Some(place)) => place
                .verified_page_number
                .map_or_else(String::new, |page| format!("page {page}")),
            (true, None) => String::new(),
        }
    }

    /// Where passages stand.
    fn spot(&self, passages: &[&SourcePassage]) -> String {
        let pages = passages
            .iter()
            .flat_map(|passage| passage.place.pages.clone());
        let mut pages: Vec<u32> = pages.collect();
        pages.sort_unstable();
        pages.dedup();
        let mut spot = listed(&pages, |page| self.page(page));
        if let ([_], [passage]) = (pages.as_slice(), passages) {
            match passage.place.lines.as_slice() {
                [] => {}
                [line] => spot.push_str(&format!(", line {line}")),
                [first, .., last] => spot.push_str(&format!(", lines {first}–{last}")),
            }
        }
        spot
    }

    /// The number of a page, and what is printed on it where that is something else.
    fn page(&self, number: u32) -> String {
        let document = self.document.as_deref();
        let page = document
            .and_then(|document: &Document| document.pages().get(number.checked_sub(1)? as usize));
        match page.and_then(|page| page.label.as_deref()) {
            Some(label) => format!("{number} ({label})"),
            None => number.to_string(),
        }
    }

    /// What is to be said of the state: why it is so, and what can be done.
    fn reasons(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        let name = self.source().0;
        if self.source_missing {
            reasons.push(format!(
                "There was no document called “{}”. Attach it under this name and run the agent again: what was \
                 looked for once is not looked for again by itself.",
                name.unwrap_or_default()
            ));
        }
        let named = self.citation.page();
        match &self.status {
            VerificationStatus::Skipped => reasons.push(
                "The citation names no document, and there was none to look into. Attach it and run the agent again."
                    .to_owned(),
            ),
            VerificationStatus::FoundOnOtherPage => {
                if let Some(named) = named {
                    let place = self.place();
                    reasons.push(format!("The citation names page {named}; the words stand on {place}."));
                }
            }
            VerificationStatus::FoundOnOtherLine => {
                let place = self.place();
                let lines: Vec<u32> = self.citation.line_ids.ids().iter()
                    .filter_map(|line| u32::try_from(*line).ok()).collect();
                let lines = numbered("line", &lines, |line| line.to_string());
                reasons.push(format!("The citation names {lines}; the words stand on {place}."));
            }
            VerificationStatus::FoundPhraseMissedAnchorText | VerificationStatus::FoundAnchorTextOnly => {
                let anchor = self.citation.anchor_text.as_deref().unwrap_or_default();
                reasons.push(match self.status {
                    VerificationStatus::FoundAnchorTextOnly => format!("Of the quote only “{anchor}” is there."),
                    _ => format!("“{anchor}”, which the citation points to, is no part of the quote."),
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
                reasons.push("Nothing in the document is like it.".to_owned());
            }
            _ => {}
        }
        if let Some(page) = self
            .verdict
            .as_ref()
            .and_then(|verdict| verdict.page_outside)
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
                "The document was deleted since; this is what was found in it before.".to_owned(),
            );
        }
        reasons
    }

    /// The page's main part; `pictures` are shown after what the source says.
    pub(super) fn html(&self, pictures: Option<&str>) -> String {
        let state = self.status.state();
        let reasons: String = self
            .reasons()
            .iter()
            .map(|reason| format!("<p class=\"why\" dir=\"auto\">{}</p>", escaped(reason)))
            .collect();
        format!(
            "<p class=\"state {class}\"><span aria-hidden=\"true\">{sign}</span> {words}</p>{reasons}\
             <h1>The quote</h1><blockquote class=\"quote\" dir=\"auto\">{quote}</blockquote>\
             {difference}{said}{pictures}<footer>{footer}</footer>",
            class = state.name(),
            sign = state.sign(),
            words = self.words(),
            quote = escaped(self.quote()),
            difference = self.difference().unwrap_or_default(),
            said = self.said(),
            pictures = pictures.unwrap_or_default(),
            footer = FOOTER,
        )
    }

    /// How the quote differs from what is most like it.
    fn difference(&self) -> Option<String> {
        let verdict = self.verdict.as_ref()?;
        let told = matches!(
            self.status.state(),
            DisplayState::Partly | DisplayState::Missing
        ) && verdict.diff.iter().any(DiffSpan::differs);
        let nearest = verdict.nearest.as_ref();
        let title = match nearest {
            Some(_) => "The nearest passage",
            None => "The difference",
        };
        let place = nearest.map(|nearest| self.sourced(&self.spot(&[nearest])));
        told.then(|| {
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

    /// What the source says, the passage marked.
    fn said(&self) -> String {
        let passages = self.verdict.iter().flat_map(|verdict| &verdict.passages);
        let parts: Vec<String> = passages
            .take(MOST_PLACES)
            .filter_map(|passage| {
                let document = self.document.as_deref()?;
                let flow = document.text_streams().get(passage.flow)?;
                let said = PassageContext::of(document, flow, &passage.range);
                Some(format!(
                    "{}<mark>{}</mark>{}",
                    escaped(&said.before),
                    escaped(&said.passage),
                    escaped(&said.after)
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
            let told =
                named.filter(|_| self.verdict.as_ref().is_none_or(|it| it.nearest.is_none()));
            return told.map_or_else(String::new, |_| {
                format!("<p class=\"place\">{}</p>", self.sourced(""))
            });
        }
        let parts: String = parts
            .iter()
            .map(|part| format!("<blockquote dir=\"auto\">{}</blockquote>", part.trim()))
            .collect();
        format!(
            "<h2>The source says</h2>{parts}<p class=\"place\">{}</p>",
            self.sourced(&self.place())
        )
    }

    /// A place with the name of its source, as HTML.
    fn sourced(&self, place: &str) -> String {
        let (name, id) = self.source();
        let name = name.map(|name| format!("<cite dir=\"auto\">{}</cite>", escaped(name)));
        let place = (!place.is_empty()).then(|| escaped(place));
        let told: Vec<String> = name.into_iter().chain(place).collect();
        let id = id.map_or_else(String::new, |id| {
            format!(" · <span class=\"id\">{}</span>", escaped(id))
        });
        format!("{}{id}", told.join(", "))
    }
}

/// What a state means, and what it does not.
const FOOTER: &str = "Verified means that these words are in the document. Whether they bear out what is said of \
                      them is for you to judge.";

/// `page 3`, `pages 3 and 4`, `pages 3 to 9`.
fn listed(pages: &[u32], name: impl Fn(u32) -> String) -> String {
    numbered("page", pages, name)
}

fn numbered(word: &str, numbers: &[u32], name: impl Fn(u32) -> String) -> String {
    let runs_on = numbers.windows(2).all(|pair| pair[1] == pair[0] + 1);
    match numbers {
        [] => String::new(),
        [one] => format!("{word} {}", name(*one)),
        [first, .., last] if runs_on && numbers.len() > 2 => {
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
