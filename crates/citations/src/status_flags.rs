//! Flags that frontends derive from statuses.

use crate::search_attempt::{MatchTrust, QuoteVariation};
use crate::status::VerificationStatus;
use crate::verification::Verification;

/// Flags of a status as the citation SDK computes them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StatusFlags {
    /// The source contains the quote or a part of it.
    pub is_verified: bool,
    /// The source contains a part of the quote, or contains it elsewhere.
    pub is_partial_match: bool,
    /// The source does not contain the quote.
    pub is_miss: bool,
    /// The result is not known yet.
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

    /// Returns the flags of a verification; those of a missing one are pending.
    pub fn of(verification: Option<&Verification>) -> Self {
        let status = verification.and_then(|verification| verification.status.as_ref());
        status.map_or(Self::PENDING, VerificationStatus::flags)
    }

    /// Returns the flags by stricter rules.
    ///
    /// A missing verification has no flags. A verification is partial whatever its status if its match has
    /// low trust or if the citation's claim differs from its anchor.
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

    /// Returns the sign for plain text.
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
    /// Returns the flags of this status.
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
