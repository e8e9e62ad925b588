//! Builder of small PDF files.

use std::fmt::Write as _;

/// Builder of a PDF file.
#[derive(Debug, Clone)]
pub struct PdfBuilder {
    /// Objects from number 1; the first is the catalog, the second the page tree.
    objects: Vec<Vec<u8>>,
    pages: Vec<usize>,
    catalog: String,
    info: String,
}

/// Fonts of every page: F1 Helvetica, F2 Helvetica bold, U any script, V any script from top to bottom,
/// N glyphs without a mapping to Unicode.
const FONTS: &str = "/Font<</F1 3 0 R/F2 4 0 R/U 5 0 R/V 6 0 R/N 7 0 R>>";

impl Default for PdfBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl PdfBuilder {
    /// Returns a builder of a file without pages.
    pub fn new() -> Self {
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
        let mut pdf = Self {
            objects: vec![Vec::new(), Vec::new()],
            pages: Vec::new(),
            catalog: String::new(),
            info: String::new(),
        };
        pdf.object(simple("Helvetica"));
        pdf.object(simple("Helvetica-Bold"));
        pdf.object(composite("Identity-H", "/ToUnicode 8 0 R"));
        pdf.object(composite("Identity-V", "/ToUnicode 8 0 R"));
        pdf.object(composite("Identity-H", ""));
        pdf.stream("", map.as_bytes());
        pdf
    }

    /// Adds an object. Returns its number.
    pub fn object(&mut self, object: impl Into<Vec<u8>>) -> usize {
        self.objects.push(object.into());
        self.objects.len()
    }

    /// Adds a stream. Returns its number.
    pub fn stream(&mut self, dictionary: &str, data: &[u8]) -> usize {
        let mut object = format!("<<{dictionary}/Length {}>>\nstream\n", data.len()).into_bytes();
        object.extend(data);
        object.extend(b"\nendstream");
        self.object(object)
    }

    /// Adds a page of 612 by 792 points. Returns its number.
    pub fn page(&mut self, content: &str) -> usize {
        self.page_as("/MediaBox[0 0 612 792]", "", content)
    }

    /// Adds a page with these keys and resources. Returns its number.
    pub fn page_as(&mut self, keys: &str, resources: &str, content: &str) -> usize {
        let content = self.stream("", content.as_bytes());
        let page = format!(
            "<</Type/Page/Parent 2 0 R{keys}/Resources<<{FONTS}{resources}>>/Contents {content} 0 R>>"
        );
        let page = self.object(page);
        self.pages.push(page);
        page
    }

    /// Adds keys to the catalog.
    pub fn catalog(&mut self, keys: &str) {
        self.catalog.push_str(keys);
    }

    /// Adds keys to the information dictionary.
    pub fn info(&mut self, keys: &str) {
        self.info.push_str(keys);
    }

    /// Returns the bytes of the file.
    pub fn file(&self) -> Vec<u8> {
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

/// Returns the operators that draw text. The position is from the bottom left of the page.
pub fn text(x: f32, y: f32, size: f32, text: &str) -> String {
    in_font("F1", x, y, size, &literal(text))
}

/// Returns the operators that draw bold text.
pub fn bold(x: f32, y: f32, size: f32, text: &str) -> String {
    in_font("F2", x, y, size, &literal(text))
}

/// Returns the operators that draw text of any script in the font U or V.
pub fn any(font: &str, x: f32, y: f32, size: f32, text: &str) -> String {
    in_font(font, x, y, size, &units(text))
}

/// Returns a string of UTF-16 code units, for the fonts U and V.
pub fn units(text: &str) -> String {
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

/// Returns the operators that draw lines below each other, 12 points apart, in a font size of 10 points.
pub fn lines(x: f32, top: f32, texts: &[&str]) -> String {
    let mut content = String::new();
    for (at, line) in texts.iter().enumerate() {
        content += &text(x, top - 12.0 * at as f32, 10.0, line);
    }
    content
}
