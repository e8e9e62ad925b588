//! What parent and child say to each other: a length, then so many bytes.

use std::io::{self, Read, Write};
use std::time::Duration;

use documents::Limits;
use evidence::Format;

use crate::allowance::Allowance;
use crate::ocr::Ocr;
use crate::picture::{Picture, Wanted};

/// What the child is asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Request {
    /// To read a file.
    Read(File),
    /// To make pictures of one.
    Draw(File, Vec<Wanted>),
}

/// A file as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) password: String,
    pub(crate) allowance: Allowance,
    pub(crate) ocr: Ocr,
    pub(crate) bytes: Vec<u8>,
}

/// A file that is sent without copying it.
#[derive(Clone, Copy)]
pub(crate) struct Sent<'a> {
    pub(crate) name: &'a str,
    pub(crate) password: &'a str,
    pub(crate) allowance: &'a Allowance,
    pub(crate) ocr: &'a Ocr,
    pub(crate) bytes: &'a [u8],
}

/// What the child says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// So many pages are read, of so many.
    Progress(u32, u32),
    /// The document in its stored form.
    Document(Vec<u8>),
    /// A picture; one of these, or a refusal, for each that is wanted.
    Picture(Picture),
    /// Why there is none, and what can be done.
    Refused { reason: String, hint: String },
}

/// Asks for a file to be read.
pub(crate) fn write_reading(to: &mut impl Write, file: &Sent<'_>) -> io::Result<()> {
    to.write_all(b"r")?;
    write_file(to, file)?;
    to.flush()
}

/// Asks for pictures of a file.
pub(crate) fn write_drawing(
    to: &mut impl Write,
    file: &Sent<'_>,
    wanted: &[Wanted],
) -> io::Result<()> {
    to.write_all(b"d")?;
    write_file(to, file)?;
    to.write_all(&(wanted.len() as u64).to_le_bytes())?;
    for wanted in wanted {
        put(to, &wanted.to_bytes())?;
    }
    to.flush()
}

fn write_file(to: &mut impl Write, file: &Sent<'_>) -> io::Result<()> {
    put(to, file.name.as_bytes())?;
    put(to, file.password.as_bytes())?;
    put(to, file.ocr.program.as_bytes())?;
    put(to, file.ocr.languages.as_bytes())?;
    for number in numbers(file.allowance) {
        to.write_all(&number.to_le_bytes())?;
    }
    put(to, file.bytes)
}

/// The next request; none at the end of the input.
pub(crate) fn read_request(from: &mut impl Read) -> io::Result<Option<Request>> {
    match tag_or_end(from)? {
        None => Ok(None),
        Some(b'r') => Ok(Some(Request::Read(read_file(from)?))),
        Some(b'd') => {
            let file = read_file(from)?;
            let count = number_from(from)?;
            let mut wanted = Vec::new();
            for _ in 0..count {
                let bytes = get(from)?;
                wanted.push(Wanted::from_bytes(&bytes).ok_or(io::ErrorKind::InvalidData)?);
            }
            Ok(Some(Request::Draw(file, wanted)))
        }
        Some(_) => Err(io::ErrorKind::InvalidData.into()),
    }
}

fn read_file(from: &mut impl Read) -> io::Result<File> {
    let name = text(get(from)?)?;
    let password = text(get(from)?)?;
    let ocr = Ocr {
        program: text(get(from)?)?,
        languages: text(get(from)?)?,
    };
    let mut numbers = numbers(&Allowance::default());
    for number in &mut numbers {
        *number = number_from(from)?;
    }
    Ok(File {
        name,
        password,
        allowance: allowance(numbers),
        ocr,
        bytes: get(from)?,
    })
}

impl Said {
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
            b"i" => Ok(Self::Picture(Picture {
                width: number()?,
                height: number()?,
                format: Format::named(&text(get(from)?)?).ok_or(io::ErrorKind::InvalidData)?,
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

fn numbers(allowance: &Allowance) -> [u64; 11] {
    let Allowance {
        limits,
        time,
        memory,
    } = *allowance;
    // All of them by name: a new limit must be sent along.
    let Limits {
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

fn allowance(numbers: [u64; 11]) -> Allowance {
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
    Allowance {
        limits: Limits {
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

/// So many bytes; memory is taken as they come, whatever length was claimed.
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
    use evidence::Style;

    use super::*;
    use crate::picture::Shown;

    #[test]
    fn requests_arrive_as_they_were_sent() {
        let allowance = allowance([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        assert_eq!(numbers(&allowance), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        let mut sent = Vec::new();
        let pdf = Sent {
            name: "a.pdf",
            password: "tide",
            allowance: &allowance,
            ocr: &Ocr::default(),
            bytes: b"%PDF",
        };
        let ocr = Ocr {
            program: "mine".to_owned(),
            languages: "deu".to_owned(),
        };
        let empty = Sent {
            name: "",
            password: "",
            allowance: &Allowance::default(),
            ocr: &ocr,
            bytes: b"",
        };
        write_reading(&mut sent, &pdf).expect("memory");
        let wanted = [Wanted {
            shown: Shown::Page {
                number: 3,
                marks: Vec::new(),
            },
            style: Style::default(),
            format: Format::Png,
            coarse: false,
        }];
        write_drawing(&mut sent, &empty, &wanted).expect("memory");
        let mut from = sent.as_slice();
        let Request::Read(first) = read_request(&mut from).expect("whole").expect("one") else {
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
        let file = File {
            name: String::new(),
            password: String::new(),
            allowance: Allowance::default(),
            ocr: ocr.clone(),
            bytes: Vec::new(),
        };
        assert_eq!(second, Request::Draw(file, wanted.to_vec()));
        assert_eq!(read_request(&mut from).expect("the end"), None);
    }

    #[test]
    fn what_is_said_arrives_and_what_is_cut_short_is_an_error() {
        for said in [
            Said::Progress(3, 1000),
            Said::Document(vec![7; 300]),
            Said::Picture(Picture {
                width: 3,
                height: 70_000,
                format: Format::WebP,
                bytes: vec![1; 3],
            }),
            Said::Refused {
                reason: "too large".to_owned(),
                hint: "Split it.".to_owned(),
            },
        ] {
            let mut written = Vec::new();
            said.write(&mut written).expect("memory");
            assert_eq!(Said::read(&mut written.as_slice()).expect("whole"), said);
            for end in 0..written.len() {
                assert!(Said::read(&mut &written[..end]).is_err());
            }
        }
        assert!(Said::read(&mut &b"what?"[..]).is_err());
        // A length that is a lie takes no memory.
        let lie = [&b"d"[..], &u64::MAX.to_le_bytes(), b"short"].concat();
        assert!(Said::read(&mut lie.as_slice()).is_err());
    }
}
