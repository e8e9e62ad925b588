//! Statuses of verifications.

use crate::field_names::vocabulary;

vocabulary! {
    /// Result of comparing a quote with its source.
    pub enum VerificationStatus {
        /// The quote is at the cited place.
        Found = "found",
        /// The quote is at the cited place, but does not contain its anchor.
        FoundPhraseMissedAnchorText = "found_phrase_missed_anchor_text" | "found_context_missed_source_match",
        /// The anchor is in the source, the quote is not.
        FoundAnchorTextOnly = "found_anchor_text_only" | "found_source_match_only",
        /// A part of the quote is in the source.
        PartialTextFound = "partial_text_found",
        /// The quote is on another page than cited.
        FoundOnOtherPage = "found_on_other_page",
        /// The quote is on the cited page, on another line than cited.
        FoundOnOtherLine = "found_on_other_line",
        /// Only the first word of the quote is in the source.
        FirstWordFound = "first_word_found",
        /// The quote is not in the source, or the source does not exist.
        NotFound = "not_found",
        /// The check is running.
        Pending = "pending",
        /// The check has not begun.
        Loading = "loading",
        /// The source is a recording, which cannot be checked yet.
        TimestampWip = "timestamp_wip",
        /// Not checked: the citation names no source and there is no document.
        Skipped = "skipped",
    }
}
