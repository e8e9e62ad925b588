//! Our contestant in the rows about pictures: CPU time from the bytes of the file to those of the
//! picture.
//!
//! usage: `ours-pictures page|strip FILE MIN_SECONDS`
//!   page   a page at 108 dots per inch with a highlighted line, as WebP
//!   strip  the crop around the line, as AVIF

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

use std::process::ExitCode;

use documents::{Document, ReadOptions};
use pincite_bench::harness::{Args, measure};
use rendering::{
    DocumentRenderer, Highlight, HighlightState, ImageFormat, PageView, RenderOptions,
    RenderSource, RenderStyle,
};

fn main() -> ExitCode {
    match Args::parse(std::env::args().skip(1)).and_then(|args| run(&args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ours-pictures: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<(), String> {
    let bytes = args.read()?;
    let name = args.file.to_string_lossy().into_owned();
    let describe = |error: &dyn std::fmt::Display| format!("{name}: {error}");
    let reading = ReadOptions::default();
    let document = Document::read_as(&bytes, &name, &reading).map_err(|error| describe(&error))?;
    let source = RenderSource::open(&bytes, &name, &reading).map_err(|error| describe(&error))?;
    let body = &document.text_streams()[0];
    // A line in the middle of each page.
    let highlights: Vec<Highlight> = document
        .pages()
        .iter()
        .filter_map(|page| {
            let line = (page.lines.start + page.lines.end) / 2;
            let range = body.index.text().range_of_pieces(line..line + 1)?;
            Some(Highlight::new(
                &document,
                body,
                range,
                None,
                HighlightState::Exact,
            ))
        })
        .collect();
    let mut next = 0;
    let once = || {
        let highlights = &highlights[next % highlights.len()];
        next += 1;
        let page = highlights.pages().first().copied().unwrap_or(1);
        let (view, format) = match args.mode.as_str() {
            "page" => (
                PageView::Page {
                    number: page,
                    highlights: std::slice::from_ref(highlights),
                },
                ImageFormat::WebP,
            ),
            "strip" => (
                PageView::Strip {
                    highlight: highlights,
                },
                ImageFormat::Avif,
            ),
            mode => return Err(format!("unknown mode {mode}")),
        };
        // A new renderer for each picture, so that no cache is shared.
        let image = DocumentRenderer::new(&source)
            .draw(&view, &RenderStyle::default(), &RenderOptions::default())
            .map_err(|error| describe(&error))?;
        image
            .encode(format)
            .map_err(|error| describe(&error))
            .map(drop)
    };
    let sample = measure(1, args.min_seconds, once)?;
    println!("{}", sample.to_line(&args.mode, &args.file));
    Ok(())
}
