//! `pincite evidence`: a picture of the page with the passage marked.

use std::fs;

use citations::check::{CitationChecker, SourcePassage};
use citations::{Citation, VerificationStatus};
use documents::Document;
use rendering::{Highlight, HighlightState, ImageFormat, ImageTheme, RenderStyle};
use sandbox::{ImageRequest, RequestedView, SandboxError, SandboxReader};

use crate::cli::EvidenceArgs;
use crate::failure::{CommandError, note};
use crate::opening::{CHILD, OpenedFile, open_one, this_program};

/// What is marked of passages, and of the words in them that matter most.
pub(crate) fn marks(
    document: &Document,
    passages: &[SourcePassage],
    anchor: Option<&str>,
    state: HighlightState,
) -> Highlight {
    let mut marks = Highlight {
        state,
        ..Highlight::default()
    };
    for passage in passages {
        let Some(flow) = document.text_streams().get(passage.flow) else {
            continue;
        };
        let anchor = anchor.and_then(|anchor| {
            let quote = passage::Quote::new(anchor, flow.index.text()).ok()?;
            Some(flow.index.find(&quote, Some(passage.range.clone()))?.range)
        });
        let part = Highlight::new(document, flow, passage.range.clone(), anchor, state);
        marks.phrase.extend(part.phrase);
        marks.anchor.extend(part.anchor);
    }
    marks.with_nearby_rows(document)
}

/// Runs the command.
pub(crate) fn run(args: &EvidenceArgs) -> Result<(), CommandError> {
    let extension = args.output.extension().unwrap_or_default();
    let format = ImageFormat::named(&extension.to_string_lossy()).ok_or(CommandError::Usage(
        "the picture's name must end in .png, .webp, .avif or .jpeg",
    ))?;
    let OpenedFile {
        document,
        bytes,
        name,
        password,
        allowance,
    } = open_one(&args.file, &args.opening)?;
    let citation = Citation {
        full_phrase: Some(args.quote.clone()),
        anchor_text: args.anchor.clone(),
        page_number: args.page.map(|page| f64::from(page).into()),
        ..Citation::default()
    };
    let verdict = CitationChecker::new(&document).check(&citation);
    let state = match verdict.status() {
        VerificationStatus::Found | VerificationStatus::FoundPhraseMissedAnchorText => {
            HighlightState::Exact
        }
        VerificationStatus::NotFound => {
            let nearest = verdict.nearest.as_ref();
            let nearest = nearest.filter(|nearest| !nearest.text.is_empty());
            let nearest = nearest.map_or(String::new(), |nearest| {
                let text: String = nearest.text.chars().take(200).collect();
                format!(
                    "; the nearest passage, on page {}, says “{text}”",
                    nearest.place.first.0
                )
            });
            return Err(CommandError::Stopped(format!(
                "the quote is not in {}{nearest}",
                args.file.display()
            )));
        }
        _ => HighlightState::Partial,
    };
    let marks = marks(&document, &verdict.passages, args.anchor.as_deref(), state);
    let first = marks.pages().first().copied().ok_or_else(|| {
        CommandError::Stopped("the passage has no place on a page that could be drawn".to_owned())
    })?;
    let style = RenderStyle {
        scale: args.scale,
        theme: if args.dark {
            ImageTheme::Dark
        } else {
            ImageTheme::Light
        },
        spotlight: args.spotlight,
        ..RenderStyle::default()
    };
    let shown = match args.strip {
        true => RequestedView::Strip {
            highlight: marks.clone(),
        },
        false => RequestedView::Page {
            number: first,
            highlights: vec![marks.clone()],
        },
    };
    let wanted = ImageRequest {
        view: shown,
        style,
        format,
        coarse: false,
    };
    let picture = SandboxReader::new(this_program(), [CHILD])
        .draw(&bytes, &name, &password, &allowance, &[wanted])
        .pop();
    let picture = picture
        .unwrap_or(Err(SandboxError::InvalidReply))
        .map_err(|error| {
            CommandError::Stopped(format!(
                "{} cannot be drawn: {error}; {}",
                args.file.display(),
                error.hint()
            ))
        })?;
    fs::write(&args.output, picture.bytes).map_err(|error| CommandError::Unwritable {
        path: args.output.clone(),
        error,
    })?;
    let pages: Vec<String> = marks.pages().iter().map(u32::to_string).collect();
    let more = if !args.strip && pages.len() > 1 {
        "; it goes on behind it, --strip shows all"
    } else {
        ""
    };
    note(&format!(
        "{}: {} {}{more}, {} by {} pixels",
        args.output.display(),
        document.rendered_page_word(),
        pages.join(" and "),
        picture.width,
        picture.height
    ));
    match state {
        HighlightState::Exact => Ok(()),
        _ => Err(CommandError::Finding),
    }
}
