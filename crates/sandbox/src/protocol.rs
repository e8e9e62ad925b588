//! Frames between the server and its worker process.

use std::io::{self, Read, Write};
use std::time::Duration;

use documents::ReadLimits;
use rendering::ImageFormat;

use crate::image_request::{ImageRequest, PageImageFile};
use crate::limits::SandboxLimits;
use crate::ocr::OcrProgram;

/// Request to the worker.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WorkerRequest {
    /// Reads a file.
    Read(SentFile),
    /// Renders pictures of a file.
    Draw(SentFile, Vec<ImageRequest>),
}

/// Received file with its options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SentFile {
    pub(crate) name: String,
    pub(crate) password: String,
    pub(crate) allowance: SandboxLimits,
    pub(crate) ocr: OcrProgram,
    pub(crate) bytes: Vec<u8>,
}

/// File to send, without copying its bytes.
#[derive(Clone, Copy)]
pub(crate) struct BorrowedFile<'a> {
    pub(crate) name: &'a str,
    pub(crate) password: &'a str,
    pub(crate) allowance: &'a SandboxLimits,
    pub(crate) ocr: &'a OcrProgram,
    pub(crate) bytes: &'a [u8],
}

/// Reply of the worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WorkerReply {
    /// Pages read so far, and their number.
    Progress(u32, u32),
    /// Document in its stored form.
    Document(Vec<u8>),
    /// Picture. There is one picture or refusal for each request.
    Picture(PageImageFile),
    /// Reason of a failure, and a hint.
    Refused { reason: String, hint: String },
}

/// Writes a request to read a file.
pub(crate) fn write_reading(to: &mut impl Write, file: &BorrowedFile<'_>) -> io::Result<()> {
    to.write_all(b"r")?;
    write_file(to, file)?;
    to.flush()
}

/// Writes a request for pictures of a file.
pub(crate) fn write_drawing(
    to: &mut impl Write,
    file: &BorrowedFile<'_>,
    wanted: &[ImageRequest],
) -> io::Result<()> {
    to.write_all(b"d")?;
    write_file(to, file)?;
    to.write_all(&(wanted.len() as u64).to_le_bytes())?;
    for wanted in wanted {
        put(to, &wanted.to_bytes())?;
    }
    to.flush()
}

fn write_file(to: &mut impl Write, file: &BorrowedFile<'_>) -> io::Result<()> {
    put(to, file.name.as_bytes())?;
    put(to, file.password.as_bytes())?;
    put(to, file.ocr.program.as_bytes())?;
    put(to, file.ocr.languages.as_bytes())?;
    for number in numbers(file.allowance) {
        to.write_all(&number.to_le_bytes())?;
    }
    put(to, file.bytes)
}

/// Reads the next request; `None` at the end of the input.
pub(crate) fn read_request(from: &mut impl Read) -> io::Result<Option<WorkerRequest>> {
    match tag_or_end(from)? {
        None => Ok(None),
        Some(b'r') => Ok(Some(WorkerRequest::Read(read_file(from)?))),
        Some(b'd') => {
            let file = read_file(from)?;
            let count = number_from(from)?;
            let mut wanted = Vec::new();
            for _ in 0..count {
                let bytes = get(from)?;
                wanted.push(ImageRequest::from_bytes(&bytes).ok_or(io::ErrorKind::InvalidData)?);
            }
            Ok(Some(WorkerRequest::Draw(file, wanted)))
        }
        Some(_) => Err(io::ErrorKind::InvalidData.into()),
    }
}

fn read_file(from: &mut impl Read) -> io::Result<SentFile> {
    let name = text(get(from)?)?;
    let password = text(get(from)?)?;
    let ocr = OcrProgram {
        program: text(get(from)?)?,
        languages: text(get(from)?)?,
    };
    let mut numbers = numbers(&SandboxLimits::default());
    for number in &mut numbers {
        *number = number_from(from)?;
    }
    Ok(SentFile {
        name,
        password,
        allowance: allowance(numbers),
        ocr,
        bytes: get(from)?,
    })
}

impl WorkerReply {
    pub(crate) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Progress(done, of) => {
                to.write_all(b"p")?;
                to.write_all(&done.to_le_bytes())?;
                to.write_all(&of.to_le_bytes())?;
            }
            Self::Document(bytes) => {
                to.write_all(b"d")?;
                put(to, bytes)?;
            }
            Self::Picture(picture) => {
                to.write_all(b"i")?;
                to.write_all(&picture.width.to_le_bytes())?;
                to.write_all(&picture.height.to_le_bytes())?;
                put(to, picture.format.extension().as_bytes())?;
                put(to, &picture.bytes)?;
            }
            Self::Refused { reason, hint } => {
                to.write_all(b"r")?;
                put(to, reason.as_bytes())?;
                put(to, hint.as_bytes())?;
            }
        }
        to.flush()
    }

    pub(crate) fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut tag = [0];
        from.read_exact(&mut tag)?;
        let mut number = || {
            let mut bytes = [0; 4];
            from.read_exact(&mut bytes)?;
            Ok::<u32, io::Error>(u32::from_le_bytes(bytes))
        };
        match &tag {
            b"p" => Ok(Self::Progress(number()?, number()?)),
            b"d" => Ok(Self::Document(get(from)?)),
            b"i" => Ok(Self::Picture(PageImageFile {
                width: number()?,
                height: number()?,
                format: ImageFormat::named(&text(get(from)?)?).ok_or(io::ErrorKind::InvalidData)?,
                bytes: get(from)?,
            })),
            b"r" => Ok(Self::Refused {
                reason: text(get(from)?)?,
                hint: text(get(from)?)?,
            }),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

fn numbers(allowance: &SandboxLimits) -> [u64; 11] {
    let SandboxLimits {
        limits,
        time,
        memory,
    } = *allowance;
    // The pattern names every field, so that a new limit cannot be forgotten.
    let ReadLimits {
        bytes,
        nesting,
        elements,
        lines,
        pages,
        words_per_page,
        objects,
        decompressed,
        pixels,
    } = limits;
    let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let size = |size: usize| size as u64;
    [
        size(bytes),
        size(nesting),
        size(elements),
        size(lines),
        size(pages),
        size(words_per_page),
        size(objects),
        size(decompressed),
        size(pixels),
        millis,
        memory,
    ]
}

fn allowance(numbers: [u64; 11]) -> SandboxLimits {
    let [
        bytes,
        nesting,
        elements,
        lines,
        pages,
        words_per_page,
        objects,
        decompressed,
        pixels,
        millis,
        memory,
    ] = numbers;
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    SandboxLimits {
        limits: ReadLimits {
            bytes: size(bytes),
            nesting: size(nesting),
            elements: size(elements),
            lines: size(lines),
            pages: size(pages),
            words_per_page: size(words_per_page),
            objects: size(objects),
            decompressed: size(decompressed),
            pixels: size(pixels),
        },
        time: Duration::from_millis(millis),
        memory,
    }
}

fn put(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)
}

fn number_from(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn get(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let length = number_from(from)?;
    take(from, length)
}

fn tag_or_end(from: &mut impl Read) -> io::Result<Option<u8>> {
    let mut tag = [0];
    loop {
        match from.read(&mut tag) {
            Ok(0) => return Ok(None),
            Ok(_) => return Ok(Some(tag[0])),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Reads this many bytes. Memory grows as they arrive, whatever length was claimed.
fn take(from: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let sure = usize::try_from(length.min(64 << 20)).unwrap_or_default();
    bytes.reserve_exact(sure);
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length {
        Ok(bytes)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use rendering::RenderStyle;

    use super::*;
    use crate::image_request::RequestedView;

    #[test]
    fn requests_arrive_as_they_were_sent() {
        let allowance = allowance([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        assert_eq!(numbers(&allowance), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        let mut sent = Vec::new();
        let pdf = BorrowedFile {
            name: "a.pdf",
            password: "tide",
            allowance: &allowance,
            ocr: &OcrProgram::default(),
            bytes: b"%PDF",
        };
        let ocr = OcrProgram {
            program: "mine".to_owned(),
            languages: "deu".to_owned(),
        };
        let empty = BorrowedFile {
            name: "",
            password: "",
            allowance: &SandboxLimits::default(),
            ocr: &ocr,
            bytes: b"",
        };
        write_reading(&mut sent, &pdf).expect("memory");
        let wanted = [ImageRequest {
            shown: RequestedView::Page {
                number: 3,
                marks: Vec::new(),
            },
            style: RenderStyle::default(),
            format: ImageFormat::Png,
            coarse: false,
        }];
        write_drawing(&mut sent, &empty, &wanted).expect("memory");
        let mut from = sent.as_slice();
        let WorkerRequest::Read(first) = read_request(&mut from).expect("whole").expect("one")
        else {
            panic!("it was to be read");
        };
        assert_eq!(
            (first.name.as_str(), first.password.as_str()),
            ("a.pdf", "tide")
        );
        assert_eq!(
            (first.allowance, first.bytes.as_slice()),
            (allowance, &b"%PDF"[..])
        );
        let second = read_request(&mut from).expect("whole").expect("two");
        let file = SentFile {
            name: String::new(),
            password: String::new(),
            allowance: SandboxLimits::default(),
            ocr: ocr.clone(),
            bytes: Vec::new(),
        };
        assert_eq!(second, WorkerRequest::Draw(file, wanted.to_vec()));
        assert_eq!(read_request(&mut from).expect("the end"), None);
    }

    #[test]
    fn what_is_said_arrives_and_what_is_cut_short_is_an_error() {
        for said in [
            WorkerReply::Progress(3, 1000),
            WorkerReply::Document(vec![7; 300]),
            WorkerReply::Picture(PageImageFile {
                width: 3,
                height: 70_000,
                format: ImageFormat::WebP,
                bytes: vec![1; 3],
            }),
            WorkerReply::Refused {
                reason: "too large".to_owned(),
                hint: "Split it.".to_owned(),
            },
        ] {
            let mut written = Vec::new();
            said.write(&mut written).expect("memory");
            assert_eq!(
                WorkerReply::read(&mut written.as_slice()).expect("whole"),
                said
            );
            for end in 0..written.len() {
                assert!(WorkerReply::read(&mut &written[..end]).is_err());
            }
        }
        assert!(WorkerReply::read(&mut &b"what?"[..]).is_err());
        // A false length takes no memory.
        let lie = [&b"d"[..], &u64::MAX.to_le_bytes(), b"short"].concat();
        assert!(WorkerReply::read(&mut lie.as_slice()).is_err());
    }
}
