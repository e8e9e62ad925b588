//! Counts of citations by category, and the progress of a message.

use citations::resolve::StatusCategory;

/// Number of citations of a message by category. The four counts add up to `total`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CitationSummary {
    /// Number of citations.
    pub total: usize,
    /// Number of verified citations.
    pub verified: usize,
    /// Number of citations found in part or elsewhere.
    pub partial: usize,
    /// Number of citations not found.
    pub missed: usize,
    /// Number of citations without a result.
    pub pending: usize,
}

impl CitationSummary {
    /// Returns the count of a category.
    pub(crate) fn of(self, category: StatusCategory) -> usize {
        match category {
            StatusCategory::Verified => self.verified,
            StatusCategory::Partial => self.partial,
            StatusCategory::Missed => self.missed,
            StatusCategory::Pending => self.pending,
        }
    }

    fn slot(&mut self, category: StatusCategory) -> &mut usize {
        match category {
            StatusCategory::Verified => &mut self.verified,
            StatusCategory::Partial => &mut self.partial,
            StatusCategory::Missed => &mut self.missed,
            StatusCategory::Pending => &mut self.pending,
        }
    }

    /// Counts one more citation.
    pub(crate) fn add(&mut self, category: StatusCategory) {
        self.total += 1;
        *self.slot(category) += 1;
    }

    /// Moves a citation from one category to another.
    pub(crate) fn shift(&mut self, from: StatusCategory, to: StatusCategory) {
        let slot = self.slot(from);
        *slot = slot.saturating_sub(1);
        *self.slot(to) += 1;
    }
}

/// Progress of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageProgress {
    /// Text arrives.
    Streaming,
    /// The text is complete; its last citations are extracted.
    Extracting,
    /// Verifications are open.
    Verifying,
    /// All verifications have finished.
    Complete,
    /// The message broke off or is too long; citations found before still count.
    Error,
}

impl MessageProgress {
    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Streaming => "streaming",
            Self::Extracting => "extracting",
            Self::Verifying => "verifying",
            Self::Complete => "complete",
            Self::Error => "error",
        }
    }

    /// Returns the progress with a name on the wire.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [
            Self::Streaming,
            Self::Extracting,
            Self::Verifying,
            Self::Complete,
            Self::Error,
        ]
        .into_iter()
        .find(|progress| progress.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_total_equal_to_the_sum() {
        let mut summary = CitationSummary::default();
        summary.add(StatusCategory::Pending);
        summary.add(StatusCategory::Verified);
        summary.shift(StatusCategory::Pending, StatusCategory::Missed);
        assert_eq!(
            summary,
            CitationSummary {
                total: 2,
                verified: 1,
                missed: 1,
                ..CitationSummary::default()
            }
        );
    }
}
