//! Pages, lines and words as bytes, and back.

use passage::bytes::{ByteReader, write_number, write_text};

use super::{LINE_ROLES, line_role_number, read_entry, read_flag, read_option, write_option};
use crate::document::{Line, Page};
use crate::geometry::{PageSize, Word};

pub(super) fn write_page(out: &mut Vec<u8>, page: &Page) {
    let Page {
        number: _,
        label,
        size,
        lines,
    } = page;
    write_number(out, lines.len() as u64);
    write_option(out, label.as_deref());
    match size {
        Some(PageSize { width, height }) => {
            out.push(1);
            write_floats(out, &[*width, *height]);
        }
        None => out.push(0),
    }
}

/// A page; its lines, which follow those of the page before, are told which page they stand on.
pub(super) fn read_page(
    reader: &mut ByteReader<'_>,
    number: u32,
    at: u32,
    lines: &mut [Line],
) -> Option<Page> {
    let end = at.checked_add(reader.small()?)?;
    let on_page = lines.get_mut(at as usize..end as usize)?;
    for (nth, line) in (1..).zip(on_page) {
        (line.page, line.number) = (number, nth);
    }
    let label = read_option(reader)?;
    let size = if read_flag(reader)? {
        let [width, height] = read_floats(reader)?;
        Some(PageSize { width, height })
    } else {
        None
    };
    Some(Page {
        number,
        label,
        size,
        lines: at..end,
    })
}

fn write_floats(out: &mut Vec<u8>, floats: &[f32]) {
    for float in floats {
        out.extend_from_slice(&float.to_le_bytes());
    }
}

#[inline]
fn read_floats<const N: usize>(reader: &mut ByteReader<'_>) -> Option<[f32; N]> {
    let bytes = reader.take(4 * N)?;
    let mut floats = [0.0; N];
    for (float, bytes) in floats.iter_mut().zip(bytes.chunks_exact(4)) {
        *float = f32::from_le_bytes(bytes.try_into().ok()?);
    }
    Some(floats)
}

/// A line; `sheet` is that of the last word before it.
pub(super) fn write_line(out: &mut Vec<u8>, line: &Line, words: &[Word], sheet: &mut u32) {
    let Line {
        page: _,
        number: _,
        text,
        role,
        words: _,
    } = line;
    out.push(line_role_number(*role));
    write_text(out, text);
    write_number(out, words.len() as u64);
    let mut last = PreviousWord::on(*sheet);
    for word in words {
        write_word(out, word, &mut last);
    }
    *sheet = last.sheet;
}

/// What the word before says of the next one.
struct PreviousWord {
    sheet: u32,
    /// Where its range ends.
    end: u32,
    /// Its vertical place, as bits.
    vertical: [u32; 2],
}

impl PreviousWord {
    fn on(sheet: u32) -> Self {
        Self {
            sheet,
            end: 0,
            vertical: [0; 2],
        }
    }
}

/// Words mostly follow each other after a space, at the same height: that takes ten bytes.
fn write_word(out: &mut Vec<u8>, word: &Word, last: &mut PreviousWord) {
    let Word {
        range,
        rendered_page: sheet,
        x,
        y,
        width,
        height,
    } = word;
    let vertical = [y.to_bits(), height.to_bits()];
    let same_sheet = *sheet == last.sheet;
    let same = vertical == last.vertical;
    let gap = range.start.wrapping_sub(last.end) as i32;
    let gap = (gap << 1 ^ gap >> 31) as u32;
    let same_bits = u64::from(same_sheet) << 1 | u64::from(same);
    write_number(out, u64::from(gap) << 2 | same_bits);
    if !same_sheet {
        write_number(out, u64::from(*sheet));
    }
    write_number(out, u64::from(range.end.wrapping_sub(range.start)));
    write_floats(out, &[*x, *width]);
    if !same {
        write_floats(out, &[*y, *height]);
    }
    *last = PreviousWord {
        sheet: *sheet,
        end: range.end,
        vertical,
    };
}

#[inline]
fn read_word(reader: &mut ByteReader<'_>, last: &mut PreviousWord) -> Option<Word> {
    let first = reader.number()?;
    let gap = u32::try_from(first >> 2).ok()?;
    if first & 2 == 0 {
        last.sheet = reader.small()?;
    }
    let gap = gap >> 1 ^ (gap & 1).wrapping_neg();
    let start = last.end.wrapping_add(gap);
    let end = start.wrapping_add(reader.small()?);
    let [x, width] = read_floats(reader)?;
    if first & 1 == 0 {
        let vertical: [f32; 2] = read_floats(reader)?;
        last.vertical = vertical.map(f32::to_bits);
    }
    last.end = end;
    let [y, height] = last.vertical.map(f32::from_bits);
    Some(Word {
        range: start..end,
        rendered_page: last.sheet,
        x,
        y,
        width,
        height,
    })
}

/// A line whose place on a page is said later; the sheet is that of the last word before it.
pub(super) fn read_line(
    reader: &mut ByteReader<'_>,
    words: &mut Vec<Word>,
    sheet: &mut u32,
) -> Option<Line> {
    let role = read_entry(reader, LINE_ROLES)?;
    let text = reader.text()?.to_owned();
    let start = u32::try_from(words.len()).ok()?;
    let mut last = PreviousWord::on(*sheet);
    for _ in 0..reader.count()? {
        words.push(read_word(reader, &mut last)?);
    }
    *sheet = last.sheet;
    Some(Line {
        page: 0,
        number: 0,
        text,
        role,
        words: start..u32::try_from(words.len()).ok()?,
    })
}
