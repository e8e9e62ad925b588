//! Parser of HTTP/1.1 responses with chunks or a content length.

use memchr::memchr;

/// Maximum length of a header line or chunk size line, in bytes.
const MAX_LINE: usize = 16 * 1024;

/// One response, parsed from pieces of any size.
#[derive(Debug, Default)]
pub struct HttpResponse {
    part: ResponsePart,
    /// Start of an incomplete line.
    line: Vec<u8>,
    length: Option<Length>,
    body: Vec<u8>,
}

/// Kind of the next bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ResponsePart {
    #[default]
    Status,
    Header,
    ChunkSize,
    /// Remaining bytes of a chunk.
    Chunk(usize),
    ChunkEnd,
    Trailer,
    /// Remaining bytes of a body without chunks.
    Rest(usize),
    Complete,
}

#[derive(Clone, Copy, Debug)]
enum Length {
    Known(usize),
    Chunked,
}

impl HttpResponse {
    /// Prepares for the next response.
    pub fn restart(&mut self) {
        self.part = ResponsePart::Status;
        self.line.clear();
        self.length = None;
        self.body.clear();
    }

    /// Returns the body received so far, without the parts that were removed.
    pub fn body_mut(&mut self) -> &mut Vec<u8> {
        &mut self.body
    }

    /// Consumes the next bytes. Returns true if the response is complete.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<bool, String> {
        while !bytes.is_empty() {
            match self.part {
                ResponsePart::Chunk(left) => {
                    let left = self.take(&mut bytes, left);
                    self.part = match left {
                        0 => ResponsePart::ChunkEnd,
                        left => ResponsePart::Chunk(left),
                    };
                }
                ResponsePart::Rest(left) => {
                    let left = self.take(&mut bytes, left);
                    self.part = match left {
                        0 => ResponsePart::Complete,
                        left => ResponsePart::Rest(left),
                    };
                }
                ResponsePart::Complete => return Err("bytes after the end of an answer".to_owned()),
                _ => self.take_line(&mut bytes)?,
            }
        }
        Ok(self.part == ResponsePart::Complete)
    }

    /// Moves up to `left` bytes to the body. Returns the number of missing bytes.
    fn take(&mut self, bytes: &mut &[u8], left: usize) -> usize {
        let (now, later) = bytes.split_at(left.min(bytes.len()));
        self.body.extend_from_slice(now);
        *bytes = later;
        left - now.len()
    }

    fn take_line(&mut self, bytes: &mut &[u8]) -> Result<(), String> {
        let end = memchr(b'\n', bytes);
        let (now, later) = bytes.split_at(end.map_or(bytes.len(), |end| end + 1));
        if self.line.len() + now.len() > MAX_LINE {
            return Err("a line of an answer is too long".to_owned());
        }
        self.line.extend_from_slice(now);
        *bytes = later;
        if end.is_some() {
            self.part = self.after_line()?;
            self.line.clear();
        }
        Ok(())
    }

    fn after_line(&mut self) -> Result<ResponsePart, String> {
        let line = self.line.trim_ascii_end();
        let wrong = |what: &str| format!("{what}: {}", String::from_utf8_lossy(line));
        match self.part {
            ResponsePart::Status if line.starts_with(b"HTTP/1.1 200") => Ok(ResponsePart::Header),
            ResponsePart::Status => Err(wrong("not a good answer")),
            ResponsePart::Header if line.is_empty() => match self.length {
                Some(Length::Chunked) => Ok(ResponsePart::ChunkSize),
                Some(Length::Known(0)) => Ok(ResponsePart::Complete),
                Some(Length::Known(size)) => Ok(ResponsePart::Rest(size)),
                None => Err("an answer without a length".to_owned()),
            },
            ResponsePart::Header => {
                let header = String::from_utf8_lossy(line).to_ascii_lowercase();
                if let Some(size) = header.strip_prefix("content-length:") {
                    let size = size.trim().parse();
                    self.length = Some(Length::Known(size.map_err(|_| wrong("not a length"))?));
                } else if header.starts_with("transfer-encoding:") && header.ends_with("chunked") {
                    self.length = Some(Length::Chunked);
                }
                Ok(ResponsePart::Header)
            }
            ResponsePart::ChunkSize => {
                let digits = line.split(|byte| *byte == b';').next().unwrap_or_default();
                let digits = std::str::from_utf8(digits).unwrap_or_default().trim();
                match usize::from_str_radix(digits, 16) {
                    Ok(0) => Ok(ResponsePart::Trailer),
                    Ok(size) => Ok(ResponsePart::Chunk(size)),
                    Err(_) => Err(wrong("not a chunk's size")),
                }
            }
            ResponsePart::ChunkEnd if line.is_empty() => Ok(ResponsePart::ChunkSize),
            ResponsePart::ChunkEnd => Err(wrong("a chunk is longer than its size")),
            ResponsePart::Trailer if line.is_empty() => Ok(ResponsePart::Complete),
            part => Ok(part), // a trailer field
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HttpResponse;

    const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
        5\r\ndata:\r\n3;x=y\r\n\r\n1\r\n0\r\nTrailer: no\r\n\r\n";
    const KNOWN: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\ndata:\n\n";

    fn read(pieces: &[&[u8]]) -> Result<(bool, Vec<u8>), String> {
        let mut answer = HttpResponse::default();
        let mut complete = false;
        for piece in pieces {
            complete = answer.push(piece)?;
        }
        Ok((complete, std::mem::take(answer.body_mut())))
    }

    #[test]
    fn any_split_gives_the_same_body() {
        for (bytes, body) in [(CHUNKED, b"data:\r\n1".as_slice()), (KNOWN, b"data:\n\n")] {
            for at in 0..bytes.len() {
                let whole = (true, body.to_vec());
                assert_eq!(read(&[&bytes[..at], &bytes[at..]]), Ok(whole), "split {at}");
                assert_eq!(read(&[&bytes[..at]]).map(|read| read.0), Ok(false));
            }
        }
    }

    #[test]
    fn a_second_response_starts_empty() {
        let mut answer = HttpResponse::default();
        assert_eq!(answer.push(KNOWN), Ok(true));
        answer.restart();
        assert_eq!(answer.push(CHUNKED), Ok(true));
        assert_eq!(answer.body_mut().as_slice(), b"data:\r\n1");
    }

    #[test]
    fn rejects_invalid_responses() {
        for wrong in [
            b"HTTP/1.1 500 no\r\n".as_slice(),
            b"HTTP/1.1 200 OK\r\n\r\n",
            b"HTTP/1.1 200 OK\r\ncontent-length: x\r\n",
            b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n12",
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n12\r\n",
        ] {
            assert!(read(&[wrong]).is_err(), "{}", wrong.escape_ascii());
        }
        assert!(read(&[&vec![b'H'; 20_000]]).is_err());
    }
}
