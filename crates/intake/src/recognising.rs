//! The pages of a file that are pictures, recognised side by side.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;

use documents::{PageSize, Reading, Recognised, RecognisedLines};
use evidence::{Drawing, Pictures, Source, Style, View};

use crate::frame::File;
use crate::ocr::Unrecognised;

/// Pixels per inch that letters are recognised best at.
const FINE: f32 = 300.0;
/// Larger pages are drawn less fine.
const PIXELS: f32 = 30_000_000.0;
/// How many pages are recognised at once, at most.
const AT_ONCE: usize = 4;

/// Recognises words on some pages of a file; none if there is no program to do that, or nothing to do.
///
/// What is not done by the deadline has failed.
pub(crate) fn recognise(
    file: &File,
    pages: &[u32],
    deadline: Instant,
    progress: &dyn Fn(u32, u32),
) -> Option<Recognised> {
    if pages.is_empty() || file.ocr.program.is_empty() {
        return None;
    }
    let languages = match file.ocr.languages(deadline) {
        Ok(languages) => languages,
        Err(Unrecognised::Missing) => return None,
        Err(Unrecognised::Failed) => {
            let pages = pages.iter().map(|page| (*page, None)).collect();
            return Some(Recognised { pages });
        }
    };
    let next = AtomicUsize::new(0);
    let missing = AtomicBool::new(false);
    let mut done: BTreeMap<u32, Option<RecognisedLines>> =
        pages.iter().map(|page| (*page, None)).collect();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let (send, results) = channel();
        for _ in 0..workers.min(AT_ONCE).min(pages.len()) {
            let (send, next, missing, languages) = (send.clone(), &next, &missing, &languages);
            scope.spawn(move || {
                let give_up = || Instant::now() >= deadline;
                let reading = Reading {
                    limits: file.allowance.limits,
                    password: &file.password,
                    give_up: &give_up,
                    ..Reading::default()
                };
                let Ok(source) = Source::open(&file.bytes, &file.name, &reading) else {
                    return;
                };
                let mut pictures = Pictures::of(&source);
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if give_up() {
                        break;
                    }
                    let found =
                        draw(&source, &mut pictures, *page, &give_up).and_then(|(image, size)| {
                            let found = file.ocr.recognise(languages, &image, size, deadline);
                            if found == Err(Unrecognised::Missing) {
                                missing.store(true, Ordering::Relaxed);
                            }
                            found.ok()
                        });
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
    (!missing.into_inner()).then_some(Recognised { pages: done })
}

/// A page as letters are recognised best.
fn draw(
    source: &Source,
    pictures: &mut Pictures<'_>,
    page: u32,
    give_up: &dyn Fn() -> bool,
) -> Option<(evidence::Image, PageSize)> {
    let size = match source {
        Source::Pdf(pdf) => pdf.size(page)?,
        Source::Raster(raster) => raster.size(),
        _ => return None,
    };
    let square_inches = (size.width * size.height / (72.0 * 72.0)).max(0.01);
    let style = Style {
        dpi: FINE.min((PIXELS / square_inches).sqrt()),
        ..Style::default()
    };
    let drawing = Drawing {
        give_up,
        ..Drawing::default()
    };
    let view = View::Page {
        number: page,
        marks: &[],
    };
    Some((pictures.draw(&view, &style, &drawing).ok()?, size))
}
