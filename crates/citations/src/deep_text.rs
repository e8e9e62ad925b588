//! Deep text: documents in the form that models read, with page and line numbers to cite.

use std::fmt::Write as _;

use documents::{Document, Line};

/// Distance of the lines that show their number. The first and the last line of a page show it, too.
const EVERY: usize = 5;

/// Returns documents under their attachment ids, sorted by id. Documents without text are left out.
pub fn deep_text<'d>(attachments: impl IntoIterator<Item = (&'d str, &'d Document)>) -> String {
    let mut attachments: Vec<(&str, &Document)> = attachments.into_iter().collect();
    attachments.sort_by_key(|(id, _)| *id);
    let texts: Vec<String> = attachments
        .into_iter()
        .map(|(id, document)| (id, deep_text_pages(document)))
        .filter(|(_, pages)| !pages.is_empty())
        .map(|(id, pages)| {
            let id = escaped(id).replace('"', "&quot;");
            format!(
                "<attachment id=\"{id}\">{}</attachment>",
                pages.join("\n\n")
            )
        })
        .collect();
    texts.join("\n\n")
}

/// Returns the pages of a document, each in its tag. Empty pages are left out.
pub fn deep_text_pages(document: &Document) -> Vec<String> {
    deep_text_excerpt(document, |_| true)
}

/// Returns the pages of the deep text with the chosen lines only. `[…]` marks lines that were left out in between.
pub fn deep_text_excerpt(document: &Document, is_chosen: impl Fn(&Line) -> bool) -> Vec<String> {
    let texts = chosen_texts(document, is_chosen);
    let texts = texts.into_iter().zip(document.pages());
    let tagged = texts
        .filter(|(text, _)| !text.is_empty())
        .map(|(text, page)| {
            let (number, index) = (page.number, page.number.saturating_sub(1));
            let tag = format!("page_number_{number}_index_{index}");
            format!("<{tag}>\n{text}\n</{tag}>")
        });
    tagged.collect()
}

/// Returns the text of every page with line numbers but without a page tag. The text of an empty page is empty.
pub fn page_texts(document: &Document) -> Vec<String> {
    chosen_texts(document, |_| true)
}

fn chosen_texts(document: &Document, is_chosen: impl Fn(&Line) -> bool) -> Vec<String> {
    let texts = document.pages().iter().map(|page| {
        let lines = page.lines.start as usize..page.lines.end as usize;
        let lines = document.lines().get(lines).unwrap_or_default();
        let present = lines.iter().filter(|line| !line.text.trim().is_empty());
        // Positions among the lines that are not blank show where lines were left out.
        let lines: Vec<(usize, &Line)> = present
            .enumerate()
            .filter(|(_, line)| is_chosen(line))
            .collect();
        let mut text = String::new();
        for (at, (position, line)) in lines.iter().enumerate() {
            // Numbers that were left out, of blank lines, may be multiples.
            let group = |at: usize| lines.get(at).map(|(_, line)| line.number as usize / EVERY);
            let previous = at.checked_sub(1).and_then(|at| lines.get(at));
            let is_gap = previous.is_some_and(|(previous, _)| previous + 1 != *position);
            let numbered = at == 0
                || is_gap
                || at + 1 == lines.len()
                || group(at) != group(at.saturating_sub(1));
            let words = line.text.trim();
            if at > 0 {
                text.push_str(if is_gap { "\n[…]\n" } else { "\n" });
            }
            // Writing to a string cannot fail.
            let _ = if numbered {
                let words = escaped(words);
                write!(text, "<line id=\"{}\">{words}</line>", line.number)
            } else {
                write!(text, "{words}")
            };
        }
        text
    });
    texts.collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use documents::ReadLimits;

    use super::*;

    fn document(text: &str) -> Document {
        Document::read(text.as_bytes(), "a.txt", &ReadLimits::default()).expect("plain text")
    }

    #[test]
    fn excerpts_mark_lines_that_were_left_out() {
        let document = document("one\ntwo\n\nthree\nfour\nfive\nsix\n");
        let excerpt = deep_text_excerpt(&document, |line| [2, 4, 7].contains(&line.number));
        let tag = "page_number_1_index_0";
        let expected = format!(
            "<{tag}>\n<line id=\"2\">two</line>\nthree\n[…]\n<line id=\"7\">six</line>\n</{tag}>"
        );
        assert_eq!(excerpt, [expected]);
    }

    #[test]
    fn lines_are_numbered_per_page() {
        let log = document(
            "Harbour log\n\n Wind <north> & west\nSea calm\nTwo boats out\nTide 12:04\nNo one hurt\nThe end\u{c}Second\n\u{c}\n\u{c}Fourth & last",
        );
        assert_eq!(
            deep_text([("Kq3", &log)]),
            "<attachment id=\"Kq3\"><page_number_1_index_0>\n\
             <line id=\"1\">Harbour log</line>\n\
             Wind <north> & west\n\
             Sea calm\n\
             <line id=\"5\">Two boats out</line>\n\
             Tide 12:04\n\
             No one hurt\n\
             <line id=\"8\">The end</line>\n\
             </page_number_1_index_0>\n\n\
             <page_number_2_index_1>\n\
             <line id=\"1\">Second</line>\n\
             </page_number_2_index_1>\n\n\
             <page_number_4_index_3>\n\
             <line id=\"1\">Fourth &amp; last</line>\n\
             </page_number_4_index_3></attachment>"
        );
    }

    #[test]
    fn blank_pages_have_an_empty_text() {
        let log = document("One\n two & more \nthree\u{c}\u{c} \n\u{c}Four");
        assert_eq!(
            page_texts(&log),
            [
                "<line id=\"1\">One</line>\ntwo & more\n<line id=\"3\">three</line>",
                "",
                "",
                "<line id=\"1\">Four</line>"
            ]
        );
    }

    #[test]
    fn attachments_are_sorted_and_empty_ones_left_out() {
        let (one, none) = (document("one"), document(" \n "));
        let text = deep_text([("b", &one), ("c", &none), ("a", &one)]);
        let ids: Vec<&str> = text
            .split("<attachment id=\"")
            .skip(1)
            .filter_map(|part| part.split('"').next())
            .collect();
        assert_eq!(ids, ["a", "b"]);
    }
}
