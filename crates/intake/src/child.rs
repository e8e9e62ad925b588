//! The process that reads documents.

use std::cell::{Cell, RefCell};
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use documents::{Document, ReadError, Reading, Recognised, Warning};
use evidence::{Drawing, PictureError, Pictures, Source};

use crate::allowance::Allowance;
use crate::frame::{File, Request, Said, read_request};
use crate::picture::{Picture, Wanted};
use crate::recognising::recognise;

/// How often the parent is told how far it is.
const EVERY: Duration = Duration::from_millis(50);

/// How much longer than allowed the process may work before the system ends it.
const SPARE: Duration = Duration::from_secs(5);

/// Reads one file after the other and makes pictures of them, until the input ends.
///
/// This is the whole life of the process that a [`Reader`](crate::Reader) starts: its standard input and
/// output are what it works on.
pub fn serve(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    while let Some(request) = read_request(&mut input)? {
        match request {
            Request::Read(file) => {
                limit(&file.allowance)?;
                read(&file, &mut output).write(&mut output)?;
            }
            Request::Draw(file, wanted) => draw_all(&file, &wanted, &mut output)?,
        }
    }
    Ok(())
}

/// Makes pictures, each in a time of its own.
fn draw_all(file: &File, wanted: &[Wanted], output: &mut impl Write) -> io::Result<()> {
    limit(&file.allowance)?;
    let start = Cell::new(Instant::now());
    let give_up = || start.get().elapsed() >= file.allowance.time;
    let reading = Reading {
        limits: file.allowance.limits,
        password: &file.password,
        give_up: &give_up,
        ..Reading::default()
    };
    let source = Source::open(&file.bytes, &file.name, &reading);
    let mut pictures = source.as_ref().map(Pictures::of);
    let drawing = Drawing {
        give_up: &give_up,
        ..Drawing::default()
    };
    for wanted in wanted {
        let said = match &mut pictures {
            Ok(pictures) => match draw(pictures, wanted, &drawing) {
                Ok(picture) => Said::Picture(picture),
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
    pictures: &mut Pictures<'_>,
    wanted: &Wanted,
    drawing: &Drawing<'_>,
) -> Result<Picture, PictureError> {
    let mut image = pictures.draw(&wanted.shown.view(), &wanted.style, drawing)?;
    if wanted.coarse {
        image.coarsen();
    }
    Ok(Picture {
        width: image.width(),
        height: image.height(),
        format: wanted.format,
        bytes: image.encode(wanted.format)?,
    })
}

fn refusal(error: &PictureError) -> Said {
    Said::Refused {
        reason: error.to_string(),
        hint: error.hint().to_owned(),
    }
}

fn read(request: &File, output: &mut impl Write) -> Said {
    let start = Instant::now();
    let output = RefCell::new(output);
    let told = Cell::new(start);
    let progress = |done: u32, of: u32| {
        let now = Instant::now();
        if now.duration_since(told.get()) >= EVERY {
            told.set(now);
            // If nobody listens any more, writing the document will say so.
            let _ = Said::Progress(done, of).write(&mut *output.borrow_mut());
        }
    };
    let give_up = || start.elapsed() >= request.allowance.time;
    let reading = Reading {
        limits: request.allowance.limits,
        password: &request.password,
        recognised: None,
        give_up: &give_up,
        progress: &progress,
    };
    let read = |recognised: Option<&Recognised>| {
        let reading = Reading {
            recognised,
            ..reading
        };
        Document::read_as(&request.bytes, &request.name, &reading)
    };
    let mut document = read(None);
    let pictures: Vec<u32> = match &document {
        Ok(document) => document.warnings().iter().filter_map(no_text).collect(),
        Err(ReadError::NeedsRecognition { .. }) => vec![1],
        Err(_) => Vec::new(),
    };
    // Some time is left for reading what was recognised.
    let deadline = start + request.allowance.time.mul_f32(0.9);
    if let Some(recognised) = recognise(request, &pictures, deadline, &progress) {
        document = read(Some(&recognised));
    }
    match document {
        Ok(document) => Said::Document(document.to_bytes()),
        Err(error) => Said::Refused {
            reason: error.to_string(),
            hint: error.hint().to_owned(),
        },
    }
}

fn no_text(warning: &Warning) -> Option<u32> {
    match warning {
        Warning::NoText { page } => Some(*page),
        _ => None,
    }
}

/// The process gets no more memory than that, and no more time, should nobody be left to kill it.
#[cfg(unix)]
fn limit(allowance: &Allowance) -> io::Result<()> {
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

/// Only the parent limits it here.
#[cfg(not(unix))]
fn limit(_: &Allowance) -> io::Result<()> {
    Ok(())
}
