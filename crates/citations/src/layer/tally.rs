//! How far a message is, and what became of its citations, in numbers.

use crate::status::Status;

/// How a citation counts in a summary. Every citation counts once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Count {
    /// The words are there.
    Verified,
    /// Something of them is, or they stand elsewhere.
    Partial,
    /// They are not there, or there is no source.
    Missed,
    /// Not known yet.
    #[default]
    Pending,
}

impl Count {
    /// How a status counts.
    pub fn of(status: &Status) -> Self {
        match status {
            Status::Found | Status::FoundPhraseMissedAnchorText => Self::Verified,
            Status::FoundAnchorTextOnly
            | Status::PartialTextFound
            | Status::FoundOnOtherPage
            | Status::FoundOnOtherLine
            | Status::FirstWordFound => Self::Partial,
            Status::NotFound | Status::Skipped => Self::Missed,
            Status::Pending | Status::Loading | Status::TimestampWip | Status::Other(_) => {
                Self::Pending
            }
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Partial => "partial",
            Self::Missed => "missed",
            Self::Pending => "pending",
        }
    }
}

/// How many citations a message has, and what became of them. The four counts add up to `total`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
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

impl Summary {
    pub(crate) fn of(self, count: Count) -> usize {
        match count {
            Count::Verified => self.verified,
            Count::Partial => self.partial,
            Count::Missed => self.missed,
            Count::Pending => self.pending,
        }
    }

    fn slot(&mut self, count: Count) -> &mut usize {
        match count {
            Count::Verified => &mut self.verified,
            Count::Partial => &mut self.partial,
            Count::Missed => &mut self.missed,
            Count::Pending => &mut self.pending,
        }
    }

    pub(crate) fn add(&mut self, count: Count) {
        self.total += 1;
        *self.slot(count) += 1;
    }

    pub(crate) fn shift(&mut self, from: Count, to: Count) {
        let slot = self.slot(from);
        *slot = slot.saturating_sub(1);
        *self.slot(to) += 1;
    }
}

/// How far a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
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

impl Progress {
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
    use crate::names::Names;

    #[test]
    fn every_status_counts_once() {
        for (count, names) in [
            (
                Count::Verified,
                &["found", "found_phrase_missed_anchor_text"][..],
            ),
            (
                Count::Partial,
                &[
                    "found_anchor_text_only",
                    "partial_text_found",
                    "found_on_other_page",
                    "found_on_other_line",
                    "first_word_found",
                ],
            ),
            (Count::Missed, &["not_found", "skipped"]),
            (
                Count::Pending,
                &["pending", "loading", "timestamp_wip", "unheard of"],
            ),
        ] {
            for name in names {
                let status = Status::from_name(name);
                assert_eq!(Count::of(&status), count, "{name}");
                let newer = Status::from_name(status.name(Names::G3));
                assert_eq!(Count::of(&newer), count, "{name}");
            }
        }
    }

    #[test]
    fn the_numbers_add_up() {
        let mut summary = Summary::default();
        summary.add(Count::Pending);
        summary.add(Count::Verified);
        summary.shift(Count::Pending, Count::Missed);
        assert_eq!(
            summary,
            Summary {
                total: 2,
                verified: 1,
                missed: 1,
                ..Summary::default()
            }
        );
    }
}
