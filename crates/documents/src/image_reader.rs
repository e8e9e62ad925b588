//! Reader of images: one page with the words that were recognised on it.

use passage::PieceBreak;

use crate::builder::DocumentDraft;
use crate::document::{LineRole, TextStreamRole};
use crate::error::DocumentError;
use crate::image_header::ImageHeader;
use crate::metadata::ReadWarning;
use crate::read_options::ReadOptions;
use crate::recognised::RecognisedLine;

/// Reads an image whose words were recognised.
pub(crate) fn read(
    header: &ImageHeader,
    options: &ReadOptions<'_>,
    draft: &mut DocumentDraft<'_>,
) -> Result<(), DocumentError> {
    let limit = options.limits.pixels as u64;
    if header.pixels() > limit {
        return Err(DocumentError::TooManyPixels {
            width: header.width,
            height: header.height,
            limit,
        });
    }
    let kind = header.kind;
    let recognised = options
        .recognised
        .ok_or(DocumentError::NeedsRecognition { kind })?;
    let lines = recognised.pages.get(&1).and_then(Option::as_ref);
    let lines = lines.ok_or(DocumentError::NotRecognised { kind })?;
    draft.builder.set_page(None, Some(header.page_size()));
    let mut words = 0;
    for line in lines.iter().filter_map(|words| RecognisedLine::of(words)) {
        words += line.words.len();
        let limit = options.limits.words_per_page;
        if words > limit {
            return Err(DocumentError::TooManyWords { page: 1, limit });
        }
        let at = draft.add_line(&line.text)?;
        draft.builder.set_line(LineRole::Text, line.words);
        draft.builder.set_confidences(&line.confidences);
        draft
            .builder
            .add_text(TextStreamRole::Body, at, &line.text, PieceBreak::Line);
    }
    if words == 0 {
        draft.builder.add_warning(ReadWarning::NoWords { page: 1 });
    }
    Ok(())
}
