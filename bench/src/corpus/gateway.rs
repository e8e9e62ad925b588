//! Long document and answers that quote it, for the gateway rows.

use std::fmt::Write as _;
use std::path::Path;

use super::quotes::prose;
use super::rng::Rng;
use super::{Stream, joined, quoted, save};

/// Attachment id of the document.
pub const DOCUMENT: &str = "report";
/// Its file in the corpus.
pub const DOCUMENT_FILE: &str = "report-500.txt";
/// Name of the stream that contains the answers, one run after the other.
pub const CITED: &str = "CITED";
/// Number of answers, each with different quotes.
const ANSWERS: usize = 400;
/// Number of passages that each answer quotes.
pub const CITATIONS: usize = 10;
const PAGES: usize = 500;
const PAGE_BYTES: usize = 2_000;
const DELTAS: usize = 200;

/// Writes the document and the stream.
pub(super) fn write(dir: &Path) -> Result<(), String> {
    let mut rng = Rng::new(CITED);
    let pages: Vec<String> = (0..PAGES).map(|_| page(&mut rng)).collect();
    let run = |_| super::generate_with(&mut rng, |rng, out| answer_run(rng, out, &pages));
    let streams: String = (0..ANSWERS).map(run).map(|stream| stream.text).collect();
    save(dir, DOCUMENT_FILE, &pages.join("\u{c}"))?;
    save(dir, &format!("{CITED}.sse"), &streams)
}

/// Returns a page of prose in lines.
fn page(rng: &mut Rng) -> String {
    let text = prose(rng, PAGE_BYTES).replace('\n', " ");
    let mut out = String::with_capacity(text.len());
    let mut width = 0;
    for word in text.split_whitespace() {
        if width > 70 {
            out.push('\n');
            width = 0;
        }
        width += word.len() + 1;
        let _ = write!(out, "{word} ");
    }
    out
}

/// Writes a message in deltas that quotes passages from all over the document.
fn answer_run(rng: &mut Rng, out: &mut Stream, pages: &[String]) {
    let answer = answer(rng, pages);
    let id = rng.uuid();
    out.event(format_args!(
        r#"{{"type":"TEXT_MESSAGE_START","messageId":"{id}","role":"assistant"}}"#
    ));
    for delta in 0..DELTAS {
        // The text is ASCII.
        let part = answer.len() * delta / DELTAS..answer.len() * (delta + 1) / DELTAS;
        let delta = quoted(&answer[part]);
        out.event(format_args!(
            r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"{id}","delta":{delta}}}"#
        ));
    }
    out.event(format_args!(
        r#"{{"type":"TEXT_MESSAGE_END","messageId":"{id}"}}"#
    ));
}

fn answer(rng: &mut Rng, pages: &[String]) -> String {
    let mut out = String::new();
    let entries: Vec<String> = (1..=CITATIONS)
        .map(|id| {
            let page = rng.within(0, pages.len() - 1);
            let words: Vec<&str> = pages[page].split_whitespace().collect();
            let start = rng.within(0, words.len() - 20);
            let phrase = words[start..start + 15].join(" ");
            let _ = write!(out, "{} [{id}]. ", rng.filler(50).trim_end());
            format!(
                r#"{{"id":{id},"attachment_id":"{DOCUMENT}","full_phrase":{},"page_id":"page_number_{}_index_{page}"}}"#,
                quoted(&phrase),
                page + 1
            )
        })
        .collect();
    let _ = write!(
        out,
        "\n\n<<<CITATION_DATA>>>\n[{}]\n<<<END_CITATION_DATA>>>",
        joined(entries)
    );
    out
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{CITATIONS, Rng, answer, page};

    #[test]
    fn parses_every_quote() {
        let mut rng = Rng::new("read");
        let pages: Vec<String> = (0..20).map(|_| page(&mut rng)).collect();
        let mut all = HashSet::new();
        for _ in 0..5 {
            let answer = answer(&mut rng, &pages);
            assert!(answer.is_ascii());
            let reading = citations::ParsedAnswer::of(&answer);
            assert_eq!(reading.citations.len(), CITATIONS);
            assert!(reading.problems.is_empty());
            all.extend(
                reading
                    .citations
                    .iter()
                    .map(|found| found.found.citation.key()),
            );
        }
        assert_eq!(all.len(), 5 * CITATIONS, "each quotes something else");
    }
}
