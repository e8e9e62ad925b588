//! Verifications: results of checking citations in the form that clients read.

use json::{Map, Number, Value};

use crate::citation::{Citation, RecordingSpan};
use crate::field_names::schema::SdkSchema;
use crate::field_names::{SdkVersion, record, vocabulary};
use crate::search_attempt::SearchAttempt;
use crate::status::VerificationStatus;
use crate::text_item::TextItem;

record! {
    /// Result of checking a citation, in the form that clients read.
    pub struct Verification {
        /// Attachment id of the source.
        attachment_id: Option<String> = "attachmentId",
        /// File name or title of the source.
        label: Option<String> = "label",
        /// Citation that was checked.
        citation: Option<Box<Citation>> = "citation",
        /// Status.
        status: Option<VerificationStatus> = "status",
        /// True if the citation was not checked.
        skipped: Option<bool> = "skipped",
        /// Searches in the order they were made.
        search_attempts: Vec<SearchAttempt> = "searchAttempts",
        /// Colour of the highlight.
        highlight_color: Option<String> = "highlightColor",
        /// Quote as the source writes it.
        verified_full_phrase: Option<String> = "verifiedFullPhrase" | "verifiedSourceContext",
        /// Anchor as the source writes it.
        verified_anchor_text: Option<String> = "verifiedAnchorText" | "verifiedSourceMatch",
        /// Match with the text around it.
        verified_match_snippet: Option<String> = "verifiedMatchSnippet" | "sourceSnippet",
        /// Part of the recording that has the words.
        verified_timestamps: Option<RecordingSpan> = "verifiedTimestamps",
        /// Time of the check, in ISO 8601.
        verified_at: Option<String> = "verifiedAt",
        /// Time that the user waited, in milliseconds; clients compute it.
        time_to_certainty_ms: Option<Number> = "timeToCertaintyMs",
        /// True if the place is only roughly known.
        is_imprecise_location: Option<bool> = "isImpreciseLocation",
        /// Place of the match in a document.
        document: Option<DocumentMatch> = "document",
        /// Place of the match on a web page.
        url: Option<UrlMatch> = "url",
        /// Image of the passage.
        evidence: Option<EvidenceImage> = "evidence",
        /// Images of pages.
        page_images: Vec<PageImage> = "pageImages",
        /// Download of the original file.
        original_download: Option<DownloadLink> = "originalDownload",
        /// Download of the converted file.
        converted_download: Option<DownloadLink> = "convertedDownload",
        /// Number of places that have the words, if there are several.
        ambiguity: Option<MatchAmbiguity> = "ambiguity",
        /// Problem of the citation with its source.
        problem: Option<VerificationProblem> = "problem",
        /// Address of the evidence page.
        evidence_url: Option<String> = "evidenceUrl",
    }
}

impl Verification {
    /// Returns true if the citation names a source that does not exist.
    pub fn is_source_missing(&self) -> bool {
        self.problem == Some(VerificationProblem::SourceMissing)
    }
}

/// Returns the schema of a verification, and adds the types inside it to `definitions`.
pub fn verification_schema(version: SdkVersion, definitions: &mut Map) -> Value {
    <Verification as SdkSchema>::schema(version, definitions)
}

vocabulary! {
    /// Problem of a citation with its source.
    pub enum VerificationProblem {
        /// The citation names a source that does not exist.
        SourceMissing = "source_missing",
        /// The citation names a page that the source does not have.
        PageOutside = "page_outside",
    }
}

record! {
    /// Place of a match in a document.
    pub struct DocumentMatch {
        /// Page of the match, from 1.
        verified_page_number: Option<u64> = "verifiedPageNumber",
        /// Page on which the match ends, if that is another one.
        verified_end_page_number: Option<u64> = "verifiedEndPageNumber",
        /// Lines of the match on that page, from 1.
        verified_line_ids: Vec<u64> = "verifiedLineIds",
        /// Media type of the document.
        mime_type: Option<String> = "mimeType",
        /// Number of lines on the page.
        total_lines_on_page: Option<u64> = "totalLinesOnPage",
        /// Position of the match among those on the page, from 0.
        hit_index_within_page: Option<u64> = "hitIndexWithinPage",
        /// One box for each line of the match, from the top left of the page as displayed.
        boxes: Vec<MatchBox> = "boxes",
        /// Box of the quote on its first page.
        phrase_match_deep_item: Option<TextItem> = "phraseMatchDeepItem" | "sourceContextDeepItem",
        /// Boxes of the anchor.
        anchor_text_match_deep_items: Vec<TextItem> = "anchorTextMatchDeepItems" | "sourceMatchDeepItems",
        /// Boxes of the words around the match.
        text_items: Vec<TextItem> = "textItems",
        /// Highlight in pixels of the page image.
        highlight_box: Option<TextItem> = "highlightBox",
        /// Pixels per page unit.
        render_scale: Option<RenderScale> = "renderScale",
    }
}

record! {
    /// Place of a match on a web page.
    pub struct UrlMatch {
        /// Address that was checked.
        verified_url: Option<String> = "verifiedUrl",
        /// Address after redirects.
        resolved_url: Option<String> = "resolvedUrl",
        /// HTTP status.
        http_status: Option<u64> = "httpStatus",
        /// Result of requesting the page.
        url_access_status: Option<UrlAccess> = "urlAccessStatus",
        /// Result of comparing the page with the quote.
        content_match_status: Option<ContentMatch> = "contentMatchStatus",
        /// Similarity of page and quote, from 0 to 1.
        content_similarity: Option<f64> = "contentSimilarity",
        /// Title of the page.
        verified_title: Option<String> = "verifiedTitle",
        /// Text of the page where the quote was expected.
        actual_content_snippet: Option<String> = "actualContentSnippet",
        /// Time of the request, in ISO 8601.
        crawled_at: Option<String> = "crawledAt",
        /// Error that prevented the check.
        url_verification_error: Option<String> = "urlVerificationError",
        /// Domain of the page.
        verified_domain: Option<String> = "verifiedDomain",
        /// Description of the page.
        verified_description: Option<String> = "verifiedDescription",
        /// Address of the page's icon.
        verified_favicon_url: Option<String> = "verifiedFaviconUrl",
        /// Name of the site.
        verified_site_name: Option<String> = "verifiedSiteName",
        /// Author of the page.
        verified_author: Option<String> = "verifiedAuthor",
        /// Time of publication, in ISO 8601.
        verified_published_at: Option<String> = "verifiedPublishedAt",
        /// Address of the page's picture.
        verified_image_url: Option<String> = "verifiedImageUrl",
        /// Media type of the page.
        content_type: Option<String> = "contentType",
    }
}

record! {
    /// Rectangle on a page in points, from the top left of the page as displayed.
    pub struct MatchBox {
        /// Page number, from 1.
        page: Option<u64> = "page",
        /// Left edge.
        x: Option<f64> = "x",
        /// Top edge.
        y: Option<f64> = "y",
        /// Width.
        width: Option<f64> = "width",
        /// Height.
        height: Option<f64> = "height",
    }
}

record! {
    /// Horizontal and vertical factor.
    pub struct RenderScale {
        /// Horizontal factor.
        x: Option<f64> = "x",
        /// Vertical factor.
        y: Option<f64> = "y",
    }
}

record! {
    /// Size of an image in pixels.
    pub struct ImageSize {
        /// Width.
        width: Option<f64> = "width",
        /// Height.
        height: Option<f64> = "height",
    }
}

record! {
    /// Image of a passage.
    pub struct EvidenceImage {
        /// Data URI or address of the image.
        src: Option<String> = "src",
        /// Size of the image.
        dimensions: Option<ImageSize> = "dimensions",
        /// Words in the image, with their boxes.
        text_items: Vec<TextItem> = "textItems",
    }
}

record! {
    /// Image of a page.
    pub struct PageImage {
        /// Page number, from 1.
        page_number: Option<u64> = "pageNumber",
        /// Size of the image.
        dimensions: Option<ImageSize> = "dimensions",
        /// Address of the image.
        image_url: Option<String> = "imageUrl",
        /// Address of a smaller image.
        thumbnail_url: Option<String> = "thumbnailUrl",
        /// Time at which the addresses expire, in ISO 8601.
        expires_at: Option<String> = "expiresAt",
        /// True if the match is on this page.
        is_match_page: Option<bool> = "isMatchPage",
        /// Highlight on the image.
        highlight_box: Option<TextItem> = "highlightBox",
        /// Pixels per page unit.
        render_scale: Option<RenderScale> = "renderScale",
        /// Words on the page, with their boxes.
        text_items: Vec<TextItem> = "textItems",
    }
}

record! {
    /// File to download.
    pub struct DownloadLink {
        /// File name.
        filename: Option<String> = "filename",
        /// Media type.
        mime_type: Option<String> = "mimeType",
        /// Address of the file.
        link: Option<ExpiringLink> = "link",
    }
}

record! {
    /// Address that may expire.
    pub struct ExpiringLink {
        /// Address.
        url: Option<String> = "url",
        /// Time of expiry in ISO 8601, or `never`.
        expires_at: Option<String> = "expiresAt",
    }
}

record! {
    /// Number of places that have the quoted words.
    pub struct MatchAmbiguity {
        /// Number in the document.
        total_occurrences: Option<u64> = "totalOccurrences",
        /// Number on the cited page.
        occurrences_on_expected_page: Option<u64> = "occurrencesOnExpectedPage",
        /// Confidence that the right one was chosen.
        confidence: Option<ConfidenceLevel> = "confidence",
        /// Explanation for people.
        note: Option<String> = "note",
    }
}

vocabulary! {
    /// Degree of confidence.
    pub enum ConfidenceLevel {
        /// High.
        High = "high",
        /// Medium.
        Medium = "medium",
        /// Low.
        Low = "low",
    }
}

vocabulary! {
    /// Result of requesting a web page.
    pub enum UrlAccess {
        /// The page was read.
        Accessible = "accessible",
        /// The page was read at another address.
        Redirected = "redirected",
        /// The page was read at another address of the same site.
        RedirectedSameDomain = "redirected_same_domain",
        /// There is no such page.
        NotFound = "not_found",
        /// Access was denied.
        Forbidden = "forbidden",
        /// The server failed.
        ServerError = "server_error",
        /// The request took too long.
        Timeout = "timeout",
        /// The request was blocked.
        Blocked = "blocked",
        /// The network failed.
        NetworkError = "network_error",
        /// The page was not requested yet.
        Pending = "pending",
        /// The result is not known.
        Unknown = "unknown",
    }
}

vocabulary! {
    /// Result of comparing a web page with a quote.
    pub enum ContentMatch {
        /// The page has the quote, word for word.
        Exact = "exact",
        /// The page has a part of the quote.
        Partial = "partial",
        /// The page says something else.
        Mismatch = "mismatch",
        /// The page does not have the quote.
        NotFound = "not_found",
        /// The page was not compared.
        NotChecked = "not_checked",
        /// The comparison gave no clear result.
        Inconclusive = "inconclusive",
    }
}
