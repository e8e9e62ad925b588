//! `pincite evidence`: an image of the page with the quote highlighted.

use std::fs;

use citations::check::{CitationChecker, SourcePassage};
use citations::{Citation, VerificationStatus};
use documents::Document;
use rendering::{Highlight, HighlightState, ImageFormat, ImageTheme, RenderStyle};
use sandbox::{ImageRequest, PageImageFile, RequestedView, SandboxError, SandboxReader};

use crate::cli::EvidenceArgs;
use crate::command_error::{CommandError, note};
use crate::document_reader::{ReadFile, WORKER_COMMAND, read_one, this_program};

/// Returns the highlight of the passages and of the anchor words in them.
pub(crate) fn highlight(
    document: &Document,
    passages: &[SourcePassage],
    anchor: Option<&str>,
    state: HighlightState,
) -> Highlight {
    let mut highlight = Highlight {
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
        highlight.phrase.extend(part.phrase);
        highlight.anchor.extend(part.anchor);
    }
    highlight.with_nearby_rows(document)
}

/// Runs the command.
pub(crate) fn run(args: &EvidenceArgs) -> Result<(), CommandError> {
    let extension = args.output.extension().unwrap_or_default();
    let format = ImageFormat::named(&extension.to_string_lossy()).ok_or(CommandError::Usage(
        "cannot tell the format of the image; the name must end in .png, .webp, .avif or .jpeg",
    ))?;
    let file = read_one(&args.file, &args.reader)?;
    let highlight = find_quote(args, &file.document)?;
    let image = render(args, &file, &highlight, format)?;
    fs::write(&args.output, image.bytes).map_err(|error| CommandError::Unwritable {
        path: args.output.clone(),
        error,
    })?;
    let pages: Vec<String> = highlight.pages().iter().map(u32::to_string).collect();
    let more = if !args.strip && pages.len() > 1 {
        "; the image shows the first of them, --strip shows all"
    } else {
        ""
    };
    note(&format!(
        "{}: {} {}{more}, {} by {} pixels",
        args.output.display(),
        file.document.rendered_page_word(),
        pages.join(" and "),
        image.width,
        image.height
    ));
    if image.is_simplified {
        note("the page exceeds the limits on drawing; parts of it are simplified or missing");
    }
    match highlight.state {
        HighlightState::Exact => Ok(()),
        _ => Err(CommandError::Finding),
    }
}

/// Returns the highlight of the quote, or an error with the nearest passage.
fn find_quote(args: &EvidenceArgs, document: &Document) -> Result<Highlight, CommandError> {
    let citation = Citation {
        full_phrase: Some(args.quote.clone()),
        anchor_text: args.anchor.clone(),
        page_number: args.page.map(|page| f64::from(page).into()),
        ..Citation::default()
    };
    let verdict = CitationChecker::new(document).check(&citation);
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
                    "; the nearest passage, on page {}, is “{text}”",
                    nearest.place.first.0
                )
            });
            return Err(CommandError::Stopped(format!(
                "quote not found in {}{nearest}",
                args.file.display()
            )));
        }
        _ => HighlightState::Partial,
    };
    let anchor = args.anchor.as_deref();
    Ok(highlight(document, &verdict.passages, anchor, state))
}

/// Renders the page or the strip with the highlight.
fn render(
    args: &EvidenceArgs,
    file: &ReadFile,
    highlight: &Highlight,
    format: ImageFormat,
) -> Result<PageImageFile, CommandError> {
    let first = highlight.pages().first().copied().ok_or_else(|| {
        CommandError::Stopped("the passage is not on a page that can be rendered".to_owned())
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
    let view = match args.strip {
        true => RequestedView::Strip {
            highlight: highlight.clone(),
        },
        false => RequestedView::Page {
            number: first,
            highlights: vec![highlight.clone()],
        },
    };
    let request = ImageRequest {
        view,
        style,
        format,
        coarse: false,
    };
    let image = SandboxReader::new(this_program(), [WORKER_COMMAND])
        .draw(
            &file.bytes,
            &file.name,
            &file.password,
            &file.limits,
            &[request],
        )
        .pop();
    image
        .unwrap_or(Err(SandboxError::InvalidReply))
        .map_err(|error| {
            CommandError::Stopped(format!(
                "cannot render {}: {error}; {}",
                args.file.display(),
                error.hint()
            ))
        })
}
