//! Generated PDFs with pages of invented prose.

use std::fmt::Write as _;

use pincite_bench::corpus::rng::Rng;

/// Number of lines of a page, and of words of a line.
const LINES: usize = 42;
const WORDS: usize = 11;
const VOCABULARY: [&str; 16] = [
    "harbour", "the", "of", "report", "tonnes", "quay", "and", "a", "year", "ships", "to",
    "measured", "pilot", "depth", "in", "channel",
];

/// Returns a PDF with this many pages of running text.
pub(crate) fn pdf(pages: usize) -> Vec<u8> {
    let mut rng = Rng::new("made pdf");
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        String::new(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let mut kids = String::new();
    for page in 0..pages {
        let mut content = String::from("BT /F1 10 Tf 14 TL 60 780 Td\n");
        for _ in 0..LINES {
            let words: Vec<&str> = (0..WORDS).map(|_| rng.pick(&VOCABULARY)).collect();
            let _ = writeln!(content, "({}) Tj T*", words.join(" "));
        }
        let _ = writeln!(content, "T* ({}) Tj ET", page + 1);
        let number = objects.len() + 1;
        let _ = write!(kids, "{number} 0 R ");
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] \
             /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
            number + 1
        ));
        objects.push(format!(
            "<< /Length {} >>\nstream\n{content}\nendstream",
            content.len()
        ));
    }
    objects[1] = format!("<< /Type /Pages /Kids [{kids}] /Count {pages} >>");
    let mut out = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (number, object) in (1..).zip(&objects) {
        places.push(out.len());
        let _ = write!(out, "{number} 0 obj\n{object}\nendobj\n");
    }
    let table = out.len();
    let _ = write!(out, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for place in places {
        let _ = writeln!(out, "{place:010} 00000 n ");
    }
    let _ = write!(
        out,
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n",
        objects.len() + 1
    );
    out.into_bytes()
}

#[cfg(test)]
mod tests {
    use documents::{Document, ReadLimits};

    #[test]
    fn reads_a_generated_file() {
        let document = Document::read(&super::pdf(3), "made.pdf", &ReadLimits::default());
        let document = document.expect("it is well formed");
        assert_eq!(document.pages().len(), 3);
        assert_eq!(
            document.words().len(),
            3 * (super::LINES * super::WORDS + 1)
        );
    }
}
