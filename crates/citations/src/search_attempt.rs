//! Searches that were made for a citation.

use crate::field_names::schema::{MemberSchema, SdkSchema};
use crate::field_names::{SdkJson, SdkVersion, record, vocabulary};
use crate::object::list;
use crate::text_item::TextItem;

record! {
    /// One search for a quote or an anchor.
    pub struct SearchAttempt {
        /// Way of searching.
        method: Option<SearchMethod> = "method",
        /// True if the words were found.
        success: bool = "success",
        /// Words that were searched.
        search_phrase: String = "searchPhrase",
        /// Part of the citation that the words are.
        search_phrase_type: Option<PhraseType> = "searchPhraseType",
        /// Pattern that was searched, if one was used.
        regex_pattern: Option<String> = "regexPattern",
        /// Page that was searched.
        page_searched: Option<u64> = "pageSearched",
        /// Line or lines that were searched.
        line_searched: Option<SearchedLines> = "lineSearched",
        /// Extent of the search.
        search_scope: Option<SearchScope> = "searchScope",
        /// Place that the citation names.
        expected_location: Option<SearchLocation> = "expectedLocation",
        /// Place of the match.
        found_location: Option<SearchLocation> = "foundLocation",
        /// Form of the words that matched.
        matched_variation: Option<QuoteVariation> = "matchedVariation",
        /// Words of the match, also of one that was rejected.
        matched_text: Option<String> = "matchedText",
        /// Boxes of the matched words.
        deep_text_items: Vec<TextItem> = "deepTextItems",
        /// Explanation for people.
        note: Option<String> = "note",
        /// Duration in milliseconds.
        duration_ms: Option<f64> = "durationMs",
        /// Kind of normalisation that made the words match.
        variation_type: Option<VariationType> = "variationType",
        /// Number of places that have the words.
        occurrences_found: Option<u64> = "occurrencesFound",
        /// True if the match is at the cited place.
        matched_expected_occurrence: Option<bool> = "matchedExpectedOccurrence",
    }
}

record! {
    /// Page, and line if it is known.
    pub struct SearchLocation {
        /// Page number, from 1.
        page: Option<u64> = "page",
        /// Line number on the page, from 1.
        line: Option<u64> = "line",
    }
}

/// Line or lines that were searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchedLines {
    /// One line.
    One(u64),
    /// Several lines.
    Several(Vec<u64>),
}

impl SdkJson for SearchedLines {
    fn read(value: &json::Value) -> Option<Self> {
        match value.as_array() {
            Some(lines) => Some(Self::Several(lines.iter().filter_map(u64::read).collect())),
            None => u64::read(value).map(Self::One),
        }
    }

    fn write(&self, version: SdkVersion, out: &mut String) {
        match self {
            Self::One(line) => line.write(version, out),
            Self::Several(lines) => list(lines, out, |line, out| line.write(version, out)),
        }
    }
}

impl SdkSchema for SearchedLines {
    fn schema(version: SdkVersion, definitions: &mut json::Map) -> json::Value {
        let forms = vec![
            <u64 as SdkSchema>::schema(version, definitions),
            <Vec<u64> as MemberSchema>::schema(version, definitions),
        ];
        json::Value::from([("anyOf", json::Value::Array(forms))])
    }
}

vocabulary! {
    /// Way of searching, from the cited place to fragments of the quote.
    pub enum SearchMethod {
        /// The cited line.
        ExactLineMatch = "exact_line_match",
        /// Lines near the cited one.
        LineWithBuffer = "line_with_buffer",
        /// More lines near the cited one.
        ExpandedLineBuffer = "expanded_line_buffer",
        /// The cited page.
        CurrentPage = "current_page",
        /// The anchor instead of the quote.
        AnchorTextFallback = "anchor_text_fallback" | "source_match_fallback",
        /// Pages beside the cited one.
        AdjacentPages = "adjacent_pages",
        /// The rest of the document.
        ExpandedWindow = "expanded_window",
        /// A regular expression.
        RegexSearch = "regex_search",
        /// The first word of the quote.
        FirstWordFallback = "first_word_fallback",
        /// The first half of the quote.
        FirstHalfFallback = "first_half_fallback",
        /// The last half of the quote.
        LastHalfFallback = "last_half_fallback",
        /// The first quarter of the quote.
        FirstQuarterFallback = "first_quarter_fallback",
        /// The second quarter of the quote.
        SecondQuarterFallback = "second_quarter_fallback",
        /// The third quarter of the quote.
        ThirdQuarterFallback = "third_quarter_fallback",
        /// The fourth quarter of the quote.
        FourthQuarterFallback = "fourth_quarter_fallback",
        /// The longest word of the quote.
        LongestWordFallback = "longest_word_fallback",
        /// Words that the caller chose.
        CustomPhraseFallback = "custom_phrase_fallback",
        /// The anchor, under a name of early SDK versions.
        KeyspanFallback = "keyspan_fallback",
    }
}

vocabulary! {
    /// Part of a citation that is searched.
    pub enum PhraseType {
        /// The quote.
        FullPhrase = "full_phrase" | "source_context",
        /// The anchor.
        AnchorText = "anchor_text" | "source_match",
    }
}

vocabulary! {
    /// Extent of a search.
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
    /// Form of the words that matched.
    pub enum QuoteVariation {
        /// The quote, exactly.
        ExactFullPhrase = "exact_full_phrase" | "exact_source_context",
        /// The quote, normalised.
        NormalizedFullPhrase = "normalized_full_phrase" | "normalized_source_context",
        /// The anchor, exactly.
        ExactAnchorText = "exact_anchor_text" | "exact_source_match",
        /// The anchor, normalised.
        NormalizedAnchorText = "normalized_anchor_text" | "normalized_source_match",
        /// A part of the quote.
        PartialFullPhrase = "partial_full_phrase" | "partial_source_context",
        /// A part of the anchor.
        PartialAnchorText = "partial_anchor_text" | "partial_source_match",
        /// The first word.
        FirstWordOnly = "first_word_only",
    }
}

/// Trust in a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchTrust {
    /// A part of the words matched.
    Low,
    /// The anchor matched.
    Medium,
    /// The whole quote matched.
    High,
}

impl QuoteVariation {
    /// Returns the trust in a match of this form.
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
    /// Kind of normalisation that made words match.
    pub enum VariationType {
        /// None: the words are the same.
        Exact = "exact",
        /// Case, spaces or quotation marks.
        Normalized = "normalized",
        /// Notation of money.
        Currency = "currency",
        /// Notation of dates.
        Date = "date",
        /// Notation of numbers.
        Numeric = "numeric",
        /// Symbols.
        Symbol = "symbol",
        /// Accents.
        Accent = "accent",
    }
}
