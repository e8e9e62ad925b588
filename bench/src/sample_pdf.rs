//! Input of the rows about page images and reports: a PDF of text pages and an answer that quotes it.

use std::fmt::Write as _;

/// Number of lines of a page, and of words of a line.
const LINES: usize = 48;
const WORDS: usize = 12;

const VOCABULARY: [&str; 24] = [
    "harbour",
    "tide",
    "granite",
    "merchants",
    "winter",
    "captain",
    "measured",
    "northern",
    "quay",
    "storm",
    "between",
    "because",
    "timber",
    "rebuilt",
    "market",
    "opened",
    "several",
    "ships",
    "walls",
    "council",
    "decided",
    "against",
    "water",
    "and",
];

/// Returns the lines of pages; reproducible, and each line is unique.
pub fn pages(count: usize) -> Vec<Vec<String>> {
    let mut seed = 7_u64;
    let mut next = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    (0..count)
        .map(|_| {
            let line = |_| {
                let words: Vec<&str> = (0..WORDS)
                    .map(|_| VOCABULARY[next() % VOCABULARY.len()])
                    .collect();
                words.join(" ")
            };
            (0..LINES).map(line).collect()
        })
        .collect()
}

/// Returns the pages as a PDF in a standard font.
pub fn pdf(pages: &[Vec<String>]) -> Vec<u8> {
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        String::new(),
        "<</Type/Font/Subtype/Type1/BaseFont/RunTimes-Roman/Encoding/WinAnsiEncoding>>".to_owned(),
    ];
    let mut kids = String::new();
    for lines in pages {
        let mut content = "BT /F 10.5 Tf 14 TL 60 770 Td\n".to_owned();
        for line in lines {
            // Writing to a string does not fail.
            let _ = writeln!(content, "({line}) Tj T*");
        }
        content.push_str("ET");
        objects.push(format!(
            "<</Length {}>>stream\n{content}\nendstream",
            content.len()
        ));
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>/Contents {} 0 R>>",
            objects.len()
        ));
        let _ = write!(kids, "{} 0 R ", objects.len());
    }
    objects[1] = format!("<</Type/Pages/Count {}/Kids[{kids}]>>", pages.len());
    let mut file = "%PDF-1.7\n".to_owned();
    let mut places = Vec::new();
    for (number, object) in (1..).zip(&objects) {
        places.push(file.len());
        let _ = writeln!(file, "{number} 0 obj {object} endobj");
    }
    let start = file.len();
    let _ = write!(file, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for place in places {
        let _ = writeln!(file, "{place:010} 00000 n ");
    }
    let _ = write!(
        file,
        "trailer <</Size {}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n",
        objects.len() + 1
    );
    file.into_bytes()
}

/// Returns an answer with citations spread over the pages; each names its page.
pub fn answer(pages: &[Vec<String>], citations: usize) -> String {
    let mut text = String::new();
    let mut entries = Vec::new();
    for at in 0..citations {
        let page = at * pages.len() / citations.max(1);
        let line = &pages[page][(at * 7) % LINES];
        let number = at + 1;
        let _ = write!(text, "Claim {number} rests on a source [{number}].\n\n");
        entries.push(format!(
            "{{\"id\":{number},\"full_phrase\":\"{line}\",\"page_id\":\"{}_1\"}}",
            page + 1
        ));
    }
    format!(
        "{text}<<<CITATION_DATA>>>\n{{\"d\":[{}]}}\n<<<END_CITATION_DATA>>>\n",
        entries.join(",")
    )
}
