//! Splits the bytes of an answer into frames: data of server-sent events, or lines of JSON.

use super::provider::AnswerFraming;

/// Limit on the bytes of a frame.
const MAX_FRAME: usize = 16 * 1024 * 1024;

/// Reader of frames from bytes that arrive in pieces of any size.
#[derive(Debug)]
pub(super) struct FrameReader {
    framing: AnswerFraming,
    /// Bytes after the last complete line.
    pending: Vec<u8>,
    /// Number of bytes of `pending` that hold no line end.
    scanned: usize,
    /// Data lines of the event that is not complete yet.
    data: Option<String>,
    /// True if the last line ended with CR, so that a following LF belongs to it.
    after_cr: bool,
}

/// A frame exceeds the limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FrameTooLong;

impl FrameReader {
    pub(super) fn new(framing: AnswerFraming) -> Self {
        Self {
            framing,
            pending: Vec::new(),
            scanned: 0,
            data: None,
            after_cr: false,
        }
    }

    /// Adds bytes and appends the frames that they complete.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        frames: &mut Vec<String>,
    ) -> Result<(), FrameTooLong> {
        self.pending.extend_from_slice(bytes);
        let mut start = 0;
        let mut at = self.scanned;
        while at < self.pending.len() {
            let byte = self.pending[at];
            if std::mem::take(&mut self.after_cr) && byte == b'\n' && at == start {
                start += 1;
            } else if byte == b'\n' || byte == b'\r' {
                let line = String::from_utf8_lossy(&self.pending[start..at]).into_owned();
                self.take_line(&line, frames);
                self.after_cr = byte == b'\r';
                start = at + 1;
            }
            at += 1;
        }
        self.pending.drain(..start);
        self.scanned = self.pending.len();
        if self.pending.len() + self.data.as_ref().map_or(0, String::len) > MAX_FRAME {
            return Err(FrameTooLong);
        }
        Ok(())
    }

    /// Ends the stream: an unfinished frame counts as complete.
    pub(super) fn finish(&mut self, frames: &mut Vec<String>) {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.pending)).into_owned();
        self.take_line(&line, frames);
        frames.extend(self.data.take());
    }

    fn take_line(&mut self, line: &str, frames: &mut Vec<String>) {
        if self.framing == AnswerFraming::JsonLines {
            if !line.trim().is_empty() {
                frames.push(line.to_owned());
            }
            return;
        }
        if line.is_empty() {
            frames.extend(self.data.take());
        } else if let Some(value) = line.strip_prefix("data:") {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(framing: AnswerFraming, text: &str, size: usize) -> Vec<String> {
        let (mut reader, mut frames) = (FrameReader::new(framing), Vec::new());
        for piece in text.as_bytes().chunks(size) {
            reader.push(piece, &mut frames).expect("short");
        }
        reader.finish(&mut frames);
        frames
    }

    #[test]
    fn frames_do_not_depend_on_the_cuts() {
        let sse = "event: a\r\ndata: {\"ä\":1}\r\n\r\n: ping\n\ndata:one\ndata: two\n\ndata: é日本\r\rdata: last";
        let lines = "{\"a\":\"日\"}\n\n{\"b\":2}\r\n{\"c\":3}";
        for size in 1..sse.len() {
            let events = ["{\"ä\":1}", "one\ntwo", "é日本", "last"];
            assert_eq!(read(AnswerFraming::Sse, sse, size), events);
            let values = ["{\"a\":\"日\"}", "{\"b\":2}", "{\"c\":3}"];
            assert_eq!(read(AnswerFraming::JsonLines, lines, size), values);
        }
    }

    #[test]
    fn frames_have_a_limit() {
        let mut reader = FrameReader::new(AnswerFraming::Sse);
        let long = vec![b'x'; MAX_FRAME + 1];
        assert_eq!(reader.push(&long, &mut Vec::new()), Err(FrameTooLong));
    }
}
