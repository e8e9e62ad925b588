//! `pincite evidence`: a picture of the page with the passage marked.

use std::fs;

use citations::verify::{Checker, Passage};
use citations::{Citation, Status};
use documents::Document;
use evidence::{Format, Marks, State, Style, Theme};
use intake::{Reader, Shown, Unread, Wanted};

use crate::cli::EvidenceArgs;
use crate::failure::{Failure, note};
use crate::opening::{CHILD, Opened, open_one, this_program};

/// What is marked of passages, and of the words in them that matter most.
pub(crate) fn marks(
    document: &Document,
    passages: &[Passage],
    anchor: Option<&str>,
    state: State,
) -> Marks {
    let mut marks = Marks {
        state,
        ..Marks::default()
    };
    for passage in passages {
        let Some(flow) = document.flows().get(passage.flow) else {
            continue;
        };
        let anchor = anchor.and_then(|anchor| {
            let quote = passage::Quote::new(anchor, flow.index.text()).ok()?;
            Some(flow.index.find(&quote, Some(passage.range.clone()))?.range)
        });
        let part = Marks::of(document, flow, passage.range.clone(), anchor, state);
        marks.phrase.extend(part.phrase);
        marks.anchor.extend(part.anchor);
    }
    marks.among(document)
}

/// Runs the command.
pub(crate) fn run(args: &EvidenceArgs) -> Result<(), Failure> {
    let extension = args.output.extension().unwrap_or_default();
    let format = Format::named(&extension.to_string_lossy()).ok_or(Failure::Usage(
        "the picture's name must end in .png, .webp, .avif or .jpeg",
    ))?;
    let Opened {
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
    let verdict = Checker::new(&document).check(&citation);
    let state = match verdict.status() {
        Status::Found | Status::FoundPhraseMissedAnchorText => State::Exact,
        Status::NotFound => {
            let nearest = verdict.nearest.as_ref();
            let nearest = nearest.filter(|nearest| !nearest.text.is_empty());
            let nearest = nearest.map_or(String::new(), |nearest| {
                let text: String = nearest.text.chars().take(200).collect();
                format!(
                    "; the nearest passage, on page {}, says “{text}”",
                    nearest.place.first.0
                )
            });
            return Err(Failure::Stopped(format!(
                "the quote is not in {}{nearest}",
                args.file.display()
            )));
        }
        _ => State::Partial,
    };
    let marks = marks(&document, &verdict.passages, args.anchor.as_deref(), state);
    let first = marks.pages().first().copied().ok_or_else(|| {
        Failure::Stopped("the passage has no place on a page that could be drawn".to_owned())
    })?;
    let style = Style {
        scale: args.scale,
        theme: if args.dark { Theme::Dark } else { Theme::Light },
        spotlight: args.spotlight,
        ..Style::default()
    };
    let shown = match args.strip {
        true => Shown::Strip {
            marks: marks.clone(),
        },
        false => Shown::Page {
            number: first,
            marks: vec![marks.clone()],
        },
    };
    let wanted = Wanted {
        shown,
        style,
        format,
        coarse: false,
    };
    let picture = Reader::new(this_program(), [CHILD])
        .draw(&bytes, &name, &password, &allowance, &[wanted])
        .pop();
    let picture = picture.unwrap_or(Err(Unread::Garbled)).map_err(|error| {
        Failure::Stopped(format!(
            "{} cannot be drawn: {error}; {}",
            args.file.display(),
            error.hint()
        ))
    })?;
    fs::write(&args.output, picture.bytes).map_err(|error| Failure::Unwritable {
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
        document.sheet_word(),
        pages.join(" and "),
        picture.width,
        picture.height
    ));
    match state {
        State::Exact => Ok(()),
        _ => Err(Failure::Finding),
    }
}
