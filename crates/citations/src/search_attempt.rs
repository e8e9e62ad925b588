//! The searches that were made for a citation.

use crate::field_names::{SdkJson, SdkVersion, record, vocabulary};
use crate::object::list;
use crate::verification::TextItem;

record! {
    /// One search for a phrase.
    pub struct SearchAttempt {
        /// How it was searched.
        method: Option<SearchMethod> = "method",
        /// Whether it was found.
        success: bool = "success",
        /// What was searched.
        search_phrase: String = "searchPhrase",
        /// Whether that is the phrase or the anchor.
        search_phrase_type: Option<PhraseType> = "searchPhraseType",
        /// The pattern, if it was one.
        regex_pattern: Option<String> = "regexPattern",
        /// On which page.
        page_searched: Option<u64> = "pageSearched",
        /// On which line or lines.
        line_searched: Option<SearchedLines> = "lineSearched",
        /// How far.
        search_scope: Option<SearchScope> = "searchScope",
        /// Where it should have been.
        expected_location: Option<SearchLocation> = "expectedLocation",
        /// Where it was.
        found_location: Option<SearchLocation> = "foundLocation",
        /// Which reading of the words matched.
        matched_variation: Option<QuoteVariation> = "matchedVariation",
        /// The words that matched; also those of a match that was rejected.
        matched_text: Option<String> = "matchedText",
        /// Their boxes.
        deep_text_items: Vec<TextItem> = "deepTextItems",
        /// A sentence for people.
        note: Option<String> = "note",
        /// How long it took.
        duration_ms: Option<f64> = "durationMs",
        /// What was changed to match.
        variation_type: Option<VariationType> = "variationType",
        /// How often it was found.
        occurrences_found: Option<u64> = "occurrencesFound",
        /// Whether the match is the expected one.
        matched_expected_occurrence: Option<bool> = "matchedExpectedOccurrence",
    }
}

record! {
    /// A page and perhaps a line.
    pub struct SearchLocation {
        /// The page.
        page: Option<u64> = "page",
        /// The line.
        line: Option<u64> = "line",
    }
}

/// The line or lines that a search looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchedLines {
    /// One line.
    One(u64),
    /// Several.
    Several(Vec<u64>),
}

impl SdkJson for SearchedLines {
    fn read(value: &json::Value) -> Option<Self> {
        match value.as_array() {
            Some(lines) => Some(Self::Several(lines.iter().filter_map(u64::read).collect())),
            None => u64::read(value).map(Self::One),
        }
    }

    fn write(&self, names: SdkVersion, out: &mut String) {
        match self {
            Self::One(line) => line.write(names, out),
            Self::Several(lines) => list(lines, out, |line, out| line.write(names, out)),
        }
    }
}

vocabulary! {
    /// How a phrase is searched: from near to far to fragments.
    pub enum SearchMethod {
        /// On the given line.
        ExactLineMatch = "exact_line_match",
        /// On lines near it.
        LineWithBuffer = "line_with_buffer",
        /// On more lines near it.
        ExpandedLineBuffer = "expanded_line_buffer",
        /// On the page.
        CurrentPage = "current_page",
        /// The anchor instead of the phrase.
        AnchorTextFallback = "anchor_text_fallback" | "source_match_fallback",
        /// On the pages beside it.
        AdjacentPages = "adjacent_pages",
        /// On more pages.
        ExpandedWindow = "expanded_window",
        /// With a pattern.
        RegexSearch = "regex_search",
        /// The first word.
        FirstWordFallback = "first_word_fallback",
        /// The first half.
        FirstHalfFallback = "first_half_fallback",
        /// The last half.
        LastHalfFallback = "last_half_fallback",
        /// The first quarter.
        FirstQuarterFallback = "first_quarter_fallback",
        /// The second quarter.
        SecondQuarterFallback = "second_quarter_fallback",
        /// The third quarter.
        ThirdQuarterFallback = "third_quarter_fallback",
        /// The fourth quarter.
        FourthQuarterFallback = "fourth_quarter_fallback",
        /// The longest word.
        LongestWordFallback = "longest_word_fallback",
        /// A phrase of the caller.
        CustomPhraseFallback = "custom_phrase_fallback",
        /// An older name for the anchor.
        KeyspanFallback = "keyspan_fallback",
    }
}

vocabulary! {
    /// What is searched for.
    pub enum PhraseType {
        /// The whole quotation.
        FullPhrase = "full_phrase" | "source_context",
        /// Its key words.
        AnchorText = "anchor_text" | "source_match",
    }
}

vocabulary! {
    /// How far a search looks.
    pub enum SearchScope {
        /// One line.
        Line = "line",
        /// One page.
        Page = "page",
        /// The whole document.
        Document = "document",
    }
}

vocabulary! {
    /// Which reading of the words matched.
    pub enum QuoteVariation {
        /// The phrase as it is.
        ExactFullPhrase = "exact_full_phrase" | "exact_source_context",
        /// The phrase without differences of case, space and quotes.
        NormalizedFullPhrase = "normalized_full_phrase" | "normalized_source_context",
        /// The anchor as it is.
        ExactAnchorText = "exact_anchor_text" | "exact_source_match",
        /// The anchor without such differences.
        NormalizedAnchorText = "normalized_anchor_text" | "normalized_source_match",
        /// A part of the phrase.
        PartialFullPhrase = "partial_full_phrase" | "partial_source_context",
        /// A part of the anchor.
        PartialAnchorText = "partial_anchor_text" | "partial_source_match",
        /// The first word.
        FirstWordOnly = "first_word_only",
    }
}

/// How far a match can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchTrust {
    /// Parts of the words.
    Low,
    /// The anchor.
    Medium,
    /// The whole phrase.
    High,
}

impl QuoteVariation {
    /// How far a match of this reading can be trusted.
    pub fn trust(&self) -> MatchTrust {
        match self {
            Self::ExactFullPhrase | Self::NormalizedFullPhrase => MatchTrust::High,
            Self::PartialFullPhrase | Self::PartialAnchorText | Self::FirstWordOnly => {
                MatchTrust::Low
            }
            Self::ExactAnchorText | Self::NormalizedAnchorText | Self::Other(_) => {
                MatchTrust::Medium
            }
        }
    }
}

vocabulary! {
    /// What was changed to make the words match.
    pub enum VariationType {
        /// Nothing.
        Exact = "exact",
        /// Case, space, quotes.
        Normalized = "normalized",
        /// The way money is written.
        Currency = "currency",
        /// The way dates are written.
        Date = "date",
        /// The way numbers are written.
        Numeric = "numeric",
        /// Symbols.
        Symbol = "symbol",
        /// Accents.
        Accent = "accent",
    }
}
