//! Generated answers with citations: numbered sentences, and the data block to which they refer.

use std::fmt::Write as _;
use std::path::Path;

use super::rng::Rng;
use super::{joined, save};

/// File name and number of citations of each answer.
const ANSWERS: [(&str, usize); 3] = [("2KB", 10), ("10KB", 50), ("100KB", 500)];

/// Writes every answer.
pub(super) fn write(dir: &Path) -> Result<(), String> {
    for (size, citations) in ANSWERS {
        let answer = answer(&mut Rng::new(size), citations);
        save(dir, &format!("answer-{size}.txt"), &answer)?;
    }
    Ok(())
}

/// Generates an answer with about 210 bytes per citation: a sentence of 60 bytes, and an entry with
/// full field names.
fn answer(rng: &mut Rng, citations: usize) -> String {
    let mut out = String::new();
    let entries: Vec<String> = (1..=citations)
        .map(|id| {
            let phrase = rng.filler(55);
            let anchor = phrase[..12].trim_end();
            let _ = write!(out, "{} [{id}]. ", rng.filler(50).trim_end());
            let (page, line) = (rng.within(1, 40), rng.within(1, 60));
            format!(
                r#"{{"id":{id},"full_phrase":"{}","anchor_text":"{anchor}","page_id":"{page}_0","line_ids":[{line},{}]}}"#,
                phrase.trim_end(),
                line + 1
            )
        })
        .collect();
    let _ = write!(
        out,
        "\n\n<<<CITATION_DATA>>>\n{{\"kq3v9x7m2p5t8w1z4c6n\":[{}]}}\n<<<END_CITATION_DATA>>>",
        joined(entries)
    );
    out
}

#[cfg(test)]
mod tests {
    use super::{Rng, answer};

    #[test]
    fn answers_have_the_sizes_in_their_names() {
        for (citations, bytes) in [(10, 2_100), (50, 10_500), (500, 106_000)] {
            let length = answer(&mut Rng::new("size"), citations).len();
            assert!(length.abs_diff(bytes) < bytes / 20, "{length}");
        }
    }

    #[test]
    fn parses_every_citation() {
        let reading = citations::ParsedAnswer::of(&answer(&mut Rng::new("read"), 50));
        assert_eq!(reading.citations.len(), 50);
        assert_eq!(reading.markers.len(), 50);
        assert!(reading.problems.is_empty());
    }
}
