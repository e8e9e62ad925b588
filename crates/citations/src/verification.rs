//! What was found when a citation was checked.

use agui::json::Number;

use crate::citation::{Citation, Timestamps};
use crate::names::{Form, Names, record, vocabulary};
use crate::status::Status;

record! {
    /// What is true of a citation: where it was found and how.
    pub struct Verification {
        /// The document it was checked in.
        attachment_id: Option<String> = "attachmentId",
        /// A name for the source.
        label: Option<String> = "label",
        /// The citation that was checked.
        citation: Option<Box<Citation>> = "citation",
        /// The result.
        status: Option<Status> = "status",
        /// Set if it was not checked at all.
        skipped: Option<bool> = "skipped",
        /// Every search that was made, in order.
        search_attempts: Vec<SearchAttempt> = "searchAttempts",
        /// The colour of the highlight.
        highlight_color: Option<String> = "highlightColor",
        /// The phrase as the source has it.
        verified_full_phrase: Option<String> = "verifiedFullPhrase" | "verifiedSourceContext",
        /// The anchor as the source has it.
        verified_anchor_text: Option<String> = "verifiedAnchorText" | "verifiedSourceMatch",
        /// The matched text with its surroundings.
        verified_match_snippet: Option<String> = "verifiedMatchSnippet" | "sourceSnippet",
        /// Where in a recording it was found.
        verified_timestamps: Option<Timestamps> = "verifiedTimestamps",
        /// When, as an ISO date.
        verified_at: Option<String> = "verifiedAt",
        /// How long the user waited; clients compute it.
        time_to_certainty_ms: Option<Number> = "timeToCertaintyMs",
        /// Whether the place is only roughly known.
        is_imprecise_location: Option<bool> = "isImpreciseLocation",
        /// Where in the document.
        document: Option<DocumentMatch> = "document",
        /// Where on the web.
        url: Option<UrlMatch> = "url",
        /// The picture of the passage.
        evidence: Option<Evidence> = "evidence",
        /// Pictures of whole pages.
        page_images: Vec<PageImage> = "pageImages",
        /// The original file.
        original_download: Option<Download> = "originalDownload",
        /// The converted file.
        converted_download: Option<Download> = "convertedDownload",
        /// Whether the words stand in several places.
        ambiguity: Option<Ambiguity> = "ambiguity",
    }
}

record! {
    /// A place in a document.
    pub struct DocumentMatch {
        /// The page it was found on.
        verified_page_number: Option<u64> = "verifiedPageNumber",
        /// The lines it was found on.
        verified_line_ids: Vec<u64> = "verifiedLineIds",
        /// What kind of file it is.
        mime_type: Option<String> = "mimeType",
        /// How many lines the page has.
        total_lines_on_page: Option<u64> = "totalLinesOnPage",
        /// Which of several matches on the page, from 0.
        hit_index_within_page: Option<u64> = "hitIndexWithinPage",
        /// The box of the phrase.
        phrase_match_deep_item: Option<TextItem> = "phraseMatchDeepItem",
        /// The boxes of the anchor.
        anchor_text_match_deep_items: Vec<TextItem> = "anchorTextMatchDeepItems",
        /// The boxes of the words around.
        text_items: Vec<TextItem> = "textItems",
        /// The highlight in pixels of the page image.
        highlight_box: Option<TextItem> = "highlightBox",
        /// Pixels per page unit.
        render_scale: Option<Scale> = "renderScale",
    }
}

record! {
    /// A place on the web.
    pub struct UrlMatch {
        /// The address that was checked.
        verified_url: Option<String> = "verifiedUrl",
        /// The address after redirects.
        resolved_url: Option<String> = "resolvedUrl",
        /// The status of the answer.
        http_status: Option<u64> = "httpStatus",
        /// Whether the page could be read.
        url_access_status: Option<UrlAccess> = "urlAccessStatus",
        /// Whether it says what was quoted.
        content_match_status: Option<ContentMatch> = "contentMatchStatus",
        /// How similar, from 0 to 1.
        content_similarity: Option<f64> = "contentSimilarity",
        /// Its title.
        verified_title: Option<String> = "verifiedTitle",
        /// What it says instead.
        actual_content_snippet: Option<String> = "actualContentSnippet",
        /// When it was read.
        crawled_at: Option<String> = "crawledAt",
        /// Why it could not be checked.
        url_verification_error: Option<String> = "urlVerificationError",
        /// Its domain.
        verified_domain: Option<String> = "verifiedDomain",
        /// Its description.
        verified_description: Option<String> = "verifiedDescription",
        /// Its icon.
        verified_favicon_url: Option<String> = "verifiedFaviconUrl",
        /// The name of the site.
        verified_site_name: Option<String> = "verifiedSiteName",
        /// Its author.
        verified_author: Option<String> = "verifiedAuthor",
        /// When it was published.
        verified_published_at: Option<String> = "verifiedPublishedAt",
        /// Its picture.
        verified_image_url: Option<String> = "verifiedImageUrl",
        /// What kind of content it is.
        content_type: Option<String> = "contentType",
    }
}

record! {
    /// A box with its text; page units count from the bottom.
    pub struct TextItem {
        /// Left edge.
        x: Option<f64> = "x",
        /// Top edge, measured from the bottom of the page.
        y: Option<f64> = "y",
        /// Width.
        width: Option<f64> = "width",
        /// Height.
        height: Option<f64> = "height",
        /// What stands there.
        text: Option<String> = "text",
    }
}

record! {
    /// A pair of factors.
    pub struct Scale {
        /// Across.
        x: Option<f64> = "x",
        /// Down.
        y: Option<f64> = "y",
    }
}

record! {
    /// The size of a picture in pixels.
    pub struct Dimensions {
        /// Width.
        width: Option<f64> = "width",
        /// Height.
        height: Option<f64> = "height",
    }
}

record! {
    /// A picture of the passage.
    pub struct Evidence {
        /// A data URI or a URL.
        src: Option<String> = "src",
        /// Its size.
        dimensions: Option<Dimensions> = "dimensions",
        /// The words in it.
        text_items: Vec<TextItem> = "textItems",
    }
}

record! {
    /// A picture of a page.
    pub struct PageImage {
        /// Which page.
        page_number: Option<u64> = "pageNumber",
        /// Its size.
        dimensions: Option<Dimensions> = "dimensions",
        /// Where it is.
        image_url: Option<String> = "imageUrl",
        /// A small one.
        thumbnail_url: Option<String> = "thumbnailUrl",
        /// Until when it is there.
        expires_at: Option<String> = "expiresAt",
        /// Whether the passage is on it.
        is_match_page: Option<bool> = "isMatchPage",
        /// The highlight on it.
        highlight_box: Option<TextItem> = "highlightBox",
        /// Pixels per page unit.
        render_scale: Option<Scale> = "renderScale",
        /// The words on it.
        text_items: Vec<TextItem> = "textItems",
    }
}

record! {
    /// A file to download.
    pub struct Download {
        /// Its name.
        filename: Option<String> = "filename",
        /// What kind of file it is.
        mime_type: Option<String> = "mimeType",
        /// Where it is.
        link: Option<Link> = "link",
    }
}

record! {
    /// A link that may expire.
    pub struct Link {
        /// The address.
        url: Option<String> = "url",
        /// An ISO date, or `never`.
        expires_at: Option<String> = "expiresAt",
    }
}

record! {
    /// How often the words stand in the source.
    pub struct Ambiguity {
        /// In all.
        total_occurrences: Option<u64> = "totalOccurrences",
        /// On the page that was cited.
        occurrences_on_expected_page: Option<u64> = "occurrencesOnExpectedPage",
        /// How sure it is that the right one was taken.
        confidence: Option<Confidence> = "confidence",
        /// A sentence for people.
        note: Option<String> = "note",
    }
}

record! {
    /// One search for a phrase.
    pub struct SearchAttempt {
        /// How it was searched.
        method: Option<Method> = "method",
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
        line_searched: Option<LineSearched> = "lineSearched",
        /// How far.
        search_scope: Option<Scope> = "searchScope",
        /// Where it should have been.
        expected_location: Option<Location> = "expectedLocation",
        /// Where it was.
        found_location: Option<Location> = "foundLocation",
        /// Which reading of the words matched.
        matched_variation: Option<Variation> = "matchedVariation",
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
    pub struct Location {
        /// The page.
        page: Option<u64> = "page",
        /// The line.
        line: Option<u64> = "line",
    }
}

/// The line or lines that a search looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineSearched {
    /// One line.
    One(u64),
    /// Several.
    Several(Vec<u64>),
}

impl Form for LineSearched {
    fn read(value: &agui::json::Value) -> Option<Self> {
        match value.as_array() {
            Some(lines) => Some(Self::Several(lines.iter().filter_map(u64::read).collect())),
            None => u64::read(value).map(Self::One),
        }
    }

    fn write(&self, names: Names) -> agui::json::Value {
        match self {
            Self::One(line) => line.write(names),
            Self::Several(lines) => {
                agui::json::Value::Array(lines.iter().map(|line| line.write(names)).collect())
            }
        }
    }
}

vocabulary! {
    /// How a phrase is searched: from near to far to fragments.
    pub enum Method {
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
    pub enum Scope {
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
    pub enum Variation {
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
pub enum Trust {
    /// Parts of the words.
    Low,
    /// The anchor.
    Medium,
    /// The whole phrase.
    High,
}

impl Variation {
    /// How far a match of this reading can be trusted.
    pub fn trust(&self) -> Trust {
        match self {
            Self::ExactFullPhrase | Self::NormalizedFullPhrase => Trust::High,
            Self::PartialFullPhrase | Self::PartialAnchorText | Self::FirstWordOnly => Trust::Low,
            Self::ExactAnchorText | Self::NormalizedAnchorText | Self::Other(_) => Trust::Medium,
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

vocabulary! {
    /// How sure something is.
    pub enum Confidence {
        /// Very.
        High = "high",
        /// Rather.
        Medium = "medium",
        /// Not very.
        Low = "low",
    }
}

vocabulary! {
    /// Whether an address could be read.
    pub enum UrlAccess {
        /// It could.
        Accessible = "accessible",
        /// At another address.
        Redirected = "redirected",
        /// At another address of the same site.
        RedirectedSameDomain = "redirected_same_domain",
        /// There is no such page.
        NotFound = "not_found",
        /// It is not for us.
        Forbidden = "forbidden",
        /// The server failed.
        ServerError = "server_error",
        /// It took too long.
        Timeout = "timeout",
        /// It was refused.
        Blocked = "blocked",
        /// The network failed.
        NetworkError = "network_error",
        /// Not read yet.
        Pending = "pending",
        /// Nobody knows.
        Unknown = "unknown",
    }
}

vocabulary! {
    /// Whether a page says what was quoted.
    pub enum ContentMatch {
        /// Word for word.
        Exact = "exact",
        /// In part.
        Partial = "partial",
        /// Something else.
        Mismatch = "mismatch",
        /// Nothing of the kind.
        NotFound = "not_found",
        /// It was not looked at.
        NotChecked = "not_checked",
        /// It cannot be told.
        Inconclusive = "inconclusive",
    }
}
