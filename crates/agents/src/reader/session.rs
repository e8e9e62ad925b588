//! Passages and citations of one run of the reader with a model.

use super::answer_text::QuotedSource;
use super::evidence::SentenceWords;
use super::library::ReaderPassage;
use super::opposition::is_negated;
use super::question::{Question, TermClass};
use super::sentences::{Sentence, passage_sentences, quote_form};

/// Limit on the passages that one run remembers.
const MAX_PASSAGES: usize = 200;
/// Share of the words of a statement that a sentence must have to support it.
const MIN_SUPPORT: f32 = 0.6;
/// Number of characters by which the sentence of a quote is found.
const QUOTE_BEGINNING: usize = 24;
/// Least number of content words of a statement.
const MIN_CLAIM_TERMS: usize = 3;

/// Passage with the pages on which its sentences begin.
#[derive(Debug)]
struct RememberedPassage {
    passage: ReaderPassage,
    /// Start of a sentence in bytes and its page, in order. Empty if the passage is on one page.
    sentence_pages: Vec<(usize, u32)>,
}

/// Passages and citations of one run.
#[derive(Debug, Default)]
pub(super) struct ReaderSession {
    passages: Vec<RememberedPassage>,
    sources: Vec<QuotedSource>,
    /// Evidence of the best passage for the question, from 0 to 1.
    best_evidence: f32,
}

impl ReaderSession {
    /// Remembers a passage and the pages of its sentences. Returns its handle for the model.
    pub(super) fn add_passage(
        &mut self,
        passage: ReaderPassage,
        sentence_pages: Vec<(usize, u32)>,
    ) -> String {
        let known = self
            .passages
            .iter()
            .position(|other| other.passage.chunk_id == passage.chunk_id);
        let at = known.unwrap_or_else(|| {
            if self.passages.len() < MAX_PASSAGES {
                self.passages.push(RememberedPassage {
                    passage,
                    sentence_pages,
                });
            }
            self.passages.len() - 1
        });
        format!("p{}", at + 1)
    }

    /// Returns the passage with a handle.
    pub(super) fn passage(&self, handle: &str) -> Option<&ReaderPassage> {
        let number: usize = handle.trim().trim_start_matches(['p', 'P']).parse().ok()?;
        let remembered = self.passages.get(number.checked_sub(1)?)?;
        Some(&remembered.passage)
    }

    /// Sets the evidence that the passages have for the question.
    pub(super) fn note_evidence(&mut self, evidence: f32) {
        self.best_evidence = self.best_evidence.max(evidence.clamp(0.0, 1.0));
    }

    /// Returns the evidence of the best passage, from 0 to 1.
    pub(super) fn retrieval(&self) -> f32 {
        self.best_evidence
    }

    /// Returns true if a citation has this number.
    pub(super) fn has_number(&self, number: usize) -> bool {
        self.sources.iter().any(|source| source.number == number)
    }

    /// Adds a citation of a passage and returns its number. The same words keep their number.
    pub(super) fn cite(
        &mut self,
        passage: &ReaderPassage,
        quote: &str,
        page: u32,
        wanted: Option<usize>,
    ) -> usize {
        let known = self
            .sources
            .iter()
            .find(|source| source.quote == quote && source.document_id == passage.document_id);
        if let Some(source) = known {
            return source.number;
        }
        let next = self
            .sources
            .iter()
            .map(|source| source.number)
            .max()
            .unwrap_or(0)
            + 1;
        let number = wanted
            .filter(|number| !self.has_number(*number))
            .unwrap_or(next);
        self.sources.push(QuotedSource {
            number,
            quote: quote.to_owned(),
            document_id: passage.document_id.clone(),
            page,
        });
        number
    }

    /// Returns the words of a passage that a model quotes, as they are in the source; `None` if they are not in it.
    pub(super) fn find_quote(passage: &ReaderPassage, quote: &str) -> Option<String> {
        let (source, wanted) = (quote_form(&passage.text), quote_form(quote));
        let wanted = wanted
            .trim_matches(['"', '“', '”', '„', '«', '»', '\''])
            .trim();
        if wanted.chars().filter(|char| char.is_alphanumeric()).count() < 3 {
            return None;
        }
        if source.contains(wanted) {
            return Some(wanted.to_owned());
        }
        let lower = source.to_lowercase();
        // Positions agree only if lower case has the same length.
        let at = lower
            .find(&wanted.to_lowercase())
            .filter(|_| lower.len() == source.len())?;
        source.get(at..at + wanted.len()).map(str::to_owned)
    }

    /// Returns the start of a quote in the text of its passage. Lines of the quote are joined, those of the text are not,
    /// so it may be known only to the sentence.
    pub(super) fn quote_start(passage: &ReaderPassage, quote: &str) -> usize {
        let beginning: String = quote.chars().take(QUOTE_BEGINNING).collect();
        let sentences = || passage_sentences(&passage.text, &passage.headings).into_iter();
        let in_sentence = || sentences().find(|sentence| sentence.text.contains(&beginning));
        let found = passage.text.find(quote);
        found
            .or_else(|| in_sentence().map(|sentence| sentence.range.start))
            .unwrap_or(0)
    }

    /// Returns true if a sentence states a fact that needs support.
    pub(super) fn is_claim(&self, sentence: &str) -> bool {
        let sentence = sentence.trim();
        let is_refusal = super::lexicon::lexicons()
            .iter()
            .any(|lexicon| sentence.starts_with(lexicon.refusal));
        !is_refusal
            && !sentence.ends_with(['?', ':', '？', '：'])
            && Question::parse(sentence).terms.len() >= MIN_CLAIM_TERMS
    }

    /// Finds a sentence of the passages that supports a statement, cites it and returns its number.
    pub(super) fn support(&mut self, statement: &str, wanted: Option<usize>) -> Option<usize> {
        let question = Question::parse(statement);
        let mut best: Option<(f32, usize, Sentence)> = None;
        for (at, RememberedPassage { passage, .. }) in self.passages.iter().enumerate() {
            for sentence in passage_sentences(&passage.text, &passage.headings) {
                let support = support_of(&question, &sentence.text);
                let is_better = best.as_ref().is_none_or(|(score, ..)| support > *score);
                if support >= MIN_SUPPORT && is_better {
                    best = Some((support, at, sentence));
                }
            }
        }
        let (_, at, sentence) = best?;
        let RememberedPassage {
            passage,
            sentence_pages,
        } = &self.passages[at];
        let known = sentence_pages
            .iter()
            .rev()
            .find(|(start, _)| *start <= sentence.range.start);
        let page = known.map_or(*passage.pages.start(), |(_, page)| *page);
        let passage = passage.clone();
        Some(self.cite(&passage, &sentence.text, page, wanted))
    }

    /// Returns the citations whose markers are in a text.
    pub(super) fn used_sources(&self, text: &str) -> Vec<QuotedSource> {
        let is_used = |source: &&QuotedSource| {
            let number = source.number.to_string();
            text.split('[').skip(1).any(|rest| {
                let inside = rest.split(']').next().unwrap_or_default();
                inside.split([',', ' ']).any(|part| part == number)
            })
        };
        self.sources.iter().filter(is_used).cloned().collect()
    }
}

/// Returns the share of a statement's words that a sentence has; 0 if a number, a name or a negation differs.
fn support_of(statement: &Question, sentence: &str) -> f32 {
    if statement.terms.is_empty() || is_negated(&statement.text) != is_negated(sentence) {
        return 0.0;
    }
    let words = SentenceWords::new(sentence, statement.language);
    let mut sum = 0.0;
    for term in &statement.terms {
        let matched = words.match_of(term);
        let least = match term.class {
            TermClass::Number => 1.0,
            TermClass::Name => 0.5,
            TermClass::Noun | TermClass::Plain => 0.0,
        };
        if matched < least {
            return 0.0;
        }
        sum += matched;
    }
    sum / statement.terms.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage() -> ReaderPassage {
        ReaderPassage {
            chunk_id: "c".to_owned(),
            document_id: "d".to_owned(),
            document_name: "d.txt".to_owned(),
            title: None,
            headings: Vec::new(),
            pages: 2..=2,
            text:
                "The first quay was built in 1911 by the merchants of the town.\nNo ship was lost."
                    .to_owned(),
            score: 1.0,
            terms: Vec::new(),
        }
    }

    #[test]
    fn statements_need_the_same_numbers_names_and_negations() {
        let mut session = ReaderSession::default();
        session.add_passage(passage(), Vec::new());
        assert_eq!(
            session.support(
                "The merchants of the town built the first quay in 1911.",
                None
            ),
            Some(1)
        );
        assert_eq!(
            session.support("The town's merchants built its first quay in 1912.", None),
            None
        );
        assert_eq!(
            session.support("The first quay was not built in 1911 by merchants.", None),
            None
        );
        assert_eq!(
            session.support("Anna Berg built the first quay in 1911.", None),
            None
        );
        assert_eq!(session.used_sources("Yes [1].").len(), 1);
        assert_eq!(session.used_sources("Yes [12].").len(), 0);
    }

    #[test]
    fn support_is_cited_with_the_page_of_its_sentence() {
        let mut session = ReaderSession::default();
        let second = passage().text.find("No ship").expect("the sentence");
        let spread = ReaderPassage {
            pages: 2..=3,
            ..passage()
        };
        session.add_passage(spread, vec![(0, 2), (second, 3)]);
        session.support("The merchants of the town built the first quay.", None);
        session.support("No ship was ever lost there.", None);
        let pages: Vec<u32> = session.sources.iter().map(|source| source.page).collect();
        assert_eq!(pages, [2, 3]);
    }

    #[test]
    fn quotes_are_found_with_other_white_space_and_case() {
        let found = |quote: &str| ReaderSession::find_quote(&passage(), quote);
        assert_eq!(
            found("“THE FIRST quay  was built”").as_deref(),
            Some("The first quay was built")
        );
        assert_eq!(found("The second quay was built"), None);
        assert_eq!(found(""), None);
        let broken = ReaderPassage {
            text: "It rained.\nNo ship was\nlost at the quay.".to_owned(),
            ..passage()
        };
        let quote = ReaderSession::find_quote(&broken, "No ship was lost").expect("the quote");
        assert_eq!(ReaderSession::quote_start(&broken, &quote), 11);
    }
}
