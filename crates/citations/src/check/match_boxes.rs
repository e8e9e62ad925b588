//! Boxes of matches on their pages.

use std::ops::Range;

use documents::{Document, PageBox};
use passage::Quote;

use super::{CitationChecker, SourcePassage, Verdict};
use crate::text_item::TextItem;
use crate::verification::MatchBox;

impl CitationChecker<'_> {
    /// Adds the boxes of a verdict's passages and of the anchor in them, if the document has geometry.
    pub(super) fn set_boxes(&self, verdict: &mut Verdict) {
        let Some(found) = &mut verdict.verification.document else {
            return;
        };
        let of = |passage: &SourcePassage| self.boxes(passage.flow, passage.range.clone());
        let boxes: Vec<PageBox> = verdict.passages.iter().flat_map(of).collect();
        let Some(first) = boxes.first() else {
            return;
        };
        let on_first_page = boxes
            .iter()
            .filter(|part| part.rendered_page == first.rendered_page);
        let whole = on_first_page.copied().reduce(PageBox::union);
        let phrase = verdict.verification.verified_full_phrase.clone();
        found.phrase_match_deep_item = whole.and_then(|whole| item(self.document, &whole, phrase));
        found.boxes = boxes.iter().map(match_box).collect();
        if let Some(anchor) = &verdict.verification.verified_anchor_text {
            let mut passages = verdict.passages.iter();
            if let Some((flow, range)) = passages.find_map(|passage| self.within(anchor, passage)) {
                let boxes = self.boxes(flow, range);
                let items = boxes
                    .iter()
                    .filter_map(|part| item(self.document, part, Some(anchor.clone())));
                found.anchor_text_match_deep_items = items.collect();
            }
        }
    }

    fn boxes(&self, flow: usize, range: Range<usize>) -> Vec<PageBox> {
        let flow = self.document.text_streams().get(flow);
        flow.map_or_else(Vec::new, |flow| self.document.boxes(flow, range))
    }

    /// Finds words inside of a passage.
    fn within(&self, words: &str, passage: &SourcePassage) -> Option<(usize, Range<usize>)> {
        let index = &self.document.text_streams().get(passage.flow)?.index;
        let quote = Quote::new(words, index.text()).ok()?;
        let found = index.find(&quote, Some(passage.range.clone()))?;
        Some((passage.flow, found.range))
    }
}

/// Rounds to thousandths of a point, which is finer than any printer.
fn rounded(length: f32) -> Option<f64> {
    Some((f64::from(length) * 1000.0).round() / 1000.0)
}

fn match_box(part: &PageBox) -> MatchBox {
    MatchBox {
        page: Some(part.rendered_page.into()),
        x: rounded(part.x),
        y: rounded(part.y),
        width: rounded(part.width),
        height: rounded(part.height),
    }
}

/// Returns a box with its text, measured from the bottom of its page.
fn item(document: &Document, part: &PageBox, text: Option<String>) -> Option<TextItem> {
    let sheet = document.rendered_page_size(part.rendered_page)?;
    Some(TextItem {
        x: rounded(part.x),
        y: rounded(sheet.height - part.y),
        width: rounded(part.width),
        height: rounded(part.height),
        text,
    })
}
