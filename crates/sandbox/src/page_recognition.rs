//! Text recognition on the pages of a file that are pictures, in parallel.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;

use documents::{PageSize, ReadOptions, RecognisedLines, RecognisedPages};
use rendering::{DocumentRenderer, PageView, RenderOptions, RenderSource, RenderStyle};

use crate::ocr::OcrError;
use crate::protocol::FileOptions;

/// Resolution at which letters are recognised best, in pixels per inch.
const DPI: f32 = 300.0;
/// Limit on the pixels of a page; larger pages are rendered at a lower resolution.
const MAX_PIXELS: f32 = 30_000_000.0;
/// Limit on the pages that are recognised at the same time.
const MAX_PARALLEL_PAGES: usize = 4;

/// Recognises words on some pages of a file. Returns `None` without a program or without pages.
///
/// Pages that are not done by the deadline have failed.
pub(crate) fn recognise_pages(
    file: &FileOptions,
    bytes: &[u8],
    pages: &[u32],
    deadline: Instant,
    progress: &dyn Fn(u32, u32),
) -> Option<RecognisedPages> {
    if pages.is_empty() || file.ocr.program.is_empty() {
        return None;
    }
    let languages = match file.ocr.languages(deadline) {
        Ok(languages) => languages,
        Err(OcrError::Missing) => return None,
        Err(OcrError::Failed) => {
            let pages = pages.iter().map(|page| (*page, None)).collect();
            return Some(RecognisedPages { pages });
        }
    };
    let next = AtomicUsize::new(0);
    let missing = AtomicBool::new(false);
    let mut done: BTreeMap<u32, Option<RecognisedLines>> =
        pages.iter().map(|page| (*page, None)).collect();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let (send, results) = channel();
        for _ in 0..workers.min(MAX_PARALLEL_PAGES).min(pages.len()) {
            let (send, next, missing, languages) = (send.clone(), &next, &missing, &languages);
            scope.spawn(move || {
                let give_up = || Instant::now() >= deadline;
                let options = ReadOptions {
                    limits: file.limits.limits,
                    password: &file.password,
                    give_up: &give_up,
                    ..ReadOptions::default()
                };
                let Ok(source) = RenderSource::open(bytes, &file.name, &options) else {
                    return;
                };
                let mut renderer = DocumentRenderer::new(&source);
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if give_up() {
                        break;
                    }
                    let found = draw_page(&source, &mut renderer, *page, &give_up).and_then(
                        |(image, size)| {
                            let found = file.ocr.recognise(languages, &image, size, deadline);
                            if found == Err(OcrError::Missing) {
                                missing.store(true, Ordering::Relaxed);
                            }
                            found.ok()
                        },
                    );
                    if send.send((*page, found)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let of = u32::try_from(pages.len()).unwrap_or(u32::MAX);
        for (count, (page, found)) in (1..).zip(results) {
            done.insert(page, found);
            progress(count, of);
        }
    });
    (!missing.into_inner()).then_some(RecognisedPages { pages: done })
}

/// Renders a page at the resolution for recognition.
fn draw_page(
    source: &RenderSource,
    renderer: &mut DocumentRenderer<'_>,
    page: u32,
    give_up: &dyn Fn() -> bool,
) -> Option<(rendering::Image, PageSize)> {
    let size = match source {
        RenderSource::Pdf(pdf) => pdf.size(page)?,
        RenderSource::Raster(raster) => raster.size(),
        _ => return None,
    };
    let square_inches = (size.width * size.height / (72.0 * 72.0)).max(0.01);
    let style = RenderStyle {
        dpi: DPI.min((MAX_PIXELS / square_inches).sqrt()),
        ..RenderStyle::default()
    };
    let options = RenderOptions {
        give_up,
        ..RenderOptions::default()
    };
    let view = PageView::Page {
        number: page,
        highlights: &[],
    };
    Some((renderer.draw(&view, &style, &options).ok()?, size))
}
