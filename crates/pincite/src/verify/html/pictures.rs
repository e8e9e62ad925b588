//! The pictures of a report: what each quote looks like on its page, and the pages.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use citations::State;
use documents::ContentId;
use evidence::{Format, Marks, Style};
use intake::{Picture, Reader, Shown, Wanted};

use super::super::check::Outcome;
use super::super::sources::{Source, Sources};
use crate::evidence::marks;
use crate::opening::{CHILD, Opening, this_program};
use crate::progress::Progress;

/// How fine strips are drawn, and pages.
pub(super) const STRIP_SCALE: f32 = 1.5;
const STRIP: Style = Style {
    dpi: 108.0,
    scale: STRIP_SCALE,
    theme: evidence::Theme::Light,
    spotlight: false,
    padding: 28,
};
const PAGE: Style = Style {
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
pub(super) struct Album {
    /// By the place of the outcome, where it has a place to be shown.
    pub(super) strips: HashMap<usize, Strip>,
    /// By the number of the source, and the sheet.
    pub(super) pages: BTreeMap<(u64, u32), Picture>,
}

/// What a quote looks like.
pub(super) struct Strip {
    /// The sheet where it begins.
    pub(super) sheet: u32,
    /// The picture, or why there is none.
    pub(super) picture: Result<Picture, String>,
}

/// What a picture is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    /// The place of an outcome, and the sheet where its passage begins.
    Outcome(usize, u32),
    /// The number of a source, and a sheet.
    Page(u64, u32),
}

/// Pictures of one source that are made in one go.
struct Job<'a> {
    source: &'a Source,
    subjects: Vec<Subject>,
    wanted: Vec<Wanted>,
}

impl Album {
    /// Draws everything, several at a time.
    pub(super) fn of(outcomes: &[Outcome], sources: &Sources, opening: &Opening) -> Self {
        let jobs = jobs(outcomes, sources);
        let count = jobs.iter().map(|job| job.wanted.len()).sum();
        let progress = Mutex::new(Progress::new("pictures drawn", count));
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::new());
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..workers.min(jobs.len()) {
                scope.spawn(|| {
                    let mut reader = Reader::new(this_program(), [CHILD]);
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
    fn keep(mut done: Vec<(Subject, Result<Picture, String>)>) -> Self {
        done.sort_by_key(|(subject, _)| match subject {
            Subject::Outcome(at, _) => (0, *at as u64, 0),
            Subject::Page(source, page) => (1, *source, *page),
        });
        let mut album = Self::default();
        let (mut strips, mut pages) = (0, 0);
        for (subject, made) in done {
            let size = made.as_ref().map_or(0, |picture| picture.bytes.len());
            match (subject, made) {
                (Subject::Outcome(at, sheet), made) => {
                    strips += size;
                    let picture = made.and_then(|picture| match strips > STRIPS {
                        true => Err("the report would be too large with it".to_owned()),
                        false => Ok(picture),
                    });
                    album.strips.insert(at, Strip { sheet, picture });
                }
                (Subject::Page(source, page), Ok(picture)) if strips + pages + size <= PAGES => {
                    pages += size;
                    album.pages.insert((source, page), picture);
                }
                (Subject::Page(..), _) => {}
            }
        }
        album
    }
}

/// What is to be drawn: a strip for each quote that has a place, and the first pages that are quoted.
fn jobs<'a>(outcomes: &[Outcome], sources: &'a Sources) -> Vec<Job<'a>> {
    let mut jobs = Vec::new();
    let mut by_source: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, outcome) in outcomes.iter().enumerate() {
        let own = outcome
            .number
            .map(|number| by_source.entry(number).or_default());
        own.into_iter().for_each(|own| own.push(at));
    }
    for source in sources.all() {
        let mut wanted: Vec<(u32, Subject, Wanted)> = Vec::new();
        let mut on_pages: BTreeMap<u32, Vec<Marks>> = BTreeMap::new();
        for at in by_source.remove(&source.number).unwrap_or_default() {
            let marks = marks_of(&outcomes[at], source);
            let Some(first) = marks.pages().first().copied() else {
                continue;
            };
            for page in marks.pages() {
                on_pages.entry(page).or_default().push(marks.clone());
            }
            let wanted_strip = Wanted {
                shown: Shown::Strip { marks },
                style: STRIP,
                format: Format::WebP,
                coarse: true,
            };
            wanted.push((first, Subject::Outcome(at, first), wanted_strip));
        }
        for (number, marks) in on_pages {
            let page = Wanted {
                shown: Shown::Page { number, marks },
                style: PAGE,
                format: Format::WebP,
                coarse: true,
            };
            wanted.push((number, Subject::Page(source.number, number), page));
        }
        // What is near each other shares fonts.
        wanted.sort_by_key(|(page, _, _)| *page);
        let mut wanted = wanted.into_iter().peekable();
        while wanted.peek().is_some() {
            let mut job = Job {
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
fn marks_of(outcome: &Outcome, source: &Source) -> Marks {
    let verdict = &outcome.verdict;
    let nearest = verdict.nearest.as_slice();
    let (passages, state) = match (outcome.state(), verdict.passages.as_slice()) {
        (State::Verified, found) => (found, evidence::State::Exact),
        (_, []) => (nearest, evidence::State::Missed),
        (_, found) => (found, evidence::State::Partial),
    };
    let anchor = outcome.claim.citation.anchor_text.as_deref();
    marks(&source.document, passages, anchor, state)
}

fn draw(job: &Job<'_>, opening: &Opening, reader: &mut Reader) -> Vec<Result<Picture, String>> {
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
