//! PDF files for tests.

#![allow(
    dead_code,
    reason = "each test binary uses a part of it, and none all of it"
)]

const HELVETICA: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

/// Builds a PDF with pages of a size and content; a page may have an image.
pub(crate) fn pdf(size: (u32, u32), pages: &[&str], image: Option<(u32, u32)>) -> Vec<u8> {
    pdf_with_font(size, pages, image, HELVETICA)
}

/// Builds a PDF with a given font.
pub(crate) fn pdf_with_font(
    size: (u32, u32),
    pages: &[&str],
    image: Option<(u32, u32)>,
    font: &str,
) -> Vec<u8> {
    let (width, height) = size;
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        String::new(),
        font.to_owned(),
    ];
    let (columns, rows) = image.unwrap_or((1, 1));
    let data = "0".repeat((columns * rows).min(64) as usize);
    objects.push(format!(
        "<< /Type /XObject /Subtype /Image /Width {columns} /Height {rows} /ColorSpace /DeviceGray \
         /BitsPerComponent 8 /Length {} >>\nstream\n{data}\nendstream",
        data.len()
    ));
    let mut kids = String::new();
    for content in pages {
        let at = objects.len() + 1;
        kids += &format!("{at} 0 R ");
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents {} 0 R \
             /Resources << /Font << /F 3 0 R >> /XObject << /I 4 0 R >> >> >>",
            at + 1
        ));
        let length = content.len();
        objects.push(format!(
            "<< /Length {length} >>\nstream\n{content}\nendstream"
        ));
    }
    objects[1] = format!("<< /Type /Pages /Count {} /Kids [{kids}] >>", pages.len());
    let mut file = "%PDF-1.7\n".to_owned();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", at + 1);
    }
    let start = file.len();
    file += &format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for place in places {
        file += &format!("{place:010} 00000 n \n");
    }
    file += &format!(
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n",
        objects.len() + 1
    );
    file.into_bytes()
}
