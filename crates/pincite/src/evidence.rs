//! `pincite evidence`: a picture of the page with the passage marked.

use std::fs;
use std::time::{Duration, Instant};

use citations::verify::Checker;
use citations::{Citation, Status};
use documents::Reading;
use evidence::{Drawing, Format, Marks, Pictures, Source, State, Style, Theme, View};

use crate::cli::EvidenceArgs;
use crate::failure::{Failure, note};
use crate::opening::{Opened, open_one};

/// How long drawing may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the command.
pub(crate) fn run(args: &EvidenceArgs) -> Result<(), Failure> {
    let extension = args.output.extension().unwrap_or_default();
    let format = Format::named(&extension.to_string_lossy()).ok_or(Failure::Usage(
        "the picture's name must end in .png, .webp or .avif",
    ))?;
    let Opened {
        document,
        bytes,
        name,
        password,
        limits,
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
    let mut marks = Marks {
        state,
        ..Marks::default()
    };
    for passage in &verdict.passages {
        let Some(flow) = document.flows().get(passage.flow) else {
            continue;
        };
        let anchor = args.anchor.as_deref().and_then(|anchor| {
            let quote = passage::Quote::new(anchor, flow.index.text()).ok()?;
            Some(flow.index.find(&quote, Some(passage.range.clone()))?.range)
        });
        let part = Marks::of(&document, flow, passage.range.clone(), anchor, state);
        marks.phrase.extend(part.phrase);
        marks.anchor.extend(part.anchor);
    }
    let first = marks.pages().first().copied().ok_or_else(|| {
        Failure::Stopped("the passage has no place on a page that could be drawn".to_owned())
    })?;
    let style = Style {
        scale: args.scale,
        theme: if args.dark { Theme::Dark } else { Theme::Light },
        spotlight: args.spotlight,
        ..Style::default()
    };
    let start = Instant::now();
    let late = || start.elapsed() > PATIENCE;
    let reading = Reading {
        limits,
        password: &password,
        give_up: &late,
        ..Reading::default()
    };
    let drawing = Drawing {
        give_up: &late,
        ..Drawing::default()
    };
    let view = if args.strip {
        View::Strip { marks: &marks }
    } else {
        View::Page {
            number: first,
            marks: std::slice::from_ref(&marks),
        }
    };
    let refused = |error: evidence::PictureError| {
        Failure::Stopped(format!(
            "{} cannot be drawn: {error}; {}",
            args.file.display(),
            error.hint()
        ))
    };
    let source = Source::open(&bytes, &name, &reading).map_err(refused)?;
    let image = Pictures::of(&source)
        .draw(&view, &style, &drawing)
        .map_err(refused)?;
    let file = image.encode(format).map_err(refused)?;
    fs::write(&args.output, file).map_err(|error| Failure::Unwritable {
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
        "{}: page {}{more}, {} by {} pixels",
        args.output.display(),
        pages.join(" and "),
        image.width(),
        image.height()
    ));
    match state {
        State::Exact => Ok(()),
        _ => Err(Failure::Finding),
    }
}
