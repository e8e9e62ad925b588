//! Frames between the program and its worker process.
//!
//! A frame consists of the length of its message (`u32`), the length of its payload (`u64`), both
//! little endian, the message in the format of `postcard`, and the payload. Files, documents and
//! pictures are payloads: they are copied as they are instead of being decoded byte by byte.
//!
//! The worker processes untrusted files, so its frames are untrusted, too. Lengths over a limit and
//! messages that cannot be decoded are [`InvalidData`](io::ErrorKind::InvalidData), and memory grows
//! only with the bytes that arrive.

use std::io::{self, Read, Write};

use rendering::ImageFormat;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::image_request::ImageRequest;
use crate::limits::SandboxLimits;
use crate::ocr::OcrProgram;

/// Maximum size of a message in bytes. Requests with many highlights are the longest.
const MAX_MESSAGE: u64 = 64 << 20;
/// Maximum size of a buffer before the first byte arrives.
const MAX_INITIAL_BUFFER: u64 = 1 << 20;

/// Request to the worker. The payload of its frame is the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkerRequest {
    pub(crate) task: WorkerTask,
    pub(crate) file: FileOptions,
}

/// Task of the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum WorkerTask {
    /// Reads the file as a document.
    Read,
    /// Renders pictures of the file.
    Draw(Vec<ImageRequest>),
}

/// Options for opening a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileOptions {
    pub(crate) name: String,
    pub(crate) password: String,
    pub(crate) limits: SandboxLimits,
    pub(crate) ocr: OcrProgram,
}

/// Reply of the worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum WorkerReply {
    /// Number of pages read so far, and of all pages.
    Progress(u32, u32),
    /// Document; the payload is its stored form.
    Document,
    /// Picture; the payload is the image file. There is one picture or refusal for each request.
    Picture {
        width: u32,
        height: u32,
        format: ImageFormat,
        is_simplified: bool,
    },
    /// Reason of a failure, and a hint.
    Refused { reason: String, hint: String },
}

/// Received message with its payload.
#[derive(Debug, PartialEq)]
pub(crate) struct Frame<M> {
    pub(crate) message: M,
    pub(crate) payload: Vec<u8>,
}

/// Writes a frame.
pub(crate) fn write_frame(
    to: &mut impl Write,
    message: &impl Serialize,
    payload: &[u8],
) -> io::Result<()> {
    let message = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(message.len()).map_err(io::Error::other)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&(payload.len() as u64).to_le_bytes())?;
    to.write_all(&message)?;
    to.write_all(payload)?;
    to.flush()
}

/// Reads a frame. A payload over `max_payload` bytes is invalid.
pub(crate) fn read_frame<M: DeserializeOwned>(
    from: &mut impl Read,
    max_payload: u64,
) -> io::Result<Frame<M>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    read_frame_body(from, length, max_payload)
}

/// Reads a frame; `None` if the input ends before it.
pub(crate) fn read_frame_or_end<M: DeserializeOwned>(
    from: &mut impl Read,
    max_payload: u64,
) -> io::Result<Option<Frame<M>>> {
    let mut length = [0; 4];
    loop {
        match from.read(&mut length[..1]) {
            Ok(0) => return Ok(None),
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    from.read_exact(&mut length[1..])?;
    read_frame_body(from, length, max_payload).map(Some)
}

/// Reads the rest of a frame after the length of its message.
fn read_frame_body<M: DeserializeOwned>(
    from: &mut impl Read,
    length: [u8; 4],
    max_payload: u64,
) -> io::Result<Frame<M>> {
    // The length is checked before more is read: invalid output need not contain a whole frame.
    let message_length = u64::from(u32::from_le_bytes(length));
    check_length(message_length, MAX_MESSAGE)?;
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let payload_length = u64::from_le_bytes(length);
    check_length(payload_length, max_payload)?;
    let message = read_bytes(from, message_length)?;
    let message = match postcard::take_from_bytes(&message) {
        Ok((message, [])) => message,
        _ => return Err(io::ErrorKind::InvalidData.into()),
    };
    let payload = read_bytes(from, payload_length)?;
    Ok(Frame { message, payload })
}

fn check_length(length: u64, limit: u64) -> io::Result<()> {
    match length <= limit {
        true => Ok(()),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Reads exactly `length` bytes. The buffer grows as they arrive, whatever length was claimed.
fn read_bytes(from: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length.min(MAX_INITIAL_BUFFER) as usize);
    from.take(length).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == length {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use documents::PageBox;
    use rendering::{Highlight, HighlightState, ImageTheme, RenderStyle};

    use super::*;
    use crate::image_request::RequestedView;

    fn image_request() -> ImageRequest {
        let part = |page| PageBox {
            rendered_page: page,
            x: 1.5,
            y: -2.0,
            width: 30.25,
            height: 12.0,
        };
        let highlight = Highlight {
            state: HighlightState::Partial,
            phrase: vec![part(1), part(2)],
            anchor: vec![part(2)],
            rows: vec![part(1), part(2), part(2)],
        };
        ImageRequest {
            view: RequestedView::Page {
                number: 9,
                highlights: vec![highlight.clone(), Highlight::default(), highlight],
            },
            style: RenderStyle {
                dpi: 72.0,
                scale: 2.0,
                theme: ImageTheme::Dark,
                spotlight: true,
                padding: 7,
            },
            format: ImageFormat::Avif,
            coarse: true,
        }
    }

    fn request(task: WorkerTask) -> WorkerRequest {
        let mut limits = SandboxLimits {
            time: Duration::from_millis(1500),
            memory: 11,
            ..SandboxLimits::default()
        };
        limits.limits.pages = usize::MAX;
        WorkerRequest {
            task,
            file: FileOptions {
                name: "a.pdf".to_owned(),
                password: "tide".to_owned(),
                limits,
                ocr: OcrProgram::default(),
            },
        }
    }

    #[test]
    fn requests_round_trip() {
        let strip = ImageRequest {
            view: RequestedView::Strip {
                highlight: Highlight::default(),
            },
            ..image_request()
        };
        let requests = [
            request(WorkerTask::Read),
            request(WorkerTask::Draw(vec![image_request(), strip])),
        ];
        let mut sent = Vec::new();
        for request in &requests {
            write_frame(&mut sent, request, b"%PDF").expect("memory");
        }
        let mut from = sent.as_slice();
        for request in requests {
            let received = read_frame_or_end(&mut from, 4).expect("valid");
            let frame = Frame {
                message: request,
                payload: b"%PDF".to_vec(),
            };
            assert_eq!(received, Some(frame));
        }
        let end = read_frame_or_end::<WorkerRequest>(&mut from, 4).expect("the end");
        assert_eq!(end, None);
    }

    #[test]
    fn replies_round_trip_and_truncated_replies_are_errors() {
        for (reply, payload) in [
            (WorkerReply::Progress(3, 1000), vec![]),
            (WorkerReply::Document, vec![7; 300]),
            (
                WorkerReply::Picture {
                    width: 3,
                    height: 70_000,
                    format: ImageFormat::WebP,
                    is_simplified: true,
                },
                vec![1; 3],
            ),
            (
                WorkerReply::Refused {
                    reason: "too large".to_owned(),
                    hint: "Split it.".to_owned(),
                },
                vec![],
            ),
        ] {
            let mut written = Vec::new();
            write_frame(&mut written, &reply, &payload).expect("memory");
            for end in 0..written.len() {
                assert!(read_frame::<WorkerReply>(&mut &written[..end], 1000).is_err());
            }
            let received = read_frame(&mut written.as_slice(), 1000).expect("valid");
            let frame = Frame {
                message: reply,
                payload,
            };
            assert_eq!(received, frame);
        }
    }

    #[test]
    fn hostile_frames_are_invalid() {
        let frame = |message_length: u32, payload_length: u64, rest: &[u8]| {
            [
                &message_length.to_le_bytes()[..],
                &payload_length.to_le_bytes(),
                rest,
            ]
            .concat()
        };
        let error = |bytes: &[u8]| {
            let read = read_frame::<WorkerReply>(&mut &bytes[..], 1000);
            read.expect_err("hostile").kind()
        };
        // Text instead of a frame is recognised without waiting for more.
        assert_eq!(error(b"nonsense"), io::ErrorKind::InvalidData);
        // False lengths allocate no memory.
        assert_eq!(error(&frame(u32::MAX, 0, b"")), io::ErrorKind::InvalidData);
        assert_eq!(error(&frame(1, u64::MAX, b"")), io::ErrorKind::InvalidData);
        let message_length = MAX_MESSAGE as u32;
        assert_eq!(
            error(&frame(message_length, 0, b"short")),
            io::ErrorKind::UnexpectedEof
        );
        // An unknown reply, a reply with bytes after it, and a text with a false length.
        assert_eq!(error(&frame(1, 0, &[200])), io::ErrorKind::InvalidData);
        assert_eq!(error(&frame(2, 0, &[1, 0])), io::ErrorKind::InvalidData);
        let long_text = [3, 0xff, 0xff, 0xff, 0xff, 0x0f];
        assert_eq!(error(&frame(6, 0, &long_text)), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_false_number_of_image_requests_is_invalid() {
        // The task `Draw` with more requests than there are bytes.
        let message = [1, 0xff, 0xff, 0xff, 0xff, 0x0f];
        let mut bytes = Vec::new();
        bytes.extend((message.len() as u32).to_le_bytes());
        bytes.extend(0_u64.to_le_bytes());
        bytes.extend(message);
        let read = read_frame::<WorkerRequest>(&mut bytes.as_slice(), 1000);
        assert_eq!(
            read.expect_err("hostile").kind(),
            io::ErrorKind::InvalidData
        );
    }
}
