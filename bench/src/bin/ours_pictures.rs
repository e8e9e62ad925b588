//! Our contestant in the rows about pictures: CPU time of one, from the file's bytes to the picture's.
//!
//! usage: `ours-pictures page|strip FILE MIN_SECONDS`
//!   page   a page at 108 dots per inch with a line marked, as WebP
//!   strip  what is around the line, as AVIF

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
    let said = |error: &dyn std::fmt::Display| format!("{name}: {error}");
    let reading = ReadOptions::default();
    let document = Document::read_as(&bytes, &name, &reading).map_err(|error| said(&error))?;
    let source = RenderSource::open(&bytes, &name, &reading).map_err(|error| said(&error))?;
    let body = &document.text_streams()[0];
    // A line in the middle of each page.
    let marks: Vec<Highlight> = document
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
        let marks = &marks[next % marks.len()];
        next += 1;
        let page = marks.pages().first().copied().unwrap_or(1);
        let (view, format) = match args.mode.as_str() {
            "page" => (
                PageView::Page {
                    number: page,
                    highlights: std::slice::from_ref(marks),
                },
                ImageFormat::WebP,
            ),
            "strip" => (PageView::Strip { highlight: marks }, ImageFormat::Avif),
            mode => return Err(format!("unknown mode {mode}")),
        };
        // Nothing that drawing one page has learnt helps with the next.
        let image = DocumentRenderer::new(&source)
            .draw(&view, &RenderStyle::default(), &RenderOptions::default())
            .map_err(|error| said(&error))?;
        image.encode(format).map_err(|error| said(&error)).map(drop)
    };
    let sample = measure(1, args.min_seconds, once)?;
    println!("{}", sample.to_line(&args.mode, &args.file));
    Ok(())
}
