//! Evidence as JSON.

use citations::check::{DiffSpan, SourcePassage};
use citations::{DisplayState, SdkVersion};
use documents::PageBox;
use store::StoredVerification;

use super::EvidenceSummary;
use crate::api::{DifferencePart, EvidenceBox, EvidenceInfo};

impl EvidenceSummary {
    /// Returns the content of the evidence page for frontends that show it themselves.
    pub(in crate::routes::evidence) fn info(&self, found: &StoredVerification) -> EvidenceInfo {
        let nearest = self
            .verdict
            .as_ref()
            .and_then(|verdict| verdict.nearest.as_ref());
        let passages: Vec<&SourcePassage> = match nearest {
            Some(nearest) => vec![nearest],
            None => self.passage_list(),
        };
        let boxes = self.boxes(&passages);
        let first = boxes.first().map(|part| part.page);
        let document = self.document.as_ref();
        EvidenceInfo {
            id: found.id.clone(),
            key: found.key.clone(),
            status: self.status.name(SdkVersion::V2).to_owned(),
            words: self.words().to_owned(),
            reasons: self.reasons(),
            quote: self.quote().to_owned(),
            difference: self.difference_parts(),
            source: self.source().0.map(str::to_owned),
            document_id: document.map(|document| document.id().to_string()),
            place: match nearest {
                Some(nearest) => self.location(&[nearest]),
                None => self.place(),
            },
            page: document.map(|_| first.unwrap_or(1)),
            page_count: document.map(|document| document.rendered_page_count()),
            boxes,
            is_nearest: nearest.is_some(),
        }
    }

    fn passage_list(&self) -> Vec<&SourcePassage> {
        let passages = self.verdict.iter().flat_map(|verdict| &verdict.passages);
        passages.collect()
    }

    /// Returns the boxes of passages as fractions of their pages.
    fn boxes(&self, passages: &[&SourcePassage]) -> Vec<EvidenceBox> {
        let Some(document) = self.document.as_deref() else {
            return Vec::new();
        };
        let boxes = passages.iter().flat_map(|passage| {
            let stream = document.text_streams().get(passage.flow);
            stream.map_or_else(Vec::new, |stream| {
                document.boxes(stream, passage.range.clone())
            })
        });
        let fraction = |part: PageBox| {
            let size = document.rendered_page_size(part.rendered_page)?;
            Some(EvidenceBox {
                page: part.rendered_page,
                x: part.x / size.width,
                y: part.y / size.height,
                width: part.width / size.width,
                height: part.height / size.height,
            })
        };
        boxes.filter_map(fraction).collect()
    }

    /// Returns the word diff if quote and source differ and it is shown.
    fn difference_parts(&self) -> Vec<DifferencePart> {
        let diff = self.verdict.iter().flat_map(|verdict| &verdict.diff);
        let diff: Vec<&DiffSpan> = diff.collect();
        let is_shown = matches!(
            self.status.state(),
            DisplayState::Partly | DisplayState::Missing
        );
        if !is_shown || !diff.iter().any(|span| span.differs()) {
            return Vec::new();
        }
        let part = |span: &DiffSpan| DifferencePart {
            is_same: !span.differs(),
            quote: span.quote.trim().to_owned(),
            source: span.source.trim().to_owned(),
        };
        diff.into_iter().map(part).collect()
    }
}
