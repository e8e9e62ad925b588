//! Worker process that reads and renders documents.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use documents::{Document, DocumentError, ReadOptions, ReadWarning, RecognisedPages};
use rendering::{DocumentRenderer, RenderError, RenderOptions, RenderSource};

use crate::image_request::{ImageRequest, PageImageFile};
use crate::limits::SandboxLimits;
use crate::page_recognition::recognise_pages;
use crate::protocol::{
    FileOptions, WorkerReply, WorkerRequest, WorkerTask, read_frame_or_end, write_frame,
};

/// Interval between two progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// CPU time beyond the timeout after which the system ends the process.
const CPU_GRACE_PERIOD: Duration = Duration::from_secs(5);

/// Serves requests until the input ends: reads files and renders their pages.
///
/// This is the whole life of the process that a [`SandboxReader`](crate::SandboxReader) starts. Input and output
/// are its standard streams.
pub fn serve(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    // The parent is trusted and has checked the size of the file.
    while let Some(frame) = read_frame_or_end::<WorkerRequest>(&mut input, u64::MAX)? {
        let WorkerRequest { task, file } = frame.message;
        limit_process(&file.limits)?;
        match task {
            WorkerTask::Read => read(&file, &frame.payload, &mut output)?,
            WorkerTask::Draw(requests) => {
                draw_all(&file, &frame.payload, &requests, &mut output)?;
            }
        }
    }
    Ok(())
}

/// Renders pictures, each with the full timeout.
fn draw_all(
    file: &FileOptions,
    bytes: &[u8],
    requests: &[ImageRequest],
    output: &mut impl Write,
) -> io::Result<()> {
    let start = Cell::new(Instant::now());
    let give_up = || start.get().elapsed() >= file.limits.time;
    let read_options = ReadOptions {
        limits: file.limits.limits,
        password: &file.password,
        give_up: &give_up,
        ..ReadOptions::default()
    };
    let source = RenderSource::open(bytes, &file.name, &read_options);
    let mut renderer = source.as_ref().map(DocumentRenderer::new);
    let render_options = RenderOptions {
        give_up: &give_up,
        ..RenderOptions::default()
    };
    for request in requests {
        let drawn = match &mut renderer {
            Ok(renderer) => draw(renderer, request, &render_options),
            Err(error) => Err(**error),
        };
        match drawn {
            Ok(picture) => {
                let reply = WorkerReply::Picture {
                    width: picture.width,
                    height: picture.height,
                    format: picture.format,
                    is_simplified: picture.is_simplified,
                };
                write_frame(output, &reply, &picture.bytes)?;
            }
            Err(error) => write_refusal(output, &error, error.hint())?,
        }
        start.set(Instant::now());
        limit_process(&file.limits)?;
    }
    Ok(())
}

fn draw(
    renderer: &mut DocumentRenderer<'_>,
    request: &ImageRequest,
    options: &RenderOptions<'_>,
) -> Result<PageImageFile, RenderError> {
    let mut image = renderer.draw(&request.view.page_view(), &request.style, options)?;
    if request.coarse {
        image.coarsen();
    }
    Ok(PageImageFile {
        width: image.width(),
        height: image.height(),
        format: request.format,
        is_simplified: image.is_simplified(),
        bytes: image.encode(request.format)?,
    })
}

fn write_refusal(output: &mut impl Write, error: &impl Display, hint: &str) -> io::Result<()> {
    let reply = WorkerReply::Refused {
        reason: error.to_string(),
        hint: hint.to_owned(),
    };
    write_frame(output, &reply, &[])
}

/// Reads a file as a document, and again with recognised text if some of its pages are pictures.
fn read(file: &FileOptions, bytes: &[u8], output: &mut impl Write) -> io::Result<()> {
    let start = Instant::now();
    let shared_output = RefCell::new(&mut *output);
    let last_report = Cell::new(start);
    let progress = |done: u32, of: u32| {
        let now = Instant::now();
        if now.duration_since(last_report.get()) >= PROGRESS_INTERVAL {
            last_report.set(now);
            let reply = WorkerReply::Progress(done, of);
            // If the parent is gone, writing the document reports it.
            let _ = write_frame(&mut *shared_output.borrow_mut(), &reply, &[]);
        }
    };
    let give_up = || start.elapsed() >= file.limits.time;
    let options = ReadOptions {
        limits: file.limits.limits,
        password: &file.password,
        recognised: None,
        give_up: &give_up,
        progress: &progress,
    };
    let read = |recognised: Option<&RecognisedPages>| {
        let options = ReadOptions {
            recognised,
            ..options
        };
        Document::read_as(bytes, &file.name, &options)
    };
    let mut document = read(None);
    let pictures: Vec<u32> = match &document {
        Ok(document) => document
            .warnings()
            .iter()
            .filter_map(page_without_text)
            .collect(),
        Err(DocumentError::NeedsRecognition { .. }) => vec![1],
        Err(_) => Vec::new(),
    };
    // A part of the time is reserved for reading the recognised text.
    let deadline = start + file.limits.time.mul_f32(0.9);
    if let Some(recognised) = recognise_pages(file, bytes, &pictures, deadline, &progress) {
        document = read(Some(&recognised));
    }
    match document {
        Ok(document) => write_frame(output, &WorkerReply::Document, &document.to_bytes()),
        Err(error) => write_refusal(output, &error, error.hint()),
    }
}

fn page_without_text(warning: &ReadWarning) -> Option<u32> {
    match warning {
        ReadWarning::NoText { page } => Some(*page),
        _ => None,
    }
}

/// Limits memory and CPU time of this process, in case its parent cannot kill it.
#[cfg(unix)]
fn limit_process(limits: &SandboxLimits) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::time::{ClockId, clock_gettime};
    let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
    let seconds = limits.time.saturating_add(CPU_GRACE_PERIOD).as_secs();
    let seconds = seconds.saturating_add(u64::try_from(used).unwrap_or_default());
    for (resource, value) in [(Resource::As, limits.memory), (Resource::Cpu, seconds)] {
        let maximum = getrlimit(resource).maximum;
        let limit = Rlimit {
            current: Some(maximum.map_or(value, |maximum| value.min(maximum))),
            maximum,
        };
        setrlimit(resource, limit)?;
    }
    Ok(())
}

/// On this platform only the parent enforces limits.
#[cfg(not(unix))]
fn limit_process(_: &SandboxLimits) -> io::Result<()> {
    Ok(())
}
