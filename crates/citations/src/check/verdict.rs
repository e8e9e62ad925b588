//! Verdicts.

use std::ops::Range;

use documents::{DoubtfulWord, PassageLocation};
use passage::ChangeKind;

use super::differences::QuoteDifference;
use crate::citation::Citation;
use crate::status::VerificationStatus;
use crate::verification::{Verification, VerificationProblem};

/// Result of checking one citation, with everything that explains it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdict {
    /// The part that clients read.
    pub verification: Verification,
    /// Passages with the quoted words; several if the quote joins parts of the source.
    pub passages: Vec<SourcePassage>,
    /// Passage that is most similar to a quote that was not found.
    pub nearest: Option<SourcePassage>,
    /// Word diff between quote and source; empty if they are the same.
    pub diff: Vec<DiffSpan>,
    /// Difference that explains a partial match, or that the quote contradicts its nearest passage.
    pub difference: Option<QuoteDifference>,
    /// Share of the quote that differs from the passages or from the nearest passage, in per mille. Among
    /// verdicts with the same status the one with the smallest distance is the best.
    pub distance: Option<u32>,
    /// Word of the match that text recognition may have misread. The status is at most partial then.
    pub doubt: Option<DoubtfulWord>,
    /// Number or label of the page that the citation names although the document does not have it.
    pub page_outside: Option<String>,
}

/// Passage of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePassage {
    /// Text of the passage.
    pub text: String,
    /// Pages and lines of the passage.
    pub place: PassageLocation,
    /// Index of its text stream in [`documents::Document::flows`].
    pub flow: usize,
    /// Range of bytes in that text stream.
    pub range: Range<usize>,
}

/// One piece of a word diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffSpan {
    /// Kind of change.
    pub kind: ChangeKind,
    /// Words of the quote; empty if only the source has some.
    pub quote: String,
    /// Words of the source; empty if only the quote has some.
    pub source: String,
}

impl DiffSpan {
    /// Returns true if quote and source are not the same here.
    pub fn differs(&self) -> bool {
        self.kind != ChangeKind::Same
    }
}

impl Verdict {
    /// Returns the verdict on a citation that names a source that does not exist.
    pub fn source_missing(citation: &Citation) -> Self {
        let mut verdict = Self::without_source(citation, VerificationStatus::NotFound);
        verdict.verification.problem = Some(VerificationProblem::SourceMissing);
        verdict
    }

    /// Returns the verdict on a citation that names no source where there is no document at all.
    pub fn skipped(citation: &Citation) -> Self {
        let mut verdict = Self::without_source(citation, VerificationStatus::Skipped);
        verdict.verification.skipped = Some(true);
        verdict
    }

    fn without_source(citation: &Citation, status: VerificationStatus) -> Self {
        Self {
            verification: Verification {
                attachment_id: citation.attachment_id.clone(),
                citation: Some(Box::new(citation.clone())),
                status: Some(status),
                ..Verification::default()
            },
            ..Self::default()
        }
    }

    /// Returns the status; a verdict without one is pending.
    pub fn status(&self) -> VerificationStatus {
        let status = self.verification.status.clone();
        status.unwrap_or(VerificationStatus::Pending)
    }

    /// Returns the rank among the verdicts of several sources, 0 for the best: by status, then by distance.
    pub fn rank(&self) -> (u8, u32) {
        let distance = match self.status() {
            VerificationStatus::Found => 0,
            _ => self.distance.unwrap_or(u32::MAX),
        };
        (self.status_rank(), distance)
    }

    fn status_rank(&self) -> u8 {
        match self.status() {
            VerificationStatus::Found => 0,
            VerificationStatus::FoundPhraseMissedAnchorText => 1,
            VerificationStatus::FoundOnOtherLine => 2,
            VerificationStatus::FoundOnOtherPage => 3,
            VerificationStatus::PartialTextFound => 4,
            VerificationStatus::FoundAnchorTextOnly => 5,
            VerificationStatus::FirstWordFound => 6,
            VerificationStatus::NotFound => 7,
            VerificationStatus::Skipped
            | VerificationStatus::Pending
            | VerificationStatus::Loading
            | VerificationStatus::TimestampWip
            | VerificationStatus::Other(_) => 8,
        }
    }
}
