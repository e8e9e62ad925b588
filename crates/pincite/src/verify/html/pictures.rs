//! The pictures of a report: what each quote looks like on its page, and the pages.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use citations::DisplayState;
use documents::ContentId;
use rendering::{Highlight, ImageFormat, RenderStyle};
use sandbox::{ImageRequest, PageImageFile, RequestedView, SandboxReader};

use super::super::check::CheckedCitation;
use super::super::sources::{SourceFile, SourceSet};
use crate::evidence::marks;
use crate::opening::{CHILD, OpenContext, this_program};
use crate::progress::ProgressLine;

/// How fine strips are drawn, and pages.
pub(super) const STRIP_SCALE: f32 = 1.5;
const STRIP: RenderStyle = RenderStyle {
    dpi: 108.0,
    scale: STRIP_SCALE,
    theme: rendering::ImageTheme::Light,
    spotlight: false,
    padding: 28,
};
const PAGE: RenderStyle = RenderStyle {
    dpi: 96.0,
    scale: 1.0,
    ..STRIP
};
/// How many bytes all pictures may have before pages are left out; strips go before.
const PAGES: usize = 4_000_000;
/// How many bytes all strips may have.
const STRIPS: usize = 12_000_000;
/// How many pictures are made by one process in one go.
const AT_ONCE: usize = 8;

/// All pictures of a report.
#[derive(Default)]
pub(super) struct ReportImages {
    /// By the place of the outcome, where it has a place to be shown.
    pub(super) strips: HashMap<usize, QuoteStrip>,
    /// By the number of the source, and the sheet.
    pub(super) pages: BTreeMap<(u64, u32), PageImageFile>,
}

/// What a quote looks like.
pub(super) struct QuoteStrip {
    /// The sheet where it begins.
    pub(super) sheet: u32,
    /// The picture, or why there is none.
    pub(super) picture: Result<PageImageFile, String>,
}

/// What a picture is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ImageSubject {
    /// The place of an outcome, and the sheet where its passage begins.
    Outcome(usize, u32),
    /// The number of a source, and a sheet.
    Page(u64, u32),
}

/// Pictures of one source that are made in one go.
struct ImageJob<'a> {
    source: &'a SourceFile,
    subjects: Vec<ImageSubject>,
    wanted: Vec<ImageRequest>,
}

impl ReportImages {
    /// Draws everything, several at a time.
    pub(super) fn of(
        outcomes: &[CheckedCitation],
        sources: &SourceSet,
        opening: &OpenContext,
    ) -> Self {
        let jobs = jobs(outcomes, sources);
        let count = jobs.iter().map(|job| job.wanted.len()).sum();
        let progress = Mutex::new(ProgressLine::new("pictures drawn", count));
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::new());
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..workers.min(jobs.len()) {
                scope.spawn(|| {
                    let mut reader = SandboxReader::new(this_program(), [CHILD]);
                    while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let made = draw(job, opening, &mut reader);
                        if let (Ok(mut done), Ok(mut progress)) = (done.lock(), progress.lock()) {
                            for one in job.subjects.iter().copied().zip(made) {
                                done.push(one);
                                progress.step();
                            }
                        }
                    }
                });
            }
        });
        Self::keep(done.into_inner().unwrap_or_default())
    }

    /// Keeps what fits in a file that can be sent.
    fn keep(mut done: Vec<(ImageSubject, Result<PageImageFile, String>)>) -> Self {
        done.sort_by_key(|(subject, _)| match subject {
            ImageSubject::Outcome(at, _) => (0, *at as u64, 0),
            ImageSubject::Page(source, page) => (1, *source, *page),
        });
        let mut album = Self::default();
        let (mut strips, mut pages) = (0, 0);
        for (subject, made) in done {
            let size = made.as_ref().map_or(0, |picture| picture.bytes.len());
            match (subject, made) {
                (ImageSubject::Outcome(at, sheet), made) => {
                    strips += size;
                    let picture = made.and_then(|picture| match strips > STRIPS {
                        true => Err("the report would be too large with it".to_owned()),
                        false => Ok(picture),
                    });
                    album.strips.insert(at, QuoteStrip { sheet, picture });
                }
                (ImageSubject::Page(source, page), Ok(picture))
                    if strips + pages + size <= PAGES =>
                {
                    pages += size;
                    album.pages.insert((source, page), picture);
                }
                (ImageSubject::Page(..), _) => {}
            }
        }
        album
    }
}

/// What is to be drawn: a strip for each quote that has a place, and the first pages that are quoted.
fn jobs<'a>(outcomes: &[CheckedCitation], sources: &'a SourceSet) -> Vec<ImageJob<'a>> {
    let mut jobs = Vec::new();
    let mut by_source: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, outcome) in outcomes.iter().enumerate() {
        let own = outcome
            .number
            .map(|number| by_source.entry(number).or_default());
        own.into_iter().for_each(|own| own.push(at));
    }
    for source in sources.all() {
        let mut wanted: Vec<(u32, ImageSubject, ImageRequest)> = Vec::new();
        let mut on_pages: BTreeMap<u32, Vec<Highlight>> = BTreeMap::new();
        for at in by_source.remove(&source.number).unwrap_or_default() {
            let marks = marks_of(&outcomes[at], source);
            let Some(first) = marks.pages().first().copied() else {
                continue;
            };
            for page in marks.pages() {
                on_pages.entry(page).or_default().push(marks.clone());
            }
            let wanted_strip = ImageRequest {
                view: RequestedView::Strip { highlight: marks },
                style: STRIP,
                format: ImageFormat::WebP,
                coarse: true,
            };
            wanted.push((first, ImageSubject::Outcome(at, first), wanted_strip));
        }
        for (number, marks) in on_pages {
            let page = ImageRequest {
                view: RequestedView::Page {
                    number,
                    highlights: marks,
                },
                style: PAGE,
                format: ImageFormat::WebP,
                coarse: true,
            };
            wanted.push((number, ImageSubject::Page(source.number, number), page));
        }
        // What is near each other shares fonts.
        wanted.sort_by_key(|(page, _, _)| *page);
        let mut wanted = wanted.into_iter().peekable();
        while wanted.peek().is_some() {
            let mut job = ImageJob {
                source,
                subjects: Vec::new(),
                wanted: Vec::new(),
            };
            for (_, subject, one) in wanted.by_ref().take(AT_ONCE) {
                job.subjects.push(subject);
                job.wanted.push(one);
            }
            jobs.push(job);
        }
    }
    jobs
}

/// What is marked: where the words are, or what is nearest to them.
fn marks_of(outcome: &CheckedCitation, source: &SourceFile) -> Highlight {
    let verdict = &outcome.verdict;
    let nearest = verdict.nearest.as_slice();
    let (passages, state) = match (outcome.state(), verdict.passages.as_slice()) {
        (DisplayState::Verified, found) => (found, rendering::HighlightState::Exact),
        (_, []) => (nearest, rendering::HighlightState::Missed),
        (_, found) => (found, rendering::HighlightState::Partial),
    };
    let anchor = outcome.claim.citation.anchor_text.as_deref();
    marks(&source.document, passages, anchor, state)
}

fn draw(
    job: &ImageJob<'_>,
    opening: &OpenContext,
    reader: &mut SandboxReader,
) -> Vec<Result<PageImageFile, String>> {
    let source = job.source;
    let bytes = match source.bytes() {
        Ok(bytes) if ContentId::of(&bytes) == source.document.id() => bytes,
        Ok(_) => {
            return vec![
                Err("the file has changed since it was read".to_owned());
                job.wanted.len()
            ];
        }
        Err(error) => return vec![Err(error.to_string()); job.wanted.len()],
    };
    reader
        .draw(
            &bytes,
            &source.file_name(),
            source.password(),
            opening.allowance(),
            &job.wanted,
        )
        .into_iter()
        .map(|made| made.map_err(|unread| unread.to_string()))
        .collect()
}
