//! How far a message is, and what became of its citations, in numbers.

pub use citations::resolve::StatusCategory as SummaryCategory;

/// How many citations a message has, and what became of them. The four counts add up to `total`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CitationSummary {
    /// All of them.
    pub total: usize,
    /// Found.
    pub verified: usize,
    /// Found in part, or elsewhere.
    pub partial: usize,
    /// Not found.
    pub missed: usize,
    /// Not known yet.
    pub pending: usize,
}

impl CitationSummary {
    pub(crate) fn of(self, count: SummaryCategory) -> usize {
        match count {
            SummaryCategory::Verified => self.verified,
            SummaryCategory::Partial => self.partial,
            SummaryCategory::Missed => self.missed,
            SummaryCategory::Pending => self.pending,
        }
    }

    fn slot(&mut self, count: SummaryCategory) -> &mut usize {
        match count {
            SummaryCategory::Verified => &mut self.verified,
            SummaryCategory::Partial => &mut self.partial,
            SummaryCategory::Missed => &mut self.missed,
            SummaryCategory::Pending => &mut self.pending,
        }
    }

    pub(crate) fn add(&mut self, count: SummaryCategory) {
        self.total += 1;
        *self.slot(count) += 1;
    }

    pub(crate) fn shift(&mut self, from: SummaryCategory, to: SummaryCategory) {
        let slot = self.slot(from);
        *slot = slot.saturating_sub(1);
        *self.slot(to) += 1;
    }
}

/// How far a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageProgress {
    /// Its text is coming.
    Streaming,
    /// Its text is complete and being read to the end.
    Extracting,
    /// Some of its citations are being checked.
    Verifying,
    /// Done.
    Complete,
    /// Something went wrong; what was cited before still counts.
    Error,
}

impl MessageProgress {
    /// The word on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Streaming => "streaming",
            Self::Extracting => "extracting",
            Self::Verifying => "verifying",
            Self::Complete => "complete",
            Self::Error => "error",
        }
    }

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
    fn the_numbers_add_up() {
        let mut summary = CitationSummary::default();
        summary.add(SummaryCategory::Pending);
        summary.add(SummaryCategory::Verified);
        summary.shift(SummaryCategory::Pending, SummaryCategory::Missed);
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
