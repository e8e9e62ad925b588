//! What became of a citation: statuses and what they mean for a reader.

use crate::field_names::vocabulary;
use crate::search_attempt::{MatchTrust, QuoteVariation};
use crate::verification::Verification;

vocabulary! {
    /// How a quotation compares with its source.
    pub enum VerificationStatus {
        /// The phrase stands at the expected place.
        Found = "found",
        /// The phrase was found, the anchor is not inside it.
        FoundPhraseMissedAnchorText = "found_phrase_missed_anchor_text" | "found_context_missed_source_match",
        /// Only the anchor was found.
        FoundAnchorTextOnly = "found_anchor_text_only" | "found_source_match_only",
        /// Part of the phrase was found.
        PartialTextFound = "partial_text_found",
        /// Found on another page.
        FoundOnOtherPage = "found_on_other_page",
        /// Found on the right page, on another line.
        FoundOnOtherLine = "found_on_other_line",
        /// Only the first word was found.
        FirstWordFound = "first_word_found",
        /// Nothing was found.
        NotFound = "not_found",
        /// The check has not ended.
        Pending = "pending",
        /// The check has not begun.
        Loading = "loading",
        /// Sound and film are not matched yet.
        TimestampWip = "timestamp_wip",
        /// Not checked: no source is named and none is there.
        Skipped = "skipped",
    }
}

/// The four questions a frontend asks of a status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StatusFlags {
    /// Something of it stands in the source.
    pub is_verified: bool,
    /// Not all of it, or not where it was said to be.
    pub is_partial_match: bool,
    /// Nothing of it does.
    pub is_miss: bool,
    /// Not known yet.
    pub is_pending: bool,
}

impl StatusFlags {
    const VERIFIED: Self = Self {
        is_verified: true,
        ..Self::NONE
    };
    const PARTIAL: Self = Self {
        is_partial_match: true,
        ..Self::VERIFIED
    };
    const MISS: Self = Self {
        is_miss: true,
        ..Self::NONE
    };
    const PENDING: Self = Self {
        is_pending: true,
        ..Self::NONE
    };
    const NONE: Self = Self {
        is_verified: false,
        is_partial_match: false,
        is_miss: false,
        is_pending: false,
    };

    /// The flags of a verification; none yet means pending.
    pub fn of(verification: Option<&Verification>) -> Self {
        let status = verification.and_then(|verification| verification.status.as_ref());
        status.map_or(Self::PENDING, VerificationStatus::flags)
    }

    /// The stricter reading: no verification has no flags; one that rests on a weak variation, or
    /// whose citation claims other words than it cites, is partial whatever its status says.
    pub fn strict(verification: Option<&Verification>) -> Self {
        let Some(verification) = verification else {
            return Self::NONE;
        };
        let weak = verification.search_attempts.iter().any(|attempt| {
            let trust = attempt
                .matched_variation
                .as_ref()
                .map(QuoteVariation::trust);
            attempt.success && trust == Some(MatchTrust::Low)
        });
        let claims_otherwise = verification.citation.as_ref().is_some_and(|citation| {
            citation.claim_text.is_some() && citation.claim_text != citation.anchor_text
        });
        let flags = Self::of(Some(verification));
        let unsure = weak && (flags.is_verified || verification.status.is_none());
        if unsure || (claims_otherwise && flags.is_verified) {
            return Self::PARTIAL;
        }
        flags
    }

    /// The sign for plain text.
    pub fn sign(self) -> &'static str {
        match self {
            Self { is_miss: true, .. } => "❌",
            Self {
                is_verified: true,
                is_partial_match: false,
                ..
            } => "☑️",
            Self {
                is_partial_match: true,
                ..
            } => "✅",
            Self {
                is_pending: true, ..
            } => "⌛",
            _ => "◌",
        }
    }
}

impl VerificationStatus {
    /// What the status means.
    pub fn flags(&self) -> StatusFlags {
        match self {
            Self::Found | Self::FoundPhraseMissedAnchorText => StatusFlags::VERIFIED,
            Self::FoundAnchorTextOnly
            | Self::PartialTextFound
            | Self::FoundOnOtherPage
            | Self::FoundOnOtherLine
            | Self::FirstWordFound => StatusFlags::PARTIAL,
            Self::NotFound => StatusFlags::MISS,
            Self::Pending | Self::Loading => StatusFlags::PENDING,
            Self::TimestampWip | Self::Skipped | Self::Other(_) => StatusFlags::NONE,
        }
    }
}
