//! Quotes with dates that the text writes in another form.

use std::ops::Range;

use crate::dates::{DateMark, Day};
use crate::normalised_text::NormalisedText;
use crate::quote::Quote;

impl Quote {
    /// Returns the dates in the core, with positions relative to its start.
    pub(crate) fn dates(&self) -> Vec<DateMark> {
        let core = self.core();
        self.text()
            .dates
            .iter()
            .filter(|date| date.start as usize >= core.start && date.end as usize <= core.end)
            .map(|date| DateMark {
                start: date.start - core.start as u32,
                end: date.end - core.start as u32,
                day: date.day,
            })
            .collect()
    }

    /// Returns true if the core contains a date.
    pub(crate) fn has_dates(&self) -> bool {
        !self.text().dates.is_empty() && !self.dates().is_empty()
    }

    /// Returns the normalised range of `text` that equals the core, apart from the form of dates,
    /// and has the first date at `anchor`.
    pub(crate) fn match_around_date(
        &self,
        text: &NormalisedText,
        anchor: &DateMark,
    ) -> Option<Range<usize>> {
        let core = self.normalised();
        let normalised = text.normalised();
        let dates = self.dates();
        let first = dates.first()?;
        // A space between digits is kept or not depending on the form of the date beside it, so
        // spaces are trimmed.
        let left = core[..first.start as usize].trim_end_matches(' ');
        let before = normalised[..anchor.start as usize].trim_end_matches(' ');
        let start = if left.is_empty() {
            anchor.start as usize
        } else {
            before.strip_suffix(left)?.len()
        };
        let mut at = anchor.end as usize;
        for (nth, date) in dates.iter().enumerate() {
            if nth > 0 {
                at = text.end_of_date_at(at, date.day)?;
            }
            let until = dates
                .get(nth + 1)
                .map_or(core.len(), |next| next.start as usize);
            let literal = core[date.end as usize..until].trim_matches(' ');
            if !literal.is_empty() {
                let rest = normalised[at..]
                    .trim_start_matches(' ')
                    .strip_prefix(literal)?;
                at = normalised.len() - rest.len();
            }
        }
        Some(start..at)
    }
}

impl NormalisedText {
    /// Returns the end of the date at a normalised position if it denotes `day`.
    fn end_of_date_at(&self, at: usize, day: Day) -> Option<usize> {
        let skipped = self.normalised()[at..].trim_start_matches(' ');
        let at = self.normalised().len() - skipped.len();
        let nth = self
            .dates
            .partition_point(|date| (date.start as usize) < at);
        let date = self.dates.get(nth)?;
        (date.start as usize == at && date.day == day).then_some(date.end as usize)
    }
}
