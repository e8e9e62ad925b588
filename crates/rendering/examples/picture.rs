//! Draws a page or a strip to a file and prints the time it takes.
//!
//! `picture FILE OUT [--quote TEXT] [--anchor TEXT] [--page N] [--strip] [--dark] [--spotlight]
//! [--coarse] [--scale N] [--repeat N]`: the extension of OUT
//! is the format. The median times are printed to standard error.

#![allow(clippy::print_stderr)]

use std::error::Error;
use std::time::Instant;

use documents::{Document, ReadOptions};
use passage::Quote;
use rendering::{
    DocumentRenderer, Highlight, HighlightState, ImageFormat, ImageTheme, PageView, RenderOptions,
    RenderSource, RenderStyle,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut plain = Vec::new();
    let (mut quote, mut anchor, mut page, mut repeat) = (None, None, None, 1);
    let mut coarse = false;
    let (mut strip, mut style) = (false, RenderStyle::default());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or("a value is missing");
        match argument.as_str() {
            "--quote" => quote = Some(value()?),
            "--anchor" => anchor = Some(value()?),
            "--page" => page = Some(value()?.parse()?),
            "--repeat" => repeat = value()?.parse()?,
            "--scale" => style.scale = value()?.parse()?,
            "--coarse" => coarse = true,
            "--strip" => strip = true,
            "--dark" => style.theme = ImageTheme::Dark,
            "--spotlight" => style.spotlight = true,
            _ => plain.push(argument),
        }
    }
    let [file, out] = plain.as_slice() else {
        return Err("FILE and OUT are needed".into());
    };
    let bytes = std::fs::read(file)?;
    let document = Document::read_as(&bytes, file, &ReadOptions::default())?;
    let highlights = match &quote {
        Some(quote) => {
            find(&document, quote, anchor.as_deref()).ok_or("the quote is not in the file")?
        }
        None => Highlight::default(),
    };
    let first = page.or(highlights.pages().first().copied()).unwrap_or(1);
    let all = [highlights.clone()];
    let view = match strip {
        true => PageView::Strip {
            highlight: &highlights,
        },
        false => PageView::Page {
            number: first,
            highlights: &all,
        },
    };
    let ending = out.rsplit('.').next().unwrap_or_default();
    let format = ImageFormat::named(ending).ok_or("OUT ends with png, webp or avif")?;
    let (mut drawing, mut encoding) = (Vec::new(), Vec::new());
    let mut written = Vec::new();
    let mut size = (0, 0);
    for _ in 0..repeat {
        let start = Instant::now();
        let source = RenderSource::open(&bytes, file, &ReadOptions::default())?;
        let opened = start.elapsed();
        let start = Instant::now();
        let mut image =
            DocumentRenderer::new(&source).draw(&view, &style, &RenderOptions::default())?;
        if coarse {
            image.coarsen();
        }
        drawing.push((start.elapsed(), opened));
        let start = Instant::now();
        written = image.encode(format)?;
        encoding.push(start.elapsed());
        size = (image.width(), image.height());
    }
    drawing.sort();
    encoding.sort();
    eprintln!(
        "open {:?}, draw {:?}, encode {:?}, {size:?}, {} bytes",
        drawing[drawing.len() / 2].1,
        drawing[drawing.len() / 2].0,
        encoding[encoding.len() / 2],
        written.len(),
    );
    std::fs::write(out, written)?;
    Ok(())
}

fn find(document: &Document, quote: &str, anchor: Option<&str>) -> Option<Highlight> {
    document.text_streams().iter().find_map(|flow| {
        let text = flow.index.text();
        let found = flow.index.find(&Quote::new(quote, text).ok()?, None)?;
        let anchor = anchor.and_then(|anchor| {
            let quote = Quote::new(anchor, text).ok()?;
            Some(flow.index.find(&quote, Some(found.range.clone()))?.range)
        });
        Some(Highlight::new(
            document,
            flow,
            found.range,
            anchor,
            HighlightState::Exact,
        ))
    })
}
