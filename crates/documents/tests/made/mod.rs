//! Makes small PDFs.

#![allow(
    dead_code,
    reason = "each test binary uses a part of it, and none all of it"
)]

use std::fmt::Write as _;

/// A PDF in the making.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    /// Objects from number 1; the first is the catalog, the second the tree of pages.
    objects: Vec<Vec<u8>>,
    pages: Vec<usize>,
    catalog: String,
    info: String,
}

/// The fonts of every page: F1 Helvetica, F2 Helvetica bold, U letters of any script, V the same from top
/// to bottom, N letters that the file does not name.
const FONTS: &str = "/Font<</F1 3 0 R/F2 4 0 R/U 5 0 R/V 6 0 R/N 7 0 R>>";

impl Made {
    pub(crate) fn new() -> Self {
        let composite = |encoding: &str, map: &str| {
            format!(
                "<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/{encoding}{map}/DescendantFonts[<</Type/Font\
                 /Subtype/CIDFontType2/BaseFont/Any/DW 500/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)\
                 /Supplement 0>>>>]>>"
            )
        };
        let simple = |name: &str| {
            format!("<</Type/Font/Subtype/Type1/BaseFont/{name}/Encoding/WinAnsiEncoding>>")
        };
        let map = "begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange \
                   1 beginbfrange <0000> <ffff> <0000> endbfrange endcmap";
        let mut made = Self {
            objects: vec![Vec::new(), Vec::new()],
            pages: Vec::new(),
            catalog: String::new(),
            info: String::new(),
        };
        made.object(simple("Helvetica"));
        made.object(simple("Helvetica-Bold"));
        made.object(composite("Identity-H", "/ToUnicode 8 0 R"));
        made.object(composite("Identity-V", "/ToUnicode 8 0 R"));
        made.object(composite("Identity-H", ""));
        made.stream("", map.as_bytes());
        made
    }

    /// Adds an object; its number.
    pub(crate) fn object(&mut self, object: impl Into<Vec<u8>>) -> usize {
        self.objects.push(object.into());
        self.objects.len()
    }

    /// Adds a stream; its number.
    pub(crate) fn stream(&mut self, dictionary: &str, data: &[u8]) -> usize {
        let mut object = format!("<<{dictionary}/Length {}>>\nstream\n", data.len()).into_bytes();
        object.extend(data);
        object.extend(b"\nendstream");
        self.object(object)
    }

    /// Adds a page of 612 by 792 points; its number.
    pub(crate) fn page(&mut self, content: &str) -> usize {
        self.page_as("/MediaBox[0 0 612 792]", "", content)
    }

    /// Adds a page; its number.
    pub(crate) fn page_as(&mut self, keys: &str, resources: &str, content: &str) -> usize {
        let content = self.stream("", content.as_bytes());
        let page = format!(
            "<</Type/Page/Parent 2 0 R{keys}/Resources<<{FONTS}{resources}>>/Contents {content} 0 R>>"
        );
        let page = self.object(page);
        self.pages.push(page);
        page
    }

    /// Adds keys to the catalog.
    pub(crate) fn catalog(&mut self, keys: &str) {
        self.catalog.push_str(keys);
    }

    /// Says what the file is.
    pub(crate) fn info(&mut self, keys: &str) {
        self.info.push_str(keys);
    }

    /// The file.
    pub(crate) fn file(&self) -> Vec<u8> {
        let mut objects = self.objects.clone();
        objects[0] = format!("<</Type/Catalog/Pages 2 0 R{}>>", self.catalog).into_bytes();
        let kids: String = self
            .pages
            .iter()
            .map(|page| format!("{page} 0 R "))
            .collect();
        let count = self.pages.len();
        objects[1] = format!("<</Type/Pages/Count {count}/Kids[{kids}]>>").into_bytes();
        objects.push(format!("<<{}>>", self.info).into_bytes());
        let mut file = b"%PDF-1.7\n".to_vec();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
        for (at, object) in objects.iter().enumerate() {
            let _ = writeln!(table, "{:010} 00000 n ", file.len());
            file.extend(format!("{} 0 obj\n", at + 1).bytes());
            file.extend(object);
            file.extend(b"\nendobj\n");
        }
        let start = file.len();
        file.extend(table.bytes());
        let trailer = format!(
            "trailer\n<</Size {}/Root 1 0 R/Info {} 0 R>>\nstartxref\n{start}\n%%EOF\n",
            objects.len() + 1,
            objects.len()
        );
        file.extend(trailer.bytes());
        file
    }
}

/// Text at a place, from the bottom left of the page.
pub(crate) fn text(x: f32, y: f32, size: f32, text: &str) -> String {
    in_font("F1", x, y, size, &literal(text))
}

/// Bold text.
pub(crate) fn bold(x: f32, y: f32, size: f32, text: &str) -> String {
    in_font("F2", x, y, size, &literal(text))
}

/// Text of any script.
pub(crate) fn any(font: &str, x: f32, y: f32, size: f32, text: &str) -> String {
    in_font(font, x, y, size, &units(text))
}

/// A string of any script.
pub(crate) fn units(text: &str) -> String {
    let digits: String = text
        .encode_utf16()
        .map(|unit| format!("{unit:04x}"))
        .collect();
    format!("<{digits}>")
}

fn literal(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('(', "\\(")
        .replace(')', "\\)");
    format!("({escaped})")
}

fn in_font(font: &str, x: f32, y: f32, size: f32, string: &str) -> String {
    format!("BT /{font} {size} Tf {x} {y} Td {string} Tj ET\n")
}

/// Lines below each other, 12 points apart, in letters of 10 points.
pub(crate) fn lines(x: f32, top: f32, texts: &[&str]) -> String {
    let mut content = String::new();
    for (at, line) in texts.iter().enumerate() {
        content += &text(x, top - 12.0 * at as f32, 10.0, line);
    }
    content
}
