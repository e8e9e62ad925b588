//! Values of form fields without an appearance. Viewers draw these values themselves.

use hayro_syntax::object::{Array, Dict, Name, Object, String as PdfString};
use hayro_syntax::page::Resources;

use super::super::text_strings::text_string;

/// Flag of fields with several lines.
const MULTILINE: u32 = 1 << 12;
/// Flag of fields whose value is not shown.
const PASSWORD: u32 = 1 << 13;

/// Limit on the ancestors of a field.
const MAX_ANCESTORS: usize = 16;
/// Limit on the characters of a value that are read.
const MAX_VALUE: usize = 100_000;
/// Largest font size that is chosen for a field that names none, in points.
const MAX_SIZE: f64 = 12.0;
/// Distance between the edge of a field and its text, in points.
const PADDING: f64 = 2.0;

/// Form of a document: its default fonts and text styles.
#[derive(Default)]
pub(in crate::pdf) struct FormDefaults<'a> {
    form: Option<Dict<'a>>,
}

impl<'a> FormDefaults<'a> {
    /// Reads the form of a document, given its catalog.
    pub(in crate::pdf) fn of_catalog(catalog: &Dict<'a>) -> Self {
        Self {
            form: catalog.get::<Dict<'a>>("AcroForm"),
        }
    }

    /// Returns the default fonts.
    pub(super) fn resources(&self) -> Option<Resources<'a>> {
        let resources = self.form.as_ref()?.get::<Dict<'a>>("DR")?;
        Some(Resources::new(resources))
    }

    /// Returns the operators that draw the value of a field on its page. Returns `None` if a viewer shows none.
    pub(super) fn value_operators(&self, annotation: &Dict<'a>) -> Option<Vec<u8>> {
        let is_widget = annotation
            .get::<Name<'a>>("Subtype")
            .is_some_and(|subtype| &*subtype == b"Widget");
        let kind = inherited::<Name<'a>>(annotation, "FT").filter(|_| is_widget)?;
        let flags = inherited::<u32>(annotation, "Ff").unwrap_or(0);
        let is_shown = match &*kind {
            b"Tx" => flags & PASSWORD == 0,
            b"Ch" => true,
            _ => false,
        };
        let value = inherited::<Object<'a>>(annotation, "V").filter(|_| is_shown)?;
        let is_multiline = flags & MULTILINE != 0 && &*kind == b"Tx";
        let lines = value_lines(&value, is_multiline)?;
        let rect = annotation.get::<hayro_syntax::object::Rect>("Rect")?;
        let own = inherited::<PdfString<'a>>(annotation, "DA");
        let default = || self.form.as_ref()?.get::<PdfString<'a>>("DA");
        let style = TextStyle::parse(own.or_else(default).as_ref().map(PdfString::as_bytes));
        let size = match style.size {
            size if size > 0.0 => size,
            _ => (rect.height() - 2.0 * PADDING).clamp(4.0, MAX_SIZE),
        };
        let lines = match is_multiline {
            true => wrap(&lines, rect.width() - 2.0 * PADDING, size),
            false => lines,
        };
        let top = match is_multiline {
            true => rect.y1 - PADDING - size,
            false => rect.y0 + (rect.height() - size) / 2.0 + 0.22 * size,
        };
        let mut operators = b"q BT ".to_vec();
        operators.extend_from_slice(b"/");
        operators.extend_from_slice(&style.font);
        let start = format!(
            " {size} Tf {} TL {} {top} Td ",
            size * 1.15,
            rect.x0 + PADDING
        );
        operators.extend_from_slice(start.as_bytes());
        for line in lines {
            write_line(&line, &mut operators);
        }
        operators.extend_from_slice(b"ET Q");
        Some(operators)
    }
}

/// Font and size of a default appearance such as `/Helv 10 Tf 0 g`.
struct TextStyle {
    font: Vec<u8>,
    /// Size in points; 0 means that the viewer chooses one.
    size: f64,
}

impl TextStyle {
    fn parse(appearance: Option<&[u8]>) -> Self {
        let text = String::from_utf8_lossy(appearance.unwrap_or_default());
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let at = words.iter().position(|word| *word == "Tf");
        let word = |back: usize| at.and_then(|at| words.get(at.checked_sub(back)?).copied());
        let size = word(1).and_then(|size| size.parse::<f64>().ok());
        let font = word(2).and_then(|font| font.strip_prefix('/'));
        let is_plain = |font: &&str| font.bytes().all(|byte| byte.is_ascii_graphic());
        Self {
            font: font.filter(is_plain).unwrap_or("Helv").as_bytes().to_vec(),
            size: size
                .filter(|size| size.is_finite() && *size < 1000.0)
                .unwrap_or(0.0),
        }
    }
}

/// Returns an entry of a field, or of the nearest ancestor that has it.
fn inherited<'a, T: TryFrom<Object<'a>>>(field: &Dict<'a>, key: &str) -> Option<T> {
    let mut field = field.clone();
    for _ in 0..MAX_ANCESTORS {
        if let Some(value) = field.get::<Object<'a>>(key) {
            return T::try_from(value).ok();
        }
        field = field.get::<Dict<'a>>("Parent")?;
    }
    None
}

/// Returns the lines of a value: a text, or the chosen entries of a list.
fn value_lines(value: &Object<'_>, is_multiline: bool) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    match value {
        Object::String(text) => {
            let bytes = text.as_bytes();
            let bytes = &bytes[..bytes.len().min(MAX_VALUE)];
            match is_multiline && !bytes.starts_with(&[0xfe, 0xff]) {
                true => {
                    let parts = bytes.split(|byte| matches!(byte, b'\r' | b'\n'));
                    lines.extend(parts.map(text_string));
                }
                false => lines.push(text_string(bytes)),
            }
        }
        Object::Array(entries) => {
            let entries = Array::iter::<PdfString<'_>>(entries);
            lines.extend(entries.take(100).map(|entry| text_string(entry.as_bytes())));
        }
        _ => return None,
    }
    lines.retain(|line| !line.trim().is_empty());
    (!lines.is_empty()).then_some(lines)
}

/// Divides lines between words, so that they fit into a width in points. The width of letters is an estimate.
fn wrap(lines: &[String], width: f64, size: f64) -> Vec<String> {
    let mut wrapped: Vec<String> = Vec::new();
    for line in lines {
        let mut current = String::new();
        for word in line.split_whitespace() {
            let length = (current.chars().count() + 1 + word.chars().count()) as f64;
            if !current.is_empty() && length * size * 0.5 > width {
                wrapped.push(std::mem::take(&mut current));
            }
            if !current.is_empty() {
                current.push(' ');
            }
            current.push_str(word);
        }
        wrapped.push(current);
    }
    wrapped
}

/// Writes the operators that show a line. Fonts differ in the codes of letters that are not ASCII, so those lines name
/// their text as well.
fn write_line(line: &str, operators: &mut Vec<u8>) {
    let mut write = |text: &str| operators.extend_from_slice(text.as_bytes());
    let is_plain = line.is_ascii();
    if !is_plain {
        write("/Span<</ActualText<FEFF");
        for unit in line.encode_utf16() {
            write(&format!("{unit:04X}"));
        }
        write(">>>BDC ");
    }
    write("<");
    for char in line.chars() {
        let code = u8::try_from(u32::from(char)).unwrap_or(b'?');
        write(&format!("{code:02x}"));
    }
    write("> Tj ");
    if !is_plain {
        write("EMC ");
    }
    write("T* ");
}
