//! Images of a report: a strip for each quote, and the quoted pages.

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
use crate::document_reader::{ReaderContext, WORKER_COMMAND, this_program};
use crate::evidence::highlight;
use crate::progress::ProgressLine;

/// Image pixels per page pixel of a strip.
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
/// Limit on the bytes of all images. Pages beyond it are left out; strips have priority.
const MAX_IMAGE_BYTES: usize = 4_000_000;
/// Limit on the bytes of all strips.
const MAX_STRIP_BYTES: usize = 12_000_000;
/// Number of images in one request to the sandbox.
const BATCH: usize = 8;

/// Images of a report.
#[derive(Default)]
pub(super) struct ReportImages {
    /// Strips by the index of the citation, for those with a passage.
    pub(super) strips: HashMap<usize, QuoteStrip>,
    /// Pages by source number and rendered page.
    pub(super) pages: BTreeMap<(u64, u32), PageImageFile>,
}

/// Strip with the lines around a quote.
pub(super) struct QuoteStrip {
    /// Rendered page on which it begins.
    pub(super) rendered_page: u32,
    /// Image, or the reason why there is none.
    pub(super) image: Result<PageImageFile, String>,
}

/// Subject of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ImageSubject {
    /// Index of a citation and the rendered page on which its passage begins.
    Citation(usize, u32),
    /// Number of a source and a rendered page.
    Page(u64, u32),
}

/// Images of one source that are rendered together.
struct ImageJob<'a> {
    source: &'a SourceFile,
    subjects: Vec<ImageSubject>,
    requests: Vec<ImageRequest>,
}

impl ReportImages {
    /// Renders all images on several threads.
    pub(super) fn render(
        checked: &[CheckedCitation],
        sources: &SourceSet,
        context: &ReaderContext,
    ) -> Self {
        let jobs = jobs(checked, sources);
        let count = jobs.iter().map(|job| job.requests.len()).sum();
        let progress = Mutex::new(ProgressLine::new("images rendered", count));
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::new());
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..workers.min(jobs.len()) {
                scope.spawn(|| {
                    let mut reader = SandboxReader::new(this_program(), [WORKER_COMMAND]);
                    while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let images = draw(job, context, &mut reader);
                        if let (Ok(mut done), Ok(mut progress)) = (done.lock(), progress.lock()) {
                            for one in job.subjects.iter().copied().zip(images) {
                                done.push(one);
                                progress.step();
                            }
                        }
                    }
                });
            }
        });
        Self::select(done.into_inner().unwrap_or_default())
    }

    /// Keeps the images that fit into the limits.
    fn select(mut done: Vec<(ImageSubject, Result<PageImageFile, String>)>) -> Self {
        done.sort_by_key(|(subject, _)| match subject {
            ImageSubject::Citation(at, _) => (0, *at as u64, 0),
            ImageSubject::Page(source, page) => (1, *source, *page),
        });
        let mut selected = Self::default();
        let (mut strips, mut pages) = (0, 0);
        for (subject, image) in done {
            let size = image.as_ref().map_or(0, |image| image.bytes.len());
            match (subject, image) {
                (ImageSubject::Citation(at, rendered_page), image) => {
                    strips += size;
                    let image = image.and_then(|image| match strips > MAX_STRIP_BYTES {
                        true => Err("the images of the report are too large".to_owned()),
                        false => Ok(image),
                    });
                    selected.strips.insert(
                        at,
                        QuoteStrip {
                            rendered_page,
                            image,
                        },
                    );
                }
                (ImageSubject::Page(source, page), Ok(image))
                    if strips + pages + size <= MAX_IMAGE_BYTES =>
                {
                    pages += size;
                    selected.pages.insert((source, page), image);
                }
                (ImageSubject::Page(..), _) => {}
            }
        }
        selected
    }
}

/// Returns the images to render: a strip for each quote with a passage, and all quoted pages.
fn jobs<'a>(checked: &[CheckedCitation], sources: &'a SourceSet) -> Vec<ImageJob<'a>> {
    let mut jobs = Vec::new();
    let mut by_source: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, citation) in checked.iter().enumerate() {
        let own = citation
            .number
            .map(|number| by_source.entry(number).or_default());
        own.into_iter().for_each(|own| own.push(at));
    }
    for source in sources.all() {
        let mut wanted: Vec<(u32, ImageSubject, ImageRequest)> = Vec::new();
        let mut on_pages: BTreeMap<u32, Vec<Highlight>> = BTreeMap::new();
        for at in by_source.remove(&source.number).unwrap_or_default() {
            let marks = highlight_of(&checked[at], source);
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
            wanted.push((first, ImageSubject::Citation(at, first), wanted_strip));
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
        // Neighbouring pages share fonts, which are loaded once per job.
        wanted.sort_by_key(|(page, _, _)| *page);
        let mut wanted = wanted.into_iter().peekable();
        while wanted.peek().is_some() {
            let mut job = ImageJob {
                source,
                subjects: Vec::new(),
                requests: Vec::new(),
            };
            for (_, subject, one) in wanted.by_ref().take(BATCH) {
                job.subjects.push(subject);
                job.requests.push(one);
            }
            jobs.push(job);
        }
    }
    jobs
}

/// Returns the highlight of the quote, or of the nearest passage.
fn highlight_of(citation: &CheckedCitation, source: &SourceFile) -> Highlight {
    let verdict = &citation.verdict;
    let nearest = verdict.nearest.as_slice();
    let (passages, state) = match (citation.state(), verdict.passages.as_slice()) {
        (DisplayState::Verified, found) => (found, rendering::HighlightState::Exact),
        (_, []) => (nearest, rendering::HighlightState::Missed),
        (_, found) => (found, rendering::HighlightState::Partial),
    };
    let anchor = citation.claim.citation.anchor_text.as_deref();
    highlight(&source.document, passages, anchor, state)
}

fn draw(
    job: &ImageJob<'_>,
    context: &ReaderContext,
    reader: &mut SandboxReader,
) -> Vec<Result<PageImageFile, String>> {
    let source = job.source;
    let bytes = match source.bytes() {
        Ok(bytes) if ContentId::of(&bytes) == source.document.id() => bytes,
        Ok(_) => {
            return vec![
                Err("the file has changed since it was read".to_owned());
                job.requests.len()
            ];
        }
        Err(error) => return vec![Err(error.to_string()); job.requests.len()],
    };
    reader
        .draw(
            &bytes,
            &source.file_name(),
            source.password(),
            context.limits(),
            &job.requests,
        )
        .into_iter()
        .map(|image| image.map_err(|error| error.to_string()))
        .collect()
}
