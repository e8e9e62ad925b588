//! What was found when a citation was checked.

use json::Number;

use crate::citation::{Citation, RecordingSpan};
use crate::field_names::{record, vocabulary};
use crate::search_attempt::SearchAttempt;
use crate::status::VerificationStatus;

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
        status: Option<VerificationStatus> = "status",
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
        verified_timestamps: Option<RecordingSpan> = "verifiedTimestamps",
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
        evidence: Option<EvidenceImage> = "evidence",
        /// Pictures of whole pages.
        page_images: Vec<PageImage> = "pageImages",
        /// The original file.
        original_download: Option<DownloadLink> = "originalDownload",
        /// The converted file.
        converted_download: Option<DownloadLink> = "convertedDownload",
        /// Number of places that have the words, if there are several.
        ambiguity: Option<MatchAmbiguity> = "ambiguity",
        /// Reason why the citation could not be checked.
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

vocabulary! {
    /// Reason why a citation could not be checked.
    pub enum VerificationProblem {
        /// The citation names a source that does not exist.
        SourceMissing = "source_missing",
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
        /// Where the match stands: a box for each of its lines, from the top left of the page as displayed.
        boxes: Vec<MatchBox> = "boxes",
        /// The box of the phrase on the page where it begins.
        phrase_match_deep_item: Option<TextItem> = "phraseMatchDeepItem" | "sourceContextDeepItem",
        /// The boxes of the anchor.
        anchor_text_match_deep_items: Vec<TextItem> = "anchorTextMatchDeepItems" | "sourceMatchDeepItems",
        /// The boxes of the words around.
        text_items: Vec<TextItem> = "textItems",
        /// The highlight in pixels of the page image.
        highlight_box: Option<TextItem> = "highlightBox",
        /// Pixels per page unit.
        render_scale: Option<RenderScale> = "renderScale",
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
    /// A part of a page in points, from the top left of the page as displayed.
    pub struct MatchBox {
        /// The page, from 1.
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
    pub struct RenderScale {
        /// Across.
        x: Option<f64> = "x",
        /// Down.
        y: Option<f64> = "y",
    }
}

record! {
    /// The size of a picture in pixels.
    pub struct ImageSize {
        /// Width.
        width: Option<f64> = "width",
        /// Height.
        height: Option<f64> = "height",
    }
}

record! {
    /// A picture of the passage.
    pub struct EvidenceImage {
        /// A data URI or a URL.
        src: Option<String> = "src",
        /// Its size.
        dimensions: Option<ImageSize> = "dimensions",
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
        dimensions: Option<ImageSize> = "dimensions",
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
        render_scale: Option<RenderScale> = "renderScale",
        /// The words on it.
        text_items: Vec<TextItem> = "textItems",
    }
}

record! {
    /// A file to download.
    pub struct DownloadLink {
        /// Its name.
        filename: Option<String> = "filename",
        /// What kind of file it is.
        mime_type: Option<String> = "mimeType",
        /// Where it is.
        link: Option<ExpiringLink> = "link",
    }
}

record! {
    /// A link that may expire.
    pub struct ExpiringLink {
        /// The address.
        url: Option<String> = "url",
        /// An ISO date, or `never`.
        expires_at: Option<String> = "expiresAt",
    }
}

record! {
    /// How often the words stand in the source.
    pub struct MatchAmbiguity {
        /// In all.
        total_occurrences: Option<u64> = "totalOccurrences",
        /// On the page that was cited.
        occurrences_on_expected_page: Option<u64> = "occurrencesOnExpectedPage",
        /// How sure it is that the right one was taken.
        confidence: Option<ConfidenceLevel> = "confidence",
        /// A sentence for people.
        note: Option<String> = "note",
    }
}

vocabulary! {
    /// How sure something is.
    pub enum ConfidenceLevel {
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
