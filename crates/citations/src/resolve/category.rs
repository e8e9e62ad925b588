//! Categories of statuses.

use crate::status::VerificationStatus;

/// Category under which a citation counts in a summary. Every citation has exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StatusCategory {
    /// The quote is in the source.
    Verified,
    /// A part of the quote is in the source, or the quote is at another place of it.
    Partial,
    /// The quote is not in the source, or there is no source.
    Missed,
    /// The result is not known yet. Statuses of later SDK versions are here, too.
    #[default]
    Pending,
}

impl StatusCategory {
    /// Returns the category of a status.
    pub fn of(status: &VerificationStatus) -> Self {
        match status {
            VerificationStatus::Found | VerificationStatus::FoundPhraseMissedAnchorText => {
                Self::Verified
            }
            VerificationStatus::FoundAnchorTextOnly
            | VerificationStatus::PartialTextFound
            | VerificationStatus::FoundOnOtherPage
            | VerificationStatus::FoundOnOtherLine
            | VerificationStatus::FirstWordFound => Self::Partial,
            VerificationStatus::NotFound | VerificationStatus::Skipped => Self::Missed,
            VerificationStatus::Pending
            | VerificationStatus::Loading
            | VerificationStatus::TimestampWip
            | VerificationStatus::Other(_) => Self::Pending,
        }
    }

    /// Returns the name in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Partial => "partial",
            Self::Missed => "missed",
            Self::Pending => "pending",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SdkVersion;

    #[test]
    fn every_status_has_one_category_in_both_sdk_versions() {
        for (category, names) in [
            (
                StatusCategory::Verified,
                &["found", "found_phrase_missed_anchor_text"][..],
            ),
            (
                StatusCategory::Partial,
                &[
                    "found_anchor_text_only",
                    "partial_text_found",
                    "found_on_other_page",
                    "found_on_other_line",
                    "first_word_found",
                ],
            ),
            (StatusCategory::Missed, &["not_found", "skipped"]),
            (
                StatusCategory::Pending,
                &["pending", "loading", "timestamp_wip", "unheard of"],
            ),
        ] {
            for name in names {
                let status = VerificationStatus::from_name(name);
                assert_eq!(StatusCategory::of(&status), category, "{name}");
                let newer = VerificationStatus::from_name(status.name(SdkVersion::V3));
                assert_eq!(StatusCategory::of(&newer), category, "{name}");
            }
        }
    }
}
