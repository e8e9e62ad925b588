//! Citations in footnotes and block quotes.

use crate::citation::Citation;
use crate::page_id::number_of;
use crate::quotations::read_reference;

/// Longest footnote or block quote that is read, in bytes.
pub(crate) const LONGEST_NOTE: usize = 64 * 1024;

/// Reads a footnote such as `"quote" source, p. N`. Returns `None` if it has no quote.
pub(crate) fn footnote(label: &str, text: &str) -> Option<Citation> {
    let text = text.trim();
    let open = text.chars().next()?;
    let close = closing(open)?;
    let inside = &text[open.len_utf8()..];
    // The last closing quotation mark ends the quote, because the words may have quotation marks themselves.
    let end = inside.rfind(close)?;
    let (quote, rest) = (&inside[..end], &inside[end + close.len_utf8()..]);
    let rest = rest.trim_start_matches([',', ';', '.', ':', '—', '–', '-', ' ', '(']);
    let rest = rest.trim_end().trim_end_matches(['.', ')']);
    let (source, page) = source(rest);
    let citation_number = label
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| number_of(label));
    Some(Citation {
        citation_number,
        ..quotation(quote, &source, page.as_deref())?
    })
}

/// Reads a block quote whose last line ends in `(source, p. N)`.
pub(crate) fn quote(block: &str) -> Option<Citation> {
    let block = block.trim();
    let inside = block
        .strip_suffix(')')
        .or_else(|| block.strip_suffix(").")?.into())?;
    let open = matching(inside)?;
    let last_line = inside.rfind('\n').map_or(0, |at| at + 1);
    let (source, page) = source(&inside[open + 1..]);
    if open < last_line || !source.chars().any(char::is_alphabetic) {
        return None;
    }
    quotation(&inside[..open], &source, page.as_deref())
}

/// Returns the offset of the bracket that the bracket after the text closes.
fn matching(inside: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, char) in inside.char_indices().rev() {
        match char {
            ')' => depth += 1,
            '(' if depth == 0 => return Some(at),
            '(' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn quotation(quote: &str, source: &str, page: Option<&str>) -> Option<Citation> {
    let quote = quote.trim().trim_end_matches(['—', '–']).trim_end();
    let quote = unquoted(quote);
    if quote.is_empty() {
        return None;
    }
    let mut citation = Citation {
        full_phrase: Some(quote.to_owned()),
        attachment_id: Some(source.to_owned()).filter(|source| !source.is_empty()),
        ..Citation::default()
    };
    if let Some(page) = page {
        citation.set_page_label(page);
    }
    Some(citation)
}

/// Returns a text without the quotation marks around it.
fn unquoted(text: &str) -> &str {
    let mut chars = text.chars();
    let (first, last) = (chars.next(), chars.next_back());
    match (first.and_then(closing), last) {
        (Some(close), Some(last)) if close == last => chars.as_str().trim(),
        _ => text,
    }
}

fn closing(open: char) -> Option<char> {
    Some(match open {
        '"' => '"',
        '“' => '”',
        '„' => '“',
        '«' => '»',
        '»' => '«',
        '‹' => '›',
        '›' => '‹',
        '‚' => '‘',
        '「' => '」',
        '『' => '』',
        '‘' => '’',
        '\'' => '\'',
        _ => return None,
    })
}

/// Splits `source, p. 3` and `source, pp. 3–5` into the source and its first page.
fn source(text: &str) -> (String, Option<String>) {
    let (name, page) = numbered_source(text);
    if page.is_none()
        && let Some(found) = read_reference(text)
        && let (Some(source), Some(page)) = (found.source, found.page)
    {
        return (source, Some(page));
    }
    (name.to_owned(), page.map(str::to_owned))
}

/// Reads a source with a page number after the English word for it.
fn numbered_source(text: &str) -> (&str, Option<&str>) {
    let text = text.trim();
    let before = text
        .trim_end_matches(|char: char| char.is_ascii_digit() || matches!(char, '-' | '–' | ' '));
    let pages = text[before.len()..].trim_start();
    let digits = pages
        .find(|char: char| !char.is_ascii_digit())
        .unwrap_or(pages.len());
    let word = before.trim_end();
    let word_start = word
        .rfind(|char: char| char.is_whitespace() || char == ',')
        .map_or(0, |at| at + 1);
    let named = matches!(
        word.get(word_start..)
            .map(str::to_ascii_lowercase)
            .as_deref(),
        Some("p." | "pp." | "p" | "pp" | "page" | "pages")
    );
    if digits == 0 || !named || word_start == 0 {
        return (text, None);
    }
    let source = word[..word_start]
        .trim_end()
        .trim_end_matches(',')
        .trim_end();
    (source, Some(&pages[..digits]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(citation: Option<Citation>) -> Option<(String, Option<String>, Option<u64>)> {
        let citation = citation?;
        let page = citation.page();
        Some((citation.full_phrase?, citation.attachment_id, page))
    }

    #[test]
    fn footnotes_name_source_and_page() {
        for (text, quote, source, page) in [
            (
                "\"High tide\" harbour.pdf, p. 3",
                "High tide",
                "harbour.pdf",
                Some(3),
            ),
            (
                "“Say “yes” now” log, pp. 3–5.",
                "Say “yes” now",
                "log",
                Some(3),
            ),
            ("\"Tide\" (harbour log)", "Tide", "harbour log", None),
            ("\"Tide\" — report 2024", "Tide", "report 2024", None),
            (
                "„Flut“ Larsen 2015, S. 12 f.",
                "Flut",
                "Larsen 2015",
                Some(12),
            ),
            ("‚Flut‘ Larsen 2015, S. xii", "Flut", "Larsen 2015", None),
        ] {
            let expected = Some((quote.to_owned(), Some(source.to_owned()), page));
            assert_eq!(parts(footnote("1", text)), expected, "{text}");
        }
        assert!(footnote("1", "See there").is_none());
        assert!(footnote("1", "\"\" x").is_none());
    }

    #[test]
    fn block_quotes_end_in_their_source() {
        for (text, quote, source, page) in [
            (
                "High tide\nat noon (harbour.pdf, p. 3)",
                "High tide\nat noon",
                "harbour.pdf",
                Some(3),
            ),
            (
                "“Tide” (the log (old), pp. 12-14).",
                "Tide",
                "the log (old)",
                Some(12),
            ),
            ("Tide (page 3)", "Tide", "page 3", None),
        ] {
            let expected = Some((quote.to_owned(), Some(source.to_owned()), page));
            assert_eq!(parts(self::quote(text)), expected, "{text}");
        }
        for text in ["Tide", "Tide (2020)", "(log, p. 3)", "a (b\nc)", "Tide ()"] {
            assert!(self::quote(text).is_none(), "{text}");
        }
    }
}
