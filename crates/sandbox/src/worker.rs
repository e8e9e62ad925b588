//! Worker process that reads and renders documents.

use std::cell::{Cell, RefCell};
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use documents::{Document, DocumentError, ReadOptions, ReadWarning, RecognisedPages};
use rendering::{DocumentRenderer, RenderError, RenderOptions, RenderSource};

use crate::image_request::{ImageRequest, PageImageFile};
use crate::limits::SandboxLimits;
use crate::page_recognition::recognise;
use crate::protocol::{SentFile, WorkerReply, WorkerRequest, read_request};

/// Interval between two progress reports.
const EVERY: Duration = Duration::from_millis(50);

/// Time beyond the timeout after which the system ends the process.
const SPARE: Duration = Duration::from_secs(5);

/// Serves requests until the input ends: reads files and renders their pages.
///
/// This is the whole life of the process that a [`SandboxReader`](crate::SandboxReader) starts. Input and output
/// are its standard streams.
pub fn serve(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    while let Some(request) = read_request(&mut input)? {
        match request {
            WorkerRequest::Read(file) => {
                limit(&file.allowance)?;
                read(&file, &mut output).write(&mut output)?;
            }
            WorkerRequest::Draw(file, wanted) => draw_all(&file, &wanted, &mut output)?,
        }
    }
    Ok(())
}

/// Renders pictures, each with the full timeout.
fn draw_all(file: &SentFile, wanted: &[ImageRequest], output: &mut impl Write) -> io::Result<()> {
    limit(&file.allowance)?;
    let start = Cell::new(Instant::now());
    let give_up = || start.get().elapsed() >= file.allowance.time;
    let reading = ReadOptions {
        limits: file.allowance.limits,
        password: &file.password,
        give_up: &give_up,
        ..ReadOptions::default()
    };
    let source = RenderSource::open(&file.bytes, &file.name, &reading);
    let mut pictures = source.as_ref().map(DocumentRenderer::of);
    let drawing = RenderOptions {
        give_up: &give_up,
        ..RenderOptions::default()
    };
    for wanted in wanted {
        let said = match &mut pictures {
            Ok(pictures) => match draw(pictures, wanted, &drawing) {
                Ok(picture) => WorkerReply::Picture(picture),
                Err(error) => refusal(&error),
            },
            Err(error) => refusal(error),
        };
        said.write(output)?;
        start.set(Instant::now());
        limit(&file.allowance)?;
    }
    Ok(())
}

fn draw(
    pictures: &mut DocumentRenderer<'_>,
    wanted: &ImageRequest,
    drawing: &RenderOptions<'_>,
) -> Result<PageImageFile, RenderError> {
    let mut image = pictures.draw(&wanted.shown.view(), &wanted.style, drawing)?;
    if wanted.coarse {
        image.coarsen();
    }
    Ok(PageImageFile {
        width: image.width(),
        height: image.height(),
        format: wanted.format,
        bytes: image.encode(wanted.format)?,
    })
}

fn refusal(error: &RenderError) -> WorkerReply {
    WorkerReply::Refused {
        reason: error.to_string(),
        hint: error.hint().to_owned(),
    }
}

fn read(request: &SentFile, output: &mut impl Write) -> WorkerReply {
    let start = Instant::now();
    let output = RefCell::new(output);
    let told = Cell::new(start);
    let progress = |done: u32, of: u32| {
        let now = Instant::now();
        if now.duration_since(told.get()) >= EVERY {
            told.set(now);
            // If the parent is gone, writing the document reports it.
            let _ = WorkerReply::Progress(done, of).write(&mut *output.borrow_mut());
        }
    };
    let give_up = || start.elapsed() >= request.allowance.time;
    let reading = ReadOptions {
        limits: request.allowance.limits,
        password: &request.password,
        recognised: None,
        give_up: &give_up,
        progress: &progress,
    };
    let read = |recognised: Option<&RecognisedPages>| {
        let reading = ReadOptions {
            recognised,
            ..reading
        };
        Document::read_as(&request.bytes, &request.name, &reading)
    };
    let mut document = read(None);
    let pictures: Vec<u32> = match &document {
        Ok(document) => document.warnings().iter().filter_map(no_text).collect(),
        Err(DocumentError::NeedsRecognition { .. }) => vec![1],
        Err(_) => Vec::new(),
    };
    // A part of the time is reserved for reading the recognised text.
    let deadline = start + request.allowance.time.mul_f32(0.9);
    if let Some(recognised) = recognise(request, &pictures, deadline, &progress) {
        document = read(Some(&recognised));
    }
    match document {
        Ok(document) => WorkerReply::Document(document.to_bytes()),
        Err(error) => WorkerReply::Refused {
            reason: error.to_string(),
            hint: error.hint().to_owned(),
        },
    }
}

fn no_text(warning: &ReadWarning) -> Option<u32> {
    match warning {
        ReadWarning::NoText { page } => Some(*page),
        _ => None,
    }
}

/// Limits memory and CPU time of this process, in case its parent cannot kill it.
#[cfg(unix)]
fn limit(allowance: &SandboxLimits) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::time::{ClockId, clock_gettime};
    let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
    let seconds = allowance.time.saturating_add(SPARE).as_secs();
    let seconds = seconds.saturating_add(u64::try_from(used).unwrap_or_default());
    for (resource, wanted) in [(Resource::As, allowance.memory), (Resource::Cpu, seconds)] {
        let maximum = getrlimit(resource).maximum;
        let limit = Rlimit {
            current: Some(maximum.map_or(wanted, |maximum| wanted.min(maximum))),
            maximum,
        };
        setrlimit(resource, limit)?;
    }
    Ok(())
}

/// On this platform only the parent enforces limits.
#[cfg(not(unix))]
fn limit(_: &SandboxLimits) -> io::Result<()> {
    Ok(())
}
